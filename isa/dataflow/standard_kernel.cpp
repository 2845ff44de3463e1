#include "isa/dataflow/standard_kernel.hpp"

#include <fmt/format.h>

namespace lockstep::dataflow {

std::string standard_kernel_text(std::uint32_t barrier) {
  return fmt::format(
      ".version 3.0\n.target sm_20\n.address_size 64\n\n.visible .entry {}()\n.maxntid 32, 1, 1\n{{\n  bar.sync {};\n"
      "  ret;\n}}\n",
      standard_kernel_entry, barrier);
}

}  // namespace lockstep::dataflow
