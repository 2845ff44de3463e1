#pragma once
// A thin cover of SQLite's C interface: errors become exceptions, statements end themselves.

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::experiment {

class Connection {
 public:
  Connection(const std::string& path, int flags);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void execute(const char* sql);
  sqlite3* handle() const { return handle_; }
  /// InputError when the file is not a database, ResourceError for everything else.
  [[noreturn]] void fail() const;

 private:
  std::string path_;
  sqlite3* handle_ = nullptr;
};

/// One prepared statement; parameters count from 1, columns from 0.
class Statement {
 public:
  Statement(const Connection& connection, const char* sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::uint64_t number);
  Statement& bind(int parameter, double number);
  Statement& bind(int parameter, std::optional<double> number);
  /// True while there is a row.
  bool step();
  /// Makes the statement ready for other parameters.
  void reset();

  std::string text(int column) const;
  std::uint64_t whole(int column) const;
  double number(int column) const;
  bool is_null(int column) const;
  int columns() const;
  /// Type and bytes of a value, none of which is the same for another value.
  std::string raw(int column) const;

 private:
  const Connection& connection_;
  sqlite3_stmt* handle_ = nullptr;
};

/// Rolls back at its end unless committed.
class Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

}  // namespace lockstep::experiment
