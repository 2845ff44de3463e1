#pragma once
// The cores and load-store units of one SM in R-GPU mode, cycle by cycle (Van den Braak, section 7.2). Knows when, not
// what: values have been computed by isa/dataflow, and the fabric gets the addresses of every access.
//
// A unit fires when each of its operand FIFOs has a value and every FIFO that gets its result has room. The result leaves
// the unit a latency later, to all receivers at once; when one of them has no room then, all that is in the unit stands
// still until it has, and nothing fires there. What a firing takes away gives room from the next cycle on; a node that
// feeds itself counts its own. Between two cycles in which nothing can happen no time is spent.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/cycle.hpp"
#include "isa/dataflow/access_stream.hpp"
#include "models/rgpu/counters.hpp"
#include "models/rgpu/mapping.hpp"
#include "models/rgpu/spec.hpp"

namespace lockstep::rgpu {

/// What a load-store unit wants of the SM in this cycle.
struct Ask {
  enum class Kind : std::uint8_t {
    load,      ///< The access at the head: may it leave?
    prefetch,  ///< Of a global l1 load further behind: fetch its line, if it is not there.
    store,     ///< Also reductions.
    flush      ///< Everything that the unit has gathered of a line shall leave.
  };
  Kind kind = Kind::load;
  std::uint32_t unit = 0;  ///< Load-store unit.
  std::uint32_t node = 0;
  std::uint64_t address = 0;  ///< Device address, or scratchpad offset.
};
enum class Answer : std::uint8_t {
  done,    ///< The load has its value (it leaves Spec::load_latency later); the prefetch, store or flush is taken.
  waits,   ///< In progress: retried after Fabric::wake().
  refused  ///< Something is taken in this cycle: worth asking again in the next.
};

/// Firings over time: those of cycle c count in intervals[c / interval].
struct Activity {
  Cycle interval{};
  std::vector<std::array<std::uint32_t, 3>> intervals;  ///< Integer; floating and special; load-store.
};

/// An L1 line of Van den Braak, section 7.2.
inline constexpr std::uint32_t fabric_line_bytes = 128;

/// InputError, naming nodes, when one takes so few of the values that another sends it that its FIFO never holds the rest.
void check_that_it_ends(const dataflow::Graph& graph, const dataflow::Instance& instance, const Spec& spec);

class Fabric {
 public:
  /// `line_bytes`: of the L1 cache whose lines the prefetchers ask for; a power of two.
  explicit Fabric(const Spec& spec, std::uint32_t line_bytes = fabric_line_bytes);
  ~Fabric();
  Fabric(Fabric&&) noexcept;
  Fabric& operator=(Fabric&&) noexcept;

  /// Begins a run whose first cycle is `now`, the end of its set-up. InputError, naming node and operand: more initial
  /// values than the FIFO has entries.
  void start(std::shared_ptr<const dataflow::GraphRun> run, const Mapping& mapping, Cycle now);
  bool running() const;  ///< Between start() and finish().

  /// Cycle `now` (each call a later one, none past next_event()): values arrive, cores fire, load-store units ask. The
  /// asks are in order of units and must all be answered before the next step; the span is valid until then.
  std::span<const Ask> step(Cycle now);
  void answer(const Ask& ask, Answer answer);
  /// Something that an Answer::waits was about may have changed: those who wait ask again in the next step, `now` at the
  /// earliest.
  void wake(Cycle now);
  /// The next cycle in which something can happen without wake(), or never.
  Cycle next_event() const;
  /// All nodes have fired as often as they shall, all values have arrived, and all flushes are taken.
  bool done() const;
  /// Of a running fabric: firings of the run so far.
  std::uint64_t firings() const;
  /// After done(): ends the run, accounts its units for all cycles before `now` (and that of the last step).
  void finish(Cycle now);

  /// Of all runs that have ended.
  FabricCounters& counters() { return counters_; }
  const FabricCounters& counters() const { return counters_; }
  /// The same with the run that is in progress, up to, not including, cycle `now`, before which nothing is left to happen.
  /// What its values take of FIFOs and lanes counts when it has ended.
  FabricCounters counters_at(Cycle now) const;
  /// A line per node that has firings left: how many, and what it waits for; then a cycle of waiting that can never
  /// end, when there is one.
  std::string describe() const;
  /// Of a running fabric: values that lie in the FIFO of an operand, without those in flight.
  std::uint32_t values(std::uint32_t node, std::uint32_t operand) const;

  /// From now on, over all runs; 0: no more.
  void record_activity(Cycle interval);
  const Activity& activity() const { return activity_; }

  /// From now on, over all runs.
  void record_nodes(bool record);
  /// Per node, of the runs with this mapping that have ended since; empty: none.
  std::span<const NodeCycles> nodes(const Mapping& mapping) const;

 private:
  struct State;
  std::size_t activity_index(Cycle now);

  std::unique_ptr<State> state_;
  FabricCounters counters_;
  Activity activity_;
  bool records_nodes_ = false;
  std::vector<std::pair<const Mapping*, std::vector<NodeCycles>>> nodes_;
};

}  // namespace lockstep::rgpu
