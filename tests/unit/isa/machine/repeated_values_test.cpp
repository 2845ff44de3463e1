// Values that a compiler keeps instead of computing them again. The numbers of operations are those of the code that ptxas 13.0
// writes for sm_90.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::repeated_values_test {

using namespace lockstep::machine::test;
using machine::Operation;

namespace {

Operations compiled(const std::string& body) {
  const program::Kernel kernel = kernel_of(body);
  const machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  CHECK(program.kernel == &kernel);
  Operations all;
  for (const machine::Instruction& i : program.instructions) all.push_back(i.operation);
  return all;
}

std::ptrdiff_t count(const std::string& body, Operation operation) {
  const Operations all = compiled(body);
  return std::count(all.begin(), all.end(), operation);
}

/// A scratchpad address that is hashed, in `address` from `from`; `%h` are the steps.
std::string hashed(const std::string& address, const std::string& from, int step) {
  const std::string a = "%h" + std::to_string(step), b = "%h" + std::to_string(step + 1);
  return "shr.u32 " + a + ", " + from + ", 5; and.b32 " + b + ", " + a + ", 124; xor.b32 " + address + ", " + from +
         ", " + b + "; ";
}

const std::string begin =
    ".reg .b32 %h<40>; ld.global.u32 %r1, [%rd9]; ld.global.u32 %r2, [%rd9+4]; setp.eq.u32 %p1, %r2, 7; ";

/// The registers that stores of %r3 and %r4 behind `body` read.
struct Stores {
  explicit Stores(const std::string& body) {
    const program::Kernel kernel = kernel_of(body + "st.global.u32 [%rd1], %r3; st.global.u32 [%rd1+4], %r4;");
    const machine::Program program =
        machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
    for (const machine::Instruction& i : program.instructions) {
      if (i.operation == Operation::global_load) ++loads;
      if (i.operation == Operation::global_store) values.push_back(i.sources[i.source_count - 1]);
    }
  }
  unsigned loads = 0;
  std::vector<std::uint16_t> values;
};

}  // namespace

TEST_CASE("A hashed address is computed once, however far apart its accesses are") {
  CHECK(count(begin + hashed("%r3", "%r1", 20) + "st.shared.u32 [%r3], %r2; bar.sync 0;" + hashed("%r4", "%r1", 22) +
                  "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd9], %r5;",
              shift) == 1);
  CHECK(count(begin + hashed("%r3", "%r1", 20) + "st.shared.u32 [%r3], %r2; @%p1 bra L1; bar.sync 0; L1: bar.sync 0;" +
                  hashed("%r4", "%r1", 22) + "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd9], %r5;",
              shift) == 1);
}

TEST_CASE("What was computed on some ways only is computed again") {
  CHECK(count(begin + "@%p1 bra L1; bar.sync 0;" + hashed("%r3", "%r1", 20) +
                  "st.shared.u32 [%r3], %r2; bar.sync 0; L1: bar.sync 0;" + hashed("%r4", "%r1", 22) +
                  "ld.shared.u32 %r5, [%r4]; st.global.u32 [%rd9], %r5;",
              shift) == 2);
}

TEST_CASE("Operands of sums and logic may be exchanged, those of differences and shifts may not") {
  const auto both = [](const std::string& op) {
    return begin + op + " %r3, %r1, %r2; st.global.u32 [%rd9], %r3; bar.sync 0; " + op +
           " %r4, %r2, %r1; st.global.u32 [%rd9+4], %r4;";
  };
  CHECK(count(both("mul.lo.u32"), Operation::integer_multiply) == 1);
  CHECK(count(both("min.u32"), Operation::min_max) == 1);
  CHECK(count(both("shl.b32"), shift) == 2);
  CHECK(count(both("mul.hi.s32"), Operation::wide_multiply) + count(both("mul.hi.s32"), Operation::integer_multiply) ==
        1);
}

TEST_CASE("A register that changes is not the same value, but until it changes it is") {
  const std::string loop = "mov.u32 %r3, %r1; L1: ";
  const std::string round = "add.u32 %r3, %r3, %r2; setp.lt.u32 %p2, %r3, 1024; @%p2 bra L1;";
  const std::string store = "st.shared.u32 [%r4], %r2; ",
                    load = "ld.shared.u32 %r5, [%r6]; st.global.u32 [%rd9], %r5; ";
  const std::string no_unrolling = "bar.sync 0; ";
  CHECK(count(begin + loop + hashed("%r4", "%r3", 20) + store + no_unrolling + hashed("%r6", "%r3", 22) + load + round,
              shift) == 1);
  CHECK(count(begin + loop + hashed("%r4", "%r3", 20) + store + no_unrolling + "add.u32 %r3, %r3, %r2; " +
                  hashed("%r6", "%r3", 22) + load + "setp.lt.u32 %p2, %r3, 1024; @%p2 bra L1;",
              shift) == 2);
}

TEST_CASE("Carries, guarded results and other lanes' values are not shared") {
  // Sums are executed by either unit. Without their carries the two of %r1 and %r2 would be one.
  const auto sums = [](const std::string& body) { return count(body, add) + count(body, Operation::integer_multiply); };
  CHECK(sums(begin +
             "add.cc.u32 %r3, %r1, %r2; addc.u32 %r4, %r1, %r2; add.cc.u32 %r5, %r1, %r1; addc.u32 %r6, %r1, %r2;"
             "xor.b32 %r4, %r4, %r6; st.global.u32 [%rd9], %r4;") ==
        4 + sums(begin + "xor.b32 %r4, %r1, %r2; st.global.u32 [%rd9], %r4;"));
  CHECK(count(begin + "mov.u32 %r3, 1; mov.u32 %r4, 2; @%p1 mul.hi.u32 %r3, %r1, %r2; @!%p1 mul.hi.u32 %r4, %r1, %r2;"
                      "st.global.u32 [%rd9], %r3; st.global.u32 [%rd9+4], %r4;",
              Operation::wide_multiply) == 2);
  CHECK(count(begin + "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1; bar.sync 0; shfl.sync.bfly.b32 %r4, %r1, 1, 31, -1; "
                      "st.global.u32 [%rd9], %r3; st.global.u32 [%rd9+4], %r4;",
              Operation::exchange) == 2);
}

