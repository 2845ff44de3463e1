#pragma once
// The rules of the fabric once more, written for reading: every cycle looks at every node and at the arrival time of every
// value. Slow, and shares no code with models/rgpu.

#include <deque>
#include <map>

#include "tests/unit/models/rgpu/fabric_bed.hpp"

namespace lockstep::rgpu {

struct ReferenceResult {
  bool ended = false;
  Cycle last = 0;  ///< Cycle of the last arrival, firing or flush.
  std::uint64_t fired = 0, waits_operand = 0, waits_receiver = 0, waits_memory = 0, waits_lock = 0, done = 0;
  std::uint64_t data_reads = 0, data_writes = 0, address_reads = 0, address_writes = 0, lane_words = 0, lane_slots = 0;
  std::vector<std::array<std::uint32_t, 3>> firings;                    ///< By cycle; integer, floating, load-store.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> left;  ///< Values by node and operand.
};

class Reference {
 public:
  Reference(Bed& bed, FakeMemory& memory) : bed_(bed), memory_(memory) {
    for (std::uint32_t n = 0; n != bed.graph->nodes.size(); ++n) {
      NodeState& state = nodes_.emplace_back();
      receivers_.emplace_back();
      for (std::uint32_t m = 0; m != bed.graph->nodes.size(); ++m)
        for (std::uint32_t k = 0; k != bed.graph->nodes[m].operands.size(); ++k)
          if (bed.graph->nodes[m].operands[k].source == n) receivers_[n].emplace_back(m, k);
      const dataflow::Node& node = bed.graph->nodes[n];
      for (const dataflow::Operand& operand : node.operands) {
        state.fifos.emplace_back(operand.kind == dataflow::Operand::Kind::edge ? operand.initial : 0, Cycle{0});
        state.used.push_back(0);
      }
      for (const dataflow::AddressRun& run : bed.run->accesses[n].runs())
        for (std::uint32_t i = 0; i != run.count; ++i)
          state.addresses.push_back(
              run.first == dataflow::no_access ? run.first : run.first + static_cast<std::uint64_t>(run.step) * i);
    }
  }

