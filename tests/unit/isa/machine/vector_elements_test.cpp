// What it takes to put the elements of vector accesses in their places, as ptxas 13.0 for sm_90 was seen to do it with the same
// instructions.

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::vector_elements_test {

using machine::Instruction;
using machine::Operation;

namespace {

std::vector<Instruction> lowered(const std::string& body, machine::Schedule order = machine::Schedule::list) {
  const ptx::Module module = ptx::test::kernel(
      "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mul.wide.u32 %rd2, %r1, 16;"
      "add.s64 %rd3, %rd1, %rd2; " +
      body + " ret;");
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
  return machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, order}).instructions;
}

/// Machine instructions that `body` takes more than `without`.
int more(const std::string& body, const std::string& without) {
  return static_cast<int>(lowered(body).size()) - static_cast<int>(lowered(without).size());
}

const std::string words =
    "add.u32 %r3, %r1, %r2; xor.b32 %r4, %r1, %r2; or.b32 %r5, %r1, %r2; mul.lo.u32 %r6, %r1, %r2;";
const std::string halves = words +
                           "cvt.u16.u32 %rs1, %r3; cvt.u16.u32 %rs2, %r4; cvt.u16.u32 %rs3, %r5;"
                           "cvt.u16.u32 %rs4, %r6;";

/// Of a store of these elements, all of `made` being stored before.
int store(const std::string& type, const std::string& elements, const std::string& made = words) {
  const bool short_elements = elements.find("%rs") != std::string::npos;
  std::string all = made;
  for (int n = 1; n <= 4; ++n)
    all += short_elements ? "st.global.u16 [%rd3+" + std::to_string(n * 16) + "], %rs" + std::to_string(n) + ";"
                          : "st.global.u32 [%rd3+" + std::to_string(n * 16) + "], %r" + std::to_string(n + 2) + ";";
  return more(all + "st.global." + type + " [%rd3], {" + elements + "};", all) - 1;
}

/// Of a load of four elements and what reads them, beyond the load and `known` instructions.
int load(const std::string& type, const std::string& reads, int known,
         const std::string& elements = "%rs1,%rs2,%rs3,%rs4") {
  const std::string other = "st.global.u32 [%rd3+128], %r1;";
  return more(other + "ld.global." + type + " {" + elements + "}, [%rd3];" + reads, other) - 1 - known;
}

}  // namespace

TEST_CASE("A word that one store stores again is copied each time") {
  CHECK(store("v4.u32", "%r3, %r4, %r5, %r6") == 0);
  CHECK(store("v4.u32", "%r3, %r3, %r3, %r3") == 3);
  CHECK(store("v4.u32", "%r3, %r4, %r3, %r4") == 2);
  CHECK(store("v4.u32", "%r3, %r3, %r3, %r4") == 2);
  CHECK(store("v2.u32", "%r3, %r3") == 1);
  CHECK(more("cvt.u64.u32 %rd4, %r1; add.s64 %rd4, %rd4, %rd1; st.global.v2.u64 [%rd3], {%rd4, %rd4};",
             "cvt.u64.u32 %rd4, %r1; add.s64 %rd4, %rd4, %rd1; st.global.u64 [%rd3], %rd4;") == 2);
}

TEST_CASE("Zeros beside other words are made anew, two of them at once where they are a pair") {
  CHECK(store("v4.u32", "0, 0, 0, 0") == 0);
  CHECK(store("v4.u32", "%r3, 0, 0, 0") == 2);
  CHECK(store("v4.u32", "%r3, 0, %r3, 0") == 3);
  CHECK(store("v2.u32", "%r3, 0") == 1);
  CHECK(store("v4.u32", "%r3, 1, 2, %r4") == 0);
}

TEST_CASE("Bytes and halves are put into their word one by one") {
  CHECK(store("v4.u8", "%rs1, %rs2, %rs3, %rs4", halves) == 3);
  CHECK(store("v2.u8", "%rs1, %rs2", halves) == 1);
  CHECK(store("v4.u16", "%rs1, %rs2, %rs3, %rs4", halves) == 2);
  CHECK(store("v4.u8", "%r3, %r4, %r5, %r6") == 3);
}

TEST_CASE("Bytes and halves are taken out of their word when they are used, and widened by that") {
  const std::string widened =
      "cvt.u32.u16 %r3, %rs1; cvt.u32.u16 %r4, %rs2; cvt.u32.u16 %r5, %rs3; cvt.u32.u16 %r6, %rs4;";
  const std::string sum =
      "mad.lo.u32 %r7, %r3, %r1, %r4; mad.lo.u32 %r8, %r5, %r1, %r7; mad.lo.u32 %r9, %r8, %r2, %r6;"
      "st.global.u32 [%rd3+64], %r9;";
  CHECK(load("v4.u8", widened + sum, 4) == 4);
  CHECK(load("v4.u16", widened + sum, 4) == 4);
  CHECK(load("v2.u16",
             "cvt.u32.u16 %r3, %rs1; cvt.u32.u16 %r4, %rs2; mad.lo.u32 %r5, %r3, %r1, %r4;"
             "st.global.u32 [%rd3+64], %r5;",
             2, "%rs1,%rs2") == 2);
  CHECK(load("v4.u8", "cvt.u32.u16 %r5, %rs3; mad.lo.u32 %r6, %r5, %r1, %r2; st.global.u32 [%rd3+64], %r6;", 2) == 1);
  CHECK(load("v4.u8", "st.global.v4.u8 [%rd3+64], {%rs1,%rs2,%rs3,%rs4};", 1) == 0);      // As it was loaded.
  CHECK(load("v4.u8", "st.global.v4.u8 [%rd3+64], {%rs3,%rs2,%rs1,%rs4};", 1) == 4 + 3);  // In another order.
  CHECK(load("v2.u16", "add.s16 %rs5, %rs1, 3; st.global.u16 [%rd3+64], %rs5;", 2, "%rs1,%rs2") == 0);  // The low half.
}

TEST_CASE("What takes an element out waits for its word, and what uses it waits for that") {
  const auto code = lowered(
      "ld.global.v4.u8 {%rs1,%rs2,%rs3,%rs4}, [%rd3]; cvt.u32.u16 %r5, %rs3;"
      "mad.lo.u32 %r6, %r5, %r1, %r2; st.global.u32 [%rd3+64], %r6;");
  const auto find = [&](Operation operation) {
    return std::find_if(code.begin(), code.end(), [&](const Instruction& i) { return i.operation == operation; });
  };
  const auto loads = find(Operation::global_load), takes = find(Operation::shift),
             stores = find(Operation::global_store);
  REQUIRE(loads != code.end());
  REQUIRE(takes != code.end());
  CHECK((loads < takes && takes < stores));
  REQUIRE(loads->destination_count >= 1);
  REQUIRE(takes->source_count == 1);
  CHECK(std::count(loads->destinations, loads->destinations + loads->destination_count, takes->sources[0]) == 1);
  CHECK(std::any_of(takes, stores, [&](const Instruction& i) {
    return std::count(i.sources, i.sources + i.source_count, takes->destinations[0]) == 1;
  }));
}

TEST_CASE("Other generations, whose compilers were not looked at, keep one instruction for each vector access") {
  const std::string body = words + "st.global.v4.u32 [%rd3], {%r3, %r3, %r3, %r3};";
  CHECK(lowered(body).size() == lowered(body, machine::Schedule::program_order).size() + 3);
}

}  // namespace lockstep::vector_elements_test
