// The switch of an SM to R-GPU mode and back (Van den Braak, section 7.2.2). When all warps of the thread block have met at
// the barrier of the kernel's graphs, the SM configures its fabric, runs the graph, and releases the barrier.

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "isa/error.hpp"
#include "sim/gpu/sm_ready.hpp"

namespace lockstep::gpu {

using Phase = RgpuMode::Phase;

namespace {

constexpr std::uint32_t warp_lanes = 32;
constexpr std::uint32_t word_bytes = 4;
/// Of loads and stores that the SM does around a run.
constexpr std::uint32_t setup_token = FabricPath::token_bit | (FabricPath::token_bit - 2);
constexpr std::uint32_t result_token = FabricPath::token_bit | (FabricPath::token_bit - 3);

}  // namespace

void Sm::begin_rgpu() {
  rgpu_event_ = never;
  reconfigured_ = false;
  switch_barrier_ = no_barrier;
  if (rgpu_ != nullptr) {
    rgpu_->phase = Phase::off;
    rgpu_->fabric.record_activity(activity_interval_);
  }
  if (launch_.mappings == nullptr) return;
  if (launch_.resident_blocks != 1)
    throw Bug(fmt::format("sm {}", index_), 0, "more than one thread block of a kernel with graphs");
  switch_barrier_ = static_cast<std::uint8_t>(launch_.program->kernel->graph_barrier);
  if (rgpu_ != nullptr) return;
  rgpu_ = std::make_unique<RgpuMode>(spec_, path_, scratchpad_);
  rgpu_->fabric.record_nodes(records_nodes_);
  rgpu_->fabric.record_activity(activity_interval_);
}

/// The last warp arrives at the barrier at cycle `when`.
void Sm::switch_at(std::uint32_t block_slot, Cycle when) {
  rgpu_->phase = Phase::enters;
  rgpu_->block_slot = block_slot;
  rgpu_event_ = when;
}

void Sm::advance_rgpu(Cycle now) {
  rgpu_event_ = never;
  switch (rgpu_->phase) {
    case Phase::off: return;
    case Phase::enters: return enter_rgpu(now);
    case Phase::set_up: return set_up_fabric(now);
    case Phase::runs: return step_fabric(now);
    case Phase::results: return store_results(now);
    case Phase::leaves: return leave_rgpu(now);
  }
}

/// All warps wait, so every slot of a scheduler has one name until this changes.
void Sm::set_reconfigured(bool reconfigured, Cycle now) {
  reconfigured_ = reconfigured;
  for (Scheduler& s : schedulers_) {
    account_idle(s, now);
    plan(s, std::max(now, s.accounted));
  }
}

void Sm::enter_rgpu(Cycle now) {
  RgpuMode& mode = *rgpu_;
  const Block& block = blocks_[mode.block_slot];
  const program::Kernel& kernel = *launch_.program->kernel;
  for (const Warp& warp : warps_)
    if (warp.live && warp.barrier != switch_barrier_)
      throw InputError(
          fmt::format("kernel {}: thread block {} runs its graph at barrier {}, but not all its warps wait there",
                      kernel.name, block.number, switch_barrier_));
  mode.run = block.streams->next_graph_run();
  if (mode.run == nullptr)
    throw Bug(fmt::format("sm {}", index_), now,
              fmt::format("thread block {} of kernel {} has no further run of its graph", block.number, kernel.name));
  const std::size_t part = block.number % launch_.mappings->size();
  mode.mapping = &(*launch_.mappings)[part];
  const dataflow::Graph& graph = *mode.run->graph;
  std::uint64_t values = 0;
  for (const dataflow::Node& node : graph.nodes)
    for (const dataflow::Operand& operand : node.operands) values += operand.initial;
  const std::uint64_t words = rgpu::configuration_words(graph, *mode.mapping);
  const std::uint64_t per_cycle = spec_.sm.rgpu.configuration_words;
  rgpu::FabricCounters& counters = mode.fabric.counters();
  counters.configuration_words += words;
  counters.initial_values += values;
  mode.path.begin(graph, *mode.mapping, launch_.communicates);
  mode.phase = Phase::set_up;
  mode.entered = now;
  mode.configured = now + spec_.sm.rgpu.switch_latency + (words + values + per_cycle - 1) / per_cycle;
  mode.words_moved = 0;
  mode.loads = 0;
  mode.loaded = now;
  set_reconfigured(true, now);
  rgpu_event_ = now;
}

/// The next access of up to 32 words at `now`. Returns when the one behind it can begin; never when a reply must come
/// before this one can.
Cycle Sm::move_words(const std::vector<std::uint64_t>& addresses, MemoryPath::Kind kind, Cycle now) {
  RgpuMode& mode = *rgpu_;
  const Cycle opens = path_.opens();
  if (opens > now) return opens;
  const auto lanes = static_cast<std::uint32_t>(std::min<std::size_t>(warp_lanes, addresses.size() - mode.words_moved));
  std::uint64_t lane_address[warp_lanes] = {};
  std::copy_n(addresses.begin() + static_cast<std::ptrdiff_t>(mode.words_moved), lanes, lane_address);
  MemoryPath::Access access;
  access.kind = kind;
  access.address = lane_address;
  access.global_lanes = ~0u >> (warp_lanes - lanes);
  access.element_bytes = word_bytes;
  const bool load = kind == MemoryPath::Kind::load;
  const MemoryPath::Outcome outcome = path_.access(access, now, 0, load ? setup_token : result_token);
  ++(load ? counters_.global_loads : counters_.global_stores);
  counters_.global_transactions += outcome.transactions;
  mode.words_moved += lanes;
  if (load && outcome.complete) mode.loaded = std::max(mode.loaded, outcome.ready);
  if (load && !outcome.complete) ++mode.loads;
  look_at_path();
  return now + std::max<Cycle>(1, outcome.occupied);
}

/// The fabric begins when it is configured and the initial values that are loaded have come.
void Sm::set_up_fabric(Cycle now) {
  RgpuMode& mode = *rgpu_;
  if (mode.words_moved < mode.run->setup_loads.size()) {
    rgpu_event_ = move_words(mode.run->setup_loads, MemoryPath::Kind::load, now);
    return;
  }
  if (mode.loads != 0) return;
  const Cycle start = std::max(mode.configured, mode.loaded);
  if (now < start) {
    rgpu_event_ = start;
    return;
  }
  rgpu::FabricCounters& counters = mode.fabric.counters();
  counters.setup_cycles += now - mode.entered;
  counters.cycles += now - mode.entered;
  mode.phase = Phase::runs;
  mode.fabric.start(mode.run, *mode.mapping, now);
  rgpu::check_that_it_ends(*mode.run->graph, *mode.run->instance, spec_.sm.rgpu);
  step_fabric(now);
}

void Sm::step_fabric(Cycle now) {
  RgpuMode& mode = *rgpu_;
  rgpu::Fabric& fabric = mode.fabric;
  if (fabric.next_event() <= now) {
    const std::span<const rgpu::Ask> asks = fabric.step(now);
    for (std::size_t n = 0; n < asks.size(); ++n) {  // Units take turns at going first.
      const rgpu::Ask& ask = asks[(now + n) % asks.size()];
      fabric.answer(ask, mode.path.serve(ask, now));
    }
    if (mode.path.freed_lock()) fabric.wake(now + 1);
  }
  if (!fabric.done()) {
    rgpu_event_ = fabric.next_event();
    return;
  }
  mode.ended = now + 1;
  fabric.finish(mode.ended);
  mode.phase = Phase::results;
  mode.words_moved = 0;
  rgpu_event_ = mode.ended;
}

/// Stores that the SM does in its standard mode: they need not have been acknowledged when the warps continue.
void Sm::store_results(Cycle now) {
  RgpuMode& mode = *rgpu_;
  if (mode.words_moved < mode.run->result_stores.size()) {
    rgpu_event_ = move_words(mode.run->result_stores, MemoryPath::Kind::store, now);
    return;
  }
  mode.phase = Phase::leaves;
  rgpu_event_ = now + spec_.sm.rgpu.switch_latency;
}

void Sm::leave_rgpu(Cycle now) {
  RgpuMode& mode = *rgpu_;
  rgpu::FabricCounters& counters = mode.fabric.counters();
  counters.setup_cycles += now - mode.ended;
  counters.cycles += now - mode.ended;
  mode.phase = Phase::off;
  mode.run.reset();
  look_at_path();
  set_reconfigured(false, now);
  open_barrier(mode.block_slot, switch_barrier_, now, now);
}

void Sm::complete_rgpu(const MemoryPath::Completion& completion) {
  if (completion.token == result_token) return;
  if (completion.token != setup_token) return rgpu_->path.complete(completion);
  --rgpu_->loads;
  rgpu_->loaded = std::max(rgpu_->loaded, completion.ready);
}

/// Something has come back from memory.
void Sm::wake_rgpu(Cycle now) {
  switch (rgpu_->phase) {
    case Phase::off:
    case Phase::enters:
    case Phase::leaves: return;
    case Phase::runs:
      rgpu_->fabric.wake(now);
      rgpu_event_ = rgpu_->fabric.next_event();
      return;
    case Phase::set_up:
    case Phase::results: rgpu_event_ = std::min(rgpu_event_, now); return;
  }
}

std::string Sm::describe_fabric(std::string& told) const {
  if (rgpu_ == nullptr || rgpu_->phase == Phase::off) return {};
  const RgpuMode& mode = *rgpu_;
  const std::uint64_t block = blocks_[mode.block_slot].number;
  if (mode.phase != Phase::runs) return fmt::format("\n  sm {}: thread block {} is switching modes", index_, block);
  std::string text = fmt::format("\n  sm {}: thread block {} has run graph {} since cycle {}:", index_, block,
                                 mode.run->graph->name, mode.entered);
  const std::string nodes = mode.fabric.describe();
  if (nodes == told) return text + " the same";
  told = nodes;
  for (std::size_t at = 0; at < nodes.size();) {
    const std::size_t end = std::min(nodes.find('\n', at), nodes.size());
    text += "\n    " + nodes.substr(at, end - at);
    at = end + 1;
  }
  return text;
}

}  // namespace lockstep::gpu
