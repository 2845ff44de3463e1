#include "isa/exec/checks/heap_accesses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/exec/checks/checked_kernel.hpp"

namespace lockstep::exec {

namespace {

/// Kinds of errors, beside that of Bounds and of InitializedBytes.
constexpr std::uint8_t unwritten_in_heap = 1, outside_of_allocations = 1, freed_before = 2;

std::string text_of(const MemoryAccess& access, std::uint32_t bytes) {
  return fmt::format("{} of {} byte{}", access.kind, bytes, bytes == 1 ? "" : "s");
}

/// The first byte that lacks a bit.
std::uint64_t first_without(const std::uint8_t* bits, std::uint32_t bytes, std::uint8_t bit) {
  return static_cast<std::uint64_t>(
      std::find_if(bits, bits + bytes, [&](std::uint8_t one) { return (one & bit) == 0; }) - bits);
}

}  // namespace

void HeapAccesses::access(const Warp& warp, const Op& op, const MemoryAccess& access, bool reads, LaneMask mask,
                          const std::uint32_t* bytes) {
  if (access.space != ptx::Space::generic && access.space != ptx::Space::global) return;
  const CheckSet checks = context_.kernel.checked->checks;
  for_each_lane(mask, [&](unsigned lane) {
    // Generic addresses of other memories lie below.
    const LaneBytes at{lane, warp.address[lane] - heap_.base(), bytes == nullptr ? access.bytes : bytes[lane]};
    if (at.offset >= Heap::size) return;
    std::uint8_t* const bits = heap_.bits(at.offset);
    std::uint8_t of_all = HeapRecord::allocated_byte | HeapRecord::written_byte;
    for (std::uint32_t byte = 0; byte < at.bytes; ++byte) of_all &= bits[byte];
    if ((of_all & HeapRecord::allocated_byte) == 0) {
      if (checks.has(Check::bounds)) report_outside(warp, op, access, at);
    } else if (reads && (of_all & HeapRecord::written_byte) == 0) {
      if (checks.has(Check::init)) report_unwritten(warp, op, access, at);
    }
    if (!access.writes) return;
    for (std::uint32_t byte = 0; byte < at.bytes; ++byte)
      if ((bits[byte] & HeapRecord::allocated_byte) != 0) bits[byte] |= HeapRecord::written_byte;
  });
}

/// The call that gave or freed the piece stands beside the access, in whichever launch it was.
template <class Fill>
void HeapAccesses::report(Check check, std::uint8_t kind, const ThreadAt& at, const HeapRecord::Piece& piece,
                          bool is_free, Fill&& fill) const {
  const std::optional<HeapCall>& call = is_free ? piece.freed : piece.given;
  const ThreadAt* const beside = call && call->kernel == &context_.kernel ? &call->at : nullptr;
  context_.report(check, kind, at, beside, [&](Finding& finding) {
    if (call) {
      finding.other = place_of(*call->kernel, call->grid, call->block, call->at);
      finding.other->target = fmt::format("{} these {} bytes", is_free ? "frees" : "gives", piece.bytes);
    }
    fill(finding);
  });
}

void HeapAccesses::report_outside(const Warp& warp, const Op& op, const MemoryAccess& access,
                                  const LaneBytes& at) const {
  const ThreadAt thread = context_.thread(warp, op, at.lane);
  const std::uint64_t first = at.offset + first_without(heap_.bits(at.offset), at.bytes, HeapRecord::allocated_byte);
  const auto name = [&]() { return context_.name({ptx::Space::global, heap_.base() + first}); };
  const HeapRecord::Piece* const piece = heap_.nearest(first);
  if (piece == nullptr) {
    context_.report(Check::bounds, outside_of_allocations, thread, nullptr, [&](Finding& finding) {
      finding.what =
          fmt::format("{} accesses memory of the heap before malloc has given any", text_of(access, at.bytes));
      finding.place.target = name();
      finding.remedy = "only what malloc has given may be accessed";
    });
    return;
  }
  // Within a piece, but not allocated.
  if (first - piece->offset < piece->bytes) {
    report(Check::bounds, freed_before, thread, *piece, true, [&](Finding& finding) {
      finding.what = fmt::format("{} accesses memory that was freed: byte {} of {} that malloc had given",
                                 text_of(access, at.bytes), first - piece->offset, piece->bytes);
      finding.place.target = name();
      finding.remedy = "free memory behind the last access of all threads to it";
    });
    return;
  }
  report(Check::bounds, outside_of_allocations, thread, *piece, false, [&](Finding& finding) {
    const std::string distance =
        at.offset < piece->offset
            ? fmt::format("{} bytes before the first byte of {}", piece->offset - at.offset, piece->bytes)
            : fmt::format("at byte {} of {}", at.offset - piece->offset, piece->bytes);
    finding.what = fmt::format("{} leaves what malloc has given: it begins {}{}", text_of(access, at.bytes), distance,
                               piece->freed ? ", which were freed meanwhile" : "");
    finding.place.target = name();
    finding.remedy = "only the bytes that malloc was asked for may be accessed";
  });
}

void HeapAccesses::report_unwritten(const Warp& warp, const Op& op, const MemoryAccess& access,
                                    const LaneBytes& at) const {
  const std::uint64_t first = at.offset + first_without(heap_.bits(at.offset), at.bytes, HeapRecord::written_byte);
  // All bytes of the access are allocated.
  const HeapRecord::Piece& piece = *heap_.nearest(first);
  report(Check::init, unwritten_in_heap, context_.thread(warp, op, at.lane), piece, false, [&](Finding& finding) {
    finding.what = fmt::format("{} reads memory of malloc that nothing has written: byte {} of {}",
                               text_of(access, at.bytes), first - piece.offset, piece.bytes);
    finding.place.target = context_.name({ptx::Space::global, heap_.base() + first});
    finding.remedy = "write it first: what malloc gives begins with any contents, also where it was freed before";
  });
}

}  // namespace lockstep::exec
