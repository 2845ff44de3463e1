#pragma once
// What every reader of a YAML file does with its tree: it takes what it knows, notes every error with its place, and
// continues with the rest.

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/value.hpp"

namespace lockstep::config {

/// Base of the readers of files. A part of a file that is wrong is left, the others are read all the same.
class TreeReader {
 protected:
  /// Thrown after an error was noted, to leave the part that it spoils.
  struct Spoilt {};

  TreeReader() = default;
  ~TreeReader() = default;
  TreeReader(const TreeReader&) = delete;
  TreeReader& operator=(const TreeReader&) = delete;

  /// Notes an error, once: what several parts share is read several times.
  void note(const SourceLocation& where, std::string_view message);
  [[noreturn]] void spoil(const SourceLocation& where, std::string_view message);
  /// Runs f; an error in it is noted and leaves only f.
  template <typename F>
  void part(F&& f) {
    try {
      f();
    } catch (const Spoilt&) {
    } catch (const InputError& error) {
      note(error.where(), error.text());
    }
  }
  /// InputError with every error that was noted; nothing when there is none.
  void throw_if_any() const { diagnostics_.throw_if_any(); }
  /// For rules that are checked elsewhere.
  Diagnostics& diagnostics() { return diagnostics_; }

  /// The value of `key`; an error when there is none.
  const Value& needed(const Value& map, std::string_view key);
  /// The value itself, which must be a map; `what` is that map in a message.
  const Value& as_map(const Value& value, std::string_view what);
  /// A single value as it is written.
  std::string text(const Value& value);
  /// Every other key of the map is an error.
  void check_keys(const Value& map, const std::vector<std::string>& known);
  /// A list's items, a single value as a list of one.
  static std::vector<Value> items_of(const Value& value);

 private:
  Diagnostics diagnostics_;
  std::set<std::string> noted_;
};

}  // namespace lockstep::config
