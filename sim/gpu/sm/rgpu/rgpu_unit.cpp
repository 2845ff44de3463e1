#include "sim/gpu/sm/rgpu/rgpu_unit.hpp"

#include <algorithm>
#include <span>

namespace lockstep::gpu {

namespace {

constexpr std::uint32_t warp_lanes = 32;
constexpr std::uint32_t word_bytes = 4;
/// Of loads and stores that the SM does around a run.
constexpr std::uint32_t setup_token = FabricMemory::token_bit | (FabricMemory::token_bit - 2);
constexpr std::uint32_t result_token = FabricMemory::token_bit | (FabricMemory::token_bit - 3);
/// Steps after a wake-up within which units that contend for banks have all asked once.
constexpr int steps_of_a_trial = 1000;

}  // namespace

RgpuUnit::RgpuUnit(const GpuSpec& spec, MemoryUnit& memory, scratchpad::Scratchpad& scratchpad, SmCounters& counters)
    : spec_(spec.sm.rgpu),
      memory_(memory),
      counters_(counters),
      fabric_(spec.sm.rgpu, spec.sm.l1.cache.line_bytes),
      fabric_memory_(spec, memory.parts(), scratchpad) {}

void RgpuUnit::begin_launch(const LaunchContext& launch, Cycle activity_interval) {
  phase_ = Phase::off;
  event_ = never;
  mappings_ = launch.mappings;
  communicates_ = launch.communicates;
  barrier_ = static_cast<std::uint8_t>(launch.program->kernel->graph_barrier);
  fabric_.record_activity(activity_interval);
}

void RgpuUnit::switch_at(std::uint32_t block_slot, Cycle when) {
  phase_ = Phase::enters;
  block_slot_ = block_slot;
  event_ = when;
}

RgpuUnit::Change RgpuUnit::advance(Cycle now) {
  event_ = never;
  switch (phase_) {
    case Phase::off: break;
    case Phase::enters: return Change::enter;
    case Phase::set_up: set_up_fabric(now); break;
    case Phase::runs: step_fabric(now); break;
    case Phase::results: store_results(now); break;
    case Phase::leaves: leave(now); return Change::leave;
  }
  return Change::none;
}

void RgpuUnit::enter(std::shared_ptr<const dataflow::GraphRun> run, std::uint64_t block, Cycle now) {
  run_ = std::move(run);
  mapping_ = &(*mappings_)[block % mappings_->size()];
  const dataflow::Graph& graph = *run_->graph;
  std::uint64_t values = 0;
  for (const dataflow::Node& node : graph.nodes)
    for (const dataflow::Operand& operand : node.operands) values += operand.initial;
  const std::uint64_t words = rgpu::configuration_words(graph, *mapping_);
  const std::uint64_t per_cycle = spec_.configuration_words;
  rgpu::FabricCounters& counters = fabric_.counters();
  counters.configuration_words += words;
  counters.initial_values += values;
  fabric_memory_.begin(graph, *mapping_, communicates_);
  phase_ = Phase::set_up;
  entered_ = now;
  configured_ = now + spec_.switch_latency + (words + values + per_cycle - 1) / per_cycle;
  words_moved_ = 0;
  loads_ = 0;
  loaded_ = now;
  event_ = now;
}

/// The next access of up to 32 words at `now`. Returns when the one behind it can begin; never when a reply must come
/// before this one can.
Cycle RgpuUnit::move_words(const std::vector<std::uint64_t>& addresses, MemoryUnit::Kind kind, Cycle now) {
  const Cycle free = memory_.free_at();
  if (free > now) return free;
  const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(warp_lanes, addresses.size() - words_moved_));
  std::uint64_t lane_address[warp_lanes] = {};
  std::copy_n(addresses.begin() + static_cast<std::ptrdiff_t>(words_moved_), lanes, lane_address);
  MemoryUnit::Access access;
  access.kind = kind;
  access.address = lane_address;
  access.global_lanes = ~0u >> (warp_lanes - lanes);
  access.element_bytes = word_bytes;
  const bool load = kind == MemoryUnit::Kind::load;
  const MemoryUnit::Outcome outcome = memory_.access(access, now, 0, load ? setup_token : result_token);
  ++(load ? counters_.global_loads : counters_.global_stores);
  counters_.global_transactions += outcome.transactions;
  words_moved_ += lanes;
  if (load && outcome.complete) loaded_ = std::max(loaded_, outcome.ready);
  if (load && !outcome.complete) ++loads_;
  return now + std::max<Cycle>(1, outcome.occupied);
}

