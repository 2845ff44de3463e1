#pragma once
// Tables out of results, for other programs: chosen columns of the points, a line each or a line for every value, and what
// hangs on points.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/experiment/experiment.hpp"
#include "sim/experiment/results/folder.hpp"

namespace lockstep::experiment {

struct ExportedTable {
  using Cell = std::variant<std::monostate, bool, std::uint64_t, double, std::string>;
  struct Field {
    std::string name, unit, text;
  };
  std::string name;
  std::vector<Field> fields;
  std::vector<std::vector<Cell>> rows;
};

struct ExportChoice {
  std::string table = "points";      ///< One of exported_tables().
  std::vector<std::string> columns;  ///< Names, or patterns with * and ?; of points alone. None: all that have a value.
  bool long_form = false;            ///< Of points alone: a row for every value.
};

/// The tables that there are, with a line of text each.
const std::vector<std::pair<std::string, std::string>>& exported_tables();

/// InputError when there is no such table or column.
ExportedTable exported_table(const StoredResults& results, const ExportChoice& choice);

/// RFC 4180, numbers as the shortest text that reads back as the same number.
std::string exported_csv(const ExportedTable& table);
/// Schema lockstep.export/1: `rows` is a list of objects.
std::string exported_json(const ExportedTable& table, const std::string& experiment);

}  // namespace lockstep::experiment
