#include "isa/exec/checks/shadow.hpp"

#include <algorithm>

namespace lockstep::exec {

void Shadow::split(Page& page) {
  std::vector<Cell> bytes(page_bytes);
  for (std::uint32_t at = 0; at < page_bytes; ++at) bytes[at] = page.cells[at / word_bytes];
  page.cells = std::move(bytes);
  page.cell_bytes = 1;
}

void Shadow::forget(std::uint64_t address, std::uint64_t bytes) {
  for (const std::uint64_t end = address + bytes; address < end;) {
    const std::uint64_t from = address % page_bytes, to = std::min<std::uint64_t>(page_bytes, from + end - address);
    if (const auto page = pages_.find(address / page_bytes); page != pages_.end()) {
      const auto cells = page->second.cells.begin();
      const std::uint32_t size = page->second.cell_bytes;
      std::fill(cells + static_cast<std::ptrdiff_t>(from / size), cells + static_cast<std::ptrdiff_t>(to / size),
                Cell{});
    }
    address += to - from;
  }
}

}  // namespace lockstep::exec
