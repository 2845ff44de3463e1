#include "sim/calibrate/measurements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string.hpp>
#include <charconv>
#include <cmath>
#include <sstream>

#include "isa/input_file.hpp"

namespace lockstep::calibrate {

namespace {

using Cells = std::vector<std::string>;

constexpr std::array<std::string_view, 3> needed{"workload", "settings", "clock_first_thread"};

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
      } else if (columns_.empty()) {
        header(line);
      } else {
        row(line);
      }
    }
    if (columns_.empty() && diagnostics_.empty()) diagnostics_.add({all_.file, 0, 0}, expected_header());
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

  SourceLocation here(int column = 1) const { return {all_.file, line_, column}; }

  /// Where a cell begins in the line.
  SourceLocation of_cell(const Cells& cells, std::size_t index) const {
    std::size_t column = 1;
    for (std::size_t i = 0; i < index; ++i) column += cells[i].size() + 1;
    return here(static_cast<int>(column));
  }

  void condition(const std::string& text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos) return;  // A remark.
    all_.conditions.emplace_back(boost::trim_copy(text.substr(0, colon)), boost::trim_copy(text.substr(colon + 1)));
  }

  void header(const std::string& line) {
    columns_ = cells_of(line);
    for (const std::string_view name : needed) {
      const auto found = std::find(columns_.begin(), columns_.end(), name);
      if (found == columns_.end())
        diagnostics_.add(here(), fmt::format("there is no column '{}'; needed are {}", name, fmt::join(needed, ", ")));
      place_.push_back(static_cast<std::size_t>(found - columns_.begin()));
    }
    diagnostics_.throw_if_any();
  }

  void row(const std::string& line) {
    const Cells cells = cells_of(line);
    if (cells.size() != columns_.size())
      return diagnostics_.add(here(),
                              fmt::format("has {} cells, but there are {} columns", cells.size(), columns_.size()));
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
            fmt::format("'{}' is no setting; settings are NAME=VALUE, with blanks between", setting));
      one.settings.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
    }
    if (const std::string& text = cells[place_[2]]; !text.empty()) {
      double clock = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), clock);
      if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(clock) || clock < 0)
        return diagnostics_.add(of_cell(cells, place_[2]), fmt::format("'{}' is no number of cycles", text));
      if (clock > 0) one.clock = clock;
    }
    all_.rows.push_back(std::move(one));
  }

  Measurements all_;
  Cells columns_;
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

Measurements load_measurements(const std::string& path) {
  return Reader(path).read();
}

}  // namespace lockstep::calibrate
