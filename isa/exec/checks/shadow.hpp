#pragma once
// The last accesses to each byte of a memory, for the race check.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace lockstep::exec {

/// An access by one lane.
struct Stamp {
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  std::uint32_t warp = nobody;  ///< Of the grid: thread block * warps per block + warp.
  std::uint32_t time = 0;       ///< Of that warp; see clocks.hpp.
  std::uint32_t lane : 5 = 0;
  /// See MemoryOrder: weak, strong for the thread block, strong for others, too.
  static constexpr std::uint32_t weak = 0, strong_in_block = 1, strong_everywhere = 2;
  std::uint32_t strength : 2 = weak;
  std::uint32_t instruction : 25 = 0;

  bool present() const { return warp != nobody; }
};

/// The accesses to some bytes that later ones may race with: of each kind, two that nothing orders.
struct Cell {
  std::array<Stamp, 2> writes, reads;
};

/// Cells of the memory that has been accessed, one per 4 bytes; in a page of 256 bytes in which something else than
/// whole words is accessed, one per byte.
class Shadow {
 public:
  /// Calls visit(cell, address of its first byte, its bytes) for all cells of [address, address + bytes).
  template <class Visit>
  void visit(std::uint64_t address, std::uint32_t bytes, Visit&& visit) {
    while (bytes > 0) {
      Page& page = page_of(address / page_bytes);
      const auto from = static_cast<std::uint32_t>(address % page_bytes);
      const std::uint32_t here = bytes < page_bytes - from ? bytes : page_bytes - from;
      if (page.cell_bytes == word_bytes && (from | here) % word_bytes != 0) split(page);
      for (std::uint32_t at = from; at < from + here; at += page.cell_bytes)
        visit(page.cells[at / page.cell_bytes], address - from + at, page.cell_bytes);
      address += here;
      bytes -= here;
    }
  }

  /// Nothing has accessed [address, address + bytes), both multiples of a word, any more.
  void forget(std::uint64_t address, std::uint64_t bytes);

 private:
  static constexpr std::uint32_t page_bytes = 256, word_bytes = 4;
  struct Page {
    std::uint32_t cell_bytes = word_bytes;
    std::vector<Cell> cells = std::vector<Cell>(page_bytes / word_bytes);
  };
  Page& page_of(std::uint64_t number) {
    if (last_ == nullptr || number != last_number_) {
      last_ = &pages_[number];
      last_number_ = number;
    }
    return *last_;
  }
  static void split(Page& page);

  std::unordered_map<std::uint64_t, Page> pages_;
  Page* last_ = nullptr;  ///< The page that was looked up last.
  std::uint64_t last_number_ = 0;
};

}  // namespace lockstep::exec
