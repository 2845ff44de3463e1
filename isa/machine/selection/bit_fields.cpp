#include "isa/machine/selection/bit_fields.hpp"

#include <algorithm>
#include <string_view>

namespace lockstep::machine {

namespace {

using program::SourceOperand;
using ptx::Opcode;

/// The bits [first, end) of a word or a pair of words; PTX takes the low eight bits of either number.
struct Field {
  std::uint64_t first, end;

  bool of_bytes() const { return first % 8 == 0 && end % 8 == 0; }
};

std::string_view insertion(const Field& f, unsigned bits) {
  if (bits == 32) return f.of_bytes() ? "bytes" : f.first == 0 ? "low" : "literal";
  if (f.first % 32 == 0 && f.end % 32 == 0) return "words";
  if (f.first == 0) return "low";
  if (f.first < 32) return "literal";
  return f.of_bytes() && f.end == 64 ? "bytes" : "high";
}

std::string_view extraction(const Field& f, unsigned bits, bool is_signed) {
  if (bits == 32 && !is_signed && f.of_bytes()) return "bytes";
  return bits == 32 && f.first == 0 ? "low" : "literal";
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
    const std::string_view what = inserts ? insertion(field, bits) : extraction(field, bits, w.ends({"s32", "s64"}));
    const bool of_registers = std::all_of(o.begin(), o.begin() + static_cast<std::ptrdiff_t>(place),
                                          [](const auto& one) { return one.kind == SourceOperand::Kind::reg; });
    if (what == "words" && !of_registers) continue;
    draft.chosen(i).mnemonic.insert(w.parts[0].size(), "." + std::string(what));
  }
}

}  // namespace lockstep::machine
