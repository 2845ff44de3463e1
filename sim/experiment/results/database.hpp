#pragma once
// results.db: finished points of one experiment, one transaction each. README.md describes its tables.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/value.hpp"
#include "sim/experiment/result.hpp"

namespace lockstep::experiment {

class Connection;

/// A point's place in the sweep: axes with their values.
using AxisValues = std::vector<std::pair<std::string, config::Value>>;

/// A point as it stands in the database.
struct StoredPoint {
  std::string label;
  PointResult result;
  AxisValues values = {};
  std::string program = {};  ///< Digest of the program that computed it.
};

/// What stands in the database for a point is not what was stored.
class DamagedPoint : public InputError {
 public:
  using InputError::InputError;
};

/// The file is one of SQLite whose parts do not fit each other, such as an index and its table: rows would not be found.
class DamagedDatabase : public InputError {
 public:
  using InputError::InputError;
};

/// Every point is stored with a digest of its rows, which must fit whenever it is read. Not for use by several threads at
/// once.
class Database {
 public:
  /// Opens or creates the results of an experiment and locks them against other runs. InputError when the file holds
  /// another experiment's results or is not a results database; ResourceError when it cannot be used or is in use.
  static Database open(const std::string& path, const std::string& experiment);
  /// Empty, and gone at its end; its pages are small.
  static Database in_memory();
  /// For reading alone; a run may be writing to it at the same time. DamagedDatabase.
  static Database read(const std::string& path);
  Database(Database&&) noexcept;
  ~Database();

  const std::string& experiment() const;
  /// The stored point of this label, if all its statistics are those that this program knows. DamagedPoint.
  std::optional<StoredPoint> find(const std::string& label);
  /// Everything stored, in the order in which the points were first stored. DamagedPoint.
  std::vector<StoredPoint> all();
  /// Leaves out what is damaged, in one transaction, so that it can be stored again. Says of each damage what it is.
  std::vector<std::string> remove_damaged();
  /// Labels of the points that are done and as they were stored.
  std::vector<std::string> done();
  /// Digest of all that is stored of a point but how long it took: equal for equal results. "" when it is not stored.
  std::string fingerprint(const std::string& label);
  /// Stores a point in place of what has its label, in one transaction.
  void store(const StoredPoint& point);
  /// Several of them in one transaction.
  void store_all(const std::vector<StoredPoint>& points);
  /// For what belongs to the experiment as a whole (summary.hpp).
  Connection& connection();

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::experiment
