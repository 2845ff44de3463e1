#include "sim/experiment/results/summary.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/results/sqlite.hpp"

namespace lockstep::experiment {

namespace {

using Group = Column::Group;

std::string_view name_of(Group group) {
  switch (group) {
    case Group::run: return "run";
    case Group::statistic: return "statistic";
    case Group::derived: return "derived";
    case Group::gain: return "gain";
    case Group::hash: return "hash";
    case Group::reference: return "reference";
    case Group::reference_derived: return "reference_derived";
    case Group::clock: return "clock";
    case Group::residency: return "residency";
    case Group::probe: return "probe";
    case Group::parameter: return "parameter";
    case Group::axis: return "axis";
  }
  throw Bug("a column of an unknown group");
}

void store_axes(const Connection& connection, const Experiment& experiment) {
  Statement insert(connection, "INSERT INTO axes VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < experiment.axes.size(); ++i) {
    const std::string& path = experiment.axes[i].path;
    const Column* known = find_column(path);
    insert.reset();
    insert.bind(1, std::uint64_t{i}).bind(2, std::string_view(path)).bind(3, std::string_view(unit_of(path)));
    insert.bind(4, std::string_view(known == nullptr ? "" : known->text)).step();
  }
}

/// Of which the database has values: not the GPU's parameters, which effective.yaml has.
void store_columns(const Connection& connection) {
  Statement insert(connection, "INSERT INTO columns VALUES (?, ?, ?, ?)");
  for (const Column& one : columns()) {
    if (one.group == Group::parameter) continue;
    insert.reset();
    insert.bind(1, std::string_view(one.name)).bind(2, name_of(one.group)).bind(3, std::string_view(one.unit));
    insert.bind(4, std::string_view(one.text)).step();
  }
}

void store_gains(const Connection& connection, const Experiment& experiment, const std::vector<Point>& points,
                 const std::vector<PointResult>& results) {
  Statement insert(connection, "INSERT INTO gains SELECT id, ?, ? FROM points WHERE label = ?");
  const std::vector<Gain> all = gains(experiment, points, results);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Row row = row_of(points[i], results[i], all[i]);
    for (const Column& one : columns()) {
      const auto number = one.group == Group::gain ? one.number(row) : std::nullopt;
      if (!number) continue;
      insert.reset();
      insert.bind(1, std::string_view(one.name)).bind(2, *number).bind(3, std::string_view(points[i].label())).step();
    }
  }
}

void store_checks(const Connection& connection, const std::vector<CheckOutcome>& outcomes) {
  Statement check(connection, "INSERT INTO checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Statement value(connection, "INSERT INTO check_values VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const CheckOutcome& one = outcomes[i];
    check.reset();
    check.bind(1, std::uint64_t{i}).bind(2, std::string_view(one.says)).bind(3, std::string_view(one.source));
    check.bind(4, verdict(one));
    if (one.holds) check.bind(5, std::uint64_t{*one.holds});
    check.bind(6, std::string_view(one.deviates)).bind(7, std::uint64_t{one.combinations});
    check.bind(8, std::string_view(one.at)).bind(9, std::string_view(one.message)).step();
    for (std::size_t v = 0; v < one.values.size(); ++v) {
      value.reset();
      value.bind(1, std::uint64_t{i}).bind(2, std::uint64_t{v}).bind(3, std::string_view(one.values[v].name));
      value.bind(4, one.values[v].simulated).bind(5, one.values[v].published).step();
    }
  }
}

}  // namespace

void store_plan(Database& database, const Experiment& experiment, const std::vector<Point>& points) {
  Connection& connection = database.connection();
  Transaction transaction(connection);
  for (const char* const table : {"experiment_points", "axes", "columns", "gains", "check_values", "checks"})
    connection.execute(fmt::format("DELETE FROM {}", table).c_str());
  {
    Statement about(connection, "INSERT OR REPLACE INTO about VALUES ('title', ?), ('text', ?)");
    about.bind(1, std::string_view(experiment.title)).bind(2, std::string_view(experiment.text)).step();
  }
  Statement insert(connection, "INSERT INTO experiment_points VALUES (?, ?)");
  for (std::size_t i = 0; i < points.size(); ++i) {
    insert.reset();
    insert.bind(1, std::uint64_t{i}).bind(2, std::string_view(points[i].label())).step();
  }
  store_axes(connection, experiment);
  store_columns(connection);
  transaction.commit();
}

void store_conclusions(Database& database, const Experiment& experiment, const std::vector<Point>& points,
                       const std::vector<PointResult>& results) {
  Connection& connection = database.connection();
  Transaction transaction(connection);
  store_gains(connection, experiment, points, results);
  store_checks(connection, evaluate_checks(experiment, points, results));
  transaction.commit();
}

}  // namespace lockstep::experiment
