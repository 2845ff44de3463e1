// What wmma stands for, against the machine code that ptxas 13.0 makes of the same kernels for sm_90.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/ptx/program.hpp"
#include "isa/ptx/static_program.hpp"
#include "isa/ptx/wmma/expansion.hpp"
#include "tests/places.hpp"
#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::ptx;

namespace {

struct Counts {
  unsigned loads = 0, matrix_loads[3] = {0, 0, 0}, moves = 0, products = 0, stores = 0;
};

/// LDG, LD and LDS; LDSM of one, two and four matrices; MOVM; HMMA, IMMA and DMMA; STG and ST of a kernel in tests/unit/isa/ptx/inputs/
/// wmma.cu, those of the _shared ones behind their barrier.
struct MachineCode {
  const char* kernel;
  Counts counts;
};
const MachineCode machine_code[] = {
    {"bf16_across", {16, {0, 0, 0}, 8, 2, 8}},
    {"bf16_along", {12, {0, 0, 0}, 0, 2, 4}},
    {"bf16_shared", {12, {0, 0, 0}, 4, 2, 4}},
    {"bf16_tall_across", {18, {0, 0, 0}, 10, 2, 8}},
    {"bf16_tall_along", {14, {0, 0, 0}, 0, 2, 4}},
    {"bf16_tall_shared", {14, {0, 0, 0}, 2, 2, 4}},
    {"bf16_wide_across", {14, {0, 0, 0}, 10, 2, 4}},
    {"bf16_wide_along", {18, {0, 0, 0}, 0, 2, 8}},
    {"bf16_wide_shared", {18, {0, 0, 0}, 8, 2, 8}},
    {"f16_f16_across", {12, {0, 0, 0}, 16, 2, 4}},
    {"f16_f16_along", {12, {0, 0, 0}, 0, 2, 4}},
    {"f16_f16_shared", {4, {0, 0, 2}, 0, 2, 4}},
    {"f16_f16_tall_across", {14, {0, 0, 0}, 18, 2, 4}},
    {"f16_f16_tall_along", {14, {0, 0, 0}, 0, 2, 4}},
    {"f16_f16_tall_shared", {4, {0, 1, 2}, 0, 2, 4}},
    {"f16_f16_wide_across", {14, {0, 0, 0}, 10, 2, 4}},
    {"f16_f16_wide_along", {14, {0, 0, 0}, 8, 2, 4}},
    {"f16_f16_wide_shared", {4, {0, 1, 2}, 8, 2, 4}},
    {"f16_f32_across", {16, {0, 0, 0}, 8, 2, 8}},
    {"f16_f32_along", {12, {0, 0, 0}, 0, 2, 4}},
    {"f16_f32_shared", {4, {0, 0, 2}, 0, 2, 4}},
    {"f16_f32_tall_across", {18, {0, 0, 0}, 10, 2, 8}},
    {"f16_f32_tall_along", {14, {0, 0, 0}, 0, 2, 4}},
    {"f16_f32_tall_shared", {4, {0, 1, 2}, 0, 2, 4}},
    {"f16_f32_wide_across", {14, {0, 0, 0}, 10, 2, 4}},
    {"f16_f32_wide_along", {18, {0, 0, 0}, 0, 2, 8}},
    {"f16_f32_wide_shared", {8, {0, 1, 2}, 0, 2, 8}},
    {"f64_across", {4, {0, 0, 0}, 0, 1, 2}},
    {"f64_along", {3, {0, 0, 0}, 0, 1, 1}},
    {"f64_shared", {3, {0, 0, 0}, 0, 1, 1}},
    {"s8_across", {24, {0, 0, 0}, 0, 2, 8}},
    {"s8_along", {8, {0, 0, 0}, 0, 2, 4}},
    {"s8_shared", {12, {0, 1, 0}, 0, 2, 4}},
    {"s8_tall_across", {28, {0, 0, 0}, 0, 2, 8}},
    {"s8_tall_along", {9, {0, 0, 0}, 0, 2, 4}},
    {"s8_tall_shared", {8, {0, 2, 0}, 0, 2, 4}},
    {"tf32_across", {16, {0, 0, 0}, 0, 4, 8}},
    {"tf32_along", {12, {0, 0, 0}, 0, 4, 4}},
    {"tf32_shared", {12, {0, 0, 0}, 0, 4, 4}},
    {"u8_wide_across", {24, {0, 0, 0}, 0, 2, 4}},
    {"u8_wide_along", {13, {0, 0, 0}, 0, 2, 8}},
    {"u8_wide_shared", {24, {1, 0, 0}, 0, 2, 8}},
};

bool is(const Instruction& instruction, Opcode opcode) {
  return instruction.opcode == opcode;
}

Counts counts_of(const Function& function) {
  Counts counts;
  for (const Instruction& instruction : function.instructions) {
    if (!instruction.part_of_wmma) continue;
    counts.loads += is(instruction, Opcode::ld);
    counts.stores += is(instruction, Opcode::st);
    counts.products += is(instruction, Opcode::mma);
    counts.moves += is(instruction, Opcode::movmatrix);
    if (is(instruction, Opcode::ldmatrix))
      ++counts.matrix_loads[instruction.has("x1") ? 0 : instruction.has("x2") ? 1 : 2];
  }
  return counts;
}

const Module& compiled() {
  static const Module module = parse_file(source_dir() + "/tests/unit/isa/ptx/inputs/nvcc_wmma.ptx");
  return module;
}

}  // namespace

