#include "tools/lockstep/terminal/pattern.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace lockstep::cli {

namespace {

bool same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// A '*' takes as little as it can, and more when what follows does not fit.
bool fits_whole(std::string_view text, std::string_view pattern) {
  std::size_t at = 0, star = std::string_view::npos, taken = 0, p = 0;
  while (at < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = at;
    } else if (p < pattern.size() && same(pattern[p], text[at])) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

bool fits(std::string_view text, std::string_view pattern) {
  if (pattern.find('*') != std::string_view::npos) return fits_whole(text, pattern);
  return std::search(text.begin(), text.end(), pattern.begin(), pattern.end(), same) != text.end() || pattern.empty();
}

}  // namespace lockstep::cli
