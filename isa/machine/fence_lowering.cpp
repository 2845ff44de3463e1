#include "isa/machine/fence_lowering.hpp"

namespace lockstep::machine {

namespace {

void emit(Emitter& emitter, const Fence& fence) {
  Instruction i = emitter.make(Operation::fence);
  i.fence = fence;
  if (fence.orders_for == FenceScope::nobody) i.data_stage_uses = 0;
  if (fence.orders_for == FenceScope::block) i.data_stage_uses = 1;  // As micro-fence's wavefronts show.
  emitter.read_all(i);
  emitter.emit(i);
}

}  // namespace

void lower_fence(Emitter& emitter, bool follows_compiler) {
  const bool of_mbarriers = emitter.has("mbarrier_init"), for_block = emitter.has("cta") || of_mbarriers;
  const FenceScope scope = emitter.has("sys") ? FenceScope::system : FenceScope::gpu;
  if (!follows_compiler)
    return for_block ? emitter.emit_bare(Operation::integer, 1) : emit(emitter, {.orders_for = scope, .waits = true});
  if (emitter.has("proxy") && emitter.has("async")) {
    if (!emitter.has("global") && !emitter.has("shared::cta")) emit(emitter, {.orders_for = scope});
    return emitter.emit_bare(Operation::integer, emitter.has("shared::cta") ? 0 : 1);
  }
  if (of_mbarriers) return;
  if (for_block) return emit(emitter, {.orders_for = FenceScope::block});
  emit(emitter, {.orders_for = scope});
  emit(emitter, {.waits = true});
  emitter.emit_bare(Operation::integer, 1);
  if (!emitter.has("proxy")) emit(emitter, {.forgets_l1 = true});
}

}  // namespace lockstep::machine
