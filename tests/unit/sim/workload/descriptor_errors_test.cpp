// What is wrong in a descriptor, and where.

#include <catch2/catch.hpp>

#include "tests/unit/sim/workload/descriptor_case.hpp"

namespace lockstep::descriptor_errors_test {

using namespace lockstep::workload;
using Case = test::DescriptorCase;
using Catch::Matchers::Contains;

TEST_CASE("a requirement that does not hold says so with its values") {
  const Case required(
      "arguments: {n: 64, m: 3}\n"
      "require: [{that: n % m == 1, message: n must leave one}, {that: n > 100 || m > 1, message: too small}]\n"
      "kernel: single.ptx\n"
      "grid: n\n"
      "block: 1\n"
      "buffers: {a: {zero: 1}}\n"
      "parameters: [a]\n");
  CHECK(required.mistake().empty());
  CHECK(required.mistake({{"m", "4"}}) == "case.yaml:2:18: n must leave one (n = 64, m = 4)");
  CHECK_THAT(required.mistake({{"m", "1"}}), Contains("n must leave one") && Contains("too small (n = 64, m = 1)"));
}

TEST_CASE("all errors of a descriptor are reported together, each at its place") {
  const Case wrong(
      "arguments:\n"
      "  n: {default: 10, max: 5}\n"
      "  mode: {default: c, choices: [a, b]}\n"
      "  9x: 1\n"
      "let:\n"
      "  n: 3\n"
      "  half: n / tow\n"
      "  way: {choose: mode, a: 1}\n"
      "buffers:\n"
      "  data: {zeros: 5}\n"
      "  other: {zero: 5, type: u31, sed: 1}\n"
      "kernel: single.ptx\n"
      "grid: (n\n"
      "gird: 5\n"
      "parameters: [data, [{u8: 1, u16: 2}]]\n"
      "expect:\n"
      "  dta: {constant: 1}\n"
      "  data: {kernal: data.ptx, bins: 4}\n");
  const std::string found = wrong.mistake();
  CAPTURE(found);
  for (const char* expected : {
           "case.yaml:2:16: argument n: 10 is above the largest value 5",
           "case.yaml:3:19: 'c' is not one of the choices a, b",
           "case.yaml:4:3: '9x' is not a name",
           "case.yaml:6:3: the name 'n' is used twice",
           "case.yaml:7:9: \"n / tow\", character 5: nothing is named 'tow'",
           "case.yaml:8:8: there is nothing for mode = b",
           "case.yaml:10:9: a buffer needs exactly one of: image, raw, zero,",
           "case.yaml:11:26: 'u31' is not an element type",
           "case.yaml:11:31: unknown key 'sed'",
           "case.yaml:13:7: \"(n\", character 3: ')' is missing at the end",
           "case.yaml:14:1: unknown key 'gird'; did you mean 'grid'?",
           "case.yaml:15:21: a structure is",
           "case.yaml:17:3: there is no buffer 'dta'; did you mean 'data'?",
           "case.yaml:18:9: an expected result is 'unchecked', or needs exactly one of: kernel, file,",
           "the launch has no 'block'",
       }) {
    CHECK_THAT(found, Contains(expected));
  }
}

TEST_CASE("errors that show when values are known are reported together as well") {
  const Case wrong(
      "kernel: kernels.ptx\n"
      "entry: scale\n"
      "grid: [0, big.count / zero_]\n"
      "block: [64, 32]\n"
      "shared: -1\n"
      "let: {zero_: 0, circle: circle + 1}\n"
      "buffers:\n"
      "  big: {constant: 4, value: 300, type: u8}\n"
      "  small: {zero: 4, type: u8}\n"
      "  picture: {image: inputs/first.pgm, width: 4}\n"
      "  endless: {zero: circle}\n"
      "parameters: [small + 5, 1 << 32, small, 0, 1.5, 0]\n");
  const std::string found = wrong.mistake();
  CAPTURE(found);
  for (const char* expected : {
           "case.yaml:3:8: a size of the grid is 1 to 2147483647, but \"0\" is 0",
           "case.yaml:4:9: a thread block has at most 1024 threads, but these are 2048",
           "case.yaml:5:9: the dynamic scratchpad memory in bytes is 0 to 4294967295, but \"-1\" is -1",
           "case.yaml:6:25: \"circle + 1\", character 1: 'circle' depends on itself",
           "case.yaml:8:8: buffer big: element 0: 300 does not fit into the type u8",
           "inputs/first.pgm: the image has 3x2 pixels, but 4x2 are needed",
           "\"small + 5\" points 5 bytes into buffer small, which has 4 bytes",
           "parameter 2 of kernel scale is -2147483648 to 4294967295, but \"1 << 32\" is 4294967296",
           "parameter 3 of kernel scale is .f32, which holds no address, but \"small\" is a buffer",
           "parameter 5 of kernel scale is a whole number, but \"1.5\" is 1.5",
       }) {
    CHECK_THAT(found, Contains(expected));
  }
}

TEST_CASE("a kernel that does not fit is explained") {
  const std::string rest = "grid: 1\nblock: 1\nbuffers: {a: {zero: 1}}\n";
  CHECK_THAT(Case("kernel: none.ptx\nparameters: [a]\n" + rest).mistake(), Contains("none.ptx"));
  CHECK_THAT(Case("kernel: kernels.ptx\nparameters: [a]\n" + rest).mistake(),
             Contains("several kernels") && Contains("scale, filter, mixed, nothing"));
  CHECK_THAT(Case("kernel: kernels.ptx\nentry: fliter\nparameters: [a]\n" + rest).mistake(),
             Contains("did you mean 'filter'?"));
  CHECK_THAT(Case("kernel: kernels.ptx\nentry: filter\nparameters: [a]\n" + rest).mistake(),
             Contains(":3:13: kernel filter has 2 parameters (.u64, .b8[12]), but 1 is given"));
  CHECK_THAT(Case("kernel: kernels.ptx\nentry: filter\n" + rest).mistake(), Contains("but 0 are given"));
  CHECK_THAT(Case("kernel: kernels.ptx\nentry: filter\nparameters: [a, 1]\n" + rest).mistake(),
             Contains("is a structure of 12 bytes"));
  CHECK_THAT(Case("kernel: kernels.ptx\nentry: filter\nparameters: [a, {f32: [1, 2]}]\n" + rest).mistake(),
             Contains("has 12 bytes, but these members have 8"));
  CHECK_THAT(Case("kernel: kernels.ptx\nentry: filter\nparameters: [a, {u64: a}]\n" + rest).mistake(),
             Contains("cannot hold the address"));
  CHECK_THAT(Case(rest).mistake(), Contains("needs a 'kernel'"));
  CHECK_THAT(Case("just text\n").mistake(), Contains("is a map"));
}

}  // namespace lockstep::descriptor_errors_test
