#pragma once
// How wide a text for people may be.

#include <cstddef>
#include <limits>

namespace lockstep::stats {

inline constexpr std::size_t unlimited_page = std::numeric_limits<std::size_t>::max();
/// Columns that tables keep to where their cells can be broken; at first unlimited. To be set once, before anything is written.
void set_page_width(std::size_t columns);
std::size_t page_width();

}  // namespace lockstep::stats
