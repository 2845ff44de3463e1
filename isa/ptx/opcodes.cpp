#include "isa/ptx/opcodes.hpp"

#include <string>
#include <vector>

#include "isa/error.hpp"

namespace lockstep::ptx {

namespace {

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < opcode_count; ++i) {
    if (static_cast<std::size_t>(opcode_table[i].opcode) != i) return false;
    if (i > 0 && opcode_table[i - 1].name >= opcode_table[i].name) return false;
  }
  return true;
}
static_assert(is_in_order(), "rows stand in the order of Opcode and of their names");
static_assert(opcode_count == static_cast<std::size_t>(Opcode::xor_) + 1, "every opcode has a row");

}  // namespace

std::string_view nearest_opcode(std::string_view word) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const OpcodeRow& row : opcode_table) all.emplace_back(row.name);
    return all;
  }();
  const std::optional<Opcode> found = find_opcode(nearest_name(word, names));
  return found ? name_of(*found) : std::string_view();
}

}  // namespace lockstep::ptx