TEST_CASE("Predicates are kept for other basic blocks where they are few") {
  const auto compared_twice = [](int predicates, const std::string& between) {
    const auto part = [&](const std::string& name, int otherwise) {
      std::string text;
      for (int n = 0; n < predicates; ++n) {
        text += fmt::format(
            "setp.lt.s32 %q{0}{1}, %r1, {2}; selp.u32 %r4, %r1, {3}, %q{0}{1}; st.global.u32 [%rd9+{4}], %r4;", name, n,
            7 * n + 1, otherwise, 4 * n);
      }
      return text;
    };
    return count(".reg .pred %qa<40>; .reg .pred %qb<40>;" + begin + part("a", 7) + between + part("b", 11),
                 Operation::compare);
  };
  const std::string elsewhere = "@%p1 bra L; bar.sync 0; st.global.u32 [%rd9], %r2; L: bar.sync 0;";
  // The comparison of `begin` beside them, where its predicate is read.
  CHECK(compared_twice(8, elsewhere) == 8 + 1);
  CHECK(compared_twice(20, elsewhere) >= 38);
  CHECK(compared_twice(20, "bar.sync 0; @%p1 st.global.u32 [%rd9], %r2;") == 20 + 1);
}

TEST_CASE("A truncated copy of a register that a loop changes is read in its place") {
  const std::string
      wide = "mov.u64 %rd3, 0; L1: .pragma \"nounroll\"; cvt.u32.u64 %r3, %rd3; ",
      wide_round = "bar.sync 0; add.s64 %rd3, %rd3, 4; cvt.u32.u64 %r7, %rd3; setp.lt.u32 %p2, %r7, %r1; @%p2 bra L1;";
  const std::string narrow = "mov.u32 %r3, 0; L1: .pragma \"nounroll\"; ",
                    narrow_round = "bar.sync 0; add.s32 %r3, %r3, 4; setp.lt.u32 %p2, %r3, %r1; @%p2 bra L1;";
  const std::string body = hashed("%r4", "%r3", 20) + "st.shared.u32 [%r4], %r2; ";
  CHECK(compiled(begin + wide + body + wide_round).size() == compiled(begin + narrow + body + narrow_round).size());
}

TEST_CASE("What constant memory or ld.global.nc has brought is not loaded again, whatever stands between") {
  const auto loads = [](const std::string& load, const std::string& between) {
    const std::string first = "mov.u64 %rd5, %rd9;" + load + " %r3, [%rd5+8]; st.global.u32 [%rd1], %r3;",
                      second = load + " %r4, [%rd5+8];";
    const Operation operation = load.starts_with("ld.const") ? Operation::constant_load : Operation::global_load;
    const std::string rest = "st.global.u32 [%rd1+4], %r4;";
    return count(begin + first + between + second + rest, operation) - count(begin + between, operation);
  };
  for (const std::string load : {"ld.const.u32", "ld.global.nc.u32"}) {
    CAPTURE(load);
    CHECK(loads(load, "") == 1);
    CHECK(loads(load, "st.global.u32 [%rd9+8], %r2; bar.sync 0; membar.gl;") == 1);
    CHECK(loads(load, "@%p1 bra L1; bar.sync 0; L1: bar.sync 0;") == 1);
    CHECK(loads(load, "add.s64 %rd5, %rd5, 4;") == 2);
  }
  CHECK(loads("ld.global.u32", "") == 2);  // The store in between may have changed it.
}

TEST_CASE("Parts of one vector are different values, and are loaded at once") {
  const Stores stores("ld.global.nc.v2.u32 {%r3, _}, [%rd9]; ld.global.nc.v2.u32 {_, %r4}, [%rd9];");
  CHECK(stores.loads == 1);
  REQUIRE(stores.values.size() == 2);
  CHECK(stores.values[0] != stores.values[1]);
}

TEST_CASE("A comparison and its complement are different values") {
  const Stores stores(begin +
                      "setp.lt.u32 %p2|_, %r1, 9; setp.lt.u32 _|%p3, %r1, 9; selp.u32 %r3, 1, 0, %p2;"
                      "selp.u32 %r4, 1, 0, %p3;");
  REQUIRE(stores.values.size() == 2);
  CHECK(stores.values[0] != stores.values[1]);
}

TEST_CASE("What loads that are left out leave in the trace is passed over") {
  const program::Kernel kernel = kernel_of(
      "ld.global.nc.u32 %r1, [%rd9]; ld.global.u32 %r2, [%rd8]; st.global.u32 [%rd1], %r1; ld.global.nc.u32 %r3, "
      "[%rd9];"
      "st.global.u32 [%rd1+4], %r3; st.global.u32 [%rd1+8], %r2; ld.global.nc.u32 %r4, [%rd9]; add.u32 %r5, %r4, %r3;");
  const machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  std::multiset<std::uint32_t> entries;
  for (const machine::Instruction& i : program.instructions)
    if (i.takes_access) entries.insert(i.access_entry);
  CHECK(entries == std::multiset<std::uint32_t>{0, 1, 2, 4, 5});
  CHECK(program.blocks[0].access_entries == 7);
  CHECK(program.blocks[0].reordered);
}

}  // namespace lockstep::repeated_values_test
