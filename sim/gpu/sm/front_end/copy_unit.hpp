#pragma once
// Asynchronous copies to the scratchpad that an SM's warps have in flight: the groups that they wait for, and what arrives at
// mbarriers when they are done.

#include <algorithm>
#include <cstdint>
#include <queue>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/machine/instruction.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::gpu {

/// A warp's copies form batches: a commit ends one, and so does an arrival of copies at an mbarrier. The last one is open.
class CopyUnit {
 public:
  /// One copy of a warp.
  struct Copy {
    std::uint32_t warp = 0;
    std::uint64_t generation = 0;  ///< Of the warp.
    std::uint64_t batch = 0;
    std::uint32_t bytes_per_lane = 0;
    std::uint64_t base = 0;   ///< See ScratchpadAccess.
    trace::AccessEntry to{};  ///< Where each lane writes in the scratchpad.
  };
  /// Arrivals at mbarriers that wait for copies.
  struct Arrivals {
    std::uint64_t batch = 0;  ///< All up to this one.
    trace::AccessEntry lanes{};
  };

  void begin_launch(std::uint32_t warps) {
    warps_.assign(warps, {});
    copies_.clear();
    free_.clear();
    arriving_ = {};
    order_ = 0;
  }
  void start_warp(std::uint32_t warp) { warps_[warp] = {}; }

  /// A copy has issued. Returns its number.
  std::uint32_t begin(Copy copy) {
    copy.batch = warps_[copy.warp].open();
    ++warps_[copy.warp].batches.back().in_flight;
    std::uint32_t number = static_cast<std::uint32_t>(copies_.size());
    if (free_.empty()) {
      copies_.push_back(copy);
    } else {
      number = free_.back();
      free_.pop_back();
      copies_[number] = copy;
    }
    return number;
  }
  /// Its data are at the SM at this cycle.
  void arrives(std::uint32_t number, Cycle at) { arriving_.push({at, order_++, number}); }
  /// When the next data come, or never.
  Cycle next_arrival() const { return arriving_.empty() ? never : arriving_.top().at; }
  /// Those that come next. They are in flight until done().
  const Copy& take_arrival() {
    const std::uint32_t number = arriving_.top().number;
    arriving_.pop();
    free_.push_back(number);
    return copies_[number];
  }
  /// The copy's bytes are in the scratchpad at this cycle.
  void done(const Copy& copy, Cycle at) {
    Copies& own = warps_[copy.warp];
    Batch& batch = own.batches[copy.batch - own.first];
    --batch.in_flight;
    batch.done = std::max(batch.done, at);
    own.retire();
  }

  void commit(std::uint32_t warp) {
    Copies& own = warps_[warp];
    own.open();
    own.batches.back().is_group = true;
    own.close();
  }
  /// When the copies are done that are not among the last `groups` that were committed, nor behind them; with
  /// machine::Instruction::all_copies, all of them. Never while one is in flight.
  Cycle done_at(std::uint32_t warp, std::uint32_t groups) const {
    const Copies& own = warps_[warp];
    std::size_t awaited = own.batches.size();
    if (groups != machine::Instruction::all_copies) {
      // Batches behind the last commit, and those of the last groups, do not count.
      for (std::uint32_t left = groups + 1; awaited > 0; --awaited)
        if (own.batches[awaited - 1].is_group && --left == 0) break;
    }
    Cycle done = own.done;
    for (std::size_t n = 0; n < awaited; ++n) {
      if (own.batches[n].in_flight != 0) return never;
      done = std::max(done, own.batches[n].done);
    }
    return done;
  }

  /// The lanes arrive when all copies that the warp has issued are done.
  void arrive_behind(std::uint32_t warp, const trace::AccessEntry& lanes) {
    Copies& own = warps_[warp];
    own.arrivals.push_back({own.open(), lanes});
    own.close();
  }
  /// Calls act(lanes, cycle) for arrivals whose copies are done.
  template <class Act>
  void take_due(std::uint32_t warp, Act&& act) {
    Copies& own = warps_[warp];
    std::size_t due = 0;
    while (due < own.arrivals.size() && own.arrivals[due].batch < own.first) act(own.arrivals[due++].lanes, own.done);
    own.arrivals.erase(own.arrivals.begin(), own.arrivals.begin() + static_cast<std::ptrdiff_t>(due));
  }

 private:
  struct Batch {
    std::uint32_t in_flight = 0;
    bool is_group = false;  ///< A commit has ended it.
    Cycle done = 0;
  };
  struct Copies {
    std::vector<Batch> batches;
    std::uint64_t first = 0;  ///< Number of the first of them; those before it are done, and were at `done`.
    Cycle done = 0;
    std::vector<Arrivals> arrivals;

    /// The number of the open batch.
    std::uint64_t open() {
      if (batches.empty()) batches.emplace_back();
      return first + batches.size() - 1;
    }
    void close() {
      batches.emplace_back();
      retire();
    }
    /// Forgets batches that are closed and done. So groups that are not there any more need not be waited for.
    void retire() {
      std::size_t count = 0;
      while (count + 1 < batches.size() && batches[count].in_flight == 0) done = std::max(done, batches[count++].done);
      batches.erase(batches.begin(), batches.begin() + static_cast<std::ptrdiff_t>(count));
      first += count;
    }
  };
  struct Arrival {
    Cycle at;
    std::uint64_t order;  ///< Of two at one cycle, the one that was known first goes first.
    std::uint32_t number;
    bool operator>(const Arrival& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  std::vector<Copies> warps_;
  std::vector<Copy> copies_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arriving_;
  std::uint64_t order_ = 0;
};

}  // namespace lockstep::gpu
