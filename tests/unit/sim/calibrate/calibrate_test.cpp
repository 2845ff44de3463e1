// Calibration against measurements whose truth is known: they are simulated.
#include <catch2/catch.hpp>

#include "sim/calibrate/output.hpp"
#include "sim/calibrate/simulated_clocks.hpp"
#include "sim/config/provenance.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

using namespace lockstep;
using namespace lockstep::calibrate;
using Catch::Matchers::Contains;

namespace {

Measurement row(const std::string& workload, std::vector<std::pair<std::string, std::string>> settings) {
  return {workload, std::move(settings), 1, {"m.csv", 7, 1}};
}

Measurement chain(const std::string& operation) {
  return row("micro-arithmetic", {{"operation", operation}, {"mode", "latency"}, {"length", "256"}});
}

Measurement chase(const std::string& stride) {
  return row("micro-scratchpad-chase", {{"addressing", "byte"}, {"stride", stride}, {"length", "64"}});
}

gpu::GpuSpec with(const std::string& gpu, const std::vector<std::string>& options) {
  std::vector<config::Override> overrides;
  for (const std::string& option : options) overrides.push_back(config::parse_override(option));
  return config::load_gpu(gpu, overrides);
}

gpu::GpuSpec v100(const std::vector<std::string>& options = {}) {
  return with("v100", options);
}

/// What the GPU would measure, times `factors` in turn.
Measurements measured_on(const gpu::GpuSpec& truth, std::vector<Measurement> rows, std::vector<double> factors = {1}) {
  SimulatedClocks clocks(1, {});
  std::vector<const Measurement*> all;
  for (const Measurement& one : rows) all.push_back(&one);
  const std::vector<SimulatedClock> found = clocks.all(truth, all);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    REQUIRE(found[i].problem.empty());
    rows[i].clock = std::round(found[i].cycles * factors[i % factors.size()]);
  }
  return {"m.csv", {{"GPU", "known: truth"}}, std::move(rows)};
}

ParameterFit fit_of(const Calibration& calibration, const std::string& path) {
  for (const StepFit& step : calibration.steps)
    for (const ParameterFit& fit : step.parameters)
      if (fit.parameter->path == path) return fit;
  FAIL("no step for " << path);
  return {};
}

}  // namespace

TEST_CASE("Parameters that were changed are found again from what the changed GPU measures, and no other is touched",
          "[long]") {
  const gpu::GpuSpec truth =
      v100({"sm.floating.latency=27", "sm.scratchpad.load_latency=61", "sm.scratchpad.load_pass_spacing=19"});
  const Measurements measurements =
      measured_on(truth, {chain("ffma"), chain("fadd"), chase("1"), chase("3"), chase("2"), chase("8")});
  const Calibration found = calibrate::calibrate(v100(), measurements, {});
  CHECK(found.spec.sm.operations[machine::Operation::floating].latency == 27);
  CHECK(found.spec.sm.scratchpad.load_latency == 61);
  CHECK(found.spec.sm.scratchpad.load_pass_spacing == 19);
  CHECK(fit_of(found, "sm.floating.latency").verdict == Verdict::determined);
  CHECK(fit_of(found, "sm.floating.latency").rise_above > 0.02);
  CHECK(fit_of(found, "sm.shift.latency").verdict == Verdict::no_points);
  CHECK(config::effective_yaml(found.spec) == config::effective_yaml(truth));
}

TEST_CASE("Noise of a percent moves a latency by no more than it amounts to", "[long]") {
  const gpu::GpuSpec truth = v100({"sm.floating.latency=40"});
  const Measurements measurements =
      measured_on(truth, {chain("ffma"), chain("fadd"), chain("ffma")}, {1.01, 0.99, 1.005});
  const Calibration found = calibrate::calibrate(v100(), measurements, {});
  CHECK(found.spec.sm.operations[machine::Operation::floating].latency >= 39);
  CHECK(found.spec.sm.operations[machine::Operation::floating].latency <= 41);
}

