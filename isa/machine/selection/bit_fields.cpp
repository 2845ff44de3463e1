#include "isa/machine/selection/bit_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;

/// The bits [first, end) of a word or a pair of words; PTX takes the low eight bits of place and width.
struct Field {
  std::uint64_t first, end;

  bool of_bytes() const { return first % 8 == 0 && end % 8 == 0; }
  bool of_words() const { return first % 32 == 0 && end % 32 == 0; }
};

/// How many instructions put a field into a pair of words that takes no whole word.
unsigned insertions(const Field& f) {
  if (f.first == 0) return 2;  // A mask and a merge: of the low word, or of the high one.
  if (f.first >= 32) {
    if (f.of_bytes() && f.end == 64) return 1;  // PRMT.
    return f.of_bytes() || f.first == 32 || f.end == 64 ? 2 : 3;
  }
  // A mask, two shifts and two merges; PRMT shifts and merges bytes up to a word's end, and what ends with either value
  // needs no mask, or no merge.
  const bool permutes = f.first % 8 == 0 && f.end >= 32;
  return 5u - permutes - (f.end == 64) - (f.end - f.first == 32);
}

std::string insertion(const Field& f, unsigned bits) {
  if (f.of_words()) return "words";
  if (bits == 64) return fmt::format("of{}", insertions(f));
  return f.of_bytes() || f.first == 0 ? "of1" : "of2";
}

std::string extraction(const Field& f, unsigned bits, bool is_signed) {
  if (bits == 32) return f.of_words() ? "words" : (!is_signed && f.of_bytes()) ? "bytes" : f.first == 0 ? "of1" : "of2";
  if (is_signed) return "of4";
  const bool ends_with_word = (f.first == 0 && f.end > 32) || (f.first == 32 && f.end == 64);
  return ends_with_word ? "of1" : f.first == 0 || f.end - f.first == 32 ? "of2" : "of3";
}

}  // namespace

void choose_bit_fields(SelectionDraft& draft) {
  for (std::uint32_t i = 0; i < draft.count(); ++i) {
    const Mnemonic w = draft.words(i);
    const auto& o = draft.at(i).operands;
    const bool inserts = w.opcode == Opcode::bfi;
    const std::size_t place = inserts ? 2 : 1;
    if ((!inserts && w.opcode != Opcode::bfe) || o.size() != place + 2) continue;
    const auto first = draft.literal(o[place]), length = draft.literal(o[place + 1]);
    if (!first || !length) continue;
    const unsigned bits = w.ends({"b64", "u64", "s64"}) ? 64 : 32;
    const Field field{*first & 0xff, std::min<std::uint64_t>(bits, (*first & 0xff) + (*length & 0xff))};
    if (field.first >= field.end) continue;  // Nothing moves; no compiler writes that.
    const std::string what = inserts ? insertion(field, bits) : extraction(field, bits, w.ends({"s32", "s64"}));
    const bool of_registers = std::all_of(o.begin(), o.begin() + static_cast<std::ptrdiff_t>(place),
                                          [](const auto& one) { return one.kind == SourceOperand::Kind::reg; });
    if (what == "words" && !of_registers) continue;
    draft.chosen(i).mnemonic.insert(w.parts[0].size(), "." + what);
  }
}

}  // namespace lockstep::machine
