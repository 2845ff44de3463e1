#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/machine/instruction.hpp"

namespace lockstep::machine {

/// Registers behind those that a program has, for results that get one of their own. Each piece of code, from begin() on, uses the
/// same ones: none of them is live beyond it.
class Names {
 public:
  explicit Names(Program& program) : program_(program) {}

  void begin() { used_.clear(); }
  /// Another name of as many bits as `original`; nothing when there are no more.
  std::optional<std::uint16_t> like(std::uint16_t original) {
    const std::uint8_t bits = program_.register_bits[original];
    std::vector<std::uint16_t>& all = all_[bits];
    const std::size_t n = used_[bits]++;
    if (n == all.size()) {
      if (program_.register_bits.size() == most_scoreboard_entries) return {};
      all.push_back(static_cast<std::uint16_t>(program_.register_bits.size()));
      program_.register_bits.push_back(bits);
    }
    return all[n];
  }

 private:
  Program& program_;
  std::map<std::uint8_t, std::vector<std::uint16_t>> all_;  ///< By bits.
  std::map<std::uint8_t, std::size_t> used_;                ///< Since begin().
};

}  // namespace lockstep::machine
