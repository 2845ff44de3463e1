#include "sim/stats/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "isa/error.hpp"
#include "sim/stats/page.hpp"

namespace lockstep::stats {

namespace {

/// Characters of UTF-8 text, for text without combining characters.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::size_t page = unlimited_page;

constexpr std::size_t gap = 2;  // Between columns.

/// The words of a text in lines of at most `columns` characters, or of one word where that is longer.
std::vector<std::string> broken(const std::string& text, std::size_t columns) {
  if (width(text) <= columns) return {text};
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!lines.empty() && width(lines.back()) + 1 + width(word) <= columns) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& word : broken(text, 0)) longest = std::max(longest, width(word));
  return longest;
}

}  // namespace

void set_page_width(std::size_t columns) {
  page = columns;
}

std::size_t page_width() {
  return page;
}

void Table::column(std::string header, Align align, std::string unit) {
  columns_.push_back({std::move(header), std::move(unit), align});
}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw Bug(fmt::format("table row of {} cells for {} columns", cells.size(), columns_.size()));
  }
  rows_.push_back(std::move(cells));
}

namespace {

/// A table while it is laid out. The first `header_lines` lines are the header's.
struct Layout {
  const std::vector<std::vector<std::string>>& lines;
  const std::vector<bool>& right;  ///< By column.
  std::size_t header_lines;
  std::vector<std::size_t> widths;

  std::size_t total(const std::vector<std::size_t>& columns) const {
    std::size_t sum = columns.empty() ? 0 : gap * (columns.size() - 1);
    for (const std::size_t c : columns) sum += widths[c];
    return sum;
  }
  void shrink(const std::vector<std::size_t>& columns);
  std::string text(const std::vector<std::size_t>& columns) const;
};

/// Takes characters off the widest columns until all fit onto the page. Words, and numbers on the right, stay whole.
void Layout::shrink(const std::vector<std::size_t>& columns) {
  std::vector<std::size_t> least(widths.size());
  for (std::size_t n = 0; n < lines.size(); ++n)
    for (const std::size_t c : columns)
      least[c] = std::max(least[c], right[c] && n >= header_lines ? width(lines[n][c]) : longest_word(lines[n][c]));
  for (std::size_t sum = total(columns); sum > page; --sum) {
    std::size_t widest = widths.size();
    for (const std::size_t c : columns)
      if (widths[c] > least[c] && (widest == widths.size() || widths[c] > widths[widest])) widest = c;
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

std::string Layout::text(const std::vector<std::size_t>& columns) const {
  std::string result;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (const std::size_t c : columns) {
      cells.push_back(broken(lines[n][c], widths[c]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t row = 0; row < height; ++row) {
      std::string out;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        // Headers stand at the bottom of theirs, other cells at the top.
        const std::size_t above = n < header_lines ? height - cells[i].size() : 0;
        const std::string cell = row >= above && row - above < cells[i].size() ? cells[i][row - above] : "";
        const std::string blanks(widths[columns[i]] - width(cell), ' ');
        if (i > 0) out += std::string(gap, ' ');
        out += right[columns[i]] ? blanks + cell : cell + blanks;
      }
      out.erase(out.find_last_not_of(' ') + 1);
      result += out + '\n';
    }
    if (n + 1 == header_lines) result += std::string(total(columns), '-') + '\n';
  }
  return result;
}

}  // namespace

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> headers, units;
  std::vector<bool> right;
  for (const Column& column : columns_) {
    headers.push_back(column.header);
    units.push_back(column.unit);
    right.push_back(column.align == Align::right);
  }
  lines.push_back(headers);
  const bool has_units = std::any_of(units.begin(), units.end(), [](const std::string& unit) { return !unit.empty(); });
  if (has_units) lines.push_back(units);
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  Layout layout{lines, right, has_units ? std::size_t{2} : std::size_t{1}, {}};
  layout.widths.resize(columns_.size());
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) layout.widths[c] = std::max(layout.widths[c], width(line[c]));
  std::vector<std::size_t> all(columns_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (layout.total(all) > page) layout.shrink(all);
  if (layout.total(all) <= page) return layout.text(all);

  // Columns that say what a row is, those before the first with a unit, begin each part of the table.
  std::vector<std::size_t> keys;
  while (keys.size() + 1 < columns_.size() && (keys.empty() || (has_units && units[keys.size()].empty())))
    keys.push_back(keys.size());
  if (layout.total(keys) > page / 2) return layout.text(all);
  std::string result;
  for (std::size_t next = keys.size(); next < columns_.size();) {
    std::vector<std::size_t> part = keys;
    do part.push_back(next++);
    while (next < columns_.size() && layout.total(part) + gap + layout.widths[next] <= page);
    result += (result.empty() ? "" : "\n") + layout.text(part);
  }
  return result;
}

std::string grouped(std::uint64_t number) {
  const std::string digits = fmt::format("{}", number);
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

}  // namespace lockstep::stats
