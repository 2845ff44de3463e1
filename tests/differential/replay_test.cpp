// Random kernels through the timing model: whatever a program does, its replay executes what it executed, once, and ends.
#include <catch2/catch.hpp>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "tests/differential/generate.hpp"
#include "tests/differential/machine.hpp"
#include "tests/places.hpp"

using namespace lockstep;
using namespace lockstep::differential;

namespace {

gpu::GpuSpec gpu_named(const std::string& name) {
  return config::load_gpu(source_dir() + "/configs/gpus/" + name + ".yaml");
}

/// Replays the seeds' kernels; how many the GPU refuses, with the kernel's line and what it lacks.
std::size_t replay_seeds(const std::string& name, std::uint64_t first, std::uint64_t last) {
  const gpu::GpuSpec spec = gpu_named(name);
  std::size_t refused = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    INFO(name << ", seed " << seed);
    exec::Machine machine(task_of({generate(seed)}));
    gpu::Options options;
    std::vector<gpu::Issue> issues;
    options.issues = &issues;
    try {
      const gpu::Result result = gpu::simulate(spec, machine, options);
      machine.finish();
      CHECK(result.warp_instructions == machine.warp_instructions());
      CHECK(result.counters.sm.machine_instructions == issues.size());
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), Catch::Contains("kernel"));
      ++refused;
    }
  }
  return refused;
}

}  // namespace

TEST_CASE("Random kernels are replayed on Hopper, none refused") {
  CHECK(replay_seeds("h200", 1, 20) == 0);
}

TEST_CASE("So are 80 more", "[long]") {
  CHECK(replay_seeds("h200", 21, 100) == 0);
}

TEST_CASE("Random kernels are replayed on older generations, or refused by name") {
  for (const char* name : {"v100", "p100", "k20", "gtx580"}) CHECK(replay_seeds(name, 1, 25) < 25);
}

TEST_CASE("1,000 random kernels are replayed on every generation", "[nightly]") {
  for (const char* name : {"h200", "t4", "v100", "p100", "gtx750ti", "k80", "gtx480"})
    CHECK(replay_seeds(name, 1, 1000) < 1000);
}
