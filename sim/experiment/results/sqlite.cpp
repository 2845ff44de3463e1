#include "sim/experiment/results/sqlite.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"

namespace lockstep::experiment {

Connection::Connection(const std::string& path, int flags) : path_(path) {
  if (sqlite3_open_v2(path.c_str(), &handle_, flags, nullptr) != SQLITE_OK) {
    const std::string reason = handle_ != nullptr ? sqlite3_errmsg(handle_) : "no memory";
    sqlite3_close(handle_);
    throw ResourceError(fmt::format("{}: {}", path, reason));
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 10'000);
}

Connection::~Connection() {
  sqlite3_close(handle_);
}

void Connection::fail() const {
  const int primary = sqlite3_errcode(handle_) & 0xff;
  const std::string message = fmt::format("{}: {}", path_, sqlite3_errmsg(handle_));
  if (primary == SQLITE_CORRUPT)
    throw InputError(message + "; without this file `lockstep run` computes all of it again");
  if (primary == SQLITE_NOTADB || primary == SQLITE_ERROR) throw InputError(message);
  throw ResourceError(message);
}

void Connection::execute(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement::Statement(const Connection& connection, const char* sql) : connection_(connection) {
  if (sqlite3_prepare_v2(connection.handle(), sql, -1, &handle_, nullptr) != SQLITE_OK) connection.fail();
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text(handle_, parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind(int parameter, std::uint64_t number) {
  sqlite3_bind_int64(handle_, parameter, static_cast<sqlite3_int64>(number));
  return *this;
}

Statement& Statement::bind(int parameter, double number) {
  sqlite3_bind_double(handle_, parameter, number);
  return *this;
}

Statement& Statement::bind(int parameter, std::optional<double> number) {
  if (number) return bind(parameter, *number);
  sqlite3_bind_null(handle_, parameter);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  connection_.fail();
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
}

std::uint64_t Statement::whole(int column) const {
  return static_cast<std::uint64_t>(sqlite3_column_int64(handle_, column));
}

double Statement::number(int column) const {
  return sqlite3_column_double(handle_, column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

int Statement::columns() const {
  return sqlite3_column_count(handle_);
}

std::string Statement::raw(int column) const {
  const int type = sqlite3_column_type(handle_, column);
  std::string value(1, static_cast<char>(type));
  switch (type) {
    case SQLITE_INTEGER: return value + fmt::format("{}", sqlite3_column_int64(handle_, column));
    case SQLITE_FLOAT: return value + fmt::format("{:a}", sqlite3_column_double(handle_, column));
    case SQLITE_NULL: return value;
    default: return value + text(column);
  }
}

Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection.execute("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  connection_.execute("COMMIT");
  open_ = false;
}

}  // namespace lockstep::experiment
