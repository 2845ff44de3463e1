// Rules between the parameters of what lies behind the SMs.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/hash/address_map.hpp"
#include "models/noc/message.hpp"
#include "sim/config/rules.hpp"

namespace lockstep::config {

void check_sizes(const gpu::GpuSpec& spec, const Require& require) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;  // About a gigabyte of this program's memory for each kind.
  constexpr std::uint32_t most_sets = 65536;              // An address map is a table of 16-bit numbers.
  const auto count = [&](const std::string& path, const char* what, std::uint64_t entries) {
    const bool of_sm = path.starts_with("sm.");
    require(entries * (of_sm ? spec.sms : 1) <= most, path,
            fmt::format("{} gives {} {}{}; at most {} are simulated{}", path, entries, what,
                        of_sm ? fmt::format(" in each of {} SMs", spec.sms) : "", most, of_sm ? " in all" : ""));
  };
  const auto cache = [&](const std::string& path, const cache::Spec& of) {
    count(path + ".bytes", "lines", of.bytes / std::max(1u, of.line_bytes));
    count(path + ".mshrs", "registers for lines in flight", of.mshrs);
  };
  const auto buffer = [&](const std::string& path, const cache::TlbSpec& of) {
    count(path + ".entries", "entries", of.entries);
    const std::uint32_t sets = of.ways == 0 ? 1 : of.entries / of.ways;
    require(sets <= most_sets, path + ".ways",
            fmt::format("{} has {} sets, but may have at most {}", path, sets, most_sets));
  };
  cache("sm.fetch.cache", spec.sm.fetch.cache);
  cache("sm.l1.cache", spec.sm.l1.cache);
  cache("sm.constant.l1", spec.sm.constant.l1);
  cache("sm.constant.l15", spec.sm.constant.l15);
  cache("sm.texture.cache", spec.sm.texture.cache);
  cache("memory.l2.cache", spec.memory.l2.cache);
  buffer("sm.tlb", spec.sm.tlb);
  buffer("memory.tlb", spec.memory.tlb);
  buffer("memory.page_table", spec.memory.page_table);
}

void check_memory_rules(const gpu::GpuSpec& spec, const Require& require) {
  const gpu::MemorySpec& memory = spec.memory;
  const cache::Spec& cache = memory.l2.cache;
  const dram::Spec& dram = memory.dram;
  require(memory.l2.slices % dram.channels == 0, "memory.l2.slices",
          fmt::format("memory.l2.slices is {}, but must be a multiple of memory.dram.channels = {}", memory.l2.slices,
                      dram.channels));
  const auto power_of_two = [&](std::string_view path, std::uint32_t value) {
    require(std::has_single_bit(value), path, fmt::format("{} is {}, but must be a power of two", path, value));
  };
  power_of_two("memory.l2.interleave_bytes", memory.l2.interleave_bytes);
  power_of_two("memory.dram.row_bytes", dram.row_bytes);
  const auto at_least = [&](std::string_view path, std::uint64_t value, std::string_view other, std::uint64_t least) {
    require(value >= least, path, fmt::format("{} is {}, less than {} = {}", path, value, other, least));
  };
  const std::uint32_t message_line = spec.sm.l1.cache.line_bytes;
  at_least("memory.l2.interleave_bytes", memory.l2.interleave_bytes, "sm.l1.cache.line_bytes", message_line);
  at_least("memory.dram.row_bytes", dram.row_bytes, "sm.l1.cache.line_bytes", message_line);
  const cache::Spec& l2 = memory.l2.cache;
  require(memory.l2.partial_write == l2::PartialWrite::fill || l2.bytes == 0 ||
              (l2.sector_bytes == noc::sector_bytes && l2.line_bytes <= noc::block_bytes),
          "memory.l2.partial_write",
          fmt::format(
              "memory.l2.partial_write is mask, which needs lines of at most {} bytes and sectors of {}, not {} and {}",
              noc::block_bytes, noc::sector_bytes, l2.line_bytes, l2.sector_bytes));
  require(std::has_single_bit(std::max(1u, memory.l2.fetch_bytes)), "memory.l2.fetch_bytes",
          fmt::format("memory.l2.fetch_bytes is {}, but must be a power of two, or 0", memory.l2.fetch_bytes));
  const std::uint32_t flit = memory.noc.flit_bytes;
  require(flit == 0 || flit >= noc::sector_bytes, "memory.noc.flit_bytes",
          fmt::format("memory.noc.flit_bytes is {}, but a flit must hold a sector of {} bytes; 0: messages occupy "
                      "ports by their bytes",
                      flit, noc::sector_bytes));
  const std::uint64_t row_cycle = dram::least_refresh_interval(dram.timing);
  require(
      dram.timing.refi == 0 || dram.timing.refi > row_cycle, "memory.dram.timing.refi",
      fmt::format("memory.dram.timing.refi is {}, but closing, refreshing, opening and reading a row takes ras + rp + "
                  "rfc (at least rrd) + rcd = {} DRAM cycles",
                  dram.timing.refi, row_cycle));

  const auto hash = [&](std::string_view path, const std::string& text, std::uint32_t targets) {
    try {
      hash::make_address_map(text, targets, 1 << 16);
    } catch (const InputError& error) {
      require(false, path, fmt::format("{}: {}", path, error.what()));
    }
  };
  hash("memory.l2.slice_hash", memory.l2.slice_hash, memory.l2.slices);
  hash("memory.dram.bank_hash", dram.bank_hash, dram.banks);

  if (cache.bytes == 0) return;
  power_of_two("memory.l2.cache.line_bytes", cache.line_bytes);
  power_of_two("memory.l2.cache.sector_bytes", cache.sector_bytes);
  at_least("memory.l2.cache.sector_bytes", cache.sector_bytes, "the sector of a message", noc::sector_bytes);
  at_least("memory.l2.cache.line_bytes", cache.line_bytes, "memory.l2.cache.sector_bytes", cache.sector_bytes);
  at_least("memory.l2.cache.line_bytes", cache.line_bytes, "sm.l1.cache.line_bytes", message_line);
  at_least("memory.l2.interleave_bytes", memory.l2.interleave_bytes, "memory.l2.cache.line_bytes", cache.line_bytes);
  at_least("memory.dram.row_bytes", dram.row_bytes, "memory.l2.cache.line_bytes", cache.line_bytes);
  require(cache.line_bytes / std::max(1u, cache.sector_bytes) <= 32, "memory.l2.cache.sector_bytes",
          fmt::format("memory.l2.cache.sector_bytes is {}, but a line of {} bytes has at most 32 sectors",
                      cache.sector_bytes, cache.line_bytes));
  const std::uint64_t set = std::uint64_t{cache.line_bytes} * std::max(1u, cache.ways);
  const std::uint64_t slice = cache.bytes / memory.l2.slices;
  require(
      slice >= set && slice % set == 0, "memory.l2.cache.bytes",
      fmt::format("memory.l2.cache.bytes is {}: {} for each of {} slices, which is not a multiple of a set's {} bytes",
                  cache.bytes, slice, memory.l2.slices, set));
  const auto sets = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, cache.ways == 0 ? 1 : slice / set));
  require(sets <= 65536, "memory.l2.cache.ways",
          fmt::format("memory.l2.cache has {} sets in a slice, but may have at most 65536", sets));
  if (sets <= 65536) hash("memory.l2.cache.set_hash", cache.set_hash, sets);
}

}  // namespace lockstep::config
