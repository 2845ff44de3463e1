#include "sim/experiment/results/database.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "isa/command_files.hpp"
#include "sim/experiment/results/file_lock.hpp"
#include "sim/experiment/results/schema.hpp"
#include "sim/experiment/results/sqlite.hpp"
#include "sim/experiment/running/digest.hpp"
#include "sim/stats/catalog.hpp"

namespace lockstep::experiment {

namespace {

constexpr const char* select_points =
    "SELECT id, label, digest, status, message, checked, gpu, workload, cycles, time_ms, warp_instructions, wall_s, "
    "program, checksum FROM points";

Status status_named(const std::string& name) {
  for (const Status status : {Status::done, Status::failed, Status::refused}) {
    if (name_of(status) == name) return status;
  }
  return Status::missing;
}

/// What an axis' value is as a number; none for texts. True is 1, as SQLite has it.
std::optional<double> number_of(const config::Value& value) {
  if (value.quoted) return std::nullopt;
  if (value.text == "true" || value.text == "false") return value.text == "true" ? 1 : 0;
  try {
    return value.as_number();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

using Formulas = std::map<std::string, std::optional<double>>;

/// Values in the order of stats::derived_statistics(); nothing when the names are not exactly those.
std::optional<std::vector<std::optional<double>>> formulas_in_order(const Formulas& formulas) {
  std::vector<std::optional<double>> values;
  for (const stats::Derived& formula : stats::derived_statistics()) {
    const auto found = formulas.find(formula.name);
    if (found == formulas.end()) return std::nullopt;
    values.push_back(found->second);
  }
  return values.size() == formulas.size() ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace

struct Database::State {
  State(const std::string& file, int flags) : path(file), connection(file, flags) {}
  std::string path;
  std::unique_ptr<FileLock> lock;
  Connection connection;
  std::string experiment;

  std::string about(const char* name) {
    Statement statement(connection, "SELECT value FROM about WHERE name = ?");
    statement.bind(1, std::string_view(name));
    return statement.step() ? statement.text(0) : "";
  }

  /// Of everything that is stored of a point, but its number; also of how long it took, which is no two times the same.
  std::string checksum(std::uint64_t id, bool with_wall_time = true);
  /// Within a transaction: a point in place of what has its label.
  void store(const StoredPoint& point);
  void store_axis_values(std::uint64_t id, const AxisValues& values);
  AxisValues axis_values(std::uint64_t id);
  /// Reads what hangs on a row of `points`; DamagedPoint; nothing when its statistics are not exactly those of this program.
  std::optional<StoredPoint> complete(const Statement& row);
  /// False when a reference's derived statistics are not exactly those of this program.
  bool add_references(std::uint64_t id, PointResult& result);
  void store_references(std::uint64_t id, const PointResult& result);
  /// Whether every point is what was stored, and rows and indices stand where SQLite looks for them.
  bool sound();
  /// What of rows and indices does not stand where SQLite looks for it, the first of several; "": nothing.
  std::string misplaced();
};

std::string Database::State::checksum(std::uint64_t id, bool with_wall_time) {
  Digest digest;
  const auto add = [&](const std::string& sql, int first) {
    Statement rows(connection, sql.c_str());
    rows.bind(1, id);
    while (rows.step()) {
      for (int column = first; column < rows.columns(); ++column) digest.add(rows.raw(column));
      digest.add("row");
    }
    digest.add("table");
  };
  add("SELECT label, digest, program, status, message, checked, gpu, workload, cycles, time_ms, warp_instructions "
      "FROM points WHERE id = ?",
      0);
  if (with_wall_time) add("SELECT wall_s FROM points WHERE id = ?", 0);
  for (const char* const table : point_tables)
    add(fmt::format("SELECT * FROM {} WHERE point = ? ORDER BY 1, 2, 3", table), 1);
  return digest.hex();
}

bool Database::State::add_references(std::uint64_t id, PointResult& result) {
  Statement runs(connection,
                 "SELECT name, gpu, cycles, warp_instructions, time_ms FROM reference_runs WHERE point = ? "
                 "ORDER BY number");
  runs.bind(1, id);
  while (runs.step())
    result.references.push_back({runs.text(0), runs.text(1), runs.whole(2), runs.whole(3), runs.number(4), {}});
  std::vector<Formulas> formulas(result.references.size());
  Statement derived(connection, "SELECT number, name, value FROM reference_derived WHERE point = ?");
  derived.bind(1, id);
  while (derived.step())
    formulas.at(derived.whole(0))[derived.text(1)] =
        derived.is_null(2) ? std::nullopt : std::optional(derived.number(2));
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    auto in_order = formulas_in_order(formulas[i]);
    if (!in_order) return false;
    result.references[i].derived = std::move(*in_order);
  }
  return true;
}

void Database::State::store_references(std::uint64_t id, const PointResult& result) {
  Statement run(connection, "INSERT INTO reference_runs VALUES (?, ?, ?, ?, ?, ?, ?)");
  Statement derived(connection, "INSERT INTO reference_derived VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < result.references.size(); ++i) {
    const ReferenceResult& one = result.references[i];
    run.reset();
    run.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(one.name)).bind(4, std::string_view(one.gpu));
    run.bind(5, one.cycles).bind(6, one.warp_instructions).bind(7, one.time_ms).step();
    for (std::size_t d = 0; d < one.derived.size(); ++d) {
      derived.reset();
      derived.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(stats::derived_statistics()[d].name));
      derived.bind(4, one.derived[d]).step();
    }
  }
}

void Database::State::store_axis_values(std::uint64_t id, const AxisValues& values) {
  Statement insert(connection, "INSERT INTO axis_values VALUES (?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [axis, value] = values[i];
    insert.reset();
    insert.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(axis));
    const std::optional<double> number = number_of(value);
    if (!number) {
      insert.bind(4, std::string_view(value.text));
    } else if (*number == std::floor(*number) && std::fabs(*number) < 0x1p53) {
      insert.bind(4, static_cast<std::uint64_t>(static_cast<std::int64_t>(*number)));
    } else {
      insert.bind(4, *number);
    }
    insert.bind(5, std::string_view(value.text)).step();
  }
}

AxisValues Database::State::axis_values(std::uint64_t id) {
  Statement rows(connection,
                 "SELECT axis, text, typeof(value) = 'text' FROM axis_values WHERE point = ? ORDER BY number");
  rows.bind(1, id);
  AxisValues values;
  while (rows.step()) {
    config::Value value;
    value.kind = config::Value::Kind::scalar;
    value.text = rows.text(1);
    value.quoted = rows.whole(2) != 0;
    values.emplace_back(rows.text(0), std::move(value));
  }
  return values;
}

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

Database Database::open(const std::string& path, const std::string& experiment) {
  auto lock = std::make_unique<FileLock>(path + ".lock");
  auto state = std::make_unique<State>(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  state->lock = std::move(lock);
  Connection& connection = state->connection;
  connection.execute("PRAGMA journal_mode = WAL");
  connection.execute("PRAGMA synchronous = FULL");
  connection.execute("PRAGMA foreign_keys = ON");
  Transaction transaction(connection);
  connection.execute(results_schema);
  const std::string found = state->about("format");
  if (found.empty()) {
    Statement insert(connection, "INSERT INTO about VALUES ('format', ?), ('experiment', ?)");
    insert.bind(1, std::string_view(results_format)).bind(2, std::string_view(experiment)).step();
  } else if (found != results_format) {
    throw InputError(
        fmt::format("{}: holds {}, but {} is needed; choose another folder with -o", path, found, results_format));
  } else if (state->about("experiment") != experiment) {
    throw InputError(fmt::format("{}: holds results of the experiment '{}', not of '{}'; choose another folder with -o",
                                 path, state->about("experiment"), experiment));
  }
  transaction.commit();
  state->experiment = experiment;
  return Database(std::move(state));
}

Database Database::in_memory() {
  auto state = std::make_unique<State>(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  state->connection.execute("PRAGMA page_size = 512");
  state->connection.execute(results_schema);
  return Database(std::move(state));
}

Database Database::read(const std::string& path) {
  std::error_code unusable;
  if (!std::filesystem::exists(path, unusable)) throw InputError(SourceLocation{path, 0, 0}, "there is no such file");
  note_input(path);
  auto state = std::make_unique<State>(path, SQLITE_OPEN_READONLY);
  if (const std::string misplaced = state->misplaced(); !misplaced.empty())
    throw DamagedDatabase(
        fmt::format("{}: is damaged: {}; `lockstep run` writes it again with the points that are "
                    "whole, and computes the others, also with --resume",
                    path, misplaced));
  if (state->about("format") != results_format) {
    throw InputError(fmt::format("{}: is not a results database of lockstep", path));
  }
  state->experiment = state->about("experiment");
  return Database(std::move(state));
}

const std::string& Database::experiment() const {
  return state_->experiment;
}

std::optional<StoredPoint> Database::State::complete(const Statement& row) {
  StoredPoint point;
  const std::uint64_t id = row.whole(0);
  point.label = row.text(1);
  if (row.text(13) != checksum(id)) {
    throw DamagedPoint(
        fmt::format("{}: the point {} is damaged: it is not what was stored; `lockstep run` computes it "
                    "again, also with --resume",
                    path, point.label.empty() ? "without a label" : point.label));
  }
  PointResult& result = point.result;
  result.digest = row.text(2);
  result.status = status_named(row.text(3));
  result.message = row.text(4);
  result.checked = row.whole(5) != 0;
  result.gpu = row.text(6);
  result.workload = row.text(7);
  result.cycles = row.whole(8);
  result.time_ms = row.number(9);
  result.warp_instructions = row.whole(10);
  result.wall_s = row.number(11);
  point.program = row.text(12);
  point.values = axis_values(id);
  Statement launches(
      connection,
      "SELECT kernel, cycles, warp_instructions, blocks, warps, limited_by FROM launches WHERE point = ? "
      "ORDER BY number");
  launches.bind(1, id);
  while (launches.step()) {
    result.launches.push_back({launches.text(0),
                               launches.whole(1),
                               launches.whole(2),
                               {static_cast<std::uint32_t>(launches.whole(3)),
                                static_cast<std::uint32_t>(launches.whole(4)), launches.text(5)}});
  }
  Statement hashes(connection,
                   "SELECT path, spec, cost, without_conflicts, least, lower_bound, optimal, xor_gates FROM hashes "
                   "WHERE point = ? ORDER BY number");
  hashes.bind(1, id);
  while (hashes.step()) {
    SettledHash hash{hashes.text(0),  hashes.text(1),  hashes.whole(2),      hashes.whole(3),
                     hashes.whole(4), hashes.whole(5), hashes.whole(6) != 0, std::nullopt};
    if (!hashes.is_null(7)) hash.xor_gates = static_cast<std::uint32_t>(hashes.whole(7));
    result.hashes.push_back(std::move(hash));
  }
  Statement notes(connection, "SELECT text FROM notes WHERE point = ? ORDER BY number");
  notes.bind(1, id);
  while (notes.step()) result.notes.push_back(notes.text(0));
  Statement arguments(connection, "SELECT name, value FROM arguments WHERE point = ? ORDER BY number");
  arguments.bind(1, id);
  while (arguments.step()) result.arguments.emplace_back(arguments.text(0), arguments.text(1));
  Statement clock(connection, "SELECT warps, cycles, first, least, most, span, first_warp FROM clocks WHERE point = ?");
  clock.bind(1, id);
  if (clock.step())
    result.clock = {clock.whole(0), clock.whole(1), clock.whole(2), clock.whole(3),
                    clock.whole(4), clock.whole(5), clock.whole(6)};
  if (!result.has_numbers()) return point;

  std::map<std::string, std::uint64_t> counts;
  Statement stats(connection, "SELECT name, value FROM stats WHERE point = ?");
  stats.bind(1, id);
  while (stats.step()) counts[stats.text(0)] = stats.whole(1);
  for (const stats::Statistic& statistic : stats::statistics()) {
    const auto found = counts.find(statistic.name);
    if (found == counts.end()) return std::nullopt;
    result.statistics.push_back(found->second);
  }
  Formulas formulas;
  Statement derived(connection, "SELECT name, value FROM derived WHERE point = ?");
  derived.bind(1, id);
  while (derived.step()) {
    formulas[derived.text(0)] = derived.is_null(1) ? std::nullopt : std::optional(derived.number(1));
  }
  auto in_order = formulas_in_order(formulas);
  if (!in_order || counts.size() != result.statistics.size()) return std::nullopt;
  result.derived = std::move(*in_order);
  return add_references(id, result) ? std::optional(std::move(point)) : std::nullopt;
}

std::vector<std::string> Database::done() {
  Statement row(state_->connection, "SELECT id, label, checksum FROM points WHERE status = 'done' ORDER BY id");
  std::vector<std::string> labels;
  while (row.step())
    if (row.text(2) == state_->checksum(row.whole(0))) labels.push_back(row.text(1));
  return labels;
}

std::string Database::fingerprint(const std::string& label) {
  Statement row(state_->connection, "SELECT id FROM points WHERE label = ?");
  row.bind(1, std::string_view(label));
  return row.step() ? state_->checksum(row.whole(0), false) : "";
}

Connection& Database::connection() {
  return state_->connection;
}

std::optional<StoredPoint> Database::find(const std::string& label) {
  Statement row(state_->connection, (std::string(select_points) + " WHERE label = ?").c_str());
  row.bind(1, std::string_view(label));
  return row.step() ? state_->complete(row) : std::nullopt;
}

std::vector<StoredPoint> Database::all() {
  std::vector<StoredPoint> points;
  Statement row(state_->connection, (std::string(select_points) + " ORDER BY id").c_str());
  while (row.step()) {
    if (auto point = state_->complete(row)) points.push_back(std::move(*point));
  }
  return points;
}

std::vector<std::string> Database::remove_damaged() {
  Connection& connection = state_->connection;
  if (state_->sound()) return {};
  std::vector<std::string> damages;
  std::vector<StoredPoint> whole;
  {
    Statement row(connection, (std::string(select_points) + " ORDER BY id").c_str());
    while (row.step()) {
      try {
        if (auto point = state_->complete(row)) whole.push_back(std::move(*point));
      } catch (const DamagedPoint& damage) {
        damages.push_back(damage.what());
      }
    }
  }
  if (damages.empty()) {
    damages.push_back(fmt::format("{}: is damaged, and is written again with the {} points that are not", state_->path,
                                  whole.size()));
  }
  // Rows may stand where a search by their key, also that of a DELETE, does not find them: all tables are made anew.
  connection.execute("PRAGMA foreign_keys = OFF");
  Transaction transaction(connection);
  for (const char* const table : point_tables) connection.execute(fmt::format("DROP TABLE {}", table).c_str());
  connection.execute(
      "DROP TABLE gains; DROP TABLE points; DROP TABLE check_values; DROP TABLE checks; DROP TABLE axes; "
      "DROP TABLE columns; DROP TABLE experiment_points");
  connection.execute(results_schema);
  for (const StoredPoint& point : whole) state_->store(point);
  transaction.commit();
  connection.execute("VACUUM; PRAGMA foreign_keys = ON");
  return damages;
}

void Database::store(const StoredPoint& point) {
  store_all({point});
}

void Database::store_all(const std::vector<StoredPoint>& points) {
  Transaction transaction(state_->connection);
  for (const StoredPoint& point : points) state_->store(point);
  transaction.commit();
}

std::string Database::State::misplaced() {
  Statement check(connection, "PRAGMA integrity_check(1)");
  if (!check.step()) return "it cannot be checked";
  std::string found = check.text(0);
  if (found == "ok") return "";
  std::replace(found.begin(), found.end(), '\n', ' ');
  return found;
}

bool Database::State::sound() {
  if (!misplaced().empty()) return false;
  Statement row(connection, "SELECT id, checksum FROM points");
  while (row.step())
    if (row.text(1) != checksum(row.whole(0))) return false;
  return true;
}

void Database::State::store(const StoredPoint& point) {
  {
    Statement remove(connection, "DELETE FROM points WHERE label = ?");
    remove.bind(1, std::string_view(point.label)).step();
  }
  const PointResult& result = point.result;
  {
    Statement insert(connection,
                     "INSERT INTO points(label, digest, status, message, checked, gpu, workload, cycles, time_ms, "
                     "warp_instructions, wall_s, program, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '')");
    insert.bind(1, std::string_view(point.label)).bind(2, std::string_view(result.digest));
    insert.bind(3, name_of(result.status)).bind(4, std::string_view(result.message));
    insert.bind(5, std::uint64_t{result.checked}).bind(6, std::string_view(result.gpu));
    insert.bind(7, std::string_view(result.workload)).bind(8, std::uint64_t{result.cycles}).bind(9, result.time_ms);
    insert.bind(10, result.warp_instructions).bind(11, result.wall_s).bind(12, std::string_view(point.program)).step();
  }
  const auto id = static_cast<std::uint64_t>(sqlite3_last_insert_rowid(connection.handle()));
  store_axis_values(id, point.values);
  Statement launch(connection, "INSERT INTO launches VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < result.launches.size(); ++i) {
    const gpu::LaunchResult& l = result.launches[i];
    launch.reset();
    launch.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(l.kernel)).bind(4, std::uint64_t{l.cycles});
    launch.bind(5, l.warp_instructions).bind(6, std::uint64_t{l.occupancy.blocks});
    launch.bind(7, std::uint64_t{l.occupancy.warps}).bind(8, std::string_view(l.occupancy.limit)).step();
  }
  Statement hashed(connection, "INSERT INTO hashes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t i = 0; i < result.hashes.size(); ++i) {
    const SettledHash& hash = result.hashes[i];
    hashed.reset();
    hashed.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(hash.path));
    hashed.bind(4, std::string_view(hash.spec)).bind(5, hash.cost).bind(6, hash.without_conflicts).bind(7, hash.least);
    hashed.bind(8, hash.lower_bound).bind(9, std::uint64_t{hash.optimal});
    hashed.bind(10, hash.xor_gates ? std::optional<double>(*hash.xor_gates) : std::nullopt).step();
  }
  Statement note(connection, "INSERT INTO notes VALUES (?, ?, ?)");
  for (std::size_t i = 0; i < result.notes.size(); ++i) {
    note.reset();
    note.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(result.notes[i])).step();
  }
  Statement argument(connection, "INSERT INTO arguments VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < result.arguments.size(); ++i) {
    const auto& [name, value] = result.arguments[i];
    argument.reset();
    argument.bind(1, id).bind(2, std::uint64_t{i}).bind(3, std::string_view(name)).bind(4, std::string_view(value));
    argument.step();
  }
  if (result.clock.warps > 0) {
    Statement clock(connection, "INSERT INTO clocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    clock.bind(1, id).bind(2, result.clock.warps).bind(3, result.clock.cycles).bind(4, result.clock.first);
    clock.bind(5, result.clock.least).bind(6, result.clock.most).bind(7, result.clock.span);
    clock.bind(8, result.clock.first_warp).step();
  }
  Statement stat(connection, "INSERT INTO stats VALUES (?, ?, ?)");
  for (std::size_t i = 0; i < result.statistics.size(); ++i) {
    stat.reset();
    stat.bind(1, id).bind(2, std::string_view(stats::statistics()[i].name)).bind(3, result.statistics[i]).step();
  }
  Statement derived(connection, "INSERT INTO derived VALUES (?, ?, ?)");
  for (std::size_t i = 0; i < result.derived.size(); ++i) {
    derived.reset();
    derived.bind(1, id)
        .bind(2, std::string_view(stats::derived_statistics()[i].name))
        .bind(3, result.derived[i])
        .step();
  }
  store_references(id, result);
  {
    Statement seal(connection, "UPDATE points SET checksum = ? WHERE id = ?");
    seal.bind(1, std::string_view(checksum(id))).bind(2, id).step();
  }
}

}  // namespace lockstep::experiment
