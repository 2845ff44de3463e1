// lockstep hash patterns, lockstep hash apply

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::hash_patterns_test {

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
  const std::string kernel = source_dir() + "/traces/kernels/transpose.ptx";
  const Json result = parse_json(
      run({"hash", "apply", kernel, "--hash", "xor", "--kernel", "transpose_tiled", "-o", folder / "x.ptx", "--json"})
          .out);
  CHECK(value(result, "schema") == "lockstep.hash-apply/1");
  REQUIRE(at(result, "kernels").size() == 1);
  CHECK(value<int>(nth(at(result, "kernels"), 0), "accesses") == 2);
  const std::string descriptor =
      folder.write("x.yaml", "extends: " + source_dir() + "/traces/workloads/transpose.yaml\nkernel: x.ptx\n");
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

TEST_CASE("hash apply serves kernels with scratchpads of different sizes that share a function") {
  const TemporaryFolder folder;
  // Thread t puts 3 t + 1 into word `stride` t of its kernel's memory with the common function, and reads it back.
  const auto kernel = [](const std::string& name, const std::string& bytes, const std::string& stride) {
    return ".visible .entry " + name +
           "(.param .u64 out)\n{\n.reg .b32 %r<8>; .reg .b64 %rd<4>;\n.shared .align 4 .b8 of_" + name + "[" + bytes +
           "];\nld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u32 %r2, of_" + name + ";\nmad.lo.u32 %r3, %r1, " +
           stride + ", %r2; mad.lo.u32 %r4, %r1, 3, 1;\n" +
           "{ .param .b32 p; .param .b32 v; st.param.b32 [p], %r3; st.param.b32 [v], %r4; call.uni put, (p, v); }\n"
           "bar.sync 0; ld.shared.u32 %r5, [%r3]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;\n"
           "st.global.u32 [%rd3], %r5; ret;\n}\n";
  };
  folder.write(
      "k.ptx",
      ".version 7.0\n.target sm_50\n.address_size 64\n.func put(.param .b32 place, .param .b32 value)\n{\n"
      ".reg .b32 %r<3>; ld.param.u32 %r1, [place]; ld.param.u32 %r2, [value]; st.shared.u32 [%r1], %r2; ret;\n}\n" +
          kernel("small", "2048", "64") + kernel("large", "16384", "512"));
  for (const char* hash : {"xor", "add", "bits-xor:0^9,1^8,2^7,3^6,4^5"}) {
    INFO(hash);
    REQUIRE(run({"hash", "apply", folder / "k.ptx", "--hash", hash, "-o", folder / "hashed.ptx"}).code == 0);
    for (const char* name : {"small", "large"}) {
      folder.write("k.yaml", std::string("kernel: hashed.ptx\nentry: ") + name +
                                 "\nbuffers: {out: {zero: 32}}\ngrid: 1\nblock: 32\nparameters: [out]\n"
                                 "expect: {out: {each: \"3 * i + 1\"}}\n");
      CHECK(run({"trace", folder / "k.yaml", "-o", folder / "t"}).code == 0);
    }
  }
}

}  // namespace lockstep::hash_patterns_test
