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
  void add(const SourceLocation& where, std::string_view message) {
    if (seen_.insert(to_string(where) + " " + std::string(message)).second) diagnostics_.add(where, message);
  }
  std::size_t count() const { return seen_.size(); }
  /// InputError with every error, in the order of their places; nothing when there is none.
  void throw_if_any() const { diagnostics_.throw_if_any(); }
  /// For rules that are checked elsewhere; what they add is not counted.
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  Diagnostics diagnostics_;
  std::set<std::string> seen_;
};

}  // namespace lockstep::config
