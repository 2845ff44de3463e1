// Kernels that name functions of the CUDA device runtime: what nvcc makes of assert, printf and malloc.
#include <catch2/catch.hpp>

#include "isa/ptx/static_program.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::runtime_call_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// Runs a kernel of cold_paths.cu with eight threads on `data` and a number; gives the data afterwards.
std::vector<std::uint32_t> run(const std::string& entry, const std::vector<std::uint32_t>& data, std::uint32_t number,
                               std::vector<std::string>* printed = nullptr) {
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(
      ptx::parse_file(source_dir() + "/tests/unit/isa/ptx/inputs/nvcc_cold_paths.ptx")));
  task->buffers.push_back({"data", bytes_of(data)});
  if (printed != nullptr) task->print = [=](std::string_view line) { printed->emplace_back(line); };
  exec::KernelLaunch launch;
  launch.module = task->modules[0].get();
  launch.entry = entry;
  launch.block = {8, 1, 1};
  launch.arguments = {exec::BufferAddress{0, 0}, bytes_of(std::vector<std::uint32_t>{number})};
  task->launches.push_back(std::move(launch));
  exec::Machine machine(std::move(task));
  // With a trace, as replay does.
  machine.open(0, 0);
  return values_of<std::uint32_t>(machine.buffer(0));
}

std::string error(const std::string& entry, const std::vector<std::uint32_t>& data, std::uint32_t number) {
  try {
    run(entry, data, number);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("assertions that hold change nothing; one that does not names itself, its line and its thread", "[exec]") {
  CHECK(run("checked", {0, 1, 2, 3, 4, 5, 6, 7}, 8) == std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10, 12, 14});
  // Thread 5 holds 9.
  CHECK_THAT(error("checked", {0, 1, 2, 3, 4, 9, 6, 9}, 8),
             Contains("cold_paths.cu:8") && Contains("kernel 'checked'") && Contains("thread (5,0,0)") &&
                 Contains("'value < limit'") && Contains("'void checked(unsigned int *, unsigned int)'"));
}

TEST_CASE("printf prints in the lanes that call it, marked with block and thread, and returns its arguments' number",
          "[exec]") {
  std::vector<std::string> printed;
  CHECK(run("printing", {1, 2, 3, 3, 3, 2, 1, 3}, 3, &printed) == std::vector<std::uint32_t>{7, 7, 2, 2, 2, 7, 7, 2});
  CHECK(printed == std::vector<std::string>{
                       "block (0,0,0) thread (2,0,0): thread 2 has 3", "block (0,0,0) thread (3,0,0): thread 3 has 3",
                       "block (0,0,0) thread (4,0,0): thread 4 has 3", "block (0,0,0) thread (7,0,0): thread 7 has 3"});
  // Nobody takes the lines.
  CHECK(run("printing", {3, 0, 0, 0, 0, 0, 0, 0}, 3)[0] == 2);
}

TEST_CASE("what was printed before an error is shown", "[exec]") {
  std::vector<std::string> printed;
  Body body;
  body.before =
      ".extern .func (.reg .b32 r) vprintf (.reg .b64 format, .reg .b64 list);\n"
      ".global .align 1 .b8 text[3] = \"hi\";\n";
  body.body = "mov.u64 %rd3, text; mov.u64 %rd4, 0; call (%r5), vprintf, (%rd3, %rd4); trap;";
  body.threads = 1;
  auto task = body.program().task();
  task->print = [&](std::string_view line) { printed.emplace_back(line); };
  exec::Machine machine(std::move(task));
  CHECK_THROWS_AS(machine.finish(), InputError);
  CHECK(printed == std::vector<std::string>{"block (0,0,0) thread (0,0,0): hi"});
}

TEST_CASE("malloc gives memory that free takes back", "[exec]") {
  CHECK(run("allocating", {0, 1, 2, 30, 4, 50, 6, 7}, 8) == std::vector<std::uint32_t>{1, 2, 3, 30, 5, 50, 7, 8});
}

TEST_CASE("free of what malloc has not given is an error, free of null is none, and too much memory is null",
          "[exec]") {
  const std::string declared =
      ".extern .func (.reg .b64 r) malloc (.reg .b64 bytes);\n.extern .func free (.reg .b64 address);\n";
  Body body;
  body.before = declared;
  body.body = "mov.u64 %rd3, 64; call free, (%rd3);";
  CHECK_THAT(body.program().error(), Contains("free of 0x40") && Contains("thread (0,0,0)"));
  body.body = "mov.u64 %rd3, 16; call (%rd4), malloc, (%rd3); call free, (%rd4); call free, (%rd4);";
  CHECK_THAT(body.program().error(), Contains("free already"));
  CHECK(run_body("mov.u64 %rd3, 0; call free, (%rd3); mov.u64 %rd3, 8388609; call (%rd4), malloc, (%rd3);\n"
                 "st.global.u64 [%rd1], %rd4;",
                 declared) == expected([](std::uint64_t) { return 0; }));
  // 32 threads share 8 MiB: all of a quarter each cannot have it, nor four, with what stands between allocations.
  CHECK(run_body("mov.u64 %rd3, 2097152; call (%rd4), malloc, (%rd3); setp.ne.u64 %p1, %rd4, 0;\n"
                 "selp.u64 %rd5, 1, 0, %p1; st.global.u64 [%rd1], %rd5;",
                 declared) == expected([](std::uint64_t t) { return t < 3 ? 1u : 0u; }));
}

TEST_CASE("runtime functions take and return registers too, and a body in the file comes first", "[exec]") {
  const std::string declared = ".extern .func (.reg .b32 r) vprintf (.reg .b64 format, .reg .b64 list);\n";
  CHECK(run_body("mov.u32 %r5, 9; setp.lt.u32 %p1, %r0, 16;\n@%p1 call (%r5), vprintf, (%rd0, %rd1);\n"
                 "cvt.u64.u32 %rd2, %r5; st.global.u64 [%rd1], %rd2;",
                 declared) == expected([](std::uint64_t t) { return t < 16 ? 0u : 9u; }));
  const std::string own = ".func (.reg .b32 r) vprintf (.reg .b64 format, .reg .b64 list) { mov.u32 r, 5; ret; }\n";
  CHECK(run_body("call (%r5), vprintf, (%rd0, %rd1);\ncvt.u64.u32 %rd2, %r5; st.global.u64 [%rd1], %rd2;", own)[3] ==
        5);
  Body body;
  body.before =
      ".extern .func __assertfail (.reg .b64 a, .reg .b64 b, .reg .b32 c, .reg .b64 d, .reg .b64 e);\n"
      ".global .align 1 .b8 text[6] = {120, 32, 62, 32, 48, 0};\n";
  body.body = "mov.u64 %rd3, text; call __assertfail, (%rd3, %rd3, 7, %rd3, 1);";
  CHECK_THAT(body.program().error(), Contains("x > 0") && Contains("thread (0,0,0)"));
}

TEST_CASE("a call of a runtime function reads its arguments and writes its results in the static program", "[exec]") {
  const ptx::Module module = ptx::parse_file(source_dir() + "/tests/unit/isa/ptx/inputs/nvcc_cold_paths.ptx");
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "printing"));
  unsigned calls = 0;
  for (const program::StaticInstruction& i : kernel.instructions) {
    if (i.control != program::Control::call) continue;
    ++calls;
    CHECK(i.sources.size() == 2);
    CHECK(i.destinations.size() == 1);
  }
  CHECK(calls == 1);
}

}  // namespace lockstep::runtime_call_test
