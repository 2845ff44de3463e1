// Launches: order of thread blocks, checks of shapes and arguments.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::launch_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

std::string refused(const Program& program) {
  try {
    program.machine();
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("thread blocks are opened in order and only in order", "[exec]") {
  Program p = Body{"red.global.add.u64 [%rd1], 1;", "", 32, 0, {}}.program();
  p.grid = {2, 2, 1};
  p.launches = 2;
  const auto machine = p.machine();
  CHECK(machine->header().launches.size() == 2);
  CHECK(machine->header().kernels.size() == 1);
  CHECK_THROWS_AS(machine->open(0, 1), Bug);
  for (std::uint32_t launch = 0; launch < 2; ++launch) {
    for (std::uint64_t block = 0; block < 4; ++block) machine->open(launch, block);
  }
  CHECK_THROWS_AS(machine->open(2, 0), Bug);
  CHECK(values_of<std::uint64_t>(machine->buffer(0))[5] == 8);
  CHECK_THROWS_AS(machine->buffer(1), Bug);
}

TEST_CASE("finish executes what has not been opened", "[exec]") {
  Program p = Body{"red.global.add.u64 [%rd1], 1;", "", 32, 0, {}}.program();
  p.grid = {5, 1, 1};
  const auto machine = p.machine();
  machine->open(0, 0);
  machine->open(0, 1);
  const std::uint64_t each = machine->warp_instructions() / 2;
  CHECK(each == 6);  // ld.param, mov, mul, add, red, ret
  machine->finish();
  CHECK(machine->warp_instructions() == 5 * each);
  CHECK(values_of<std::uint64_t>(machine->buffer(0))[0] == 5);
}

TEST_CASE("launch shapes are checked", "[exec]") {
  Program p = Body{"", "", 32, 0, {}}.program();
  SECTION("too many threads") {
    p.block = {33, 32, 1};
    CHECK_THAT(refused(p), Contains("1056 threads") && Contains("1024"));
  }
  SECTION("empty") {
    p.grid = {0, 1, 1};
    CHECK_THAT(refused(p), Contains("empty"));
  }
  SECTION("reqntid and maxntid") {
    p.ptx.replace(p.ptx.find("out)") + 4, 0, " .reqntid 64, 2");
    CHECK_THAT(refused(p), Contains("64x2x1") && Contains("reqntid"));
    p.block = {64, 2, 1};
    CHECK(refused(p).empty());
    p.ptx.replace(p.ptx.find(".reqntid"), 15, ".maxntid 96, 1, 1");
    CHECK_THAT(refused(p), Contains("at most 96 threads") && Contains("128"));
  }
  SECTION("dynamic scratchpad memory beyond every GPU") {
    p.dynamic_shared_bytes = 0x0100'0001;
    CHECK_THAT(refused(p), Contains("scratchpad"));
  }
}

TEST_CASE("arguments are checked against the parameters", "[exec]") {
  const auto module = std::make_shared<ptx::Module>(
      ptx::parse(std::string(ptx_head) + ".visible .entry k(.param .u32 n, .param .u64 p)\n{\n ret;\n}\n", "test.ptx"));
  const auto launch_with = [&](std::vector<exec::Argument> arguments, const std::string& entry = "k") -> std::string {
    auto task = std::make_unique<exec::Task>();
    task->modules.push_back(std::make_unique<const ptx::Module>(*module));
    task->buffers.push_back({"data", std::vector<std::uint8_t>(16)});
    exec::KernelLaunch launch;
    launch.module = task->modules[0].get();
    launch.entry = entry;
    launch.arguments = std::move(arguments);
    task->launches.push_back(launch);
    try {
      exec::Machine machine(std::move(task));
      machine.finish();
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  const std::vector<std::uint8_t> four(4), eight(8);
  CHECK(launch_with({four, exec::BufferAddress{0, 0}}).empty());
  CHECK_THAT(launch_with({four}), Contains("takes 2 arguments, 1 are given") && Contains("p (8 bytes)"));
  CHECK_THAT(launch_with({eight, eight}),
             Contains("argument 0") && Contains("8 bytes is given") && Contains("'n' has 4"));
  CHECK_THAT(launch_with({exec::BufferAddress{0, 0}, eight}), Contains("buffer 'data'") && Contains("'n' has 4"));
  CHECK_THAT(launch_with({four, exec::BufferAddress{3, 0}}), Contains("no buffer 3"));
  CHECK_THAT(launch_with({}, "kk"), Contains("kk"));
}

TEST_CASE("two executions are the same to the last bit", "[exec]") {
  const Program p = Body{
      "atom.global.add.u64 %rd2, [%rd0], 1; mov.u64 %rd3, %globaltimer; add.s64 %rd2, %rd2, %rd3; "
      "st.global.u64 [%rd1], %rd2;",
      "",
      96,
      0,
      {}}.program();
  CHECK(p.run<std::uint64_t>() == p.run<std::uint64_t>());
}

TEST_CASE("a launch that is executed behind the others finds what they have left", "[exec]") {
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_shared<const ptx::Module>(ptx::parse(
      std::string(ptx_head) +
          ".visible .entry add(.param .u64 p, .param .u32 n) { .reg .b32 %x, %n; .reg .b64 %a;\n"
          "ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; ld.global.u32 %x, [%a]; add.u32 %x, %x, %n;\n"
          "st.global.u32 [%a], %x; ret; }\n"
          ".visible .entry twice(.param .u64 p) { .reg .b32 %x; .reg .b64 %a;\n"
          "ld.param.u64 %a, [p]; ld.global.u32 %x, [%a]; add.u32 %x, %x, %x; st.global.u32 [%a], %x; ret; }\n",
      "test.ptx")));
  task->buffers.push_back({"data", std::vector<std::uint8_t>(4)});
  exec::KernelLaunch add;
  add.module = task->modules[0].get();
  add.entry = "add";
  add.arguments = {exec::BufferAddress{0, 0}, std::vector<std::uint8_t>{5, 0, 0, 0}};
  exec::KernelLaunch twice = add;
  twice.entry = "twice";
  twice.arguments.pop_back();
  task->launches.push_back(add);
  exec::Machine machine(std::move(task));
  const auto word = [&] { return static_cast<unsigned>(machine.buffer(0)[0]); };
  machine.execute(twice);  // After the launch of the task.
  CHECK(word() == 10);
  machine.execute(add);
  CHECK(word() == 15);
  twice.arguments.clear();
  CHECK_THROWS_WITH(machine.execute(twice), Contains("takes 1 arguments, 0 are given"));
  CHECK(machine.header().kernels.size() == 2);
}

}  // namespace lockstep::launch_test
