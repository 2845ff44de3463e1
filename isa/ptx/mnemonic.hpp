#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/ptx/opcodes.hpp"

namespace lockstep::ptx {

/// The parts of `text` between separators, without empty ones.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Whether a word or opcode is among some.
template <class T>
bool is_one_of(const T& one, std::initializer_list<std::type_identity_t<T>> all) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// The parts of a mnemonic of PTX such as "atom.shared.add.u32": the opcode and its modifiers.
struct Mnemonic {
  explicit Mnemonic(std::string_view text)
      : parts(split(text, '.')), opcode(parts.empty() ? std::nullopt : find_opcode(parts[0])) {}
  bool has(std::string_view word) const { return std::find(parts.begin(), parts.end(), word) != parts.end(); }
  /// Whether the last modifier is one of these.
  bool ends(std::initializer_list<std::string_view> types) const {
    return parts.size() > 1 && is_one_of(parts.back(), types);
  }
  std::vector<std::string_view> parts;
  std::optional<Opcode> opcode;  ///< None when PTX has no such opcode.
};

}  // namespace lockstep::ptx
