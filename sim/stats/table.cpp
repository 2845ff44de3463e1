#include "sim/stats/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::stats {

namespace {

/// Characters of UTF-8 text, for text without combining characters.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

void Table::column(std::string header, Align align, std::string unit) {
  columns_.push_back({std::move(header), std::move(unit), align});
}

void Table::row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw Bug(fmt::format("table row of {} cells for {} columns", cells.size(), columns_.size()));
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> headers, units;
  for (const Column& column : columns_) {
    headers.push_back(column.header);
    units.push_back(column.unit);
  }
  lines.push_back(headers);
  const bool has_units = std::any_of(units.begin(), units.end(), [](const std::string& unit) { return !unit.empty(); });
  if (has_units) lines.push_back(units);
  lines.insert(lines.end(), rows_.begin(), rows_.end());

  std::vector<std::size_t> widths(columns_.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  std::string result;
  const std::size_t header_lines = has_units ? 2 : 1;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    std::string out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string blanks(widths[i] - width(lines[n][i]), ' ');
      if (i > 0) out += "  ";
      out += columns_[i].align == Align::right ? blanks + lines[n][i] : lines[n][i] + blanks;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    result += out + '\n';
    if (n + 1 == header_lines) {
      std::size_t total = columns_.empty() ? 0 : 2 * (columns_.size() - 1);
      for (const std::size_t w : widths) total += w;
      result += std::string(total, '-') + '\n';
    }
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
