#pragma once
// What "hashes.NAME" of an experiment comes to at a point: a SPEC that the file states, or one that a search finds for what
// the point's kernels access.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/workload/workload.hpp"

namespace lockstep::experiment {

/// How a hash is looked for, kernel by kernel (Van den Braak 2015, section 6.4: it is configured per kernel).
struct HashSearch {
  std::string family, method;         ///< See hash::search_methods().
  std::uint64_t steps = 0;            ///< Limit of the work; 0: the search's own.
  workload::ArgumentOverrides train;  ///< Arguments of the run that is searched, where they differ from the point's.
};

/// A hash function that has a SPEC of its own at every workload; "hashes.NAME" where a SPEC is wanted.
struct NamedHash {
  std::string name;
  std::vector<std::pair<std::string, std::string>> of_workload;  ///< Workload and SPEC.
  std::string otherwise;                                         ///< For all other workloads; "" when there is none.
  std::optional<HashSearch> search;                              ///< Instead of SPECs.
};

/// What a named hash begins with where a SPEC is wanted.
inline constexpr std::string_view named_hash_prefix = "hashes.";
/// What takes a named hash: those of banks and of locks, and that which kernels compute themselves.
inline constexpr std::array<std::string_view, 3> named_hash_paths = {"sm.scratchpad.bank_hash",
                                                                     "sm.scratchpad.lock_hash", "args.software_hash"};
inline bool takes_named_hash(std::string_view path) {
  return std::find(named_hash_paths.begin(), named_hash_paths.end(), path) != named_hash_paths.end();
}

/// A place of a point that takes a named hash.
struct HashUse {
  std::string path;  ///< One of named_hash_paths.
  std::string spec;  ///< "" until it is found.
  std::optional<HashSearch> search;
};

/// What a named hash is at a point, and what it costs there by the search's count (see hash::SearchResult): passes over the
/// banks, or retries of lock loops, summed over the kernels. The rest of the GPU is as the point has it.
struct SettledHash {
  std::string path, spec;
  std::uint64_t cost = 0;
  std::uint64_t without_conflicts = 0;  ///< Passes of requests that have no conflicts; 0 for retries.
  std::uint64_t least = 0;              ///< No mapping of any kind costs less.
  std::uint64_t lower_bound = 0;  ///< Nothing in the searched family costs less; `least` when nothing was searched.
  bool optimal = false;           ///< cost == lower_bound.
  std::optional<std::uint32_t> xor_gates;  ///< When it is linear, the most of all kernels.
};

}  // namespace lockstep::experiment
