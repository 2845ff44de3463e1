#include "tests/differential/form_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "isa/error.hpp"
#include "isa/ptx/opcode_syntax.hpp"
#include "tests/differential/forms.hpp"
#include "tests/differential/generate.hpp"
#include "tests/differential/print.hpp"

namespace lockstep::differential {

namespace {

/// Words of the text, such as add.cc.u32, each once.
std::set<std::string> words_of(const std::string& text) {
  std::set<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word.back() == ';') word.pop_back();
    if (word[0] >= 'a' && word[0] <= 'z') words.insert(word);
  }
  return words;
}

void list_all_forms(const ptx::OpcodeRow& row, const Occurrences& kernels) {
  for (std::uint64_t n = 0; n < ptx::form_count(row.opcode); ++n) {
    const Modifiers modifiers = ptx::form(row.opcode, n);
    const std::string name = name_of_form(row.opcode, modifiers);
    const std::string_view never = why_never(row.opcode, modifiers);
    const auto found = kernels.find(name);
    fmt::print("{:60} {}\n", name, never.empty() ? std::to_string(found == kernels.end() ? 0 : found->second) : never);
  }
}

void list_opcode(const ptx::OpcodeRow& row, const Occurrences& kernels) {
  std::uint64_t met = 0, can = 0, count = ptx::form_count(row.opcode);
  std::map<std::string_view, std::uint64_t> reasons;
  for (std::uint64_t n = 0; n < count; ++n) {
    const Modifiers modifiers = ptx::form(row.opcode, n);
    const std::string_view never = why_never(row.opcode, modifiers);
    if (!never.empty()) {
      ++reasons[never];
      continue;
    }
    ++can;
    if (kernels.contains(name_of_form(row.opcode, modifiers))) ++met;
  }
  fmt::print("{:20} {:6} forms, {:6} of {:6} drawn", row.name, count, met, can);
  for (const auto& [reason, forms] : reasons) fmt::print("; {}: {}", reason, forms);
  fmt::print("\n");
}

}  // namespace

Occurrences occurrences_of_forms(std::uint64_t first_seed, std::uint64_t last_seed) {
  Occurrences kernels;
  for (std::uint64_t seed = first_seed; seed <= last_seed; ++seed) {
    for (const std::string& word : words_of(printed(generate(seed)))) ++kernels[word];
  }
  return kernels;
}

void list_forms(std::uint64_t first_seed, std::uint64_t last_seed, const std::string& opcode) {
  if (!opcode.empty() && !ptx::find_opcode(opcode)) throw InputError(fmt::format("{} is no opcode", opcode));
  const Occurrences kernels = occurrences_of_forms(first_seed, last_seed);
  for (const ptx::OpcodeRow& row : ptx::opcode_table) {
    if (!opcode.empty() && row.name != opcode) continue;
    if (!row.is_executed()) {
      fmt::print("{:20} the functional machine does not execute it\n", row.name);
    } else if (opcode.empty()) {
      list_opcode(row, kernels);
    } else {
      list_all_forms(row, kernels);
    }
  }
}

}  // namespace lockstep::differential
