#include "isa/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lockstep {

std::string to_string(const SourceLocation& where) {
  std::string text = where.file;
  if (where.line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", where.line);
  if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
  return text;
}

namespace {

std::string located(const SourceLocation& where, std::string_view message) {
  const std::string place = to_string(where);
  return place.empty() ? std::string(message) : fmt::format("{}: {}", place, message);
}

constexpr std::size_t longest_name = 256;  ///< That is compared: nobody types more.

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

InputError::InputError(const SourceLocation& where, std::string_view message)
    : std::runtime_error(located(where, message)), where_(where), text_(message) {}

Bug::Bug(std::string_view component, std::uint64_t cycle, std::string_view message)
    : std::logic_error(fmt::format("{}, cycle {}: {}", component, cycle, message)) {}

Bug::Bug(std::string_view message) : std::logic_error(std::string(message)) {}

void Diagnostics::add(const SourceLocation& where, std::string_view message) {
  messages_.push_back({where, std::string(message)});
}

void Diagnostics::throw_if_any() const {
  if (messages_.empty()) return;
  auto sorted = messages_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.where.file, a.where.line, a.where.column) < std::tie(b.where.file, b.where.line, b.where.column);
  });
  std::string all;
  for (const Entry& entry : sorted) {
    if (!all.empty()) all += '\n';
    all += located(entry.where, entry.text);
  }
  throw InputError(all);
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // No fewer changes than the lengths differ by.
    const std::size_t longer = std::max(word.size(), candidate.size());
    if (longer - std::min(word.size(), candidate.size()) >= best_distance || longer > longest_name) continue;
    const std::size_t distance = edit_distance(word, candidate);
    // As many changes as letters: they have nothing in common.
    if (distance < best_distance && distance < longer) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace lockstep
