#pragma once
// A kernel of traces/references, executed on a few elements.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::test {

/// Executes a descriptor (all but its `kernel`) with the reference kernels of `file`; "" when they leave what it expects.
inline std::string reference_differs(const std::string& file, const std::string& descriptor) {
  const test::TemporaryFolder folder;
  const std::string path =
      folder.write("case.yaml", "kernel: " + source_dir() + "/traces/references/" + file + ".ptx\n" + descriptor);
  const workload::Workload workload = workload::Workload::load(path);
  exec::Machine machine(workload.build({}));
  machine.finish();
  const workload::CheckResult result = workload.check({}, machine);
  REQUIRE(result.checked);
  return result.message;
}

}  // namespace lockstep::test
