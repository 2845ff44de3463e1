// mov: copies, packing and unpacking, special registers, addresses (PTX ISA 9.7.9.1 and 9.7.9.2).

#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/arithmetic/runner.hpp"

using namespace lockstep::test;

TEST_CASE("mov copies registers and literals of every width", "[arithmetic]") {
  CHECK(InstructionRunner("mov.u16 %h0, %h1;").run({0xabcd}) == 0xabcd);
  CHECK(InstructionRunner("mov.b32 %r0, %r1;").run({0x89abcdef}) == 0x89abcdef);
  CHECK(InstructionRunner("mov.f64 %fd0, %fd1;").run({0x7ff0000000000001}) == 0x7ff0000000000001);
  CHECK(InstructionRunner("mov.pred %p0, %p1;").run_rows({{0}, {1}}) == Row{0, 1});
  CHECK(InstructionRunner("mov.b32 %r0, %f1;").run({0x3f800000}) == 0x3f800000);
  CHECK(InstructionRunner("mov.b32 %r0, 0f3F800000;").run({}) == 0x3f800000);
  CHECK(InstructionRunner("mov.f32 %f0, 0.1;").run({}) == 0x3dcccccd);
  CHECK(InstructionRunner("mov.b64 %d0, 0d400921FB54442D18;").run({}) == 0x400921fb54442d18);
  CHECK(InstructionRunner("mov.u64 %d0, -2;").run({}) == 0xfffffffffffffffe);
  CHECK(InstructionRunner("mov.u16 %h0, -2;").run({}) == 0xfffe);
}

TEST_CASE("mov packs a vector lowest element first", "[arithmetic]") {
  CHECK(InstructionRunner("mov.b32 %r0, {%h1, %h2};").run({0x1111, 0x2222}) == 0x22221111);
  CHECK(InstructionRunner("mov.b64 %d0, {%r1, %r2};").run({0x11111111, 0x82222222}) == 0x8222222211111111);
  CHECK(InstructionRunner("mov.b64 %d0, {%f1, %r2};").run({0x3f800000, 7}) == 0x000000073f800000);
  CHECK(InstructionRunner("mov.b64 %d0, {%h1, %h2, %h3, %h4};").run({1, 2, 3, 0x8004}) == 0x8004000300020001);
  CHECK(InstructionRunner("mov.b64 %d0, {%r1, 5};").run({9}) == 0x0000000500000009);
  InstructionRunner wide("mov.b128 %q0, {%d1, %d2};");
  CHECK(wide.run({0x123456789abcdef0, 0xfedcba9876543210}) == 0x123456789abcdef0);
  CHECK(wide.destination(1)[0] == 0xfedcba9876543210);
}

TEST_CASE("mov unpacks into a vector lowest element first", "[arithmetic]") {
  InstructionRunner halves("mov.b32 {%h0, %h1}, %r1;");
  CHECK(halves.run({0x22221111}) == 0x1111);
  CHECK(halves.destination(1)[0] == 0x2222);
  InstructionRunner words("mov.b64 {%r0, %r1}, %d1;");
  CHECK(words.run({0x8222222211111111}) == 0x11111111);
  CHECK(words.destination(1)[0] == 0x82222222);
  InstructionRunner quarters("mov.b64 {%h0, %h1, %h2, %h3}, %d1;");
  CHECK(quarters.run({0x8004000300020001}) == 1);
  CHECK(quarters.destination(1)[0] == 2);
  CHECK(quarters.destination(2)[0] == 3);
  CHECK(quarters.destination(3)[0] == 0x8004);
  InstructionRunner doubles("mov.b128 {%d0, %d1}, %q1;");
  CHECK(doubles.run({0x123456789abcdef0, 0xfedcba9876543210}) == 0x123456789abcdef0);
  CHECK(doubles.destination(1)[0] == 0xfedcba9876543210);
}

TEST_CASE("a sink takes the element that is not used", "[arithmetic]") {
  CHECK(InstructionRunner("mov.b64 {_, %r1}, %d1;").run({0x8222222211111111}) == 0x82222222);
}

TEST_CASE("mov reads special registers in its own width", "[arithmetic]") {
  // The runner fills special registers with 0x87654321 (or 0x8765432187654321) + lane.
  const std::vector<Row> rows(3);
  CHECK(InstructionRunner("mov.u32 %r0, %tid.x;").run_rows(rows) == Row{0x87654321, 0x87654322, 0x87654323});
  CHECK(InstructionRunner("mov.u16 %h0, %ntid.y;").run_rows(rows) == Row{0x4321, 0x4322, 0x4323});
  CHECK(InstructionRunner("mov.u64 %d0, %gridid;").run_rows(rows) == Row{0x87654321, 0x87654322, 0x87654323});
  CHECK(InstructionRunner("mov.u64 %d0, %clock64;").run_rows(rows)[1] == 0x8765432187654322);
}

TEST_CASE("mov takes the address of a variable, with an offset", "[arithmetic]") {
  CHECK(InstructionRunner("mov.u64 %d0, array;").run({}) == InstructionRunner::symbol_address);
  CHECK(InstructionRunner("mov.u64 %d0, array+12;").run({}) == InstructionRunner::symbol_address + 12);
  CHECK(InstructionRunner("mov.u32 %r0, array;").run({}) == (InstructionRunner::symbol_address & 0xffffffff));
}
