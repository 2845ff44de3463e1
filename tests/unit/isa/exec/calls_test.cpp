// Recursion, function pointers and virtual functions as nvcc and clang compile them (calls.cu), and calls at their edges.
// Expected values are computed here by the host.
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "isa/trace/stream.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::calls_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

constexpr std::uint32_t threads = 64;

std::unique_ptr<exec::Task> task_of(const std::string& compiler, const std::string& entry,
                                    const std::vector<std::int32_t>& out, std::uint32_t call_depth) {
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(
      ptx::parse_file(source_dir() + "/tests/unit/isa/ptx/inputs/" + compiler + "_calls.ptx")));
  task->buffers.push_back({"out", bytes_of(out)});
  task->call_depth = call_depth;
  exec::KernelLaunch launch;
  launch.module = task->modules[0].get();
  launch.entry = entry;
  launch.block = {threads, 1, 1};
  launch.arguments = {exec::BufferAddress{0, 0}};
  if (entry == "call_address") launch.arguments.emplace_back(bytes_of(std::vector<std::uint64_t>{0x4d}));
  task->launches.push_back(std::move(launch));
  return task;
}

std::vector<std::int32_t> run(const std::string& compiler, const std::string& entry,
                              std::vector<std::int32_t> out = std::vector<std::int32_t>(threads),
                              std::uint32_t call_depth = 0) {
  exec::Machine machine(task_of(compiler, entry, out, call_depth));
  machine.open(0, 0);  // With a trace.
  return values_of<std::int32_t>(machine.buffer(0));
}

template <class F>
std::vector<std::int32_t> each(F&& of_thread) {
  std::vector<std::int32_t> values(threads);
  for (std::uint32_t t = 0; t < threads; ++t) values[t] = of_thread(static_cast<std::int32_t>(t));
  return values;
}

std::int32_t fibonacci(std::int32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
std::int32_t ackermann(std::int32_t m, std::int32_t n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
std::int32_t even(std::int32_t n);
std::int32_t odd(std::int32_t n) {
  return n == 0 ? 0 : even(n - 1) + 10 * n + n % 4;
}
std::int32_t even(std::int32_t n) {
  return n == 0 ? 3 : odd(n - 1) + n + n % 4;
}

}  // namespace

TEST_CASE("recursive functions have registers and local memory of their own in each activation", "[exec]") {
  const std::string compiler = GENERATE("nvcc", "clang");
  CAPTURE(compiler);
  CHECK(run(compiler, "fibonaccis") == each([](std::int32_t t) { return fibonacci(t % 16); }));
  CHECK(run(compiler, "ackermanns") == each([](std::int32_t t) { return ackermann(t % 3, t % 5); }));
  CHECK(run(compiler, "evens") == each([](std::int32_t t) { return even(t % 20); }));

  std::vector<std::int32_t> numbers(16 * threads);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i * 7919 % 1009);
  std::vector<std::int32_t> sorted = numbers;
  for (std::uint32_t t = 0; t < threads; ++t) std::sort(sorted.begin() + 16 * t, sorted.begin() + 16 * (t + 1));
  CHECK(run(compiler, "sorts", numbers) == sorted);
}

TEST_CASE("virtual functions and tables of functions are called in the lanes that ask for them", "[exec]") {
  const std::string compiler = GENERATE("nvcc", "clang");
  CAPTURE(compiler);
  CHECK(run(compiler, "shapes") ==
        each([](std::int32_t t) { return t % 2 == 0 ? t * t * 10 + 4 : 3 * (t + 1) * (t + 1) * 10; }));
  const std::int32_t last = 31 - 7;
  CHECK(run(compiler, "dispatch") == each([&](std::int32_t t) {
          const std::int32_t mine = t % 3 == 0 ? t + 7 : t % 3 == 1 ? t - 7 : t * 7;
          return mine + (t % 2 == 0 ? t * last : t + last);
        }));
}

TEST_CASE("recursion that does not end is an error with its depth, which a task sets", "[exec]") {
  const std::string compiler = GENERATE("nvcc", "clang");
  CHECK_THROWS_WITH(run(compiler, "overflow"), Contains("stack overflow: depth 1024 in function") &&
                                                   Contains("calls.cu:91") && Contains("thread (0,0,0)") &&
                                                   Contains("'call_depth'"));
  // fibonacci(15) has 15 activations that wait for each other: those of 15 to 1.
  CHECK_THROWS_WITH(run(compiler, "fibonaccis", std::vector<std::int32_t>(threads), 14), Contains("depth 14"));
  CHECK_NOTHROW(run(compiler, "fibonaccis", std::vector<std::int32_t>(threads), 15));
}

