#pragma once
// Tables of the page. Internal to sim/report.

#include <string>
#include <vector>

namespace lockstep::report {

/// What a cell shows: a text, and below it a smaller one.
struct Cell {
  Cell(std::string shown = "") : text(std::move(shown)) {}
  std::string text, note = {};
  std::string style = {};  ///< Of the text: good, doubt, ...; "" for none.
};

/// A table under construction: a column is set right when all its cells are numbers. With the page's script it can be
/// sorted and filtered; in a narrow window a row is a card.
class HtmlTable {
 public:
  /// `chosen`: rows can be chosen by the values of the column.
  void column(std::string header, std::string unit = "", std::string tooltip = "", bool chosen = false) {
    columns_.push_back({std::move(header), std::move(unit), std::move(tooltip), chosen});
  }
  void row(std::vector<Cell> cells, bool bad = false) { rows_.push_back({std::move(cells), bad}); }

  std::string html() const;

 private:
  struct Column {
    std::string header, unit, tooltip;
    bool chosen;
  };
  struct Row {
    std::vector<Cell> cells;
    bool bad;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace lockstep::report
