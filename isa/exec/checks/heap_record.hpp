#pragma once
// What the checks know of the heap of malloc and free.

#include <map>
#include <optional>
#include <vector>

#include "isa/exec/checks/findings.hpp"
#include "isa/exec/memory/heap.hpp"

namespace lockstep::exec {

/// A call of malloc or free by a thread of some launch of the task.
struct HeapCall {
  const Kernel* kernel = nullptr;
  program::Dim3 grid{}, block{};
  ThreadAt at;
};

/// Which bytes of the heap are allocated, and which are written, for all launches of a task.
class HeapRecord final : public HeapObserver {
 public:
  /// What malloc has given, until other memory is given there.
  struct Piece {
    std::uint64_t offset = 0, bytes = 0;   ///< From base() on; without padding.
    std::optional<HeapCall> given, freed;  ///< `given`: none where it was before the record began.
  };
  /// Bits of a byte of the heap.
  static constexpr std::uint8_t allocated_byte = 1, written_byte = 2;

  /// What is allocated already counts as written.
  explicit HeapRecord(const Heap& heap);
  /// That of the heap, which begins where it has none, as it is in a launch of the task. Launches that are left out were
  /// not checked: what was allocated then counts as written.
  static HeapRecord& of(Heap& heap, std::uint32_t launch);

  void allocated(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address, std::uint64_t bytes) override;
  void freed(const Warp& warp, const Op& op, unsigned lane, std::uint64_t address) override;

  std::uint64_t base() const { return base_; }
  /// The bits of the bytes from this one of the heap on, as many as an access may have.
  std::uint8_t* bits(std::uint64_t offset) { return &bits_[offset]; }
  /// The piece that holds a byte of the heap, or ends or begins nearest to it; null when there is none.
  const Piece* nearest(std::uint64_t offset) const;

 private:
  void mark(const Piece& piece, std::uint8_t bits);

  std::uint64_t base_;
  std::uint32_t launch_ = 0;
  std::vector<std::uint8_t> bits_;
  std::map<std::uint64_t, Piece> pieces_;  ///< By offset.
};

}  // namespace lockstep::exec
