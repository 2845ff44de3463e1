#pragma once
// The layouts of a workload's scratchpad arrays with which it runs fastest: found, written into its kernels, executed and
// replayed.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/gpu/simulation.hpp"
#include "sim/swizzle/cuda_source.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::swizzle {

enum class Objective : std::uint8_t {
  time,   ///< Fewest cycles, instructions that compute addresses included.
  passes  ///< Fewest passes over the banks.
};

struct Options {
  Objective objective = Objective::time;
  std::string kernel;  ///< Only arrays of this one; "": of all.
  /// For time: what the whole workload has to gain, or everything stays. Speed-ups that replays predict of such changes miss those of
  /// an H200 by 6 to 7 % in the mean (suite software-hash-h200), so that smaller gains may be losses.
  double least_gain = 0.07;
  unsigned threads = 1;
  /// Told what is being done, when set.
  std::function<void(std::string_view what, double fraction)> progress;
};

/// Accesses of an array on one line of the source.
struct ConflictLine {
  std::string source;       ///< "k.cu:12".
  std::string instruction;  ///< "ld.shared.u32"
  std::uint64_t requests = 0, passes = 0;
  std::uint32_t most_passes = 0;  ///< Of one request.
};

struct ArrayResult {
  std::string kernel, variable;
  std::string name;  ///< As in the source: "tile".
  std::uint64_t bytes = 0, bytes_after = 0;
  std::string fixed;            ///< Why it has to stay as it is, or "".
  rewrite::ArrayLayout layout;  ///< Chosen.
  rewrite::ArrayLayout fewest;  ///< Of those found, the one with the fewest passes.
  std::uint64_t fewest_conflicts = 0;
  /// Passes beyond one for each request. No layout has fewer than `lower_bound`.
  std::uint64_t conflicts_before = 0, conflicts_after = 0, lower_bound = 0;
  std::vector<ConflictLine> lines;  ///< Those with conflicts, most first.
  CudaSource source;
};

struct ReplayResult {
  std::uint64_t cycles = 0, warp_instructions = 0, bank_conflicts = 0;
  double time_ms = 0;
};

/// A combination of layouts that was executed and replayed.
struct Trial {
  std::string what;    ///< "tile pad:32+1"
  std::string failed;  ///< Why it cannot be taken, or "".
  ReplayResult replay;
};

struct Result {
  std::string workload, gpu;
  bool checked = false;  ///< The workload says what its output has to be, and it was.
  ReplayResult before, after;
  std::vector<ArrayResult> arrays;
  std::vector<Trial> trials;
  bool changed = false;  ///< Some array has another layout.
  double left_gain = 0;  ///< Of the layouts that were found and gain less than Options::least_gain.
  std::uint32_t added_instructions = 0;
  std::vector<std::string> kernels_of_one_block;  ///< Those that got a .reqntid: "k 32 x 8 x 1".
  struct File {
    std::string path, text;
  };
  std::vector<File> files;  ///< The rewritten PTX of each file.

  std::uint64_t conflicts_before() const;
  std::uint64_t conflicts_after() const;
  std::uint64_t lower_bound() const;
  double speedup() const {
    return static_cast<double>(before.cycles) / static_cast<double>(std::max<std::uint64_t>(1, after.cycles));
  }
};

/// InputError when the workload has a graph, or its own output is not what it expects.
Result swizzle(const workload::Workload& workload, const workload::ArgumentOverrides& overrides,
               const gpu::GpuSpec& spec, const Options& options);

}  // namespace lockstep::swizzle
