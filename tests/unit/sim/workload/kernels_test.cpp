// Every committed kernel, compiled by clang and by nvcc, on the functional machine against the references.
#include <catch2/catch.hpp>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::kernels_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

/// Executes a descriptor and checks its results.
CheckResult execute(const std::string& path, const ArgumentOverrides& overrides = {}) {
  const Workload workload = Workload::load(path);
  exec::Machine machine(workload.build(overrides));
  machine.finish();
  return workload.check(overrides, machine);
}

/// The committed descriptors with the PTX of one of the two compilers.
class Compiled {
 public:
  explicit Compiled(const std::string& compiler) {
    const std::string home = source_dir();
    const std::string ptx =
        compiler == "nvcc" ? home + "/tests/unit/sim/workload/nvcc_inputs/" : home + "/traces/kernels/";
    for (const auto& [workload, kernel] :
         {std::pair{"histogram", "histogram"}, std::pair{"vector-add", "vector_add"},
          std::pair{"convolution", "convolution"}, std::pair{"transpose", "transpose"}}) {
      folder_.write(std::string(workload) + ".yaml",
                    "extends: " + home + "/traces/workloads/" + workload + ".yaml\nkernel: " + ptx + kernel + ".ptx\n");
    }
  }
  void run(const std::string& workload, const ArgumentOverrides& overrides) const {
    std::string shown = workload;
    for (const auto& [name, value] : overrides) shown += " " + name + "=" + value;
    CAPTURE(shown);
    const CheckResult result = execute(folder_ / (workload + ".yaml"), overrides);
    CHECK(result.checked);
    CHECK(result.message == "");
    CHECK(result.passed);
  }
  const test::TemporaryFolder& folder() const { return folder_; }

 private:
  test::TemporaryFolder folder_;
};

/// A PGM of 12-bit grey whose pixels all differ from their neighbours.
std::string picture(unsigned width, unsigned height) {
  std::string bytes = "P5 " + std::to_string(width) + " " + std::to_string(height) + " 4095\n";
  for (unsigned i = 0; i < width * height; ++i) {
    const unsigned level = (i * 2654435761u) >> 20;
    bytes += static_cast<char>(level >> 8);
    bytes += static_cast<char>(level & 255);
  }
  return bytes;
}

}  // namespace

TEST_CASE("the histogram kernels count right in every layout, order and width of reads") {
  const auto compiler = GENERATE(as<std::string>(), "clang", "nvcc");
  const Compiled compiled(compiler);
  CAPTURE(compiler);
  for (const char* layout : {"hist-major", "hist-major-padded", "bin-major"}) {
    for (const char* order : {"naive", "interleaved", "contiguous"}) {
      for (const char* width : {"1", "4"}) {
        compiled.run("histogram", {{"input", "uniform"},
                                   {"length", "6007"},
                                   {"bins", "64"},
                                   {"replication", "5"},
                                   {"blocks", "3"},
                                   {"threads", "96"},
                                   {"layout", layout},
                                   {"order", order},
                                   {"pixels_per_read", width}});
      }
    }
  }
}

TEST_CASE("the histogram kernels count right at awkward sizes") {
  const auto compiler = GENERATE(as<std::string>(), "clang", "nvcc");
  const Compiled compiled(compiler);
  CAPTURE(compiler);
  struct Shape {
    const char *length, *blocks, *threads, *bins, *replication;
  };
  for (const Shape shape : {Shape{"1", "1", "1", "32", "1"}, Shape{"3", "2", "32", "33", "2"},
                            Shape{"4099", "5", "33", "100", "32"},  // a last warp with one lane
                            Shape{"1025", "4", "100", "4096", "2"}, Shape{"777", "7", "48", "1", "3"},
                            Shape{"5000", "1", "1024", "2048", "6"}}) {
    for (const char* order : {"naive", "interleaved", "contiguous"}) {
      for (const char* width : {"1", "4"}) {
        compiled.run("histogram", {{"input", "equal-neighbours"},
                                   {"run", "3"},
                                   {"length", shape.length},
                                   {"blocks", shape.blocks},
                                   {"threads", shape.threads},
                                   {"bins", shape.bins},
                                   {"replication", shape.replication},
                                   {"order", order},
                                   {"pixels_per_read", width}});
      }
    }
  }
  compiled.run("histogram", {{"input", "degenerate"}, {"length", "2000"}, {"blocks", "2"}, {"threads", "64"}});
}

TEST_CASE("the histogram of a photograph equals the reference") {
  Compiled("clang").run("histogram", {{"image", "raccoon-small"}, {"threads", "256"}});
  Compiled("clang").run("histogram", {});
}

