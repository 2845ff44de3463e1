#pragma once
// What every reader of a YAML file does with its tree: it takes what it knows, notes every error with its place, and
// continues with the rest.

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/error_list.hpp"
#include "sim/config/value.hpp"

namespace lockstep::config {

/// Base of the readers of files. A part of a file that is wrong is left, the others are read all the same.
class TreeReader {
 protected:
  /// Thrown after an error was noted, to leave the part that it spoils.
  struct Spoilt {};

  TreeReader() = default;
  /// Reads a part of what others read too: all note their errors in `errors`.
  explicit TreeReader(ErrorList& errors) : errors_(errors) {}
  ~TreeReader() = default;
  TreeReader(const TreeReader&) = delete;
  TreeReader& operator=(const TreeReader&) = delete;

  /// Notes an error, once: what several parts share is read several times.
  void note(const SourceLocation& where, std::string_view message);
  [[noreturn]] void spoil(const SourceLocation& where, std::string_view message);
  /// Runs f; an error in it is noted and leaves only f.
  template <typename F>
  void part(F&& f) {
    if (errors_.full()) return errors_.skip();
    try {
      f();
    } catch (const Spoilt&) {
    } catch (const InputError& error) {
      note(error.where(), error.text());
    }
  }
  /// InputError with every error that was noted; nothing when there is none.
  void throw_if_any() const { errors_.throw_if_any(); }
  /// For the readers of parts.
  ErrorList& errors() { return errors_; }
  /// For rules that are checked elsewhere.
  Diagnostics& diagnostics() { return errors_.diagnostics(); }

  /// Not there, or null.
  static bool is_empty(const Value* value) { return value == nullptr || value->kind == Value::Kind::null; }

  /// Runs f, which follows what the file names at `where`; an error in what it finds there is noted with that place.
  template <typename F>
  decltype(auto) named_at(const SourceLocation& where, F&& f) {
    try {
      return f();
    } catch (const InputError& error) {
      spoil(where, error.what());
    }
  }

  /// The value of `key`; an error when there is none, which says what it would be.
  const Value& needed(const Value& map, std::string_view key, std::string_view what = "");
  /// The value itself, which must be a map; `what` is that map in a message.
  const Value& as_map(const Value& value, std::string_view what);
  /// A single value as it is written.
  std::string text(const Value& value);
  /// The text of `key`; `otherwise` when it is empty or wrong.
  std::string text_or(const Value& map, std::string_view key, std::string otherwise);
  /// Every other key of the map is an error.
  void check_keys(const Value& map, const std::vector<std::string>& known);
  /// A list's items, a single value as a list of one.
  static std::vector<Value> items_of(const Value& value);

 private:
  ErrorList own_;
  ErrorList& errors_ = own_;
};

}  // namespace lockstep::config
