#include "sim/gpu/sm/sm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::gpu {

Sm::Sm(const GpuSpec& spec, const noc::SliceMap& slices, std::uint32_t index)
    : spec_(spec),
      index_(index),
      scratchpad_(spec.sm.scratchpad, spec.sm.occupancy.scratchpad_bytes, counters_),
      memory_(spec, slices),
      front_end_(spec, index, scratchpad_, memory_, counters_) {}

void Sm::begin_launch(const LaunchContext& launch) {
  launch_ = launch;
  const auto& code = launch.program->instructions;
  const bool swaps = std::any_of(code.begin(), code.end(), [](const machine::Instruction& i) { return i.cas_loop; });
  scratchpad_.begin_launch(launch.maps, swaps);
  memory_.begin_launch(std::uint64_t{launch.resident_blocks} *
                       (launch.scratchpad_bytes_per_block + spec_.sm.occupancy.scratchpad_reserved));
  begin_rgpu();
  front_end_.begin_launch(launch, launch.mappings != nullptr ? rgpu_.get() : nullptr);
}

void Sm::begin_rgpu() {
  if (launch_.mappings != nullptr && launch_.resident_blocks != 1)
    throw Bug(fmt::format("sm {}", index_), 0, "more than one thread block of a kernel with graphs");
  if (launch_.mappings != nullptr && rgpu_ == nullptr) {
    rgpu_ = std::make_unique<RgpuUnit>(spec_, memory_, scratchpad_.banks(), counters_);
    rgpu_->record_nodes(records_nodes_);
  }
  if (rgpu_ != nullptr) rgpu_->begin_launch(launch_, front_end_.observers().activity_interval());
}

void Sm::run_until(Cycle end) {
  for (;;) {
    const Cycle other = next_event_but_issue();
    const Cycle now = std::min(other, front_end_.next_attempt());
    if (now >= end) return;
    if (other == now) {
      if (memory_.next_event() == now) accept_replies(now);
      if (front_end_.next_copy() <= now) [[unlikely]]
        front_end_.store_copies(now);
      if (rgpu_ != nullptr && rgpu_->next_event() == now) advance_rgpu(now);
    }
    front_end_.issue_at(now);
  }
}

/// Schedulers plan again when one of their warps can proceed, and all of them when the memory unit takes accesses again.
void Sm::accept_replies(Cycle now) {
  const bool stalled = memory_.free_at() == never;
  memory_.advance(now);
  front_end_.profile_lookups();
  front_end_.update_memory_ports();
  for (const Completion& completion : memory_.completed()) {
    if ((completion.token & FabricMemory::token_bit) != 0) [[unlikely]] {
      rgpu_->complete(completion);
    } else {
      front_end_.complete(completion);
    }
  }
  memory_.completed().clear();
  if (rgpu_ != nullptr) [[unlikely]]
    rgpu_->wake_up(now);
  front_end_.wake_up_schedulers(stalled && memory_.free_at() != never, now);
}

void Sm::advance_rgpu(Cycle now) {
  const RgpuUnit::Change change = rgpu_->advance(now);
  front_end_.update_memory_ports();
  if (change == RgpuUnit::Change::enter) enter_rgpu(now);
  if (change != RgpuUnit::Change::leave) return;
  front_end_.set_reconfigured(false, now);
  front_end_.release_barrier(rgpu_->block_slot(), rgpu_->barrier(), now, now);
}

void Sm::enter_rgpu(Cycle now) {
  const WarpTable& warps = front_end_.warps();
  ResidentBlock& block = front_end_.warps().block(rgpu_->block_slot());
  const program::Kernel& kernel = *launch_.program->kernel;
  for (std::uint32_t w = 0; w < warps.size(); ++w)
    if (warps[w].live && warps[w].barrier != rgpu_->barrier())
      throw InputError(
          fmt::format("kernel {}: thread block {} runs its graph at barrier {}, but not all its warps wait there",
                      kernel.name, block.number, rgpu_->barrier()));
  std::shared_ptr<const dataflow::GraphRun> run = block.streams->next_graph_run();
  if (run == nullptr)
    throw Bug(fmt::format("sm {}", index_), now,
              fmt::format("thread block {} of kernel {} has no further run of its graph", block.number, kernel.name));
  rgpu_->enter(std::move(run), block.number, now);
  front_end_.set_reconfigured(true, now);
}

void Sm::end_launch(Cycle end) {
  counters_.memory_unit = memory_.counters();
  if (rgpu_ != nullptr) {
    counters_.fabric = rgpu_->fabric().counters();
    counters_.fabric_memory = rgpu_->memory().counters();
  }
  front_end_.end_launch(end);
}

SmCounters Sm::counters_at(Cycle now) const {
  SmCounters sum = counters_;
  sum.memory_unit = memory_.counters();
  if (rgpu_ != nullptr) {
    sum.fabric = rgpu_->fabric().counters_at(now);
    sum.fabric_memory = rgpu_->memory().counters();
  }
  front_end_.add_uncounted(sum, now);
  return sum;
}

void Sm::add_fifos(std::vector<FifoLevel>& to) const {
  if (rgpu_ == nullptr || !rgpu_->running()) return;
  const std::shared_ptr<const dataflow::Graph>& graph = rgpu_->run().graph;
  for (std::uint32_t node = 0; node < graph->nodes.size(); ++node)
    for (std::uint32_t operand = 0; operand < graph->nodes[node].operands.size(); ++operand)
      if (graph->nodes[node].operands[operand].kind == dataflow::Operand::Kind::edge)
        to.push_back({index_, node, operand, rgpu_->fabric().values(node, operand), graph});
}

void Sm::add_activity(std::vector<Activity>& to) const {
  const auto grow = [&to](std::size_t size) { to.resize(std::max(to.size(), size)); };
  const std::vector<Activity>& own = front_end_.observers().activity();
  grow(own.size());
  for (std::size_t n = 0; n < own.size(); ++n) to[n] += own[n];
  if (rgpu_ == nullptr) return;
  const auto& fired = rgpu_->fabric().activity().intervals;
  grow(fired.size());
  for (std::size_t n = 0; n < fired.size(); ++n) to[n] += {fired[n][0], fired[n][1], fired[n][2]};
}

void Sm::add_nodes(const rgpu::Mapping& mapping, std::vector<rgpu::NodeCycles>& to) const {
  if (rgpu_ == nullptr) return;
  const auto cycles = rgpu_->fabric().nodes(mapping);
  for (std::size_t n = 0; n != cycles.size(); ++n) counter::add(to[n], cycles[n]);
}

}  // namespace lockstep::gpu
