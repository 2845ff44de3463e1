#include "sim/stats/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::stats {

std::size_t utf8_sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 && first <= 0xf4 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (first > 0xf4 || length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool bad = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                   (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return bad ? 0 : length;
}

bool is_control(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t valid = utf8_sequence_length(text), length = std::max<std::size_t>(valid, 1);
    const char first = text.front();
    if (valid != 0 && (first == '\n' || first == '\t' || !is_control(text))) {
      result += text.substr(0, length);
    } else {
      for (const char byte : text.substr(0, length))
        result += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
    }
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace lockstep::stats
