#pragma once
// Text tables with aligned columns.

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::stats {

/// A table for people: numbers right, names left, units below the headers. Columns count characters, not bytes.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };

  void column(std::string header, Align align, std::string unit = "");
  /// One cell per column.
  void row(std::vector<std::string> cells);
  /// Lines without trailing blanks.
  std::string text() const;

 private:
  struct Column {
    std::string header, unit;
    Align align;
  };
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t number);

}  // namespace lockstep::stats
