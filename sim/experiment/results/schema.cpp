#include "sim/experiment/results/schema.hpp"

namespace lockstep::experiment {

// In the view `long`, a plus before a value takes its column's type away: one column holds numbers and texts.
const char* const results_schema = R"(
CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS points(
  id INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE, checksum TEXT NOT NULL, digest TEXT NOT NULL,
  program TEXT NOT NULL, status TEXT NOT NULL, message TEXT NOT NULL, checked INTEGER NOT NULL, gpu TEXT NOT NULL,
  workload TEXT NOT NULL, cycles INTEGER NOT NULL, time_ms REAL NOT NULL, warp_instructions INTEGER NOT NULL,
  wall_s REAL NOT NULL);
CREATE TABLE IF NOT EXISTS axis_values(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, axis TEXT NOT NULL,
  value, text TEXT NOT NULL, PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS launches(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, kernel TEXT NOT NULL,
  cycles INTEGER NOT NULL, warp_instructions INTEGER NOT NULL, blocks INTEGER NOT NULL, warps INTEGER NOT NULL,
  limited_by TEXT NOT NULL, PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS hashes(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, path TEXT NOT NULL,
  spec TEXT NOT NULL, cost INTEGER NOT NULL, without_conflicts INTEGER NOT NULL, least INTEGER NOT NULL,
  lower_bound INTEGER NOT NULL, optimal INTEGER NOT NULL, xor_gates INTEGER, PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reference_runs(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, name TEXT NOT NULL,
  gpu TEXT NOT NULL, cycles INTEGER NOT NULL, warp_instructions INTEGER NOT NULL, time_ms REAL NOT NULL,
  PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS reference_derived(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, name TEXT NOT NULL,
  value REAL, PRIMARY KEY(point, number, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS arguments(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, number INTEGER NOT NULL, name TEXT NOT NULL,
  value TEXT NOT NULL, PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS clocks(
  point INTEGER PRIMARY KEY REFERENCES points(id) ON DELETE CASCADE, warps INTEGER NOT NULL, cycles INTEGER NOT NULL,
  first INTEGER NOT NULL, least INTEGER NOT NULL, most INTEGER NOT NULL, span INTEGER NOT NULL,
  first_warp INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS stats(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, name TEXT NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY(point, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS derived(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, name TEXT NOT NULL, value REAL,
  PRIMARY KEY(point, name)) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS experiment_points(number INTEGER PRIMARY KEY, label TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS axes(
  number INTEGER PRIMARY KEY, axis TEXT NOT NULL UNIQUE, unit TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS columns(
  name TEXT PRIMARY KEY, kind TEXT NOT NULL, unit TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS gains(
  point INTEGER NOT NULL REFERENCES points(id) ON DELETE CASCADE, name TEXT NOT NULL, value REAL NOT NULL,
  PRIMARY KEY(point, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checks(
  number INTEGER PRIMARY KEY, says TEXT NOT NULL, source TEXT NOT NULL, verdict TEXT NOT NULL, holds INTEGER,
  deviates TEXT NOT NULL, cases INTEGER NOT NULL, at TEXT NOT NULL, message TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS check_values(
  check_number INTEGER NOT NULL REFERENCES checks(number) ON DELETE CASCADE, number INTEGER NOT NULL,
  name TEXT NOT NULL, simulated REAL NOT NULL, published REAL, PRIMARY KEY(check_number, number)) WITHOUT ROWID;

CREATE VIEW IF NOT EXISTS best_references AS
  SELECT r.* FROM reference_runs r WHERE r.number =
    (SELECT number FROM reference_runs o WHERE o.point = r.point ORDER BY time_ms, number LIMIT 1);
CREATE VIEW IF NOT EXISTS long AS
  SELECT e.number AS number, v.axis AS name, +v.value AS value
    FROM experiment_points e JOIN points p USING(label) JOIN axis_values v ON v.point = p.id
  UNION ALL
  SELECT e.number, v.name, +v.value FROM experiment_points e JOIN points p USING(label) JOIN (
    SELECT id AS point, 'gpu' AS name, +gpu AS value FROM points
    UNION ALL SELECT id, 'workload', +workload FROM points
    UNION ALL SELECT id, 'status', +status FROM points
    UNION ALL SELECT id, 'cycles', +cycles FROM points WHERE status IN ('done', 'failed')
    UNION ALL SELECT id, 'time_ms', +time_ms FROM points WHERE status IN ('done', 'failed')
    UNION ALL SELECT id, 'warp_instructions', +warp_instructions FROM points WHERE status IN ('done', 'failed')
    UNION ALL SELECT point, name, +value FROM stats
    UNION ALL SELECT point, 'derived.' || name, +value FROM derived WHERE value IS NOT NULL
    UNION ALL SELECT point, name, +value FROM gains
    UNION ALL SELECT point, 'reference.name', +name FROM best_references
    UNION ALL SELECT point, 'reference.gpu', +gpu FROM best_references
    UNION ALL SELECT point, 'reference.cycles', +cycles FROM best_references
    UNION ALL SELECT point, 'reference.time_ms', +time_ms FROM best_references
    UNION ALL SELECT d.point, 'reference.derived.' || d.name, +d.value FROM best_references b
      JOIN reference_derived d ON d.point = b.point AND d.number = b.number WHERE d.value IS NOT NULL
    UNION ALL SELECT point, 'clock', 1.0 * cycles / warps FROM clocks) v ON v.point = p.id
  WHERE v.name NOT IN (SELECT axis FROM axes);
)";

}  // namespace lockstep::experiment
