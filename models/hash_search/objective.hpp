#pragma once
// What a search makes as small as it can: a cost of address maps over a set of accesses.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "models/hash/address_map.hpp"
#include "models/hash_search/access_set.hpp"

namespace lockstep::hash {

/// The cost of any address map for one unit, banks or locks.
class Objective {
 public:
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

  virtual ~Objective() = default;
  /// Banks or locks to choose among.
  virtual std::uint32_t targets() const = 0;
  /// Bits that number every word of the accesses.
  virtual std::uint32_t word_bits() const = 0;
  /// The cost of the map, or some number that is not below `limit` when the cost is not.
  virtual std::uint64_t cost(const AddressMap& map, std::uint64_t limit = no_limit) const = 0;
  /// No map of any kind costs less.
  virtual std::uint64_t least() const = 0;
  /// Requests that one evaluation looks at.
  virtual std::size_t requests() const = 0;
  /// The distinct words that are accessed together, with how often: what heuristics look at, with requests merged that no
  /// GF(2)-linear function tells apart.
  virtual const WeightedSequences& references() const = 0;
};

/// Passes over the banks: the sum over requests of their passes. Lock loops count only once with_lock_trips() has put
/// their iterations in their place.
std::uint64_t count_passes(const AccessSet& set, const AddressMap& banks, std::uint64_t limit = Objective::no_limit);
/// No mapping to so many banks makes fewer passes: the sum of ceil(words / banks).
std::uint64_t least_passes(const AccessSet& set);

/// The set as a GF(2)-linear function sees it: such a function makes as many passes for a request as for all its words XOR
/// any one number, so each request is moved to where its likes are moved too.
AccessSet moved_together(const AccessSet& set);

/// Passes over the banks, for linear functions (`linear`: requests are moved together) or any.
class BankObjective final : public Objective {
 public:
  BankObjective(const AccessSet& set, bool linear);
  std::uint32_t targets() const override { return set_.rules().shape.banks; }
  std::uint32_t word_bits() const override { return set_.word_bits(); }
  std::uint64_t cost(const AddressMap& map, std::uint64_t limit) const override {
    return count_passes(set_, map, limit);
  }
  std::uint64_t least() const override { return least_; }
  std::size_t requests() const override {
    return set_.requests().entries().size() + set_.lane_requests().entries().size();
  }
  const WeightedSequences& references() const override { return (all_merged_ ? set_ : merged_).requests(); }

 private:
  AccessSet set_, merged_;
  bool all_merged_ = false;
  std::uint64_t least_;
};

}  // namespace lockstep::hash
