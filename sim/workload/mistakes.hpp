#pragma once
// Errors that show when a descriptor is evaluated. Internal to this folder.

#include <cstddef>
#include <set>
#include <string>

#include "isa/error.hpp"

namespace lockstep::workload {

/// An error found while evaluating, with its place in the descriptor.
struct Mistake {
  SourceLocation where;
  std::string message;
};

/// Collects errors, each once.
class Mistakes {
 public:
  /// Runs f; a Mistake or InputError in it is kept.
  template <typename F>
  void collect(F&& f) {
    try {
      f();
    } catch (const Mistake& mistake) {
      add(mistake.where, mistake.message);
    } catch (const InputError& error) {
      add({}, error.what());
    }
  }
  std::size_t count() const { return seen_.size(); }
  void throw_if_any() const { diagnostics_.throw_if_any(); }

 private:
  void add(const SourceLocation& where, const std::string& message) {
    if (seen_.insert(to_string(where) + " " + message).second) diagnostics_.add(where, message);
  }
  Diagnostics diagnostics_;
  std::set<std::string> seen_;
};

}  // namespace lockstep::workload
