#pragma once
// Why a kernel takes its cycles on a GPU: what each source line costs, and what would help.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"
#include "sim/explain/line_costs.hpp"
#include "sim/explain/remedy.hpp"
#include "sim/gpu/simulation.hpp"

namespace lockstep::explain {

/// Opens the trace once more; may be called by several threads.
using OpenTrace = std::function<std::unique_ptr<trace::Source>()>;

struct Options {
  unsigned jobs = 1;                ///< Threads; results do not depend on it.
  bool remedies = true;             ///< Replay also with what could help.
  std::vector<std::string> hashes;  ///< SPECs of bank hashes to try besides the usual ones.
  /// Called by one thread at a time: what runs, and the fraction of all work that is done.
  std::function<void(const std::string& what, double done)> progress = nullptr;
};

/// What the replay with a remedy came to.
struct Outcome {
  std::string name, text;
  Remedy::Kind kind = Remedy::Kind::limit;
  std::optional<Cycle> cycles;  ///< None: it could not be replayed, for `failure`.
  std::string failure;
};

struct Explanation {
  std::string workload;
  gpu::GpuSpec spec;
  trace::Header header;
  gpu::Result result;
  std::vector<LineCosts> lines;
  std::vector<Outcome> remedies;  ///< The one with fewest cycles first; those that failed last.

  std::uint64_t all_slots() const;
  double percent_of_slots(std::uint64_t part) const;  ///< 0 where there are none.
};

/// InputError as of gpu::simulate.
Explanation explain(const gpu::GpuSpec& spec, const OpenTrace& open, const Options& options);

}  // namespace lockstep::explain
