#include "isa/exec/checks/heap_record.hpp"

#include <algorithm>
#include <iterator>

#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

namespace {

/// Behind the last byte of the heap, so that the widest access can be looked at from any of them.
constexpr std::uint64_t bytes_behind = 32;

HeapCall call_of(const Warp& warp, const Op& op, unsigned lane) {
  const LaunchContext& context = warp.owner->context();
  return {context.kernel,
          context.launch->grid,
          context.launch->block,
          {op.instruction, warp.owner->number(), warp.index * lanes + lane}};
}

}  // namespace

HeapRecord::HeapRecord(const Heap& heap) : base_(heap.base()), bits_(Heap::size + bytes_behind) {
  for (const auto& [offset, bytes] : heap.allocations()) {
    const Piece& piece = pieces_.emplace(offset, Piece{offset, bytes, {}, {}}).first->second;
    mark(piece, allocated_byte | written_byte);
  }
}

HeapRecord& HeapRecord::of(Heap& heap, std::uint32_t launch) {
  const bool begins = heap.observer() == nullptr;
  if (begins) heap.observe(std::make_unique<HeapRecord>(heap));
  auto& record = dynamic_cast<HeapRecord&>(*heap.observer());
  if (!begins && launch != record.launch_ && launch != record.launch_ + 1) {
    for (const auto& [offset, piece] : record.pieces_)
      if (!piece.freed) record.mark(piece, allocated_byte | written_byte);
  }
  record.launch_ = launch;
  return record;
}

void HeapRecord::allocated(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t offset = address - base_;
  pieces_.erase(pieces_.lower_bound(offset), pieces_.lower_bound(offset + Heap::taken(bytes)));
  const Piece& piece = pieces_.emplace(offset, Piece{offset, bytes, call_of(warp, op, lane), {}}).first->second;
  mark(piece, allocated_byte);
}

void HeapRecord::freed(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address) {
  Piece& piece = pieces_.at(address - base_);
  piece.freed = call_of(warp, op, lane);
  mark(piece, 0);
}

const HeapRecord::Piece* HeapRecord::nearest(std::uint64_t offset) const {
  const auto above = pieces_.upper_bound(offset);
  const Piece* const behind = above == pieces_.end() ? nullptr : &above->second;
  if (above == pieces_.begin()) return behind;
  const Piece& before = std::prev(above)->second;
  const std::uint64_t end = before.offset + before.bytes;
  return behind == nullptr || offset < end || offset - end <= behind->offset - offset ? &before : behind;
}

void HeapRecord::mark(const Piece& piece, std::uint8_t bits) {
  std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(piece.offset), piece.bytes, bits);
}

}  // namespace lockstep::exec
