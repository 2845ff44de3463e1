// lockstep hash patterns, lockstep hash apply

#include "tests/system/program.hpp"

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

const Json& nth(const Json& array, std::size_t n) {
  return std::next(array.begin(), static_cast<std::ptrdiff_t>(n))->second;
}

}  // namespace

TEST_CASE("hash patterns gives the transpose the classes, strides and conflicts of section 6.2.2") {
  const std::vector<std::string> sixteen = {"-s", "args.variant=tiled", "-s", "args.tile=16",
                                            "-s", "args.block_rows=16", "-s", "args.width=64",
                                            "-s", "args.height=64"};
  std::vector<std::string> words = {"hash", "patterns", "transpose", "--json"};
  words.insert(words.end(), sixteen.begin(), sixteen.end());
  const Json result = parse_json(run(words).out);
  CHECK(value(result, "schema") == "lockstep.hash-patterns/1");
  REQUIRE(at(result, "instructions").size() == 2);
  const Json &store = nth(at(result, "instructions"), 0), &load = nth(at(result, "instructions"), 1);
  // 16 thread blocks of 8 warps. Loading the tile: consecutive words; storing it: a stride of 16 words along x, of one
  // along y, an 8-way conflict.
  CHECK(value(store, "class") == "linear");
  CHECK(value<int>(store, "executed") == 16 * 8);
  CHECK(value<int>(store, "passes") == 16 * 8);
  CHECK(value(load, "class") == "block");
  CHECK(value<int>(load, "most_passes") == 8);
  CHECK(value<int>(load, "passes") == 16 * 8 * 8);
  for (const char* side : {"analysis", "trace"}) {
    CAPTURE(side);
    const Json& indices = side == std::string("analysis") ? at(at(load, side), "coefficients")
                                                          : at(nth(at(at(load, side), "patterns"), 0), "indices");
    REQUIRE(indices.size() == 2);
    CHECK(value(nth(indices, 0), "index") == "tx");
    CHECK(value<int>(nth(indices, 0), "bytes") == 64);
    CHECK(value(nth(indices, 1), "index") == "ty");
    CHECK(value<int>(nth(indices, 1), "bytes") == 4);
  }
  CHECK(value(at(load, "agreement"), "verdict") == "yes");
  CHECK_THAT(value(load, "source"), Contains("transpose.cu:"));
}

TEST_CASE("hash patterns of a trace has no analysis, and the same classes") {
  const TemporaryFolder folder;
  REQUIRE(run({"trace", "reduction", "-o", folder / "r.trace"}).code == 0);
  const Json of_trace = parse_json(run({"hash", "patterns", folder / "r.trace", "--json"}).out);
  const Json of_workload = parse_json(run({"hash", "patterns", "reduction", "--json"}).out);
  REQUIRE(at(of_trace, "instructions").size() == at(of_workload, "instructions").size());
  for (std::size_t i = 0; i < at(of_trace, "instructions").size(); ++i) {
    const Json &one = nth(at(of_trace, "instructions"), i), &other = nth(at(of_workload, "instructions"), i);
    CHECK(value(one, "class_from") == "trace");
    CHECK(value(at(one, "trace"), "class") == value(at(other, "trace"), "class"));
    CHECK(value(one, "passes") == value(other, "passes"));
    CHECK(value(at(other, "agreement"), "verdict") != "no");
  }
  CHECK(run({"hash", "patterns", folder / "r.trace", "-s", "args.bins=3"}).code == 2);
  CHECK(run({"hash", "patterns", "reductoin"}).code == 2);
}

TEST_CASE("hash apply writes a kernel that a descriptor can run") {
  const TemporaryFolder folder;
  const std::string kernel = LOCKSTEP_SOURCE_DIR "/traces/kernels/transpose.ptx";
  const Json result = parse_json(
      run({"hash", "apply", kernel, "--hash", "xor", "--kernel", "transpose_tiled", "-o", folder / "x.ptx", "--json"})
          .out);
  CHECK(value(result, "schema") == "lockstep.hash-apply/1");
  REQUIRE(at(result, "kernels").size() == 1);
  CHECK(value<int>(nth(at(result, "kernels"), 0), "accesses") == 2);
  const std::string descriptor =
      folder.write("x.yaml", "extends: " LOCKSTEP_SOURCE_DIR "/traces/workloads/transpose.yaml\nkernel: x.ptx\n");
  const std::vector<std::string> tiled = {"-s", "args.variant=tiled", "-s", "args.width=128", "-s", "args.height=128"};
  const auto passes_of = [&](const std::string& workload, std::vector<std::string> further) {
    std::vector<std::string> words = {"hash", "patterns", workload, "--json"};
    words.insert(words.end(), tiled.begin(), tiled.end());
    words.insert(words.end(), further.begin(), further.end());
    const Json patterns = parse_json(run(words).out);
    int passes = 0;
    for (const auto& one : at(patterns, "instructions")) passes += value<int>(one.second, "passes");
    return passes;
  };
  // 16 tiles of 32 rows: written row by row, read column by column, each without a conflict once hashed.
  CHECK(passes_of(descriptor, {}) == 16 * 32 * 2);
  CHECK(passes_of("transpose", {"-s", "args.software_hash=xor"}) == 16 * 32 * 2);
  CHECK(passes_of("transpose", {}) == 16 * 32 + 16 * 32 * 32);
  std::vector<std::string> trace = {"trace", descriptor, "-o", folder / "x.trace"};
  trace.insert(trace.end(), tiled.begin(), tiled.end());
  CHECK(run(trace).code == 0);
  const Outcome unknown =
      run({"hash", "apply", kernel, "--hash", "xor", "--kernel", "transpose_tile", "-o", folder / "y"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("did you mean 'transpose_tiled'?"));
}
