// What kernels print, as a user sees it.

#include "tests/system/program.hpp"

namespace lockstep::printf_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Two blocks of two threads print their thread number; `last` stands behind that.
std::string workload(const TemporaryFolder& folder, const std::string& last) {
  folder.write("hello.ptx", R"(.version 6.4
.target sm_35
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 text[11] = "thread %u\n";
.visible .entry hello() {
  .reg .b32 %thread;
  .reg .b64 %text, %values;
  .reg .pred %none;
  .local .align 8 .b8 values[8];
  mov.u32 %thread, %tid.x;
  st.local.u32 [values], %thread;
  mov.u64 %values, values;
  cvta.local.u64 %values, %values;
  mov.u64 %text, text;
  cvta.global.u64 %text, %text;
  {
    .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %text;
    st.param.b64 [b], %values;
    call (r), vprintf, (a, b);
  }
)" + last + "\n  ret;\n}\n");
  return folder.write("hello.yaml", "kernel: hello.ptx\ngrid: 2\nblock: 2\n");
}

const std::string lines =
    "block (0,0,0) thread (0,0,0): thread 0\n"
    "block (0,0,0) thread (1,0,0): thread 1\n"
    "block (1,0,0) thread (0,0,0): thread 0\n"
    "block (1,0,0) thread (1,0,0): thread 1\n";

}  // namespace

TEST_CASE("printf writes to standard output, and to standard error where the JSON result stands on standard output") {
  const TemporaryFolder folder;
  const std::string hello = workload(folder, "");
  const Outcome plain = run({"trace", hello, "-o", folder / "hello.trace"});
  CHECK(plain.code == 0);
  CHECK(plain.out.starts_with(lines));
  const Outcome json = run({"trace", hello, "-o", folder / "hello.trace", "--json"});
  CHECK(json.code == 0);
  CHECK(json.out.starts_with("{"));
  CHECK_THAT(json.out, !Contains("thread"));
  CHECK(json.err.starts_with(lines));
}

TEST_CASE("what a kernel printed before its error stands in front of the error") {
  const TemporaryFolder folder;
  const Outcome failed = run({"trace", workload(folder, "  trap;"), "-o", folder / "hello.trace"});
  CHECK(failed.code == 2);
  CHECK(failed.out == lines.substr(0, lines.size() / 2));
  CHECK_THAT(failed.err, Contains("hello.ptx:23") && Contains("executed a trap") && Contains("thread (0,0,0)"));
}

TEST_CASE("a trace is whole where the lines of its kernel cannot be written, which is a failed resource") {
  const TemporaryFolder folder;
  const std::string hello = workload(folder, ""),
                    wrong = folder.write(
                        "wrong.yaml",
                        contents(hello) + "buffers: {none: {zero: 1, type: u32}}\nexpect: {none: {values: [1]}}\n");
  REQUIRE(run({"trace", hello, "-o", folder / "expected.trace"}).code == 0);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  REQUIRE(full >= 0);
  const auto trace = [&](const std::string& given, const std::string& file) {
    return exit_code(start({"trace", given, "-o", file, "--keep-on-mismatch"}, full, folder / "err"));
  };
  CHECK(trace(hello, folder / "hello.trace") == 3);
  CHECK_THAT(contents(folder / "err"), Contains("standard output: No space left on device"));
  CHECK(std::filesystem::file_size(folder / "hello.trace") > 0);
  CHECK(run({"replay", folder / "hello.trace", "--gpu", "gtx580"}).code == 0);
  CHECK(trace(wrong, folder / "wrong.trace") == 3);
  CHECK(run({"replay", folder / "wrong.trace", "--gpu", "gtx580"}).code == 0);
  // Without a trace to keep there is nothing else to print.
  CHECK(exit_code(start({"trace", wrong, "--quiet"}, full, folder / "err")) == 3);
  CHECK_THAT(contents(folder / "err"), Contains("differs from the expected result") && Contains("standard output: "));
  // With JSON the lines stand on standard error, and the result cannot be written.
  CHECK(exit_code(start({"trace", hello, "-o", folder / "json.trace", "--json"}, full, folder / "err")) == 3);
  CHECK(contents(folder / "err").starts_with(lines));
  CHECK(std::filesystem::exists(folder / "json.trace"));
  close(full);
}

TEST_CASE("commands that execute a workload show its lines as trace does") {
  const TemporaryFolder folder;
  const Outcome patterns = run({"hash", "patterns", workload(folder, "")});
  CHECK(patterns.code == 0);
  CHECK(patterns.out.starts_with(lines));
}

TEST_CASE("a sweep says of each point how many lines its kernels printed, and the command that shows them") {
  const TemporaryFolder folder;
  workload(folder, "");
  const std::string hello =
      folder.write("hello.yaml", "arguments: {blocks: 2}\nkernel: hello.ptx\ngrid: blocks\nblock: 2\n");
  const std::string file = folder.write("sweep.yaml", "name: sweep\ngpu: gtx580\nworkload: " + hello +
                                                          "\nsweep: {args.blocks: [1, 3], sm.integer.latency: [18, 20]}"
                                                          "\ntable: [args.blocks, cycles]\n");
  const std::vector<std::string> words = {"run", file, "-o", folder / "out"};
  const Outcome sweep = run(words);
  INFO(sweep.err);
  REQUIRE(sweep.code == 0);
  const std::string of_3 =
      "kernels printed 6 lines: `lockstep trace " + hello + " -s args.blocks=3 -o FILE` shows them";
  CHECK_THAT(sweep.err, Contains("note: " + of_3 + "\n") && Contains("note: kernels printed 2 lines: "));
  CHECK(sweep.err.find(of_3) == sweep.err.rfind(of_3));  // Not once for each point that replays the execution.
  CHECK_THAT(sweep.out, !Contains("thread"));
  const Json json = parse_json(contents(folder / "out/results.json"));
  std::size_t points = 0;
  for (const auto& [name, point] : at(json, "points")) {
    const std::string expected = value(at(point, "point"), "args.blocks") == "3" ? "6 lines" : "2 lines";
    REQUIRE(at(point, "notes").size() == 1);
    CHECK_THAT(at(point, "notes").front().second.data(), Contains(expected));
    ++points;
  }
  CHECK(points == 4);
  CHECK_THAT(run(words).err, Contains("4 of 4 points taken over") && Contains("note: " + of_3));
}

TEST_CASE("a point that a kernel's trap ends says that the kernel printed before it") {
  const TemporaryFolder folder;
  const std::string hello = workload(folder, "  trap;");
  const std::string file =
      folder.write("one.yaml", "name: one\ngpu: gtx580\nworkload: " + hello + "\ntable: [cycles]\n");
  const Outcome one = run({"run", file, "-o", folder / "out"});
  CHECK(one.code == 2);
  CHECK_THAT(one.err, Contains("executed a trap") && Contains("kernels printed 2 lines"));
}

}  // namespace lockstep::printf_test