TEST_CASE("wmma becomes as many loads, matrix loads, transpositions, products and stores as in machine code",
          "[ptx][wmma]") {
  CHECK(std::size(machine_code) == compiled().functions.size());
  for (const auto& [kernel, expected] : machine_code) {
    INFO(kernel);
    const Program program = link(compiled(), kernel);
    const Counts found = counts_of(*program.functions[0]);
    CHECK(found.loads == expected.loads);
    for (const unsigned i : {0u, 1u, 2u}) CHECK(found.matrix_loads[i] == expected.matrix_loads[i]);
    CHECK(found.moves == expected.moves);
    CHECK(found.products == expected.products);
    CHECK(found.stores == expected.stores);
  }
}

TEST_CASE("a program for who changes the text has wmma as written, in the same blocks", "[ptx][wmma]") {
  const Program expanded = link(compiled(), "s8_across"), written = link(compiled(), "s8_across", WmmaAs::written);
  CHECK(expanded.blocks.size() == written.blocks.size());
  const auto& instructions = written.functions[0]->instructions;
  CHECK(std::count_if(instructions.begin(), instructions.end(),
                      [](const Instruction& i) { return i.opcode == Opcode::wmma; }) == 5);
  CHECK(written.expansions.empty());
  for (const Instruction& instruction : expanded.functions[0]->instructions) CHECK(instruction.opcode != Opcode::wmma);
}

TEST_CASE("places of a stride are computed once, behind what computes the stride, and jumps lead where they led",
          "[ptx][wmma]") {
  const Module module = parse(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .pred %p<2>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<2>;
TOP:
ld.param.u64 %rd0, [out];
mov.u32 %r1, 48;
LOOP:
wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd0], %r1;
wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd0+4096], {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, %r1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p0, %r2, 3;
@%p0 bra LOOP;
setp.lt.u32 %p0, %r2, 4;
@%p0 bra TOP;
ret;
}
)",
                              "k.ptx");
  const auto function = wmma::expanded(module.functions[0]);
  REQUIRE(function);
  std::vector<std::size_t> targets, products;
  for (std::size_t n = 0; n < function->instructions.size(); ++n) {
    const Instruction& instruction = function->instructions[n];
    if (instruction.opcode == Opcode::bra) targets.push_back(instruction.operands[0].index);
    // Of the lane's number and the stride, not of an address that is stepped by lines.
    if (instruction.opcode == Opcode::mad && instruction.operands[2].kind == Operand::Kind::reg) products.push_back(n);
  }
  REQUIRE(targets.size() == 2);
  CHECK(products.size() == 1);
  CHECK(function->instructions[targets[1]].mnemonic() == "ld.param.u64");
  CHECK(products[0] < targets[0]);
  CHECK(function->instructions[targets[0]].mnemonic() == "add.s64");
}