  /// `patience`: cycles without anything happening after which it is a deadlock.
  ReferenceResult run(Cycle patience) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t place = 0; place != bed_.spec.cores; ++place)
      for (std::uint32_t n = 0; n != nodes_.size(); ++n)
        if (bed_.mapping.place[n] == place && !bed_.is_memory(n)) order.push_back(n);
    for (std::uint32_t place = 0; place != bed_.spec.load_store_units; ++place)
      for (std::uint32_t n = 0; n != nodes_.size(); ++n)
        if (bed_.mapping.place[n] == place && bed_.is_memory(n)) order.push_back(n);
    Cycle idle = 0;
    for (now_ = 0; idle <= patience; ++now_) {
      if (memory_.wakes.erase(now_) != 0)
        for (NodeState& state : nodes_) state.waits = state.prefetch_waits = state.flush_waits = false;
      result_.firings.emplace_back();
      happened_ = false;
      for (std::uint32_t n = 0; n != nodes_.size(); ++n) leave(n);
      for (std::uint32_t n = 0; n != nodes_.size(); ++n) decide(n);
      for (const std::uint32_t n : order) act(n);
      idle = happened_ || !memory_.wakes.empty() ? 0 : idle + 1;
      if (finished()) {
        result_.ended = true;
        result_.last = now_;
        break;
      }
    }
    for (std::uint32_t n = 0; n != nodes_.size(); ++n)
      for (std::uint32_t k = 0; k != nodes_[n].fifos.size(); ++k) result_.left[{n, k}] = nodes_[n].fifos[k].size();
    return result_;
  }

 private:
  struct NodeState {
    std::vector<std::deque<Cycle>> fifos;  ///< By operand: when each value arrives.
    std::vector<std::uint32_t> used;       ///< How often the head has been used.
    std::uint64_t firings = 0;
    struct Result {
      Cycle left = 0;  ///< Until it leaves.
      bool emitted = false;
    };
    std::deque<Result> results;  ///< Under way in the unit.
    bool stalled = false;
    std::vector<std::uint64_t> addresses;
    bool lacks_operand = false, lacks_room = false, over = false;
    bool waits = false, prefetch_waits = false, flush_waits = false, gathered = false, looking = false;
    std::uint64_t looked = 0, line = ~std::uint64_t{0};
    Cycle stored = 0;
  };

  const dataflow::NodeValues& values(std::uint32_t n) const { return bed_.instance->nodes[n]; }
  bool emits(std::uint32_t n) const {
    return nodes_[n].firings % values(n).emit_period >= values(n).emit_period - values(n).emit_last;
  }
  std::uint32_t capacity(std::uint32_t n, std::uint32_t k) const {
    return bed_.is_memory(n) && k == 0 ? bed_.spec.address_fifo : bed_.spec.data_fifo;
  }
  template <typename Do>
  void for_each_receiver(std::uint32_t n, bool emitted, Do&& act) const {
    for (const auto& [m, k] : receivers_[n])
      if (m == n || emitted) act(m, k);
  }
  bool is_edge(std::uint32_t n, std::uint32_t k) const {
    return bed_.graph->nodes[n].operands[k].kind == dataflow::Operand::Kind::edge;
  }
  Cycle latency(std::uint32_t n) const {
    switch (bed_.graph->nodes[n].op) {
      case dataflow::Opcode::load: return bed_.spec.load_latency;
      case dataflow::Opcode::mad:
      case dataflow::Opcode::fma_f32:
      case dataflow::Opcode::select: return bed_.spec.three_operand_latency;
      case dataflow::Opcode::sine: return bed_.spec.special_latency;
      default: return bed_.spec.two_operand_latency;
    }
  }

  void leave(std::uint32_t n) {
    NodeState& state = nodes_[n];
    if (state.results.empty()) return;
    if (!state.stalled)
      for (NodeState::Result& result : state.results) --result.left;
    if (state.results.front().left != 0) return;
    const bool emitted = state.results.front().emitted;
    state.stalled = false;
    for_each_receiver(n, emitted, [&](std::uint32_t m, std::uint32_t k) {
      if (nodes_[m].fifos[k].size() >= capacity(m, k)) state.stalled = true;
    });
    if (state.stalled) return;
    for_each_receiver(n, emitted, [&](std::uint32_t m, std::uint32_t k) {
      const Cycle lane = m == n ? 0 : bed_.spec.slot_latency * bed_.slots_between(n, m);
      nodes_[m].fifos[k].push_back(now_ + lane);
    });
    state.results.pop_front();
    happened_ = true;
  }

  void decide(std::uint32_t n) {
    NodeState& state = nodes_[n];
    state.over = state.firings == values(n).iterations;
    state.lacks_operand = state.lacks_room = false;
    for (std::uint32_t k = 0; k != state.fifos.size(); ++k)
      if (is_edge(n, k) && (state.fifos[k].empty() || state.fifos[k].front() > now_)) state.lacks_operand = true;
    if (state.stalled) state.lacks_room = true;
    for_each_receiver(n, emits(n), [&](std::uint32_t m, std::uint32_t k) {
      const bool takes_out = m == n && state.used[k] + 1 == values(n).operands[k].reuse;
      if (nodes_[m].fifos[k].size() - (takes_out ? 1 : 0) >= capacity(m, k)) state.lacks_room = true;
    });
    if (state.over) {
      ++result_.done;
    } else if (state.lacks_operand) {
      ++result_.waits_operand;
    } else if (state.lacks_room) {
      ++result_.waits_receiver;
    }
  }

  void fire(std::uint32_t n) {
    NodeState& state = nodes_[n];
    std::uint32_t slots = 0;
    bool sent = false;
    for_each_receiver(n, emits(n), [&](std::uint32_t m, std::uint32_t k) {
      ++(bed_.is_memory(m) && k == 0 ? result_.address_writes : result_.data_writes);
      if (m != n) slots = std::max(slots, bed_.slots_between(n, m) + 1);
      sent = true;
    });
    if (sent) state.results.push_back({latency(n), emits(n)});
    // A lane runs to the last receiver.
    result_.lane_words += slots != 0 ? 1 : 0;
    result_.lane_slots += slots;
    for (std::uint32_t k = 0; k != state.fifos.size(); ++k) {
      if (++state.used[k] != values(n).operands[k].reuse) continue;
      state.used[k] = 0;
      const bool address = bed_.is_memory(n) && k == 0;
      if (bed_.graph->nodes[n].operands[k].kind != dataflow::Operand::Kind::constant)
        ++(address ? result_.address_reads : result_.data_reads);
      if (bed_.graph->nodes[n].operands[k].kind == dataflow::Operand::Kind::ring)
        ++(address ? result_.address_writes : result_.data_writes);
      if (is_edge(n, k)) state.fifos[k].pop_front();
    }
    ++state.firings;
    ++result_.fired;
    const dataflow::Opcode op = bed_.graph->nodes[n].op;
    const bool floating = op == dataflow::Opcode::fma_f32 || op == dataflow::Opcode::sine;
    ++result_.firings.back()[bed_.is_memory(n) ? 2 : floating ? 1 : 0];
    happened_ = true;
  }

  Answer ask(Ask::Kind kind, std::uint32_t n, std::uint64_t address) {
    happened_ = true;
    return memory_.answer({kind, bed_.mapping.place[n], n, address}, now_);
  }

  void act(std::uint32_t n) {
    NodeState& state = nodes_[n];
    const bool ready = !state.over && !state.lacks_operand && !state.lacks_room;
    if (!bed_.is_memory(n)) {
      if (ready) fire(n);
      return;
    }
    const dataflow::Node& node = bed_.graph->nodes[n];
    const bool load = node.op == dataflow::Opcode::load;
    const bool locks = load && node.locks;
    // All that arrived until now, before the head leaves.
    const std::uint64_t reuse = values(n).operands[0].reuse;
    const bool ring = node.operands[0].kind == dataflow::Operand::Kind::ring;
    std::uint64_t entry = state.firings / reuse, entries = entry;
    if (ring) entries += node.operands[0].initial;
    for (const Cycle arrival : state.fifos[0])
      if (arrival <= now_) ++entries;
    const bool flush_due =
        state.gathered && !state.flush_waits && (state.over || now_ >= state.stored + bed_.spec.store_timeout);
    bool asked = false, fires = false;
    if (ready && state.waits) ++(locks ? result_.waits_lock : result_.waits_memory);
    if (ready && !state.waits) {
      const std::uint64_t address = state.addresses[state.firings];
      if (state.looked <= entry) {
        state.looked = entry + 1;
        if (address != dataflow::no_access) state.line = address / 128;
        state.prefetch_waits = state.looking = false;
      }
      if (address == dataflow::no_access) {
        fires = true;
      } else {
        asked = true;
        const Answer given = ask(load ? Ask::Kind::load : Ask::Kind::store, n, address);
        fires = given == Answer::done;
        if (given != Answer::done) ++(given == Answer::waits && locks ? result_.waits_lock : result_.waits_memory);
        state.waits = given == Answer::waits;
        if (fires && !load && node.space == dataflow::Space::global) {
          state.gathered = true;
          state.flush_waits = false;
          state.stored = now_;
        }
      }
    }
    if (load && node.space == dataflow::Space::global && node.cache_operator == dataflow::CacheOperator::l1 &&
        node.operands[0].kind != dataflow::Operand::Kind::constant && !state.prefetch_waits) {
      for (std::uint32_t look = 0; look != bed_.spec.prefetch_scan; ++look) {
        if (state.looked >= entries || state.looked * reuse >= state.addresses.size()) break;
        std::uint64_t address = dataflow::no_access;
        for (std::uint64_t use = 0; use != reuse && state.looked * reuse + use < state.addresses.size(); ++use)
          if (address == dataflow::no_access) address = state.addresses[state.looked * reuse + use];
        happened_ = true;
        if (address == dataflow::no_access || address / 128 == state.line) {
          ++state.looked;
          continue;
        }
        const Answer given = ask(Ask::Kind::prefetch, n, address);
        state.prefetch_waits = given == Answer::waits;
        if (given == Answer::done) {
          ++state.looked;
          state.line = address / 128;
        }
        break;
      }
    }
    if (flush_due && !asked) {
      const Answer given = ask(Ask::Kind::flush, n, 0);
      if (given == Answer::done) state.gathered = false;
      state.flush_waits = given == Answer::waits;
    }
    if (fires) fire(n);
  }

  bool finished() const {
    for (std::uint32_t n = 0; n != nodes_.size(); ++n) {
      if (nodes_[n].firings != values(n).iterations || nodes_[n].gathered || !nodes_[n].results.empty()) return false;
      for (const std::deque<Cycle>& fifo : nodes_[n].fifos)
        if (!fifo.empty() && fifo.back() > now_) return false;
    }
    return true;
  }

  Bed& bed_;
  FakeMemory& memory_;
  std::vector<NodeState> nodes_;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> receivers_;  ///< Node and operand.
  ReferenceResult result_;
  Cycle now_ = 0;
  bool happened_ = false;
};

}  // namespace lockstep::rgpu