/// The fabric begins when it is configured and the initial values that are loaded have come.
void RgpuUnit::set_up_fabric(Cycle now) {
  if (words_moved_ < run_->setup_loads.size()) {
    event_ = move_words(run_->setup_loads, MemoryUnit::Kind::load, now);
    return;
  }
  if (loads_ != 0) return;
  const Cycle start = std::max(configured_, loaded_);
  if (now < start) {
    event_ = start;
    return;
  }
  rgpu::FabricCounters& counters = fabric_.counters();
  counters.setup_cycles += now - entered_;
  counters.cycles += now - entered_;
  phase_ = Phase::runs;
  fabric_.start(run_, *mapping_, now);
  rgpu::check_that_it_ends(*run_->graph, *run_->instance, spec_);
  step_fabric(now);
}

/// A step of the fabric and what its units ask for in it. Returns whether any of them was served.
bool RgpuUnit::serve_asks(Cycle now) {
  ++steps_;
  bool served = false;
  const std::span<const rgpu::Ask> asks = fabric_.step(now);
  for (std::size_t n = 0; n < asks.size(); ++n) {  // Units take turns at going first.
    const rgpu::Ask& ask = asks[(now + n) % asks.size()];
    const rgpu::Answer answer = fabric_memory_.serve(ask, now);
    served |= answer == rgpu::Answer::done;
    fabric_.answer(ask, answer);
  }
  if (fabric_memory_.take_freed_lock()) fabric_.wake(now + 1);
  return served;
}

void RgpuUnit::step_fabric(Cycle now) {
  if (fabric_.next_event() <= now) serve_asks(now);
  if (!fabric_.done()) {
    event_ = fabric_.next_event();
    return;
  }
  ended_ = now + 1;
  fabric_.finish(ended_);
  phase_ = Phase::results;
  words_moved_ = 0;
  event_ = ended_;
}

/// Stores that the SM does in its standard mode: they need not have been acknowledged when the warps resume.
void RgpuUnit::store_results(Cycle now) {
  if (words_moved_ < run_->result_stores.size()) {
    event_ = move_words(run_->result_stores, MemoryUnit::Kind::store, now);
    return;
  }
  phase_ = Phase::leaves;
  event_ = now + spec_.switch_latency;
}

void RgpuUnit::leave(Cycle now) {
  rgpu::FabricCounters& counters = fabric_.counters();
  counters.setup_cycles += now - ended_;
  counters.cycles += now - ended_;
  phase_ = Phase::off;
  run_.reset();
}

void RgpuUnit::complete(const Completion& completion) {
  if (completion.token == result_token) return;
  if (completion.token != setup_token) return fabric_memory_.complete(completion);
  --loads_;
  loaded_ = std::max(loaded_, completion.ready);
}

void RgpuUnit::wake_up(Cycle now) {
  switch (phase_) {
    case Phase::off:
    case Phase::enters:
    case Phase::leaves: return;
    case Phase::runs:
      fabric_.wake(now);
      event_ = fabric_.next_event();
      return;
    case Phase::set_up:
    case Phase::results: event_ = std::min(event_, now); return;
  }
}

bool RgpuUnit::try_wake_up(Cycle now) {
  if (phase_ != Phase::runs) return false;
  const std::uint64_t fired = fabric_.firings();
  fabric_.wake(now);
  for (int n = 0; n < steps_of_a_trial && fabric_.next_event() != never; ++n)
    if (serve_asks(fabric_.next_event()) || fabric_.firings() != fired) return true;
  return false;
}

}  // namespace lockstep::gpu
