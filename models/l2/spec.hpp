#pragma once

#include <cstdint>
#include <string>

#include "isa/cycle.hpp"
#include "models/cache/spec.hpp"

namespace lockstep::l2 {

/// What becomes of a sector that is written in part and not there.
enum class PartialWrite : std::uint8_t {
  fill,  ///< The rest is read at once.
  mask   ///< It is known which words were written; the rest is read when the sector is asked for or written back.
};

/// The L2 cache: slices, each with its atomic unit, in a clock domain of their own.
struct Spec {
  double clock_mhz{};
  std::uint32_t slices{};  ///< A multiple of the DRAM's channels.
  cache::Spec cache;       ///< All slices together; 0 bytes: none, every request goes to its channel.
  cache::WritePolicy write{};
  Cycle latency{};                       ///< SM cycles in a slice, of a hit.
  double requests_per_l2_cycle{};        ///< Of one slice.
  double bytes_per_l2_cycle{};           ///< That one slice reads or writes.
  double atomics_per_l2_cycle{};         ///< Operations of one slice on different words.
  double same_word_l2_interval{};        ///< L2 cycles between two operations on one word.
  double same_word_float_l2_interval{};  ///< The same of floating-point numbers; 0: as of whole numbers.
  double atomic_sector_l2_interval{};    ///< L2 cycles between operations of a slice on two sectors, or twice on one;
  double whole_sector_l2_interval{};     ///< where they change all words of a sector. 0: the same.
  Cycle atomic_latency{};  ///< SM cycles an atomic takes longer than a read; reads of its sectors wait for it.
  std::uint32_t interleave_bytes{};  ///< Consecutive bytes of memory in one slice.
  std::string slice_hash;            ///< Hash SPEC from the number of an interleaved block to its slice.
  bool texture_only{};              ///< Requests of texture caches alone use the cache, all others go to their channel.
  Cycle same_word_latency{};        ///< SM cycles more for each further operation of a request on one word,
  std::uint32_t same_word_steps{};  ///< up to as many; the rest is combined meanwhile.
  std::uint32_t wait_queue{};       ///< Places of a slice's access queue that requests may circle through.
  std::uint32_t parts{};            ///< Partitions of the GPU, each with SMs and slices (distance.hpp).
  Cycle far_latency{};              ///< Additional latency of a slice in another partition, in SM cycles.
  PartialWrite partial_write{};     ///< Of a write back cache.
  /// With mask: slice occupancy of a partial write, in L2 cycles, in addition to reading and writing its data.
  double partial_write_l2_interval{};
  std::uint32_t dirty_ways{};   ///< Lines of a set that may be dirty, of a write back cache (dirty_lines.hpp); 0: all.
  std::uint32_t fetch_bytes{};  ///< Bytes fetched per miss: an aligned part of the line.
};

}  // namespace lockstep::l2
