// Rules between the parameters of a GPU, beyond each one's own range.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/cache/tag_banks.hpp"
#include "models/hash/address_map.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "models/scratchpad/scratchpad.hpp"
#include "sim/config/parameter.hpp"
#include "sim/config/rules.hpp"

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
          fmt::format("sm.occupancy.warps = {} is not a multiple of sm.occupancy.warp_unit = {}", limit.warps,
                      limit.warp_unit));
  require(limit.registers % limit.register_unit == 0, "sm.occupancy.register_unit",
          fmt::format("sm.occupancy.registers = {} is not a multiple of sm.occupancy.register_unit = {}",
                      limit.registers, limit.register_unit));
  require(limit.scratchpad_bytes % limit.scratchpad_unit == 0, "sm.occupancy.scratchpad_unit",
          fmt::format("sm.occupancy.scratchpad_bytes = {} is not a multiple of sm.occupancy.scratchpad_unit = {}",
                      limit.scratchpad_bytes, limit.scratchpad_unit));
  require(limit.scratchpad_bytes_per_block <= limit.scratchpad_bytes, "sm.occupancy.scratchpad_bytes_per_block",
          fmt::format("sm.occupancy.scratchpad_bytes_per_block is {}, more than sm.occupancy.scratchpad_bytes = {}",
                      limit.scratchpad_bytes_per_block, limit.scratchpad_bytes));
  require(std::has_single_bit(sm.scratchpad.bank_bytes), "sm.scratchpad.bank_bytes",
          fmt::format("sm.scratchpad.bank_bytes is {}, but must be 4, 8 or 16", sm.scratchpad.bank_bytes));

  require(std::has_single_bit(spec.memory.l2.interleave_bytes), "memory.l2.interleave_bytes",
          fmt::format("memory.l2.interleave_bytes is {}, but must be a power of two", spec.memory.l2.interleave_bytes));
  const auto check_lines = [&](const std::string& path, const cache::Spec& cache) {
    const std::uint32_t line = cache.line_bytes, sector = cache.sector_bytes;
    require(std::has_single_bit(line), path + ".line_bytes",
            fmt::format("{}.line_bytes is {}, but must be a power of two", path, line));
    require(std::has_single_bit(sector), path + ".sector_bytes",
            fmt::format("{}.sector_bytes is {}, but must be a power of two", path, sector));
    require(
        sector <= line && line <= 32 * std::uint64_t{sector}, path + ".sector_bytes",
        fmt::format("{}.sector_bytes is {}, but {}.line_bytes = {} must be 1 to 32 sectors", path, sector, path, line));
  };
  check_lines("sm.fetch.cache", sm.fetch.cache);
  require(sm.fetch.l0_groups == 0 || sm.fetch.l0_groups > sm.fetch.l0_prefetch, "sm.fetch.l0_groups",
          fmt::format("sm.fetch.l0_groups is {}, but must be 0 or more than sm.fetch.l0_prefetch = {}",
                      sm.fetch.l0_groups, sm.fetch.l0_prefetch));
  const auto check_cache = [&](const std::string& path, const cache::Spec& cache) {
    check_lines(path, cache);
    const std::uint32_t sector = cache.sector_bytes;
    require(sector <= spec.memory.l2.interleave_bytes, path + ".sector_bytes",
            fmt::format("{}.sector_bytes is {}, but a sector must lie in one slice: memory.l2.interleave_bytes is {}",
                        path, sector, spec.memory.l2.interleave_bytes));
  };
  check_cache("sm.l1.cache", sm.l1.cache);
  check_cache("sm.constant.l1", sm.constant.l1);
  check_cache("sm.constant.l15", sm.constant.l15);
  check_cache("sm.texture.cache", sm.texture.cache);
  require(sm.constant.l15.bytes == 0 || sm.constant.l15.line_bytes >= sm.constant.l1.sector_bytes,
          "sm.constant.l15.line_bytes",
          fmt::format("sm.constant.l15.line_bytes is {}, less than sm.constant.l1.sector_bytes = {}",
                      sm.constant.l15.line_bytes, sm.constant.l1.sector_bytes));
  require(sm.l1.unified_bytes == 0 || sm.l1.unified_bytes >= limit.scratchpad_bytes, "sm.l1.unified_bytes",
          fmt::format("sm.l1.unified_bytes is {}, less than sm.occupancy.scratchpad_bytes = {}", sm.l1.unified_bytes,
                      limit.scratchpad_bytes));

  const auto check_hash = [&](std::string_view path, const std::string& hash, std::uint32_t targets) {
    try {
      hash::make_address_map(hash, targets, limit.scratchpad_bytes / 4);
    } catch (const InputError& error) {
      diagnostics.add(place(path), fmt::format("{}: {}", path, error.what()));
    }
  };
  try {
    cache::TagBanks(sm.address_lines, sm.address_hash);
  } catch (const InputError& error) {
    diagnostics.add(place("sm.address_hash"), fmt::format("sm.address_hash: {}", error.what()));
  }
  const auto check_kernel_hashes = [&](std::string_view path, const std::string& text, std::uint32_t targets,
                                       std::uint64_t word_bytes) {
    try {
      const hash::KernelHashes hashes(text);
      for (const auto& [kernel, hash] : hashes.all()) {
        try {
          hash::make_address_map(hash, targets, limit.scratchpad_bytes / word_bytes);
        } catch (const InputError& error) {
          diagnostics.add(place(path),
                          fmt::format("{}: {}{}", path, kernel.empty() ? "" : "kernel " + kernel + ": ", error.what()));
        }
      }
    } catch (const InputError& error) {
      diagnostics.add(place(path), fmt::format("{}: {}", path, error.what()));
    }
  };
  check_kernel_hashes("sm.scratchpad.bank_hash", sm.scratchpad.bank_hash, sm.scratchpad.banks,
                      sm.scratchpad.bank_bytes);
  check_kernel_hashes("sm.scratchpad.lock_hash", sm.scratchpad.lock_hash, sm.scratchpad.locks,
                      scratchpad::Scratchpad::lock_word_bytes);
  const auto check_set_hash = [&](const std::string& path, const cache::Spec& cache) {
    if (cache.bytes == 0 || cache.line_bytes == 0) return;
    const std::uint32_t lines = std::max(cache.bytes / cache.line_bytes, 1u);
    const std::uint32_t sets = cache.ways == 0 || cache.ways > lines ? 1 : lines / cache.ways;
    require(sets <= 65536, path + ".ways", fmt::format("{} has {} sets, but may have at most 65536", path, sets));
    if (sets <= 65536) check_hash(path + ".set_hash", cache.set_hash, sets);
  };
  check_set_hash("sm.fetch.cache", sm.fetch.cache);
  check_set_hash("sm.l1.cache", sm.l1.cache);
  check_set_hash("sm.constant.l1", sm.constant.l1);
  check_set_hash("sm.constant.l15", sm.constant.l15);
  check_set_hash("sm.texture.cache", sm.texture.cache);
  check_memory_rules(spec, require);
  check_sizes(spec, require);
  check_rgpu_rules(spec, require);
}

}  // namespace lockstep::config
