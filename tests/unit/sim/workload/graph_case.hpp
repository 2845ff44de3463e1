#pragma once
// A descriptor with graphs, written for one test.

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/launch.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

/// Buffers x and y of 64 words, z of 64 bytes; arguments n = 64, ratio = 0.5, mode = a|b.
class GraphCase {
 public:
  explicit GraphCase(const std::string& sections) {
    folder_.write("kernels.ptx",
                  ".version 6.4\n.target sm_35\n.address_size 64\n"
                  ".visible .const .align 4 .u32 weights[3] = {7, 8, 9};\n"
                  ".visible .entry around(.param .u64 p, .param .u32 n) { bar.sync 15; ret; }\n");
    path_ = folder_.write("case.yaml",
                          "arguments: {n: 64, ratio: 0.5, mode: {default: a, choices: [a, b]}}\n"
                          "buffers: {x: {iota: n}, y: {zero: n, type: f32}, z: {zero: n, type: u8}}\n" +
                              sections);
  }

  std::unique_ptr<lockstep::exec::Task> build(const lockstep::workload::ArgumentOverrides& overrides = {},
                                              const lockstep::rgpu::Spec* fabric = nullptr) const {
    return lockstep::workload::Workload::load(path_).build(overrides, fabric);
  }
  /// The program of its only launch.
  std::shared_ptr<const lockstep::dataflow::Program> program(
      const lockstep::workload::ArgumentOverrides& overrides = {}) const {
    const auto task = build(overrides);
    REQUIRE(task->launches.size() == 1);
    REQUIRE(task->launches[0].graph != nullptr);
    return task->launches[0].graph;
  }
  /// The message of the InputError that loading or building causes, the folder left out; "" when there is none.
  std::string mistake() const {
    try {
      build();
    } catch (const lockstep::InputError& error) {
      return without_folder(error.what());
    }
    return "";
  }
  std::string without_folder(std::string message) const {
    const std::string folder = folder_ / "";
    for (std::size_t at = message.find(folder); at != std::string::npos; at = message.find(folder)) {
      message.erase(at, folder.size());
    }
    return message;
  }

 private:
  lockstep::test::TemporaryFolder folder_;
  std::string path_;
};

/// A launch of four thread blocks; the first node stands in line 7.
inline GraphCase graph_of(const std::string& nodes, const std::string& more = "iterations: n") {
  return GraphCase("grid: 4\ngraph:\n  " + more + "\n  nodes:\n" + nodes);
}
