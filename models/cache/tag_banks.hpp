#pragma once
// Banks of a cache's tags: how many lines of one access are looked up at a time.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::cache {

/// Gives the lines of an access their turns. In each turn every bank looks up one line, for all of the access that lies in it.
class TagBanks {
 public:
  static constexpr std::uint32_t most_banks = 32, most_lines = 512;

  /// `hash`: SPEC of a linear function from the number of a line to its bank, of a power of two of banks; empty: any lines go together.
  /// InputError when it is malformed, not linear, or leaves banks out.
  TagBanks(std::uint32_t banks, std::string_view hash);

  /// A line of an access, by its place among the access's lines, and the turn in which it is looked up, from 0 on.
  struct Lookup {
    std::uint16_t line, turn;
  };
  /// Another access begins.
  void begin() { count_ = 0; }
  /// Adds a line of it, of which there may be several parts; at most most_lines.
  void add(std::uint64_t line) { line_[count_++] = line; }
  /// All lines in the order of their turns. Valid until the next access begins.
  std::span<const Lookup> lookups();
  /// Turns that they take.
  std::uint32_t turns() const { return count_ == 0 ? 0 : lookups_[count_ - 1].turn + 1u; }

 private:
  std::uint8_t bank_of(std::uint64_t line) const;

  std::uint32_t banks_, count_ = 0;
  std::vector<std::uint64_t> rows_;  ///< Of a LinearHash.
  std::array<std::uint64_t, most_lines> line_;
  std::array<Lookup, most_lines> lookups_;
};

}  // namespace lockstep::cache
