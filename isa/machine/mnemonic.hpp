#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "isa/machine/rules.hpp"

namespace lockstep::machine {

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The parts of a mnemonic such as "atom.shared.add.u32": the opcode and its modifiers.
struct Mnemonic {
  explicit Mnemonic(std::string_view text) : parts(split(text, '.')) {}
  std::string_view opcode() const { return parts.empty() ? std::string_view() : parts[0]; }
  bool has(std::string_view word) const { return std::find(parts.begin(), parts.end(), word) != parts.end(); }
  /// Whether the last modifier is one of these.
  bool ends(std::initializer_list<std::string_view> types) const {
    return parts.size() > 1 && is_one_of(parts.back(), types);
  }
  std::vector<std::string_view> parts;
};

/// An integer operation of 32 or of 64 bits, without carry, saturation or high half.
inline bool is_plain(const Mnemonic& w, std::string_view opcode, unsigned bits) {
  if (w.opcode() != opcode || w.has("cc") || w.has("sat") || w.has("hi") || w.has("wide")) return false;
  return bits == 32 ? w.ends({"u32", "s32", "b32"}) : w.ends({"u64", "s64", "b64"});
}

inline bool is_logic(const Mnemonic& w) {
  return is_plain(w, "and", 32) || is_plain(w, "or", 32) || is_plain(w, "xor", 32);
}

/// Operations whose low 32 result bits need only the low 32 bits of their 64-bit operands.
inline bool keeps_low_half(const Mnemonic& w) {
  for (const std::string_view opcode : {"add", "sub", "mul", "mad", "and", "or", "xor", "not", "neg", "mov", "shl"})
    if (is_plain(w, opcode, 64)) return true;
  return w.opcode() == "mad" && w.has("wide") && !w.ends({"u16", "s16"});
}

}  // namespace lockstep::machine
