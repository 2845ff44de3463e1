#pragma once
// Kernels with a planted mistake, and what the checks say of them.

#include <catch2/catch.hpp>

#include "isa/exec/checks/findings.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::exec::test {

/// Threads and blocks in which a body runs.
struct Shape {
  std::uint32_t threads = 32, blocks = 1, dynamic = 0;
};

/// What checks say of a body (see kernel() in run.hpp); buffer "out" has 8 bytes per thread of the grid.
inline std::vector<Finding> findings_of(CheckSet checks, const std::string& body, const std::string& before = "",
                                        Shape shape = {}) {
  Program p;
  p.ptx = ".file 1 \"k.cu\"\n" + kernel(body, before);
  p.grid = {shape.blocks, 1, 1};
  p.block = {shape.threads, 1, 1};
  p.dynamic_shared_bytes = shape.dynamic;
  p.buffers.push_back({"out", std::vector<std::uint8_t>(std::size_t{8} * shape.threads * shape.blocks)});
  p.checks = checks;
  const auto machine = p.machine();
  machine->finish();
  return machine->findings();
}

inline std::vector<Finding> findings_of(Check check, const std::string& body, const std::string& before = "",
                                        Shape shape = {}) {
  return findings_of(CheckSet().with(check), body, before, shape);
}

/// The only finding; its source lines are those of .loc, the later access first.
inline Finding only(const std::vector<Finding>& findings) {
  std::string all;
  for (const Finding& finding : findings) all += describe(finding) + "\n";
  INFO(all);
  REQUIRE(findings.size() == 1);
  return findings[0];
}

inline program::Dim3 thread(std::uint32_t x) {
  return {x, 0, 0};
}

}  // namespace lockstep::exec::test
