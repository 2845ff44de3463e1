#pragma once
// Finds words that nodes of a run load and store, or store, with nothing to order them, so that values would depend on time.
//
// Allowed on a word within a run: loads only; stores of one node; stores of the same value, or reductions by the same
// operation, of several; loads with lock and stores that free it; loads that wait for a hit; and a store whose values come,
// along edges, from every load of the word before it (in-place update). A load or store behind a store is never ordered by
// edges, since a store gives no result.

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "isa/dataflow/instance.hpp"
#include "isa/exec/dataflow/zeroed.hpp"

namespace lockstep::dataflow {

/// The accesses of a run to one buffer, or to the scratchpad, that has nodes which need an order.
class AccessOrder {
 public:
  /// What is wrong about an access.
  struct Conflict {
    std::uint32_t other = no_node;
    std::uint64_t firing = 0;  ///< Of the other node; known of loads.
    bool loads = false;        ///< The other node is a load.
    bool found() const { return other != no_node; }
  };

  /// `loads`, `stores`: nodes that access the memory of `bytes` bytes. Loads that wait for a hit are left out.
  AccessOrder(const Graph& graph, const Instance& instance, std::uint64_t bytes, std::vector<std::uint32_t> loads,
              std::vector<std::uint32_t> stores);

  /// Firing `firing` of a load reads [at, at + bytes).
  Conflict load(std::uint32_t node, std::uint64_t firing, std::uint64_t at, std::uint32_t bytes);
  /// Firing `firing` of a store or reduction writes them. `changes`: not what is there already.
  Conflict store(std::uint32_t node, std::uint64_t firing, std::uint64_t at, std::uint32_t bytes, bool changes);

 private:
  struct Load {
    std::uint32_t node = 0;
    bool locks = false;
    Zeroed<std::uint64_t> last;  ///< Per granule: 1 + the last firing that read it.
  };
  /// Whether stores of two nodes give the same result in any order.
  bool commute(std::uint32_t a, std::uint32_t b, bool changes) const;
  /// Fills needed_ with how many firings of every node a firing of `node` comes after.
  void find_needed(std::uint32_t node, std::uint64_t firing);

  const Graph& graph_;
  const Instance& instance_;
  std::uint32_t granule_ = 4;  ///< Bytes that are looked at together: the narrowest element.
  std::deque<Load> loads_;
  std::vector<std::uint32_t> column_;  ///< Per node of the graph: its entry in loads_.
  /// Per granule: 1 + the first node that stored to it without a lock, and `several` when others have, too.
  Zeroed<std::uint32_t> stored_;
  static constexpr std::uint32_t several = std::uint32_t{1} << 31;
  Zeroed<std::uint32_t> freed_;  ///< The same of stores that free locks.
  std::vector<std::uint64_t> needed_;
  std::vector<std::uint32_t> queue_;
};

}  // namespace lockstep::dataflow
