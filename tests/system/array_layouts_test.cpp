// Kernels whose scratchpad arrays have other layouts: every committed workload with such arrays.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "isa/exec/machine.hpp"
#include "isa/ptx/program.hpp"
#include "isa/rewrite/array_accesses.hpp"
#include "sim/swizzle/rewritten_task.hpp"
#include "sim/workload/workload.hpp"

#include "tests/places.hpp"

namespace lockstep::array_layouts_test {

using rewrite::ArrayLayout;

namespace {

/// Gives every array that may have it the layout, the first launch of a kernel telling its thread block when all are the same.
swizzle::Changes all_arrays(const exec::Task& task, const ArrayLayout& layout, bool tell_block) {
  swizzle::Changes changes;
  for (const exec::KernelLaunch& launch : task.launches) {
    if (launch.graph != nullptr) continue;
    const swizzle::KernelId id = swizzle::kernel_of(task, launch);
    if (const auto known = changes.find(id); known != changes.end()) {
      if (known->second.request.block != launch.block) known->second.request.block.reset();
      continue;
    }
    swizzle::KernelChange change;
    change.request.kernel = launch.entry;
    if (tell_block) change.request.block = launch.block;
    const ptx::Program program = ptx::link(*launch.module, launch.entry);
    for (const auto& array : rewrite::find_array_accesses(program).arrays) {
      if (!array.fixed.empty() || array.widest_access > layout.contiguous_bytes()) continue;
      change.request.changes.push_back({array.variable->name, layout});
      if (array.variable->is_extern) change.dynamic = layout;
    }
    if (!change.request.changes.empty()) changes[id] = std::move(change);
  }
  return changes;
}

std::vector<std::string> workloads() {
  std::vector<std::string> names;
  const std::string folder = source_dir() + "/traces/workloads";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// How many kernels were rewritten.
std::size_t check_all(const std::vector<std::string>& names, const std::vector<ArrayLayout>& layouts) {
  setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  std::size_t kernels = 0;
  for (const std::string& name : names) {
    const workload::Workload workload = workload::Workload::load(name);
    if (workload.has_graph()) continue;
    for (std::size_t n = 0; n < layouts.size(); ++n) {
      INFO(name << " with " << layouts[n].name());
      auto task = workload.build({});
      const auto done = swizzle::rewrite_task(*task, all_arrays(*task, layouts[n], n % 2 == 0));
      if (done.empty()) continue;
      kernels += done.size();
      exec::Machine machine(std::move(task));
      machine.finish();
      CHECK(workload.check({}, machine).message == "");
    }
  }
  return kernels;
}

}  // namespace

TEST_CASE("kernels compute the same when all their arrays are padded, rotated or swizzled", "[swizzle]") {
  const std::vector<ArrayLayout> layouts = {ArrayLayout::padding(128, 16), ArrayLayout::exclusive_or({{5, 124}})};
  CHECK(check_all({"FFT_2", "LUD_2", "FWT", "dwtHaar1D"}, layouts) >= 8);
}

TEST_CASE("every workload computes the same under layouts of every kind", "[swizzle][nightly]") {
  const std::vector<ArrayLayout> layouts = {ArrayLayout::padding(128, 4),
                                            ArrayLayout::padding(64, 16),
                                            ArrayLayout::rotation(128, 4),
                                            ArrayLayout::rotation(256, 16),
                                            ArrayLayout::exclusive_or({{5, 124}}),
                                            ArrayLayout::exclusive_or({{3, 112}}),
                                            ArrayLayout::exclusive_or({{6, 24}, {4, 96}, {7, 4}})};
  CHECK(check_all(workloads(), layouts) >= 200);
}

}  // namespace lockstep::array_layouts_test
