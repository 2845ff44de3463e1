#pragma once
// Experiments of many small points, and what their databases hold.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/experiment/results/schema.hpp"
#include "sim/experiment/results/sqlite.hpp"
#include "tests/system/program.hpp"

namespace lockstep::system_test {

/// Vector additions: `lengths` and `latencies` are YAML lists.
inline std::string vector_additions(const std::string& lengths, const std::string& latencies) {
  return "name: vectors\ngpu: gtx580\nworkload: vector-add\nset: {args.blocks: 16}\n"
         "sweep:\n  args.length: " +
         lengths + "\n  sm.floating.latency: " + latencies +
         "\nbaseline: {sm.floating.latency: 18}\n"
         "checks:\n  - says: the latency matters\n    values: {most: {maximum: cycles}, least: {minimum: cycles}}\n"
         "    holds: most >= least\n";
}

/// "[FROM, FROM + 1, ... TO]".
inline std::string list(int from, int to) {
  std::string text = "[" + std::to_string(from);
  for (int value = from + 1; value <= to; ++value) text += ", " + std::to_string(value);
  return text + "]";
}

/// All that a results database holds, by table, row by row; but numbers of rows, which tell in which order points ended, and
/// how long they took.
inline std::map<std::string, std::vector<std::string>> content_of(const std::string& path) {
  using experiment::Statement;
  const experiment::Connection connection(path, SQLITE_OPEN_READONLY);
  std::map<std::string, std::vector<std::string>> content;
  const auto add = [&](const std::string& table, const std::string& sql, int point = -1) {
    Statement rows(connection, sql.c_str());
    while (rows.step()) {
      std::string row;
      for (int column = 0; column < rows.columns(); ++column)
        if (column != point) row += rows.raw(column) + '\n';
      content[table].push_back(row);
    }
    std::sort(content[table].begin(), content[table].end());
  };
  add("points",
      "SELECT label, digest, program, status, message, checked, gpu, workload, cycles, time_ms, warp_instructions "
      "FROM points");
  for (const char* const table : experiment::point_tables)
    add(table, std::string("SELECT p.label, t.* FROM points p JOIN ") + table + " t ON t.point = p.id", 1);
  add("gains", "SELECT p.label, t.name, t.value FROM points p JOIN gains t ON t.point = p.id");
  for (const char* const table : {"about", "experiment_points", "axes", "columns", "checks", "check_values"})
    add(table, std::string("SELECT * FROM ") + table);
  return content;
}

}  // namespace lockstep::system_test
