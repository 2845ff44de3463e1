#pragma once
// The checks of executed programs, by name.

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep::exec {

/// What is looked for; README.md says how.
enum class Check : std::uint8_t { init, race, bounds, sync };
inline constexpr std::array<std::string_view, 4> check_names{"init", "race", "bounds", "sync"};
constexpr std::string_view name_of(Check check) {
  return check_names[static_cast<std::size_t>(check)];
}

/// A set of checks.
struct CheckSet {
  std::uint8_t bits = 0;

  constexpr bool has(Check check) const { return (bits >> static_cast<unsigned>(check) & 1) != 0; }
  constexpr CheckSet with(Check check) const {
    return {static_cast<std::uint8_t>(bits | 1u << static_cast<unsigned>(check))};
  }
  constexpr bool empty() const { return bits == 0; }
};
inline constexpr CheckSet all_checks{(1u << check_names.size()) - 1};

}  // namespace lockstep::exec