TEST_CASE("a call of what is no function says its line and the address", "[exec]") {
  CHECK_THROWS_WITH(run("nvcc", "call_address"), Contains("calls.cu:") && Contains("thread (0,0,0)") &&
                                                     Contains("the address 0x4d, which is not that of a function"));
  Body body;
  body.body = "mov.u32 %r5, 77; call %r5, P; P: .callprototype _ ();";
  CHECK_THAT(body.program().error(), Contains("the address 0x4d, which is not that of a function"));
  body.before = ".extern .func missing;\n.func (.reg .b64 y) twice(.reg .b64 x) { add.u64 y, x, x; ret; }\n";
  body.body = "mov.u64 %rd3, missing; call %rd3, P; P: .callprototype _ ();";
  CHECK_THAT(body.program().error(), Contains("'missing'") && Contains("no body"));
  body.body = "mov.u64 %rd3, twice; call %rd3, P; P: .callprototype _ ();";
  CHECK_THAT(body.program().error(), Contains("'twice'") && Contains("other values"));
  body.body = "mov.u64 %rd3, twice; ld.global.u64 %rd4, [%rd3];";
  CHECK_THAT(body.program().error(), Contains("that of a function") && Contains("'twice'"));
}

TEST_CASE("lanes that return, exit or are not called at different times meet behind a call through a register",
          "[exec]") {
  const std::string functions =
      ".func (.reg .b64 y) twice(.reg .b64 x) { .reg .pred p; setp.gt.u64 p, x, 20; mov.u64 y, 1; @p ret;\n"
      "add.u64 y, x, x; ret; }\n"
      ".func (.reg .b64 y) leaves(.reg .b64 x) { .reg .pred p; setp.eq.u64 p, x, 5; @p exit; add.u64 y, x, 100; ret; "
      "}\n"
      ".global .u64 functions[2] = {twice, leaves};\n";
  const auto found = run_body(
      "cvt.u64.u32 %rd2, %r0; mov.u64 %rd6, 7; and.b32 %r1, %r0, 1; mul.wide.u32 %rd3, %r1, 8;\n"
      "mov.u64 %rd4, functions; add.u64 %rd4, %rd4, %rd3; ld.global.u64 %rd5, [%rd4];\n"
      "setp.ne.u32 %p1, %r0, 8; @%p1 call (%rd6), %rd5, (%rd2), P;\nP: .callprototype (.reg .b64 _) _ (.reg .b64 _);\n"
      "vote.sync.ballot.b32 %r2, 1, 0xffffffdf; cvt.u64.u32 %rd7, %r2; shl.b64 %rd7, %rd7, 32;\n"
      "or.b64 %rd6, %rd6, %rd7; st.global.u64 [%rd1], %rd6;",
      functions);
  for (std::uint64_t t = 0; t < 32; ++t) {
    CAPTURE(t);
    const std::uint64_t value = t == 8 ? 7 : t % 2 == 1 ? t + 100 : t > 20 ? 1 : 2 * t;
    CHECK(found[t] == (t == 5 ? 0 : 0xffffffdf00000000 | value));
  }
}

TEST_CASE("a kernel may call what another kernel of its module has put into memory", "[exec]") {
  Program two;
  two.ptx =
      ".func (.reg .b64 y) answer() { mov.u64 y, 42; ret; }\n"
      ".visible .entry store(.param .u64 out) { .reg .b64 %a, %f; ld.param.u64 %a, [out]; mov.u64 %f, answer;\n"
      "st.global.u64 [%a], %f; ret; }\n"
      ".visible .entry k(.param .u64 out) { .reg .b64 %a, %f, %y; ld.param.u64 %a, [out]; ld.global.u64 %f, [%a];\n"
      "call (%y), %f, (), P;\nP: .callprototype (.reg .b64 _) _ ();\nst.global.u64 [%a], %y; ret; }\n";
  two.block = {1, 1, 1};
  two.buffers.push_back({"out", std::vector<std::uint8_t>(8)});
  auto task = std::make_unique<exec::Task>();
  task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(ptx_head + two.ptx, "test.ptx")));
  task->buffers = two.buffers;
  for (const char* entry : {"store", "k"}) {
    exec::KernelLaunch launch;
    launch.module = task->modules[0].get();
    launch.entry = entry;
    launch.arguments = {exec::BufferAddress{0, 0}};
    task->launches.push_back(launch);
  }
  exec::Machine machine(std::move(task));
  machine.finish();
  CHECK(values_of<std::uint64_t>(machine.buffer(0)) == std::vector<std::uint64_t>{42});
}

TEST_CASE("the static program of a recursive kernel has room for its stack, and can be lowered", "[exec]") {
  exec::Machine machine(task_of("clang", "evens", std::vector<std::int32_t>(threads), 0));
  const program::Kernel& kernel = machine.header().kernels[0];
  // 1,024 activations with an array of 16 bytes each.
  CHECK(kernel.local_bytes >= 1024 * 16);
  CHECK(kernel.live_registers < 64);
  CHECK_FALSE(machine::lower(kernel, {"volta"}).instructions.empty());
}

}  // namespace lockstep::calls_test
