#pragma once

#include <cstdint>
#include <string>

#include "isa/cycle.hpp"

namespace lockstep::cache {

/// What a store does to a cache.
enum class WritePolicy : std::uint8_t {
  evict,    ///< A resident line is dropped; the store is forwarded. No line is allocated.
  through,  ///< A resident line is updated too; the store is forwarded. No line is allocated.
  allocate,  ///< The line takes the data; the store is forwarded too. Nothing is read: bytes are there that were written.
  back  ///< The line takes the data and is written back when evicted. A sector that is written whole is not read first.
};

/// Parameters of a set-associative cache of lines that are filled sector by sector.
struct Spec {
  std::uint32_t bytes{};  ///< 0: there is no such cache.
  std::uint32_t line_bytes{}, sector_bytes{};
  std::uint32_t ways{};             ///< 0: fully associative.
  std::string set_hash;             ///< Hash SPEC from line number to set.
  std::uint32_t mshrs{};            ///< Lines that may be in flight at a time.
  std::uint32_t mshr_merges{};      ///< Accesses that may wait for one of them, the first included.
  std::string replacement = "lru";  ///< SPEC of the replacement policy.
};

/// A translation buffer: a cache of page numbers.
struct TlbSpec {
  std::uint32_t entries{};  ///< 0: every translation is there.
  std::uint32_t ways{};     ///< 0: fully associative.
  std::uint64_t page_bytes{};
  Cycle miss_latency{};  ///< That a request waits when its page is not among the entries.
  std::string replacement = "lru";
};

}  // namespace lockstep::cache
