#include "sim/measurements/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cmath>
#include <sstream>

#include "isa/input_file.hpp"

namespace lockstep::measurements {

namespace {

using Cells = std::vector<std::string>;

constexpr std::array<std::string_view, 3> needed{"workload", "settings", "clock_first_thread"};

/// Where a cell begins in the line at `row`.
SourceLocation place_of(SourceLocation row, const Cells& cells, std::size_t index) {
  for (std::size_t i = 0; i < index; ++i) row.column += static_cast<int>(cells[i].size()) + 1;
  return row;
}

class Reader {
 public:
  explicit Reader(const std::string& path) { all_.file = path; }

  Measurements read() {
    std::istringstream file(read_whole_file(all_.file, most_text_bytes));
    for (std::string line; std::getline(file, line);) {
      ++line_;
      boost::trim(line);
      if (line.empty()) continue;
      if (line.starts_with('#')) {
        condition(line.substr(1));
      } else if (all_.columns.empty()) {
        header(line);
      } else {
        row(line);
      }
    }
    if (all_.columns.empty() && diagnostics_.empty()) diagnostics_.add({all_.file, 0, 0}, expected_header());
    diagnostics_.throw_if_any();
    return std::move(all_);
  }

 private:
  static Cells cells_of(const std::string& line) {
    Cells cells;
    boost::split(cells, line, [](char c) { return c == ','; });
    for (std::string& cell : cells) boost::trim(cell);
    return cells;
  }

  static std::string expected_header() {
    return fmt::format("there is no line with the names of the columns; needed are {}", fmt::join(needed, ", "));
  }

  SourceLocation here() const { return {all_.file, line_, 1}; }
  SourceLocation of_cell(const Cells& cells, std::size_t index) const { return place_of(here(), cells, index); }

  void condition(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return;  // A remark.
    all_.conditions.emplace_back(boost::trim_copy(text.substr(0, colon)), boost::trim_copy(text.substr(colon + 1)));
  }

  void header(const std::string& line) {
    all_.columns = cells_of(line);
    for (const std::string_view name : needed) {
      const auto found = std::find(all_.columns.begin(), all_.columns.end(), name);
      if (found == all_.columns.end())
        diagnostics_.add(here(), fmt::format("there is no column '{}'; needed are {}", name, fmt::join(needed, ", ")));
      place_.push_back(static_cast<std::size_t>(found - all_.columns.begin()));
    }
    diagnostics_.throw_if_any();
  }

  void row(const std::string& line) {
    const Cells cells = cells_of(line);
    if (cells.size() != all_.columns.size())
      return diagnostics_.add(here(),
                              fmt::format("has {} cells, but there are {} columns", cells.size(), all_.columns.size()));
    Measurement one;
    one.where = here();
    one.workload = cells[place_[0]];
    if (one.workload.empty()) return diagnostics_.add(of_cell(cells, place_[0]), "names no workload");
    Cells settings;
    boost::split(
        settings, cells[place_[1]], [](char c) { return c == ' '; }, boost::token_compress_on);
    for (const std::string& setting : settings) {
      if (setting.empty()) continue;
      const std::size_t equals = setting.find('=');
      if (equals == 0 || equals == std::string::npos)
        return diagnostics_.add(
            of_cell(cells, place_[1]),
            fmt::format("'{}' is not a setting; settings are NAME=VALUE, separated by blanks", setting));
      one.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    one.cells = cells;
    try {
      one.clock = all_.number(one, needed[2]);
    } catch (const InputError& error) {
      return diagnostics_.add(error.where(), error.text());
    }
    all_.rows.push_back(std::move(one));
  }

  Measurements all_;
  std::vector<std::size_t> place_;  ///< Of the needed columns.
  Diagnostics diagnostics_;
  int line_ = 0;
};

}  // namespace

const std::string* Measurement::setting(std::string_view name) const {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const auto& one) { return one.first == name; });
  return found == settings.end() ? nullptr : &found->second;
}

std::string Measurement::label() const {
  std::string text = workload;
  for (const auto& [name, value] : settings) text += fmt::format(" {}={}", name, value);
  return text;
}

std::string Measurements::condition(std::string_view key) const {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const auto& one) { return boost::iequals(one.first, key); });
  return found == conditions.end() ? "" : found->second;
}

std::optional<double> Measurements::number(const Measurement& row, std::string_view column) const {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end())
    throw InputError(row.where, fmt::format("there is no column '{}'; there are {}", column, fmt::join(columns, ", ")));
  const auto index = static_cast<std::size_t>(found - columns.begin());
  const std::string& text = row.cells[index];
  if (text.empty()) return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    throw InputError(place_of(row.where, row.cells, index), fmt::format("'{}' is not a number from 0", text));
  return value > 0 ? std::optional(value) : std::nullopt;
}

Measurements load_measurements(const std::string& path) {
  return Reader(path).read();
}

}  // namespace lockstep::measurements
