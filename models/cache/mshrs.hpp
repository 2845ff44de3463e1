#pragma once
// Miss status holding registers: the lines in flight to a cache, and the requests waiting for their sectors.

#include <cstdint>
#include <utility>
#include <vector>

#include "models/cache/line_index.hpp"
#include "models/cache/spec.hpp"

namespace lockstep::cache {

/// One register per line. The accesses that wait for a line are kept in the order in which they came; Waiter says whose
/// they are. The number of registers is fixed; storage for waiters grows to the most that ever waited and is reused.
template <class Waiter>
class Mshrs {
 public:
  static constexpr std::uint32_t none = LineIndex::none;

  /// Why an access cannot be taken.
  enum class Refusal : std::uint8_t {
    none,
    full,   ///< Every register holds another line.
    merges  ///< As many accesses as a register takes wait for this line.
  };

  explicit Mshrs(const Spec& spec) : Mshrs(spec.mshrs, spec.mshr_merges) {}
  Mshrs(std::uint32_t registers, std::uint32_t merges) : merges_(merges), index_(registers), registers_(registers) {
    clear();
  }

  std::uint32_t used() const { return used_; }
  /// Whether an access that misses in this line could be taken now.
  Refusal refusal(std::uint64_t line) const {
    const std::uint32_t at = index_.find(line);
    if (at == none) return free_ == none ? Refusal::full : Refusal::none;
    return registers_[at].waiting >= merges_ ? Refusal::merges : Refusal::none;
  }
  /// The sectors of a line that are on their way.
  std::uint32_t pending(std::uint64_t line) const {
    const std::uint32_t at = index_.find(line);
    return at == none ? 0 : registers_[at].pending;
  }
  /// Lets an access wait for sectors of a line; refusal(line) is none. Returns those that are not on their way yet and
  /// must be asked for now.
  std::uint32_t wait(std::uint64_t line, std::uint32_t sectors, const Waiter& waiter) {
    std::uint32_t at = index_.find(line);
    if (at == none) {
      at = free_;
      free_ = registers_[at].next_free;
      registers_[at] = Register{};
      index_.insert(at, line);
      ++used_;
    }
    Register& r = registers_[at];
    const std::uint32_t ask = sectors & ~r.pending;
    r.pending |= sectors;
    ++r.waiting;
    const std::uint32_t node = new_node();
    nodes_[node] = {waiter, sectors, none};
    if (r.last == none) {
      r.first = node;
    } else {
      nodes_[r.last].next = node;
    }
    r.last = node;
    return ask;
  }
  /// Sectors of a line have arrived: calls done(waiter) for every access that waits for nothing more, in order. The
  /// register is free again when no access waits for it any more.
  template <class Done>
  void arrive(std::uint64_t line, std::uint32_t sectors, Done&& done) {
    const std::uint32_t at = index_.find(line);
    if (at == none) return;
    Register& r = registers_[at];
    r.pending &= ~sectors;
    std::uint32_t before = none;
    for (std::uint32_t node = r.first; node != none;) {
      const std::uint32_t next = nodes_[node].next;
      nodes_[node].missing &= ~sectors;
      if (nodes_[node].missing == 0) {
        (before == none ? r.first : nodes_[before].next) = next;
        if (r.last == node) r.last = before;
        --r.waiting;
        nodes_[node].next = free_node_;
        free_node_ = node;
        finished_.push_back(nodes_[node].waiter);
      } else {
        before = node;
      }
      node = next;
    }
    if (r.first == none) {
      index_.erase(at);
      r.next_free = free_;
      free_ = at;
      --used_;
    }
    // Told last, so that done() may let others wait.
    for (std::size_t n = 0; n < finished_.size(); ++n) done(Waiter(finished_[n]));
    finished_.clear();
  }
  void clear() {
    index_.clear();
    used_ = 0;
    nodes_.clear();
    finished_.clear();
    free_node_ = none;
    free_ = none;
    for (auto at = static_cast<std::uint32_t>(registers_.size()); at-- > 0;) {
      registers_[at].next_free = free_;
      free_ = at;
    }
  }

 private:
  struct Register {
    std::uint32_t pending = 0;  ///< Sectors on their way.
    std::uint32_t waiting = 0;
    std::uint32_t first = none, last = none;  ///< Nodes.
    std::uint32_t next_free = none;
  };
  struct Node {
    Waiter waiter{};
    std::uint32_t missing = 0;  ///< Sectors it waits for.
    std::uint32_t next = none;
  };
  std::uint32_t new_node() {
    if (free_node_ == none) {
      nodes_.emplace_back();
      return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    return std::exchange(free_node_, nodes_[free_node_].next);
  }

  std::uint32_t merges_;
  LineIndex index_;
  std::vector<Register> registers_;
  std::vector<Node> nodes_;
  std::vector<Waiter> finished_;
  std::uint32_t free_ = none, free_node_ = none, used_ = 0;
};

}  // namespace lockstep::cache
