#include "isa/exec/checks/block_checks.hpp"

#include <bit>

#include "isa/exec/memory/addressing.hpp"

namespace lockstep::exec {

LaunchChecks::LaunchChecks(const CheckContext& about, std::uint64_t shared_bytes, const Allocation& parameters)
    : context(about) {
  if (context.kernel.checked->checks.has(Check::bounds)) bounds.emplace(context, shared_bytes, parameters);
}

BlockChecks::BlockChecks(LaunchChecks& launch, ThreadBlock& block) : launch_(launch) {
  const CheckedKernel& checked = *launch.context.kernel.checked;
  const CheckSet checks = checked.checks;
  if (Heap* const heap = block.context().heap;
      heap != nullptr && checked.uses_heap && (checks.has(Check::bounds) || checks.has(Check::init)))
    heap_.emplace(launch.context, HeapRecord::of(*heap, block.context().number));
  if (checks.has(Check::init)) initialized_.emplace(launch.context, block);
  if (checks.has(Check::race)) races_.emplace(launch.context, block, launch.history);
  if (checks.has(Check::sync)) participation_.emplace(launch.context, block);
}

void BlockChecks::begin() {
  if (initialized_) initialized_->begin();
  if (races_) races_->begin();
  if (participation_) participation_->begin();
}

void BlockChecks::end() {
  if (participation_) participation_->end();
}

void BlockChecks::access(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return;
  const MemoryAccess& access = *op.memory;
  mask &= access.address_lanes;
  form_addresses(warp, access);
  if (launch_.bounds) launch_.bounds->check(warp, op, access, 0, mask);
  if (!heap_ && !initialized_ && !races_) return;
  const bool reads = launch_.context.kernel.checked->orders[op.instruction].reads;
  if (heap_) heap_->access(warp, op, access, reads, mask);
  if (initialized_) initialized_->access(warp, op, access, reads, mask);
  if (races_) races_->access(warp, op, access, reads, mask, false);
}

void BlockChecks::copy(Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return;
  const MemoryAccess& from = op.memory[0];
  const MemoryAccess& to = op.memory[1];
  std::uint32_t bytes[lanes];
  const LaneMask reads = copied_bytes(warp, op, mask, bytes);
  form_addresses(warp, from);
  if (launch_.bounds) launch_.bounds->check(warp, op, from, 0, reads);
  if (heap_) heap_->access(warp, op, from, true, reads, bytes);
  if (races_) races_->access(warp, op, from, true, reads, true);
  form_addresses(warp, to);
  if (launch_.bounds) launch_.bounds->check(warp, op, to, 1, mask);
  if (initialized_) initialized_->access(warp, op, to, false, mask);
  if (races_) races_->access(warp, op, to, false, mask, true);
}

void BlockChecks::barrier(const Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return;
  if (participation_) participation_->barrier(warp, op, mask);
  if (!races_) return;
  const std::uint32_t number = plane<std::uint32_t>(warp.frame, op.arithmetic.source[0])[std::countr_zero(mask)];
  races_->arrive(warp, number, op.arithmetic.control != barrier_arrives);
}

void BlockChecks::warp_barrier(const Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0) return;
  const bool open = participation_ && participation_->warp_barrier(warp, op, mask);
  if (races_) races_->warp_barrier(warp, open || mask != warp.live);
}

void BlockChecks::exchange(const Warp& warp, const Op& op, LaneMask mask) {
  if (participation_) participation_->exchange(warp, op, mask);
}

void BlockChecks::fence(const Warp& warp, const Op& op, LaneMask mask) {
  if (mask == 0 || !races_) return;
  races_->fence(warp, !launch_.context.kernel.program.instruction(op.instruction).has("cta"));
}

void BlockChecks::enter(const Warp& warp) {
  if (races_) races_->enter(warp);
}

void BlockChecks::allocated(std::uint64_t address, std::uint64_t bytes) {
  if (races_) races_->allocated(address, bytes);
}

void BlockChecks::mbarrier_access(const Warp& warp, const Op& op, unsigned lane, std::uint64_t object,
                                  program::MbarrierAction action) {
  if (initialized_ && action == program::MbarrierAction::init) initialized_->write_shared(object, op.memory->bytes);
  if (races_) races_->mbarrier_access(warp, op, lane, object, action);
}

void BlockChecks::mbarrier_arrive(const Warp& warp, std::uint64_t object) {
  if (races_) races_->mbarrier_arrive(warp, object);
}

void BlockChecks::mbarrier_arrived(const Warp& warp) {
  if (races_) races_->mbarrier_arrived(warp);
}

void BlockChecks::mbarrier_phase_ends(std::uint64_t object) {
  if (races_) races_->mbarrier_phase_ends(object);
}

void BlockChecks::mbarrier_wait(const Warp& warp, std::uint64_t object) {
  if (races_) races_->mbarrier_wait(warp, object);
}

}  // namespace lockstep::exec
