#include "tests/differential/types.hpp"

#include <array>
#include <utility>

namespace lockstep::differential {

namespace {

constexpr auto widths = std::to_array<std::pair<std::string_view, unsigned>>(
    {{"pred", 1}, {"b8", 8},    {"b16", 16},   {"b32", 32},    {"b64", 64},   {"b128", 128}, {"u2", 2},
     {"s2", 2},   {"u4", 4},    {"s4", 4},     {"u8", 8},      {"u16", 16},   {"u32", 32},   {"u64", 64},
     {"s8", 8},   {"s16", 16},  {"s32", 32},   {"s64", 64},    {"f16", 16},   {"bf16", 16},  {"f32", 32},
     {"f64", 64}, {"tf32", 32}, {"f16x2", 32}, {"bf16x2", 32}, {"u16x2", 32}, {"s16x2", 32}});

}  // namespace

unsigned width_of(std::string_view type) {
  for (const auto& [name, width] : widths) {
    if (name == type) return width;
  }
  return 0;
}

std::vector<std::string_view> types_of(const std::vector<std::string_view>& modifiers) {
  std::vector<std::string_view> types;
  for (const std::string_view modifier : modifiers) {
    if (width_of(modifier) != 0) types.push_back(modifier);
  }
  return types;
}

bool is_pair(std::string_view type) {
  return type.ends_with("x2");
}

bool is_float(std::string_view type) {
  return type[0] == 'f' || type.starts_with("bf") || type == "tf32";
}

std::string_view element_of(std::string_view type) {
  return is_pair(type) ? type.substr(0, type.size() - 2) : type;
}

}  // namespace lockstep::differential
