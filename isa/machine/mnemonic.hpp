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

}  // namespace lockstep::machine
