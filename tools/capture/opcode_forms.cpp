// Prints what the table of opcodes takes, a form such as add.cc.u32 on each line. tools/capture/opcode-syntax compiles and
// runs it.
//
//    opcode_forms MOST             at most about MOST forms of an opcode, evenly spread over all that it has
//    opcode_forms --changes MOST   what the table does not take, but differs from one of them in one modifier

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/ptx/opcode_syntax.hpp"

namespace {

using namespace lockstep::ptx;
using Modifiers = std::vector<std::string>;

void for_each_form(const OpcodeRow& row, std::uint64_t most, const std::function<void(const Modifiers&)>& use) {
  const std::uint64_t count = form_count(row.opcode);
  // Not a multiple of the numbers of choices, so that it meets all of them.
  const std::uint64_t step = count <= most ? 1 : (count / most / 30 + 1) * 30 + 1;
  for (std::uint64_t n = 0; n < count; n += step) {
    Modifiers modifiers;
    for (const std::string_view modifier : form(row.opcode, n)) modifiers.emplace_back(modifier);
    use(modifiers);
  }
}

void print(const OpcodeRow& row, const Modifiers& modifiers) {
  std::string text(row.name);
  for (const std::string& modifier : modifiers) text.append(".").append(modifier);
  std::puts(text.c_str());
}

void print_if_refused(const OpcodeRow& row, const Modifiers& modifiers) {
  if (!takes(row.opcode, modifiers)) print(row, modifiers);
}

void print_changes(const OpcodeRow& row, const Modifiers& of) {
  for (std::size_t i = 0; i <= of.size(); ++i) {
    if (i < of.size()) {
      Modifiers less = of;
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
      print_if_refused(row, less);
    }
    for (const std::string_view other : modifier_names()) {
      Modifiers changed = of;
      if (i < of.size()) {
        changed[i] = other;
      } else {
        // In front, where most modifiers stand.
        changed.insert(changed.begin(), std::string(other));
      }
      print_if_refused(row, changed);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool changes = argc > 2 && std::string_view(argv[1]) == "--changes";
  if (argc != (changes ? 3 : 2)) return 2;
  const std::uint64_t most = std::strtoull(argv[argc - 1], nullptr, 10);
  for (const OpcodeRow& row : opcode_table) {
    for_each_form(row, most,
                  [&](const Modifiers& modifiers) { changes ? print_changes(row, modifiers) : print(row, modifiers); });
  }
}
