// The committed workloads on every committed GPU file.
#include <catch2/catch.hpp>
#include <map>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/config/parameter.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/workload/workload.hpp"
#include "workload_test_files.hpp"

using namespace lockstep;

namespace {

using Settings = std::vector<std::string>;

/// A PGM of 12-bit grey whose pixels all differ from their neighbours.
std::string picture(unsigned width, unsigned height) {
  std::string bytes = "P5 " + std::to_string(width) + " " + std::to_string(height) + " 4095\n";
  for (unsigned i = 0; i < width * height; ++i) {
    const unsigned level = (i * 2654435761u) >> 20;
    bytes += static_cast<char>(level >> 8);
    bytes += static_cast<char>(level & 255);
  }
  return bytes;
}

struct Run {
  std::string name;
  workload::ArgumentOverrides arguments;

  gpu::Result on(const std::string& gpu, const Settings& settings = {}) const {
    std::vector<config::Override> overrides;
    for (const std::string& setting : settings) overrides.push_back(config::parse_override(setting));
    exec::Machine machine(workload::Workload::load(name).build(arguments));
    return gpu::simulate(config::load_gpu(gpu, overrides), machine);
  }
};

const WorkloadFolder& files() {
  static const WorkloadFolder folder;
  return folder;
}

Run histogram() {
  return {"histogram",
          {{"input", "uniform"},
           {"length", "4096"},
           {"bins", "64"},
           {"replication", "2"},
           {"blocks", "8"},
           {"threads", "128"}}};
}
Run convolution() {
  static const std::string image = files().write("picture.pgm", picture(64, 48));
  return {"convolution", {{"image", image}, {"variant", "tiled"}}};
}
Run transpose(const std::string& variant = "tiled") {
  return {"transpose", {{"variant", variant}, {"width", "96"}, {"height", "64"}}};
}

double milliseconds(const Run& run, const std::string& gpu, const Settings& settings = {}) {
  std::vector<config::Override> overrides;
  for (const std::string& setting : settings) overrides.push_back(config::parse_override(setting));
  return run.on(gpu, settings).time_ms(config::load_gpu(gpu, overrides));
}

bool has_scratchpad_atomics(const std::string& gpu) {
  return config::load_gpu(gpu).target.scratchpad_atomics != machine::ScratchpadAtomics::none;
}

/// A setting that makes the scratchpad of a GPU slower.
std::string slower_scratchpad(const std::string& gpu) {
  return "sm.scratchpad.load_latency=" + std::to_string(config::load_gpu(gpu).sm.scratchpad.load_latency + 200);
}

}  // namespace

TEST_CASE("Histogram, convolution and transpose run on every GPU file, or say why not") {
  std::map<std::string, std::uint64_t> warp_instructions;
  for (const std::string& gpu : config::list_named_files("configs/gpus")) {
    CAPTURE(gpu);
    for (const Run& run : {histogram(), convolution(), transpose()}) {
      CAPTURE(run.name);
      if (run.name == "histogram" && !has_scratchpad_atomics(gpu)) {
        CHECK_THROWS_WITH(run.on(gpu), Catch::Contains("atomic") && Catch::Contains("scratchpad"));
        continue;
      }
      const gpu::Result result = run.on(gpu);
      CHECK(result.cycles > 100);
      CHECK(result.launches.at(0).occupancy.blocks >= 1);
      // One trace serves every GPU.
      const auto known = warp_instructions.emplace(run.name, result.warp_instructions).first;
      CHECK(result.warp_instructions == known->second);
      CHECK(result.warp_instructions > 0);
    }
  }
  CHECK(warp_instructions.size() == 3);
}

TEST_CASE("Changing a number of any GPU changes what a kernel takes") {
  for (const std::string& gpu : config::list_named_files("configs/gpus")) {
    CAPTURE(gpu);
    const gpu::GpuSpec spec = config::load_gpu(gpu);
    const Cycle transposed = transpose().on(gpu).cycles;
    CHECK(transpose().on(gpu, {slower_scratchpad(gpu)}).cycles > transposed);
    CHECK(transpose().on(gpu, {"memory.dram.latency=" + std::to_string(spec.memory.dram.latency + 500)}).cycles >
          transposed);
    CHECK(milliseconds(transpose(), gpu, {"clock_mhz=" + std::to_string(spec.clock_mhz / 4)}) >
          milliseconds(transpose(), gpu));
    const Cycle convolved = convolution().on(gpu).cycles;
    CHECK(convolution().on(gpu, {"sms=1"}).cycles > convolved);
    CHECK(convolution().on(gpu, {"sm.integer.latency=" + std::to_string(spec.sm.integer.latency + 100)}).cycles >
          convolved);
    if (has_scratchpad_atomics(gpu)) {
      CHECK(histogram().on(gpu, {"sms=1"}).cycles > histogram().on(gpu).cycles);
    }
  }
}

TEST_CASE("Generations keep their order: a later GPU takes less time, and columns without padding take longer") {
  const Run wide = {"transpose", {{"variant", "padded"}, {"width", "256"}, {"height", "256"}}};
  const double first = milliseconds(wide, "8800gt");
  const double fermi = milliseconds(wide, "gtx580");
  const double volta = milliseconds(wide, "v100");
  CHECK(first > fermi);
  CHECK(fermi > volta);
  for (const std::string& gpu : config::list_named_files("configs/gpus")) {
    CAPTURE(gpu);
    CHECK(transpose("tiled").on(gpu).counters.scratchpad_load_passes >
          transpose("padded").on(gpu).counters.scratchpad_load_passes);
  }
}

TEST_CASE("Each way of performing scratchpad atomics is counted where it is used") {
  for (const std::string& gpu : config::list_named_files("configs/gpus")) {
    if (!has_scratchpad_atomics(gpu)) continue;
    CAPTURE(gpu);
    const bool loops = config::load_gpu(gpu).target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop;
    CHECK((histogram().on(gpu).counters.load_locks > 0) == loops);
  }
}
