// lockstep trace --instrument, lockstep instrument and lockstep import capture.

#include "isa/capture/device_log.hpp"
#include "tests/places.hpp"
#include "tests/system/program.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Three threads of a kernel with one block, which stores to 0x1000, 0x1004 and 0x1008.
std::string write_log(const TemporaryFolder& folder) {
  const std::string ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b64 %rd<2>;\n"
      "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 1; ret; }\n";
  const capture::LogVariable variable{0, 8 * capture::fixed_header_words, 64, capture::log_version};
  std::vector<std::uint64_t> words(capture::fixed_header_words + 3 * variable.chunk_bytes / 8);
  words[capture::next_chunk_word] = 8 * words.size();
  for (std::size_t thread = 0; thread < 3; ++thread) {
    const std::size_t record =
        capture::fixed_header_words + thread * variable.chunk_bytes / 8 + capture::chunk_header_words;
    words[record] = capture::record_word(2, 0);
    words[record + 1] = 0x1000 + 4 * thread;
  }
  capture::LogWriter writer(folder / "k.log");
  writer.line("gpu some GPU");
  writer.line("workload three-threads");
  writer.add_module("k.ptx", ptx);
  capture::LoggedLaunch launch;
  launch.entry = "k";
  launch.block[0] = 3;
  writer.add_launch(launch, capture::DeviceLog(words.data(), 8 * words.size(), variable), words.data(), variable);
  writer.finish();
  return folder / "k.log";
}

}  // namespace

TEST_CASE("A folder for a real GPU can have kernels that log, and what their log says of the workload") {
  const TemporaryFolder folder;
  const std::string launches = folder / "launches";
  REQUIRE(
      run({"trace", "vector-add", "-s", "args.length=1000", "-o", folder / "t", "--launches", launches, "--instrument"})
          .code == 0);
  CHECK_THAT(contents(launches + "/launches.txt"),
             Contains("instrumented 0 module-0.instrumented.ptx ") && Contains("log argument length 1000\n"));
  CHECK_THAT(contents(launches + "/module-0.instrumented.ptx"), Contains("lockstep_log[4] = {0, "));
  CHECK(contents(launches + "/module-0.ptx").find("lockstep_log") == std::string::npos);
  const Outcome alone = run({"trace", "vector-add", "-o", folder / "t", "--instrument"});
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("--launches"));
  const Outcome textures = run({"trace", "texture-gather", "-o", folder / "t", "--launches", launches, "--instrument"});
  CHECK(textures.code == 2);
  CHECK_THAT(textures.err, Contains("texture.ptx:") && Contains("cannot be logged"));
}

TEST_CASE("An imported log is a trace that says where it comes from") {
  const TemporaryFolder folder;
  const Outcome imported = run({"import", "capture", write_log(folder), "-o", folder / "k.trace", "--json"});
  INFO(imported.err);
  REQUIRE(imported.code == 0);
  const Json json = parse_json(imported.out);
  CHECK(value(json, "schema") == "lockstep.import-capture/1");
  CHECK(value(json, "workload") == "three-threads");
  CHECK(value<int>(json, "records") == 3);
  CHECK_THAT(run({"info", folder / "k.trace"}).out, Contains("gpu: some GPU") && Contains("3 warp instructions"));
  CHECK(run({"replay", folder / "k.trace", "--gpu", "gtx580"}).code == 0);
}

TEST_CASE("A damaged log is refused with its place, and leaves no trace") {
  const TemporaryFolder folder;
  std::string log = contents(write_log(folder));
  log[log.size() / 2] = static_cast<char>(log[log.size() / 2] ^ 1);
  const Outcome damaged = run({"import", "capture", folder.write("damaged.log", log), "-o", folder / "t.trace"});
  CHECK(damaged.code == 2);
  CHECK_THAT(damaged.err, Contains("damaged.log: byte ") && Contains("checksum"));
  CHECK(run({"import", "capture", folder / "missing.log", "-o", folder / "t.trace"}).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "t.trace"));
  CHECK(run({"import", "capture", folder / "k.log", "-o", "/no/such/folder/t.trace"}).code == 3);
}

TEST_CASE("A file of kernels is instrumented for a program of one's own") {
  const TemporaryFolder folder;
  const std::string kernels = source_dir() + "/traces/kernels/";
  const Outcome done = run({"instrument", kernels + "histogram.ptx", "-o", folder / "h.ptx", "--json"});
  REQUIRE(done.code == 0);
  CHECK(value<int>(parse_json(done.out), "functions") == 2);
  CHECK(value<int>(parse_json(done.out), "log_bytes_per_thread") == 512);
  CHECK_THAT(contents(folder / "h.ptx"), Contains("atom.global.add.u64"));
  const Outcome again = run({"instrument", folder / "h.ptx", "-o", folder / "g.ptx"});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, Contains("h.ptx:") && Contains("instrumented already"));
  CHECK(run({"instrument", folder / "none.ptx", "-o", folder / "g.ptx"}).code == 2);
}
