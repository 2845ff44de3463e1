// What nvcc 13 makes of cuda::barrier, cuda::pipeline, __mbarrier_* and cooperative_groups::memcpy_async, executed.
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "isa/exec/checks/findings.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::cuda_async_test {

using namespace lockstep::exec;
using namespace lockstep::exec::test;

namespace {

std::uint32_t drawn(std::uint32_t i) {
  return i * 2654435761u;
}

/// What an entry leaves for one thread block. With `tiles`, its arguments are an input of drawn numbers, the output and their
/// number; otherwise the output alone. No race may be found.
std::vector<std::uint32_t> run(const std::string& file, const std::string& entry, std::uint32_t threads,
                               std::uint32_t words, std::uint32_t dynamic_bytes = 0, std::uint32_t tiles = 0) {
  auto task = std::make_unique<Task>();
  task->name = "test";
  task->modules.push_back(
      std::make_unique<const ptx::Module>(ptx::parse_file(source_dir() + "/tests/unit/isa/ptx/inputs/" + file)));
  KernelLaunch launch;
  launch.module = task->modules.back().get();
  launch.entry = entry;
  launch.block = {threads, 1, 1};
  launch.dynamic_shared_bytes = dynamic_bytes;
  std::vector<std::uint32_t> input(words);
  for (std::uint32_t i = 0; i < words; ++i) input[i] = drawn(i);
  if (tiles != 0) task->buffers.push_back({"input", bytes_of(input)});
  task->buffers.push_back({"output", bytes_of(std::vector<std::uint32_t>(words))});
  for (std::uint32_t b = 0; b < task->buffers.size(); ++b) launch.arguments.push_back(BufferAddress{b, 0});
  if (tiles != 0) launch.arguments.push_back(bytes_of(std::vector<std::uint32_t>{tiles}));
  task->launches.push_back(launch);
  task->checks = CheckSet().with(Check::race).with(Check::sync);
  Machine machine(std::move(task));
  machine.finish();
  CHECK(machine.findings().empty());
  return values_of<std::uint32_t>(machine.buffer(tiles != 0 ? 1 : 0));
}

std::vector<std::uint32_t> each(std::uint32_t words, const std::function<std::uint32_t(std::uint32_t)>& value) {
  std::vector<std::uint32_t> all(words);
  for (std::uint32_t i = 0; i < words; ++i) all[i] = value(i);
  return all;
}

}  // namespace

TEST_CASE("barriers, pipelines and copies of CUDA's headers do on sm_80 and sm_90 what they say", "[exec][mbarrier]") {
  for (const std::string file : {"nvcc_80_async.ptx", "nvcc_90_async.ptx"}) {
    CAPTURE(file);
    CHECK(run(file, "bar", 256, 256) == each(256, [](std::uint32_t i) { return 255 - i; }));
    CHECK(run(file, "cgcopy", 128, 1024, 512, 8) ==
          each(1024, [](std::uint32_t i) { return drawn(i / 128 * 128 + 127 - i % 128); }));
    CHECK(run(file, "tpipe", 128, 1024, 1024, 8) == each(1024, drawn));
    // Tiles of 128 vectors of four words.
    CHECK(run(file, "pipe", 128, 4096, 4096, 8) == each(4096, [](std::uint32_t i) {
            const std::uint32_t vector = i / 4;
            return drawn((vector / 128 * 128 + 127 - vector % 128) * 4 + i % 4);
          }));
    // Each thread finds another number of pending arrivals, the first all of them.
    const auto pending = run(file, "aw", 128, 128);
    const std::set<std::uint32_t> found(pending.begin(), pending.end());
    CHECK(found.size() == 128);
    CHECK(*found.begin() == 1);
    CHECK(*found.rbegin() == 128);
  }
}

}  // namespace lockstep::cuda_async_test
