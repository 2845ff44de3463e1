#include "isa/exec/checks/shadow.hpp"

namespace lockstep::exec {

void Shadow::split(Page& page) {
  std::vector<Cell> bytes(page_bytes);
  for (std::uint32_t at = 0; at < page_bytes; ++at) bytes[at] = page.cells[at / word_bytes];
  page.cells = std::move(bytes);
  page.cell_bytes = 1;
}

}  // namespace lockstep::exec