TEST_CASE("the convolution kernels are right for every shape of image and block") {
  const auto compiler = GENERATE(as<std::string>(), "clang", "nvcc");
  const Compiled compiled(compiler);
  CAPTURE(compiler);
  for (const auto& [width, height] : {std::pair{1u, 1u}, std::pair{1u, 70u}, std::pair{70u, 1u}, std::pair{33u, 9u},
                                      std::pair{64u, 16u}, std::pair{45u, 37u}}) {
    const std::string image = compiled.folder().write("picture.pgm", picture(width, height));
    for (const char* variant : {"global", "tiled"}) {
      for (const auto& [columns, rows] : {std::pair{"32", "8"}, std::pair{"16", "16"}, std::pair{"5", "3"}}) {
        compiled.run("convolution", {{"image", image},
                                     {"variant", variant},
                                     {"block_width", columns},
                                     {"block_height", rows},
                                     {"corner", "-0.1"},
                                     {"edge", "0.3"},
                                     {"centre", "1.7"}});
      }
    }
  }
  compiled.run("convolution", {{"image", "raccoon-small"}});
}

TEST_CASE("the transpose kernels are right for every shape of matrix and block") {
  const auto compiler = GENERATE(as<std::string>(), "clang", "nvcc");
  const Compiled compiled(compiler);
  CAPTURE(compiler);
  for (const auto& [width, height] : {std::pair{"1", "1"}, std::pair{"1", "65"}, std::pair{"100", "1"},
                                      std::pair{"32", "64"}, std::pair{"33", "31"}, std::pair{"70", "95"}}) {
    for (const char* variant : {"naive", "tiled", "padded"}) {
      for (const char* rows : {"1", "8", "5", "32"}) {
        compiled.run("transpose", {{"width", width}, {"height", height}, {"variant", variant}, {"block_rows", rows}});
      }
    }
  }
}

TEST_CASE("the vector-add kernel is right for every number of elements and threads") {
  const auto compiler = GENERATE(as<std::string>(), "clang", "nvcc");
  const Compiled compiled(compiler);
  CAPTURE(compiler);
  for (const char* length : {"1", "31", "1000", "4096", "5001"}) {
    for (const auto& [blocks, threads] : {std::pair{"1", "1"}, std::pair{"3", "65"}, std::pair{"64", "256"}}) {
      compiled.run("vector-add", {{"length", length}, {"blocks", blocks}, {"threads", threads}});
    }
  }
}

// ---- the check itself -----------------------------------------------------------------------------------------------

namespace {

/// c = a + b with a = 0, 1, 2, ... and b = 10 everywhere, and this expectation.
CheckResult added(const std::string& expect) {
  const test::TemporaryFolder folder;
  folder.write("expected.raw", std::string("\0\0\x20\x41\0\0\x30\x41", 8));  // 10.0f, 11.0f
  const std::string path = folder.write("add.yaml", "kernel: " + source_dir() +
                                                        "/traces/kernels/vector_add.ptx\n"
                                                        "grid: 2\n"
                                                        "block: 32\n"
                                                        "buffers:\n"
                                                        "  a: {iota: 100, type: f32}\n"
                                                        "  b: {constant: 100, value: 10, type: f32}\n"
                                                        "  c: {zero: 100, type: f32}\n"
                                                        "parameters: [a, b, c, 100]\n" +
                                                        expect);
  return execute(path);
}

}  // namespace

TEST_CASE("a descriptor without expected results is not checked") {
  CHECK_FALSE(added("").checked);
  CHECK_FALSE(added("expect: {c: unchecked}\n").checked);
}

TEST_CASE("each kind of reference accepts what is right") {
  for (const char* expect :
       {"c: {each: \"a[i] + 10\"}", "c: {file: expected.raw, count: 2}",
        "c: {values: [12, 13, 14], first: 2, count: 3}", "c: {each: i + 10, first: 2, count: 3}", "b: {constant: 10}",
        "a: {copy: a}", "c: {each: \"1.001 * (a[i] + b[i])\", relative: 0.002}", "c: {constant: 60, absolute: 50}"}) {
    CAPTURE(expect);
    const CheckResult result = added(std::string("expect: {") + expect + "}\n");
    CHECK(result.checked);
    CHECK(result.message == "");
    CHECK(result.passed);
  }
}

TEST_CASE("each kind of reference refuses what is wrong and says where") {
  struct Wrong {
    const char *expect, *message;
  };
  for (const Wrong wrong :
       {Wrong{"c: {each: \"a[i] + 10 + (i == 37)\"}",
              "buffer c: 1 of 100 elements differ, the first at 37: expected 48, found 47; largest difference 1"},
        Wrong{"c: {each: \"a[i] + a[i]\"}", "99 of 100 elements differ, the first at 0: expected 0, found 10"},
        Wrong{"c: {file: expected.raw, first: 1, count: 2}",
              "2 of 2 elements differ, the first at 1: expected 10, found 11"},
        Wrong{"c: {values: [12, 13.5, 14], first: 2, count: 3}",
              "1 of 3 elements differ, the first at 3: expected 13.5"},
        Wrong{"c: {copy: b}", "99 of 100 elements differ, the first at 1"},
        Wrong{"c: {constant: 60, absolute: 49.5}",
              "1 of 100 elements differ, the first at 0: expected 60, found 10"}}) {
    CAPTURE(wrong.expect);
    const CheckResult result = added(std::string("expect: {") + wrong.expect + "}\n");
    CHECK(result.checked);
    CHECK_FALSE(result.passed);
    CHECK_THAT(result.message, Contains(wrong.message));
  }
}

