#include "isa/meant_name.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "isa/error.hpp"

namespace lockstep {

namespace {

/// The parts of a name: runs of letters and digits, in lower case. One object takes many names in turn, without allocating for each.
class Parts {
 public:
  void take(std::string_view name) {
    text_.assign(name);
    parts_.clear();
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text_.size(); ++at) {
      const bool belongs = at < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at])) != 0;
      if (belongs) {
        text_[at] = static_cast<char>(std::tolower(static_cast<unsigned char>(text_[at])));
        continue;
      }
      if (at > begin) parts_.push_back(std::string_view(text_).substr(begin, at - begin));
      begin = at + 1;
    }
  }
  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }
  std::string_view operator[](std::size_t number) const { return parts_[number]; }

 private:
  std::string text_;
  std::vector<std::string_view> parts_;  ///< In `text_`.
};

/// Whether one letter more, less or other, or two in each other's places, make one of the other.
bool one_change_apart(std::string_view a, std::string_view b) {
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  a.remove_prefix(static_cast<std::size_t>(in_a - a.begin()));
  b.remove_prefix(static_cast<std::size_t>(in_b - b.begin()));
  if (a.empty() || b.empty()) return a.size() + b.size() == 1;
  if (a.size() != b.size()) return a.size() > b.size() ? a.substr(1) == b : a == b.substr(1);
  const bool swapped = a.size() > 1 && a[0] == b[1] && a[1] == b[0] && a.substr(2) == b.substr(2);
  return swapped || a.substr(1) == b.substr(1);
}

/// What is wrong with a part of a word as a part of a name; none: it does not stand for it.
std::optional<unsigned> difference(std::string_view word, std::string_view name) {
  constexpr std::size_t least = 3;  // Letters that say something.
  if (word == name) return 0;
  if (word.size() < least) return std::nullopt;
  if (name.starts_with(word)) return 1;
  if (one_change_apart(word, name)) return 2;
  for (const std::size_t size : {word.size() - 1, word.size(), word.size() + 1})  // Its begin is misspelled.
    if (size >= least && size < name.size() && one_change_apart(word, name.substr(0, size))) return 3;
  return std::nullopt;
}

/// What is wrong with a word as a name: less for parts that fit better, then for fewer parts that are not in it, those behind
/// the last one first. None: it does not stand for it.
std::optional<unsigned> difference(const Parts& word, const Parts& name) {
  unsigned sum = 0;
  std::size_t at = 0;
  for (std::size_t part = 0; part < word.size(); ++part) {
    std::optional<unsigned> one;
    while (at < name.size() && !one) one = difference(word[part], name[at++]);
    if (!one) return std::nullopt;
    sum += *one;
  }
  const auto behind = static_cast<unsigned>(name.size() - at),
             others = static_cast<unsigned>(name.size() - word.size());
  return (sum * 16 + behind) * 16 + others;
}

/// Of two that fit as well: what most users study.
bool is_favourite(const std::string& candidate, const std::string& other) {
  const auto favourite = [](const std::string& name) { return name.find("scratchpad") != std::string::npos; };
  return favourite(candidate) && !favourite(other);
}

}  // namespace

std::string meant_name(std::string_view word, const std::vector<std::string>& candidates) {
  for (const std::string& candidate : candidates)
    if (one_change_apart(word, candidate)) return candidate;
  Parts parts, of_candidate;
  parts.take(word);
  const std::string* best = nullptr;
  unsigned least = 0;
  for (const std::string& candidate : candidates) {
    if (parts.empty()) break;
    of_candidate.take(candidate);
    const std::optional<unsigned> one = difference(parts, of_candidate);
    if (!one || (best != nullptr && *one >= least && !(*one == least && is_favourite(candidate, *best)))) continue;
    best = &candidate;
    least = *one;
  }
  return best != nullptr ? *best : nearest_name(word, candidates);
}

}  // namespace lockstep
