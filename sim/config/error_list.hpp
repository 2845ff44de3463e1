#pragma once
// The errors of an input, each once however often it is met.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "isa/error.hpp"

namespace lockstep::config {

class ErrorList {
 public:
  static constexpr std::size_t most = 100;

  /// Those beyond the limit are left out: a file with more is not what it should be at all.
  void add(const SourceLocation& where, std::string_view message) {
    if (full()) return skip();
    if (seen_.insert(to_string(where) + " " + std::string(message)).second) diagnostics_.add(where, message);
  }
  /// With what was skipped.
  std::size_t count() const { return seen_.size() + skipped_; }
  /// Whatever is found from here on is not shown, and need not be looked for.
  bool full() const { return seen_.size() >= most; }
  /// Something was not looked at because the list is full.
  void skip() { ++skipped_; }
  /// InputError with every error, in the order of their places; nothing when there is none.
  void throw_if_any() const { diagnostics_.throw_if_any(); }
  /// For rules that are checked elsewhere; what they add is not counted.
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  std::set<std::string> seen_;
  std::size_t skipped_ = 0;
};

}  // namespace lockstep::config