TEST_CASE("an expected result that does not fit its buffer is an error of the descriptor") {
  CHECK_THROWS_WITH(added("expect: {c: {values: [1, 2]}}\n"), Contains("has 2 elements, but 100 are compared"));
  CHECK_THROWS_WITH(added("expect: {c: {each: \"a[i + 1]\"}}\n"), Contains("a[100] is outside"));
  CHECK_THROWS_WITH(added("expect: {c: {copy: a, first: 50, count: 51}}\n"), Contains("count is 0 to 50"));
}

TEST_CASE("a parameter, a buffer and an expected result of u64 may have their top bit set") {
  const test::TemporaryFolder folder;
  folder.write("add.ptx",
               ".version 7.0\n.target sm_70\n.address_size 64\n"
               ".visible .entry add(.param .u64 out, .param .u64 one, .param .u64 from) {\n"
               ".reg .b64 %rd<9>; .reg .b32 %r1;\n"
               "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [one]; ld.param.u64 %rd3, [from];\n"
               "mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 8; add.s64 %rd1, %rd1, %rd4; add.s64 %rd3, %rd3, %rd4;\n"
               "ld.global.u64 %rd5, [%rd3]; add.s64 %rd5, %rd5, %rd2; st.global.u64 [%rd1], %rd5; ret;\n}\n");
  const auto checked = [&](const std::string& expected) {
    return execute(folder.write("add.yaml",
                                "kernel: add.ptx\ngrid: 1\nblock: 2\n"
                                "buffers:\n"
                                "  out: {zero: 2, type: u64}\n"
                                "  from: {values: [0, 0x8000000000000000], type: u64}\n"
                                "parameters: [out, 0x9e3779b97f4a7c15, from]\n"
                                "expect: {out: {" +
                                    expected + "}}\n"));
  };
  // 0x9e3779b97f4a7c15 + 0x8000000000000000 = 0x1e3779b97f4a7c15 modulo 2^64.
  CHECK(checked("values: [0x9e3779b97f4a7c15, 0x1e3779b97f4a7c15]").message == "");
  CHECK(checked("each: \"0x9e3779b97f4a7c15 ^ from[i]\"").message == "");
  // Numbers are shown as u64 has them.
  CHECK_THAT(checked("values: [0x9e3779b97f4a7c15, 0xffffffffffffffff]").message,
             Contains("expected 18446744073709551615, found 2177342782468422677"));
}

TEST_CASE("a copy of u64 is expected only of types that hold its top bit") {
  const auto copied = [](const std::string& type) {
    const test::TemporaryFolder folder;
    folder.write("nothing.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n");
    return execute(folder.write("copy.yaml",
                                "kernel: nothing.ptx\ngrid: 1\nblock: 1\nparameters: []\n"
                                "buffers: {a: {values: [0xffffffffffffffff], type: u64}, b: {values: [-1], type: " +
                                    type + "}}\nexpect: {b: {copy: a}}\n"))
        .message;
  };
  CHECK(copied("s64") == "");
  CHECK_THROWS_WITH(copied("s32"), Contains("element 0 is 18446744073709551615, which does not fit into the type s32"));
  CHECK_THROWS_WITH(copied("f64"), Contains("does not fit into the type f64"));
}

TEST_CASE("launches of a sequence see what the earlier ones left") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write(
      "chain.yaml",
      "kernel: " + source_dir() +
          "/traces/kernels/vector_add.ptx\n"
          "grid: 1\n"
          "block: 32\n"
          "buffers: {a: {iota: 50, type: f32}, b: {zero: 50, type: f32}}\n"
          "launches:\n"
          "  - {repeat: 5, parameters: [a, \"iteration % 2 == 0 ? a : b\", \"iteration % 2 == 0 ? b : a\", 50]}\n"
          "expect:\n"
          "  a: {each: 9 * i}\n"
          "  b: {each: 18 * i}\n");
  // b = a + a = 2i; a = a + b = 3i; b = a + a = 6i; a = a + b = 9i; b = a + a = 18i.
  const CheckResult result = execute(path);
  CHECK(result.message == "");
  CHECK(result.passed);
}

}  // namespace lockstep::kernels_test
