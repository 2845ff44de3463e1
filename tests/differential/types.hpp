#pragma once
// Types of PTX by their names.

#include <string_view>
#include <vector>

namespace lockstep::differential {

/// The modifiers that are types, in their order.
std::vector<std::string_view> types_of(const std::vector<std::string_view>& modifiers);
unsigned width_of(std::string_view type);  ///< In bits; 0 of what is no type. A pair has those of both.
bool is_pair(std::string_view type);       ///< f16x2, bf16x2, u16x2, s16x2
bool is_float(std::string_view type);      ///< Pairs too, and tf32.
inline bool is_signed(std::string_view type) {
  return type[0] == 's';
}
/// Of a pair: the type of its halves; any other type itself.
std::string_view element_of(std::string_view type);

}  // namespace lockstep::differential
