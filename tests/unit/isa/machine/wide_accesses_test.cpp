// Which neighbouring accesses become one, as ptxas 13.0 for sm_90 was seen to do it with the same accesses.

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::wide_accesses_test {

using machine::Instruction;
using machine::Operation;

namespace {

struct Access {
  unsigned bytes;
  int shift;
  std::uint32_t entry;
  friend bool operator==(const Access&, const Access&) = default;
};

/// The accesses to the scratchpad of a kernel in which %r8 is a place in an array, by thread.
std::vector<Access> accesses(const std::string& index, const std::string& body, Operation operation) {
  const ptx::Module module = ptx::test::kernel(
      "mov.u32 %r2, %tid.x; mov.u32 %r4, table; " + index + " add.u32 %r8, %r4, %r7; " + body + " ret;",
      ".shared .align 16 .b8 table[8192];\n");
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
  const machine::Program program =
      machine::lower(kernel, {"volta", machine::ScratchpadAtomics::native, machine::Schedule::list});
  std::vector<Access> all;
  for (const Instruction& i : program.instructions)
    if (i.operation == operation)
      all.push_back({unsigned{i.element_bytes} * i.vector_elements, i.entry_shift, i.access_entry});
  std::sort(all.begin(), all.end(), [](const Access& a, const Access& b) { return a.entry < b.entry; });
  return all;
}

const std::string by_16 = "shl.b32 %r7, %r2, 4;", by_8 = "shl.b32 %r7, %r2, 3;", by_4 = "shl.b32 %r7, %r2, 2;";

std::string load_words(std::initializer_list<int> offsets, const std::string& type = "f32") {
  std::string text;
  int n = 0;
  for (const int offset : offsets)
    text += "ld.shared." + type + (type == "f64" ? " %fd" : " %f") + std::to_string(n++) + ", [%r8+" +
            std::to_string(offset) + "];";
  return text;
}
std::vector<Access> loads(const std::string& index, std::initializer_list<int> offsets) {
  return accesses(index, load_words(offsets), Operation::scratchpad_load);
}
using Accesses = std::vector<Access>;

}  // namespace

TEST_CASE("Three or four words of an aligned piece of 16 bytes are one load, an aligned pair is one of 8") {
  CHECK(loads(by_16, {0, 4, 8, 12}) == Accesses{{16, 0, 0}});
  CHECK(loads(by_16, {12, 8, 4, 0}) == Accesses{{16, 0, 3}});
  CHECK(loads(by_16, {0, 4, 8}) == Accesses{{16, 0, 0}});
  CHECK(loads(by_16, {0, 4}) == Accesses{{8, 0, 0}});
  CHECK(loads(by_16, {0, 4, 8, 12, 16, 20}) == Accesses{{16, 0, 0}, {8, 0, 4}});
  CHECK(loads(by_16, {4, 8}) == Accesses{{4, 0, 0}, {4, 0, 1}});
  CHECK(loads(by_16, {0, 8}) == Accesses{{4, 0, 0}, {4, 0, 1}});
}

TEST_CASE("Half words that are read as halves of registers are one load of up to 8 bytes, others stay") {
  const auto load_halves = [](int count, const std::string& body) {
    std::string text;
    for (int n = 0; n < count; ++n)
      text += "ld.shared.u16 %rs" + std::to_string(n) + ", [%r8+" + std::to_string(2 * n) + "];";
    return accesses(by_16, text + body, Operation::scratchpad_load);
  };
  const Accesses apart{{2, 0, 0}, {2, 0, 1}};
  CHECK(load_halves(2, "fma.rn.f16 %rs9, %rs0, %rs1, %rs0;") == Accesses{{4, 0, 0}});
  CHECK(load_halves(2, "cvt.f32.f16 %f1, %rs0; cvt.f32.f16 %f2, %rs1;") == Accesses{{4, 0, 0}});
  CHECK(load_halves(4, "mov.b32 %r10, {%rs0, %rs2}; mov.b32 %r11, {%rs1, %rs3};") == Accesses{{8, 0, 0}});
  CHECK(
      load_halves(
          8,
          "fma.rn.f16 %rs9, %rs0, %rs1, %rs2; fma.rn.f16 %rs9, %rs3, %rs4, %rs5; fma.rn.f16 %rs9, %rs6, %rs7, %rs6;") ==
      Accesses{{8, 0, 0}, {8, 0, 4}});
  CHECK(load_halves(2, "cvt.u32.u16 %r10, %rs0; cvt.u32.u16 %r11, %rs1;") == apart);
  CHECK(load_halves(2, "fma.rn.f16 %rs9, %rs0, %rs1, %rs0; cvt.u32.u16 %r10, %rs1;") == apart);
  CHECK(load_halves(2, "setp.lt.u16 %p1, %rs0, %rs1;") == apart);
}

TEST_CASE("A wide load begins before the first of its words where that is not loaded") {
  CHECK(loads(by_16, {4, 8, 12, 16}) == Accesses{{16, -4, 0}, {4, 0, 3}});
}

TEST_CASE("How wide an access may be follows from how its address is computed") {
  const Accesses pairs = {{8, 0, 0}, {8, 0, 2}}, words = {{4, 0, 0}, {4, 0, 1}, {4, 0, 2}, {4, 0, 3}};
  CHECK(loads(by_8, {0, 4, 8, 12}) == pairs);
  CHECK(loads(by_4, {0, 4, 8, 12}) == words);
  CHECK(loads("mul.lo.u32 %r7, %r2, 48;", {0, 4, 8, 12}) == Accesses{{16, 0, 0}});
  CHECK(loads("mul.lo.u32 %r7, %r2, 68;", {0, 4, 8, 12}) == words);
  CHECK(loads("and.b32 %r7, %r2, -16;", {0, 4, 8, 12}) == Accesses{{16, 0, 0}});
  CHECK(loads("mov.u32 %r7, %r2;", {0, 4, 8, 12}) == words);
}

TEST_CASE("Values of 8 bytes pair, bytes and volatile words do not") {
  CHECK(accesses(by_16, load_words({0, 8}, "f64"), Operation::scratchpad_load) == Accesses{{16, 0, 0}});
  CHECK(accesses(by_16, "ld.shared.u8 %r10, [%r8]; ld.shared.u8 %r11, [%r8+1];", Operation::scratchpad_load).size() ==
        2);
  CHECK(accesses(by_16, "ld.volatile.shared.u32 %r10, [%r8]; ld.volatile.shared.u32 %r11, [%r8+4];",
                 Operation::scratchpad_load)
            .size() == 2);
}

TEST_CASE("Stores are joined where all words are stored") {
  const auto stores = [](int count) {
    std::string text;
    for (int n = 0; n < count; ++n)
      text += "st.shared.u32 [%r8+" + std::to_string(4 * n) + "], %r" + std::to_string(10 + n) + ";";
    return accesses(by_16, text, Operation::scratchpad_store);
  };
  CHECK(stores(4) == Accesses{{16, 0, 0}});
  CHECK(stores(2) == Accesses{{8, 0, 0}});
  CHECK(stores(3) == Accesses{{8, 0, 0}, {4, 0, 2}});
}

TEST_CASE("Loads on both sides of a store or of a barrier stay apart") {
  for (const std::string between : {"st.shared.u32 [%r10], %r1;", "bar.sync 0;"}) {
    CAPTURE(between);
    const Accesses found = accesses(by_16,
                                    "ld.shared.f32 %f1, [%r8]; ld.shared.f32 %f2, [%r8+4];" + between +
                                        "ld.shared.f32 %f3, [%r8+8]; ld.shared.f32 %f4, [%r8+12];",
                                    Operation::scratchpad_load);
    CHECK(found.size() == 2);
    CHECK(std::all_of(found.begin(), found.end(), [](const Access& one) { return one.bytes == 8; }));
  }
}

TEST_CASE("Words of different arrays that lie side by side are one piece, those of different indices are not") {
  CHECK(accesses(by_16, "add.u32 %r9, %r8, 4; ld.shared.f32 %f1, [%r8]; ld.shared.f32 %f2, [%r9];",
                 Operation::scratchpad_load)
            .size() == 1);
  CHECK(accesses(by_16,
                 "shl.b32 %r12, %r3, 4; add.u32 %r9, %r4, %r12; ld.shared.f32 %f1, [%r8]; ld.shared.f32 %f2, [%r9+4];",
                 Operation::scratchpad_load)
            .size() == 2);
}

TEST_CASE("Rounds of an unrolled loop join what they load of a row") {
  const auto loads_of_16_rounds = [](const std::string& row, const std::string& bound) {
    const ptx::Module module = ptx::test::kernel(
        "mov.u32 %r2, %tid.x; " + row + " mov.u32 %r4, table; add.u32 %r8, %r4, %r7; mov.u32 %r5, 0; bra.uni L; L: " +
            "ld.shared.f32 %f1, [%r8]; add.f32 %f2, %f2, %f1; add.u32 %r8, %r8, 4; add.u32 %r5, %r5, 1; " +
            "setp.lt.u32 %p1, %r5, " + bound + "; @%p1 bra L; st.global.f32 [%rd1], %f2; ret;",
        ".shared .align 16 .b8 table[8192];\n");
    const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
    const machine::Program program =
        machine::lower(kernel, {"volta", machine::ScratchpadAtomics::native, machine::Schedule::list});
    const machine::Code& code = program.unrolled.at(1).front().code;
    const auto count = std::count_if(program.instructions.begin() + code.first, program.instructions.begin() + code.end,
                                     [](const Instruction& i) { return i.operation == Operation::scratchpad_load; });
    return static_cast<std::uint32_t>(count) * (16 / code.executions);
  };
  CHECK(loads_of_16_rounds("shl.b32 %r7, %r2, 6;", "16") == 4);
  CHECK(loads_of_16_rounds("shl.b32 %r7, %r2, 6;", "%r10") == 4);
  CHECK(loads_of_16_rounds("shl.b32 %r7, %r2, 3;", "16") == 8);
  CHECK(loads_of_16_rounds("mul.lo.u32 %r7, %r2, 68;", "16") == 16);
}

TEST_CASE(
    "Of two loads of the same words the first is left, unless something may have written them or read them early") {
  const auto count = [](const std::string& between, const std::string& first = "ld.shared.f32 %f1, [%r8];") {
    return accesses(by_4, first + between + "ld.shared.f32 %f2, [%r8]; add.f32 %f3, %f1, %f2;",
                    Operation::scratchpad_load)
        .size();
  };
  CHECK(count("") == 1);
  CHECK(count("st.global.f32 [%rd1], %f1;") == 1);
  CHECK(count("st.shared.f32 [%r8+4], %f1;") == 2);
  CHECK(count("bar.sync 0;") == 2);
  CHECK(count("atom.shared.add.u32 %r9, [%r8+4], 1;") == 2);
  CHECK(count("", "ld.volatile.shared.f32 %f1, [%r8];") == 2);
  CHECK(count("add.f32 %f4, %f2, %f1;") == 2);  // Reads what was in the second one's register.
}

}  // namespace lockstep::wide_accesses_test
