// Errors in PTX text: every message names the place, what was found and what would be right.

#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::ptx;
using namespace lockstep::ptx::test;

namespace {

/// The error of a kernel with this body, whose first line is line 7.
std::string body_error(const std::string& body) {
  return error_of(std::string(head) + ".entry k(.param .u64 a)\n{\n.reg .b32 %r<20>; .reg .pred %p<4>;\n" + body +
                  "\n}\n");
}

}  // namespace

TEST_CASE("a file that is not PTX is recognised at its first word") {
  CHECK(error_of("int main() {}") == "test.ptx:1:1: this is not PTX: expected '.version', found 'int'");
  CHECK(error_of("") == "test.ptx:1:1: this is not PTX: expected '.version', found the end of the file");
  CHECK(error_of("\x7f"
                 "ELF") == "test.ptx:1:1: this is not PTX: expected '.version', found '\\x7f'");
}

TEST_CASE("the head must be complete and right") {
  CHECK(error_of(".version seven\n.target sm_75") == "test.ptx:1:10: expected a version such as 7.0, found 'seven'");
  CHECK(error_of(".version 7.0\n") == "test.ptx: there is no '.target' directive");
  CHECK(error_of(".version 7.0\n.target sm_75\n.address_size 48\n") == "test.ptx:3:15: the address size is 32 or 64");
}

TEST_CASE("an unknown instruction is named with the nearest known one") {
  CHECK(body_error("  adt.s32 %r1, %r2, %r3;") == "test.ptx:7:3: unknown instruction 'adt.s32'; did you mean 'add'?");
  CHECK(body_error("frobnicate.b32 %r1;") == "test.ptx:7:1: unknown instruction 'frobnicate.b32'");
}

TEST_CASE("a wrong number of operands is told") {
  CHECK(body_error("add.s32 %r1, %r2;") == "test.ptx:7:1: 'add.s32' takes 3 operands, found 2");
  CHECK(body_error("setp.eq.s32 %p1, %r2;") == "test.ptx:7:1: 'setp.eq.s32' takes 3 to 4 operands, found 2");
  CHECK(body_error("ret %r1;") == "test.ptx:7:1: 'ret' takes 0 operands, found 1");
}

TEST_CASE("an unknown register is named with the nearest declared one") {
  CHECK(body_error(".reg .b32 total; mov.b32 totl, 1;") ==
        "test.ptx:7:26: 'totl' is not declared; did you mean 'total'?");
  CHECK(body_error("mov.b32 %r1, %x2;") == "test.ptx:7:14: unknown register '%x2'");
  CHECK(body_error("mov.b32 %r1, %tid.q;") == "test.ptx:7:14: unknown special register '%tid.q'");
  CHECK(body_error("@%r1 ret;") == "test.ptx:7:2: the guard '%r1' is not a predicate");
}

TEST_CASE("a missing mark is told with what was found instead") {
  CHECK(body_error("mov.b32 %r1, 1\nmov.b32 %r2, 2;") ==
        "test.ptx:8:1: expected ',' or ';' after the operands of 'mov.b32', found 'mov'");
  CHECK(body_error("ld.global.u32 %r1, [%r2;") == "test.ptx:7:24: expected ']' after the address, found ';'");
  CHECK(body_error("mov.b32 %r1, ;") == "test.ptx:7:14: expected an operand, found ';'");
  CHECK(body_error("st.global.v2.u32 [%r1], {%r1, %r2;") ==
        "test.ptx:7:34: expected '}' after the elements of the vector, found ';'");
}

TEST_CASE("a branch to nowhere is told with the nearest label") {
  CHECK(body_error("LOOP1: bra LOOP2;") == "test.ptx:7:12: no label 'LOOP2' in this function; did you mean 'LOOP1'?");
  CHECK(body_error("brx.idx %r1, T;") == "test.ptx:7:14: no list of branch targets 'T' in this function");
  CHECK(body_error("L: ret;\nL: ret;") == "test.ptx:8:1: label 'L' appears twice in this scope");
  CHECK(body_error("{ IN: ret; } bra IN;") == "test.ptx:7:18: no label 'IN' in this function; did you mean 'IN'?");
}

TEST_CASE("names that are declared twice are told") {
  CHECK(body_error(".reg .b32 x, x;") == "test.ptx:7:14: 'x' is declared twice in this scope");
  CHECK(body_error(".reg .b32 %r<3>;") == "test.ptx:7:11: the registers %r<> are declared twice in this scope");
  CHECK(error_of(std::string(head) + ".func f() { ret; }\n.func f() { ret; }\n") ==
        "test.ptx:5:7: 'f' is defined twice, first at test.ptx:4:7");
}

TEST_CASE("all errors of a file are reported together, in order") {
  CHECK(body_error("adt.s32 %r1;\nmov.b32 %r1, 1;\nmov.b32 %r1 %r2;\n.globl x;\nadd.s32 %r1, %r2, %q;") ==
        "test.ptx:7:1: unknown instruction 'adt.s32'; did you mean 'add'?\n"
        "test.ptx:9:13: expected ',' or ';' after the operands of 'mov.b32', found '%r2'\n"
        "test.ptx:10:1: unknown directive '.globl'\n"
        "test.ptx:11:19: unknown register '%q'");
}

TEST_CASE("an error in one function does not hide those of the next") {
  CHECK(error_of(std::string(head) + ".entry a( { ret; }\n.entry b() { rett; }\n.globbal .u32 x;\n") ==
        "test.ptx:4:11: expected '.param', found '{'\n"
        "test.ptx:5:14: unknown instruction 'rett'; did you mean 'ret'?\n"
        "test.ptx:6:1: unknown directive '.globbal'");
}

TEST_CASE("a text of nothing but errors stops after twenty") {
  std::string body;
  for (int i = 0; i < 1000; ++i) body += "nonsense;\n";
  const std::string message = body_error(body);
  CHECK(std::count(message.begin(), message.end(), '\n') == 19);
}

TEST_CASE("a body that never closes is an error at the end of the file") {
  CHECK(error_of(std::string(head) + ".entry k()\n{\nret;\n") ==
        "test.ptx:7:1: expected '}' at the end of 'k', found the end of the file");
  CHECK(error_of(std::string(head) + ".entry k()\n{ /* ret; }\n") ==
        "test.ptx:5:3: expected an instruction, a label or a directive, found a comment that is never closed\n"
        "test.ptx:6:1: expected '}' at the end of 'k', found the end of the file");
}

TEST_CASE("nesting without end is an error and not a crash") {
  CHECK(body_error("mov.b32 %r1, " + std::string(50000, '{')).find("brackets are nested too deeply") !=
        std::string::npos);
  CHECK(body_error(std::string(50000, '{')).find("scopes are nested too deeply") != std::string::npos);
}

TEST_CASE("a missing file and a folder are errors that name the path") {
  CHECK_THROWS_WITH(parse_file("/nonexistent/k.ptx"), "/nonexistent/k.ptx: there is no such file");
  CHECK_THROWS_WITH(parse_file("/"), "/: is a folder, not a file");
}
