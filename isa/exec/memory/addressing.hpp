#pragma once
// From the address operand of a memory instruction to checked host bytes, for all lanes of a warp.

#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// Fills warp.address in every lane. In the spaces that are addressed by 32 bits, base and offset add up modulo 2^32.
inline void form_addresses(Warp& warp, const MemoryAccess& access) {
  const std::uint64_t offset = access.offset;
  std::uint64_t* const address = warp.address;
  if (access.base_width == 64) {
    const auto* base = plane<std::uint64_t>(warp.frame, access.base);
    for (unsigned lane = 0; lane < lanes; ++lane) address[lane] = base[lane] + offset;
  } else if (access.base_width == 32) {
    const auto* base = plane<std::uint32_t>(warp.frame, access.base);
    const bool narrow = access.space == ptx::Space::shared || access.space == ptx::Space::local;
    const std::uint64_t bits = narrow ? ~std::uint32_t{0} : ~std::uint64_t{0};
    for (unsigned lane = 0; lane < lanes; ++lane) address[lane] = (base[lane] + offset) & bits;
  } else {
    for (unsigned lane = 0; lane < lanes; ++lane) address[lane] = offset;
  }
}

/// Writes the access entry of the instruction to the trace.
inline void record_access(Warp& warp, const Op& op, LaneMask mask) {
  if (trace::Recorder* recorder = warp.owner->recorder(); recorder != nullptr && op.records) {
    recorder->access(warp.index, mask, warp.address);
  }
}

/// Fills warp.host in the lanes of `mask` from warp.address. Every lane is checked: inside a live allocation, or the
/// thread block's scratchpad, or the thread's local memory; aligned to the access; writable where it writes. The first
/// lane that is not gives an InputError.
void resolve_addresses(Warp& warp, const Op& op, const MemoryAccess& access, LaneMask mask);

/// What a memory instruction begins with: its addresses, its access entry, the host bytes. False when no lane takes part.
inline bool begin_access(Warp& warp, const Op& op, LaneMask mask) {
  if (mask != 0) form_addresses(warp, *op.memory);
  record_access(warp, op, mask);
  if (mask == 0) return false;
  resolve_addresses(warp, op, *op.memory, mask);
  return true;
}

/// Moves the elements of an access between registers and warp.host. Of lanes that store to one place the lowest one is the last, of each
/// 128 bytes that move at a time: those of 8 bytes each in two halves of a warp, of 16 in four quarters.
void transfer_elements(Warp& warp, const MemoryAccess& access, LaneMask mask);

/// How many bytes of the source each lane of an asynchronous copy moves; returns the lanes that move any. Planes: source 1
/// the source size, source 2 the predicate that turns the source off (control: its flip).
LaneMask copied_bytes(const Warp& warp, const Op& op, LaneMask mask, std::uint32_t (&bytes)[lanes]);

/// Notes what the instruction, whose addresses stand in warp.address, writes for other thread blocks to see, and whether it
/// has read what another one has written so.
void note_order(Warp& warp, const Op& op, LaneMask mask);

/// What a load, store or atomic ends with.
inline Outcome end_access(Warp& warp, const Op& op, LaneMask mask) {
  if (warp.owner->context().order != nullptr) note_order(warp, op, mask);
  return op.ends_turn ? Outcome::turn_over : Outcome::next;
}

}  // namespace lockstep::exec