TEST_CASE("Where a scheduler issues in every second cycle, a latency is bounded to two") {
  const Measurements measurements = measured_on(with("gtx580", {"sm.floating.latency=7"}), {chain("ffma")});
  const Calibration found = calibrate::calibrate(with("gtx580", {}), measurements, {});
  CHECK(fit_of(found, "sm.floating.latency").verdict == Verdict::bounded);
  CHECK(found.spec.sm.operations[machine::Operation::floating].latency == 8);  // The nearer one to the 18 of the start.
  CHECK(fit_of(found, "sm.floating.latency").rise_below == 0);
  CHECK(fit_of(found, "sm.floating.latency").rise_above > 0.02);
}

TEST_CASE("A parameter that no measurement depends on is not determined and keeps its value") {
  // A lock loop has no use for the latency of native atomics.
  const Measurements measurements = measured_on(
      with("gtx580", {}), {row("micro-atomic-chain", {{"operation", "scratchpad_exch"}, {"sharing", "1"}})});
  const gpu::GpuSpec start = with("gtx580", {"sm.scratchpad.atomic_latency=77"});
  const Calibration found = calibrate::calibrate(start, measurements, {});
  CHECK(fit_of(found, "sm.scratchpad.atomic_latency").verdict == Verdict::not_determined);
  CHECK(found.spec.sm.scratchpad.atomic_latency == 77);
}

TEST_CASE("Measurements that no value of a parameter explains leave it as it was") {
  Measurement folded = chain("ffma");
  folded.clock = 40;  // A chain of 256 operations takes a cycle each at least.
  const Calibration found = calibrate::calibrate(v100(), {"m.csv", {}, {folded}}, {});
  CHECK(fit_of(found, "sm.floating.latency").verdict == Verdict::disagrees);
  CHECK(config::effective_yaml(found.spec) == config::effective_yaml(v100()));
}

TEST_CASE("A measurement that cannot be simulated is left out with its place and reason, the others are used") {
  Measurements measurements = measured_on(v100({"sm.floating.latency=22"}), {chain("ffma")});
  measurements.rows.push_back(row("micro-arithmetic", {{"operation", "ffma"}, {"mode", "latency"}, {"length", "100"}}));
  measurements.rows.push_back(row("micro-unheard-of", {}));
  const Calibration found = calibrate::calibrate(v100(), measurements, {});
  CHECK(found.spec.sm.operations[machine::Operation::floating].latency == 22);
  CHECK(found.unused == 1);
  CHECK(found.unknown_workloads == std::vector<std::string>{"micro-unheard-of"});
  CHECK_THAT(to_text(found), Contains("m.csv:7:1: left out: ") && Contains("multiple of 256") &&
                                 Contains("no such workloads: micro-unheard-of"));
}

TEST_CASE("The GPU's file that is written reads back to the calibrated values, and says what determined them") {
  const gpu::GpuSpec truth = v100({"sm.floating.latency=27", "sm.launch_latency=5"});
  const Measurements measurements = measured_on(truth, {chain("ffma")});
  const std::vector<config::Override> given = {config::parse_override("sm.launch_latency=5")};
  const Calibration found = calibrate::calibrate(config::load_gpu("v100", given), measurements, {});
  const test::TemporaryFolder folder;
  const std::string base = config::find_named_file("configs/gpus", "v100");
  const std::string file = folder.write("own.yaml", gpu_yaml(found, measurements, base, given));
  const config::SourcedGpu own = config::load_sourced_gpu(file);
  CHECK(own.spec.name == "known: truth");
  CHECK(own.spec.sm.operations[machine::Operation::floating].latency == 27);
  CHECK(own.spec.sm.launch_latency == 5);
  for (std::size_t i = 0; i < own.provenance.size(); ++i) {
    const std::string& path = config::gpu_parameters()[i].path;
    if (path == "sm.floating.latency") {
      CHECK(own.provenance[i].kind == config::Provenance::Kind::calibrated);
      CHECK_THAT(own.provenance[i].text, Contains("micro-arithmetic operation=ffma,fadd mode=latency: 1 point,"));
    }
    if (path == "sm.launch_latency") CHECK(own.provenance[i].kind == config::Provenance::Kind::assumed);
    if (path == "sm.integer.latency") CHECK(own.provenance[i].text == "[J] table 4.1; [C]: 64 per cycle and SM");
  }
}
