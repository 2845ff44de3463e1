// Rules between the parameters of a GPU, beyond each one's own range.

#include <fmt/format.h>

#include <bit>

#include "models/hash/address_map.hpp"
#include "sim/config/parameter.hpp"

namespace lockstep::config {

void check_rules(const gpu::GpuSpec& spec, const std::function<SourceLocation(std::string_view path)>& place,
                 Diagnostics& diagnostics) {
  const auto require = [&](bool holds, std::string_view path, const std::string& message) {
    if (!holds) diagnostics.add(place(path), message);
  };
  const gpu::SmSpec& sm = spec.sm;
  const gpu::OccupancySpec& limit = sm.occupancy;
  require(limit.warps >= sm.schedulers, "sm.schedulers",
          fmt::format("sm.schedulers is {}, but only sm.occupancy.warps = {} warps are resident", sm.schedulers,
                      limit.warps));
  require(std::uint64_t{limit.warps} * 32 >= limit.threads_per_block, "sm.occupancy.threads_per_block",
          fmt::format("sm.occupancy.threads_per_block is {}, more than the {} threads of sm.occupancy.warps = {} warps",
                      limit.threads_per_block, std::uint64_t{limit.warps} * 32, limit.warps));
  require(limit.threads >= limit.threads_per_block, "sm.occupancy.threads_per_block",
          fmt::format("sm.occupancy.threads_per_block is {}, more than sm.occupancy.threads = {}",
                      limit.threads_per_block, limit.threads));
  require(limit.warps % limit.warp_unit == 0, "sm.occupancy.warp_unit",
          fmt::format("sm.occupancy.warps = {} is no multiple of sm.occupancy.warp_unit = {}", limit.warps,
                      limit.warp_unit));
  require(limit.registers % limit.register_unit == 0, "sm.occupancy.register_unit",
          fmt::format("sm.occupancy.registers = {} is no multiple of sm.occupancy.register_unit = {}", limit.registers,
                      limit.register_unit));
  require(limit.scratchpad_bytes % limit.scratchpad_unit == 0, "sm.occupancy.scratchpad_unit",
          fmt::format("sm.occupancy.scratchpad_bytes = {} is no multiple of sm.occupancy.scratchpad_unit = {}",
                      limit.scratchpad_bytes, limit.scratchpad_unit));
  require(limit.scratchpad_bytes_per_block <= limit.scratchpad_bytes, "sm.occupancy.scratchpad_bytes_per_block",
          fmt::format("sm.occupancy.scratchpad_bytes_per_block is {}, more than sm.occupancy.scratchpad_bytes = {}",
                      limit.scratchpad_bytes_per_block, limit.scratchpad_bytes));
  require(std::has_single_bit(sm.scratchpad.bank_bytes), "sm.scratchpad.bank_bytes",
          fmt::format("sm.scratchpad.bank_bytes is {}, but must be 4, 8 or 16", sm.scratchpad.bank_bytes));
  require(std::has_single_bit(sm.l1.cache.line_bytes), "sm.l1.cache.line_bytes",
          fmt::format("sm.l1.cache.line_bytes is {}, but must be a power of two", sm.l1.cache.line_bytes));

  const auto check_hash = [&](std::string_view path, const std::string& hash, std::uint32_t targets) {
    try {
      hash::make_address_map(hash, targets, limit.scratchpad_bytes / 4);
    } catch (const InputError& error) {
      diagnostics.add(place(path), fmt::format("{}: {}", path, error.what()));
    }
  };
  check_hash("sm.scratchpad.bank_hash", sm.scratchpad.bank_hash, sm.scratchpad.banks);
  check_hash("sm.scratchpad.lock_hash", sm.scratchpad.lock_hash, sm.scratchpad.locks);
}

}  // namespace lockstep::config
