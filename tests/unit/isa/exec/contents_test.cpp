// Contents that a task gives to module variables, and device addresses among contents.
#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::contents_test {

using namespace lockstep::exec;
using namespace lockstep::exec::test;
using Catch::Matchers::Contains;

namespace {

using Words = std::vector<std::uint64_t>;

/// A task with one launch of a kernel of one thread and the buffer "out" of 4 words, its only argument.
std::unique_ptr<Task> task_of(const std::string& before, const std::string& body) {
  auto task = std::make_unique<Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(ptx_head + kernel(body, before), "test.ptx")));
  task->buffers.push_back({"out", bytes_of(Words(4))});
  KernelLaunch launch;
  launch.module = task->modules.front().get();
  launch.entry = "k";
  launch.arguments.push_back(BufferAddress{0, 0});
  task->launches.push_back(launch);
  return task;
}

VariableContents contents(const Task& task, const std::string& name, const Words& words) {
  return {task.modules.front().get(), name, bytes_of(words)};
}

Words run(std::unique_ptr<Task> task) {
  Machine machine(std::move(task));
  machine.finish();
  return values_of<std::uint64_t>(machine.buffer(0));
}

const std::string copies_table =
    "ld.const.u64 %rd2, [table]; ld.const.u64 %rd3, [table+8]; ld.const.u64 %rd4, [table+16];\n"
    "st.global.u64 [%rd0], %rd2; st.global.u64 [%rd0+8], %rd3; st.global.u64 [%rd0+16], %rd4;\n";

}  // namespace

TEST_CASE("contents take the place of what the module says, and what lies behind them stays") {
  const std::string table = ".visible .const .align 8 .u64 table[3] = {1, 2, 3};";
  CHECK(run(task_of(table, copies_table)) == Words{1, 2, 3, 0});
  auto task = task_of(table, copies_table);
  task->variables.push_back(contents(*task, "table", {70, 80}));
  CHECK(run(std::move(task)) == Words{70, 80, 3, 0});
}

TEST_CASE("the zeros of a buffer stand behind its bytes") {
  auto task = task_of("", "st.global.u64 [%rd0+16], 9;");
  task->buffers[0] = {"out", bytes_of(Words{7}), {}, 24};
  CHECK(run(std::move(task)) == Words{7, 0, 9, 0});
}

TEST_CASE("contents are written once, before the first launch") {
  auto task = task_of(".visible .global .align 8 .u64 count;",
                      "ld.global.u64 %rd2, [count]; add.u64 %rd2, %rd2, 1; st.global.u64 [count], %rd2;\n"
                      "st.global.u64 [%rd0], %rd2;");
  task->variables.push_back(contents(*task, "count", {40}));
  task->launches.front().block = {1, 1, 1};
  task->launches.push_back(task->launches.front());
  CHECK(run(std::move(task)).front() == 42);
}

TEST_CASE("pointers among contents lead to buffers and variables, also to their own") {
  // table[0] leads to table[2], which leads to word 3 of the buffer, which holds its own address.
  auto task = task_of(".visible .const .align 8 .u64 table[3];",
                      "ld.const.u64 %rd2, [table]; ld.const.u64 %rd3, [%rd2]; ld.global.u64 %rd4, [%rd3];\n"
                      "ld.global.u64 %rd5, [%rd4]; sub.u64 %rd5, %rd5, %rd0; st.global.u64 [%rd0], %rd5;");
  task->variables.push_back(contents(*task, "table", {5, 5, 5}));
  task->variables.front().pointers = {{0, VariableAddress{0, 16}}, {16, BufferAddress{0, 24}}};
  task->buffers.front().pointers = {{24, BufferAddress{0, 24}}};
  CHECK(run(std::move(task)).front() == 24);
}

TEST_CASE("a variable's address is an argument, and known to who asks the machine") {
  auto task = std::make_unique<Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(
      std::string(ptx_head) + ".visible .global .align 8 .u64 place[4];\n" + kernel("st.global.u64 [%rd0], %rd0;"),
      "test.ptx")));
  task->buffers.push_back({"seen", bytes_of(Words(1))});
  task->variables.push_back(contents(*task, "place", {}));
  KernelLaunch launch;
  launch.module = task->modules.front().get();
  launch.entry = "k";
  launch.block = {1, 1, 1};
  launch.arguments.push_back(VariableAddress{0, 8});
  task->launches.push_back(launch);
  launch.arguments.front() = VariableAddress{0, 32};
  task->launches.push_back(launch);
  Machine machine(std::move(task));
  machine.open(0, 0);
  // One past the end of a variable is nowhere.
  try {
    machine.open(1, 0);
    FAIL("wrote behind a variable");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Contains("variable 'place'") && Contains("0 bytes past its end"));
  }
  CHECK(machine.variable_address(0) > machine.buffer_address(0));
}

TEST_CASE("contents that fit no variable are refused") {
  const auto error_of = [](const std::string& name, std::size_t words, std::vector<Pointer> pointers) {
    auto task = task_of(".visible .const .align 8 .u64 table[3];\n.extern .global .u64 elsewhere;", copies_table);
    task->variables.push_back(contents(*task, name, Words(words)));
    task->variables.front().pointers = std::move(pointers);
    try {
      const Machine machine(std::move(task));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(error_of("table", 3, {{16, BufferAddress{0, 0}}}) == "");
  CHECK_THAT(error_of("table", 4, {}), Contains("test.ptx:") && Contains("24 bytes") && Contains("have 32"));
  CHECK_THAT(error_of("tabel", 3, {}), Contains("did you mean 'table'?"));
  CHECK_THAT(error_of("elsewhere", 1, {}), Contains("no .global or .const variable 'elsewhere'"));
  CHECK_THAT(error_of("table", 3, {{17, BufferAddress{0, 0}}}), Contains("'table'") && Contains("byte 17"));
  CHECK_THAT(error_of("table", 3, {{0, BufferAddress{1, 0}}}), Contains("buffer 1"));
  CHECK_THAT(error_of("table", 3, {{0, VariableAddress{1, 0}}}), Contains("variable 1"));
}

}  // namespace lockstep::contents_test
