#pragma once
// Words and numbers of a line.

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::accelsim {

/// Takes words off the front of a line.
class Tokens {
 public:
  explicit Tokens(std::string_view line) : at_(line.data()), end_(line.data() + line.size()) {}

  /// The next word, empty at the end of the line.
  std::string_view next() {
    skip_spaces();
    const char* const begin = at_;
    while (at_ != end_ && *at_ != ' ' && *at_ != '\t') ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  /// What is left, without leading spaces.
  std::string_view rest() {
    skip_spaces();
    return {at_, static_cast<std::size_t>(end_ - at_)};
  }
  /// Goes on behind `count` characters of the rest.
  void skip(std::size_t count) { at_ += count; }

 private:
  void skip_spaces() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t')) ++at_;
  }
  const char *at_, *end_;
};

/// Digits of base 16, with or without 0x; nothing when the word is no such number or does not fit in 64 bits.
inline std::optional<std::uint64_t> hexadecimal(std::string_view word) {
  if (word.size() > 2 && word[0] == '0' && (word[1] | 0x20) == 'x') word.remove_prefix(2);
  if (word.empty() || word.size() > 16) return {};
  std::uint64_t value = 0;
  for (const char c : word) {
    const unsigned digit = static_cast<unsigned>(c) - '0', letter = (static_cast<unsigned>(c) | 0x20) - 'a';
    if (digit > 9 && letter > 5) return {};
    value = value << 4 | (digit <= 9 ? digit : letter + 10);
  }
  return value;
}

/// A decimal number that may have a sign; nothing when the word is none or does not fit in 64 bits.
inline std::optional<std::int64_t> decimal(std::string_view word) {
  const bool negative = !word.empty() && word[0] == '-';
  if (negative) word.remove_prefix(1);
  if (word.empty() || word.size() > 19) return {};
  std::uint64_t value = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return {};
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  if (value > static_cast<std::uint64_t>(INT64_MAX)) return {};
  return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

/// The same without a sign, at most `most`.
inline std::optional<std::uint64_t> count(std::string_view word, std::uint64_t most) {
  const auto value = decimal(word);
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most) return {};
  return static_cast<std::uint64_t>(*value);
}

}  // namespace lockstep::accelsim
