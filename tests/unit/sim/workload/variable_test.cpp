// Module variables in launch descriptors, and device addresses among contents.
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/experiment/running/digest.hpp"
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::variable_test {

using namespace lockstep::workload;
using Catch::Matchers::Contains;

namespace {

const char* const head = ".version 6.4\n.target sm_35\n.address_size 64\n";
/// out[0] = weights[1]; out[1] = *where; the address is one of the global space.
const char* const kernels =
    ".visible .const .align 4 .u32 weights[3] = {7, 8, 9};\n"
    ".visible .global .align 8 .u64 _ZL4ring[2];\n"
    ".visible .global .align 4 .u32 $odd;\n"
    ".visible .entry read(.param .u64 out, .param .u64 place) {\n"
    ".reg .u64 %d<3>; .reg .u32 %r<2>;\n"
    "ld.param.u64 %d0, [out]; ld.param.u64 %d1, [place];\n"
    "ld.const.u32 %r0, [weights+4]; st.global.u32 [%d0], %r0;\n"
    "ld.global.u64 %d2, [%d1]; st.global.u64 [%d0+8], %d2;\n"
    "ret; }\n";
const char* const other_kernel =
    ".visible .const .align 4 .u32 weights[2];\n"
    ".visible .entry other(.param .u64 out) {\n"
    ".reg .u64 %d0; .reg .u32 %r0;\n"
    "ld.param.u64 %d0, [out]; ld.const.u32 %r0, [weights]; st.global.u32 [%d0+16], %r0; ret; }\n";

/// A folder with the kernels and a descriptor of these sections.
class Case {
 public:
  explicit Case(const std::string& sections, const std::string& place = "out", const std::string& launches = "") {
    folder_.write("k.ptx", head + std::string(kernels));
    folder_.write("other.ptx", head + std::string(other_kernel));
    path_ = folder_.write("w.yaml",
                          sections + "grid: 1\nblock: 1\n" +
                              (launches.empty() ? "kernel: k.ptx\nparameters: [out, \"" + place + "\"]\n" : launches));
  }
  std::unique_ptr<exec::Task> build() const { return Workload::load(path_).build({}); }
  /// What the check finds: "" when everything is as expected.
  std::string run() const {
    const Workload workload = Workload::load(path_);
    exec::Machine machine(workload.build({}));
    machine.finish();
    const CheckResult result = workload.check({}, machine);
    CHECK(result.checked);
    return result.message;
  }
  std::string mistake() const {
    try {
      run();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  test::TemporaryFolder folder_;
  std::string path_;
};

const std::string buffers = "buffers: {out: {zero: 3, type: u64}}\n";

}  // namespace

TEST_CASE("variables hold what the descriptor says, and behind it what the module says") {
  CHECK(Case(buffers + "expect: {out: {each: \"i == 0 ? 8 : i == 1 ? 8 : 0\"}}\n").run() == "");
  CHECK(Case("variables: {weights: {values: [1, 50]}}\n" + buffers + "expect: {out: {values: [50, 50], count: 2}}\n")
            .run() == "");
  CHECK(Case("variables: {weights: {values: [1]}}\n" + buffers + "expect: {out: {values: [8, 8], count: 2}}\n").run() ==
        "");
  // Elements of a variable stand in expressions, and its number of elements.
  CHECK(Case("variables: {weights: {iota: 3, start: 5}}\n" + buffers +
             "expect: {out: {values: [\"weights[0] + 1\", weights.count * 2], count: 2}}\n")
            .run() == "");
}

TEST_CASE("a u64 element may be the address of a buffer or variable") {
  // Element i of the ring leads to element 1 - i; the kernel copies the address that the ring holds at 8 bytes.
  const std::string ring = "variables: {_ZL4ring: {each: 2, value: \"_ZL4ring + 8 * (1 - i)\", type: u64}}\n" + buffers;
  CHECK(Case(ring + "expect: {out: {values: [8, _ZL4ring], count: 2}}\n", "_ZL4ring + 8").run() == "");
  CHECK(Case(ring + "expect: {out: {values: [8, \"_ZL4ring[1]\"], count: 2}}\n", "_ZL4ring + 8").run() == "");
  CHECK_THAT(Case(ring + "expect: {out: {values: [8, _ZL4ring + 8], count: 2}}\n", "_ZL4ring + 8").run(),
             Contains("1 of 2 elements differ, the first at 1"));

  const std::string list =
      "buffers:\n  out: {zero: 3, type: u64}\n  list: {constant: 4, value: out + 16, type: u64}\n"
      "  same: {each: 4, value: \"list[i]\", type: u64}\n";
  CHECK(
      Case(
          list +
              "expect:\n  list: {constant: out + 16}\n  same: {copy: list}\n  out: {values: [8, out + 16], count: 2}\n",
          "same + 24")
          .run() == "");
}

TEST_CASE("a variable whose contents stay as they are has an address") {
  CHECK(Case("variables: {_ZL4ring: initial}\n" + buffers + "expect: {out: {values: [8, 0], count: 2}}\n", "_ZL4ring")
            .run() == "");
}

TEST_CASE("what execution leaves in a variable is compared with what is expected") {
  // The kernel writes to "out": here that is the ring, of which the first word is that of weights[1].
  const std::string launch = "kernel: k.ptx\nparameters: [_ZL4ring, _ZL4ring]\n";
  const std::string ring = "variables: {_ZL4ring: {values: [0, 5], type: u64}}\n";
  CHECK(Case(ring + "expect: {_ZL4ring: {values: [8, 8]}}\n", "", launch).run() == "");
  CHECK_THAT(Case(ring + "expect: {_ZL4ring: {copy: _ZL4ring}}\n", "", launch).run(),
             Contains("variable _ZL4ring: 2 of 2 elements differ, the first at 0: expected 0, found 8"));
  CHECK(Case("variables: {_ZL4ring: initial}\nexpect: {_ZL4ring: {values: [8, 0, 8, 0]}}\n", "", launch).run() == "");
  CHECK(Case("variables: {_ZL4ring: {initial: u16}}\nexpect: {_ZL4ring: {each: \"i % 4 == 0 ? 8 : 0\"}}\n", "", launch)
            .run() == "");
  CHECK_THAT(
      Case("variables: {_ZL4ring: initial, weights: {initial: u64}}\nexpect: {weights: {constant: 0}}\n", "", launch)
          .mistake(),
      Contains("12 bytes") && Contains("u64"));
  CHECK_THAT(Case("variables: {_ZL4ring: {initial: u7}}\nexpect: {_ZL4ring: {constant: 0}}\n", "", launch).mistake(),
             Contains("w.yaml:1:") && Contains("'u7' is not an element type"));
}

TEST_CASE("every kernel file with a variable of the name gets the contents") {
  const std::string launches =
      "launches:\n  - {kernel: k.ptx, parameters: [out, out]}\n  - {kernel: other.ptx, parameters: [out]}\n";
  CHECK(
      Case("variables: {weights: {values: [3, 4]}}\n" + buffers + "expect: {out: {values: [4, 4, 3]}}\n", "", launches)
          .run() == "");
  CHECK_THAT(Case("variables: {weights: {zero: 3}}\n" + buffers, "", launches).mistake(), Contains("has 8 bytes"));
  CHECK_THAT(
      Case("variables: {weights: {zero: 1}}\nbuffers: {out: {constant: 3, value: weights, type: u64}}\n", "", launches)
          .mistake(),
      Contains("k.ptx") && Contains("other.ptx"));
}

TEST_CASE("a variable that is wrong is reported where it stands") {
  const auto error = [](const std::string& variables, const std::string& place = "out") {
    return Case(variables + buffers + "expect: {out: {constant: 0, first: 2}}\n", place).mistake();
  };
  CHECK(error("variables:\n  $odd: {zero: 1}\n") == "");
  CHECK_THAT(error("variables:\n  $odd: initial\n", "$odd + 5"), Contains("points 5 bytes") && Contains("has 4 bytes"));
  CHECK_THAT(error("variables:\n  wieghts: {zero: 1}\n"),
             Contains("w.yaml:2:3") && Contains("did you mean 'weights'?") && Contains("weights, _ZL4ring, $odd"));
  CHECK_THAT(error("variables:\n  weights: {zero: 4}\n"),
             Contains("w.yaml:2:12") && Contains("has 12 bytes") && Contains("have 16"));
  CHECK_THAT(error("variables:\n  weights: {zeros: 4}\n"), Contains("w.yaml:2:12") && Contains("exactly one of"));
  CHECK_THAT(error("variables:\n  weights: nothing\n"), Contains("w.yaml:2:12") && Contains("'initial'"));
  CHECK_THAT(error("variables:\n  out: {zero: 1}\n"), Contains("is used twice"));
  CHECK_THAT(error("variables:\n  weights: {constant: 1, value: out}\n"), Contains("u64"));
  CHECK_THAT(error("variables:\n  _ZL4ring: {constant: 1, value: out + 25, type: u64}\n"),
             Contains("w.yaml:2:13") && Contains("25 bytes") && Contains("has 24 bytes"));
  CHECK_THAT(error("variables:\n  _ZL4ring: {iota: 2, start: out, type: u64}\n"), Contains("w.yaml:2:"));
  CHECK_THAT(error("variables:\n  weights: {zero: 1}\ntextures: {t: {buffer: weights}}\n"),
             Contains("\"weights\" is a variable"));
}

TEST_CASE("an experiment tells tasks apart by contents of variables and by addresses") {
  const auto digest = [](const std::string& contents, const std::string& place = "out") {
    return experiment::task_digest(*Case("variables: {_ZL4ring: " + contents + "}\n" + buffers, place).build());
  };
  const std::string one = digest("{values: [1, 2], type: u64}");
  CHECK(one == digest("{values: [1, 2], type: u64}"));
  CHECK(one != digest("{values: [1, 3], type: u64}"));
  CHECK(one != digest("{values: [1], type: u64}"));
  CHECK(one != digest("initial"));
  CHECK(one != digest("{values: [1, 2], type: u64}", "_ZL4ring"));
  CHECK(digest("{values: [0, out], type: u64}") != digest("{values: [0, out + 8], type: u64}"));
  CHECK(digest("{values: [0, out], type: u64}") != digest("{values: [0, _ZL4ring], type: u64}"));
  CHECK(digest("{values: [0, out], type: u64}") != digest("{values: [out, 0], type: u64}"));
  CHECK(digest("{values: [0, out], type: u64}") != digest("{values: [0, 0], type: u64}"));
}

}  // namespace lockstep::variable_test
