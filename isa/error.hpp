#pragma once
// The three kinds of error of Lockstep. Libraries throw them; only main prints and chooses the exit code.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

/// A place in a text file. Line and column count from 1; 0 means unknown.
struct SourceLocation {
  std::string file;
  int line = 0;
  int column = 0;
};

/// "file:line:column", leaving out what is unknown.
std::string to_string(const SourceLocation& where);

/// The user's input is wrong (exit code 2). The message says what, where, and what would be right.
class InputError : public std::runtime_error {
 public:
  explicit InputError(const std::string& message) : std::runtime_error(message), text_(message) {}
  InputError(const SourceLocation& where, std::string_view message);

  const SourceLocation& where() const { return where_; }  ///< All unknown when the error was made without a place.
  const std::string& text() const { return text_; }       ///< The message without the place.

 private:
  SourceLocation where_;
  std::string text_;
};

/// A resource failed: disk, memory, a file that cannot be written (exit code 3).
class ResourceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The simulator itself is wrong (exit code 70).
class Bug : public std::logic_error {
 public:
  /// component names the part, for example "sm 3 / scheduler 1".
  Bug(std::string_view component, std::uint64_t cycle, std::string_view message);
  explicit Bug(std::string_view message);
};

/// Collects all errors of an input, so that the user sees them at once.
class Diagnostics {
 public:
  void add(const SourceLocation& where, std::string_view message);
  void add(const InputError& error) { add(error.where(), error.text()); }
  bool empty() const { return messages_.empty(); }
  /// Throws one InputError with all messages, a line each, in the order of their places; does nothing when empty.
  void throw_if_any() const;

 private:
  struct Entry {
    SourceLocation where;
    std::string text;
  };
  std::vector<Entry> messages_;
};

/// The candidate with the smallest edit distance to word, or "" when none is near enough to be a likely misspelling.
std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace lockstep
