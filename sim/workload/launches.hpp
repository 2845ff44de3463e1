#pragma once
// The launches of a task. Internal to this folder.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "isa/exec/launch.hpp"
#include "models/rgpu/spec.hpp"
#include "sim/workload/evaluation.hpp"

namespace lockstep::workload {

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

struct AddressUse;

/// What launches are made from.
struct LaunchSource {
  std::shared_ptr<const Descriptor> descriptor;
  std::shared_ptr<Evaluation> evaluation;
  const rgpu::Spec& fabric;  ///< That graphs are made for.
  LargeGraphs large = LargeGraphs::split;
};

/// Adds every launch of the descriptor, in order, with the modules they need. Returns the addresses that kernels are
/// given. Split graphs talk through a buffer behind the descriptor's, of `communication_bytes`; 0: there is none.
std::vector<AddressUse> add_launches(const LaunchSource& source, exec::Task& task, Mistakes& mistakes,
                                     std::uint64_t& communication_bytes);

}  // namespace lockstep::workload
