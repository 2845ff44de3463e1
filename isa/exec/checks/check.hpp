#pragma once
// The checks of executed programs, by name.

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep::exec {

/// What is looked for; README.md says how.
enum class Check : std::uint8_t { init, race, bounds, sync };

/// How a check is called, and what it finds.
struct CheckText {
  std::string_view name, text;
};
/// In the order of Check.
inline constexpr auto check_texts = std::to_array<CheckText>({
    {"init", "reads of scratchpad, local and heap memory that nothing has written"},
    {"race", "accesses that nothing orders"},
    {"bounds", "accesses outside of the array that they index, or of what malloc gave"},
    {"sync", "divergent barriers, wrong lane masks"},
});
constexpr std::string_view name_of(Check check) {
  return check_texts[static_cast<std::size_t>(check)].name;
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
inline constexpr CheckSet all_checks{(1u << check_texts.size()) - 1};

}  // namespace lockstep::exec
