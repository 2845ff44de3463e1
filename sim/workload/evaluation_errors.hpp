#pragma once
// Errors that show when a descriptor is evaluated. Internal to this folder.

#include <cstddef>
#include <string>

#include "sim/config/error_list.hpp"

namespace lockstep::workload {

/// An error found while evaluating, with its place in the descriptor. It is no InputError: those come from what the
/// descriptor names, such as a file, and get the place that names it.
struct EvaluationError {
  SourceLocation where;
  std::string message;
};

/// Collects errors, each once.
class EvaluationErrors {
 public:
  /// Runs f; an EvaluationError or InputError in it is kept.
  template <typename F>
  void collect(F&& f) {
    if (errors_.full()) return errors_.skip();
    try {
      f();
    } catch (const EvaluationError& error) {
      errors_.add(error.where, error.message);
    } catch (const InputError& error) {
      errors_.add({}, error.what());
    }
  }
  std::size_t count() const { return errors_.count(); }
  void throw_if_any() const { errors_.throw_if_any(); }

 private:
  config::ErrorList errors_;
};

}  // namespace lockstep::workload
