// Linking: functions, basic blocks and where diverged lanes meet.

#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::ptx;
using namespace lockstep::ptx::test;

namespace {

using Numbers = std::vector<std::uint32_t>;
constexpr std::uint32_t end = no_index;

struct Linked {
  explicit Linked(Module m) : module(std::move(m)), program(link(module, "k")) {}
  Module module;
  Program program;

  Numbers firsts() const {
    Numbers result;
    for (const BasicBlock& block : program.blocks) result.push_back(block.first);
    return result;
  }
  Numbers meetings() const {
    Numbers result;
    for (const BasicBlock& block : program.blocks) result.push_back(block.reconvergence);
    return result;
  }
};

std::string link_error(const Module& module, const std::string& entry = "k") {
  try {
    link(module, entry);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("straight code is one block") {
  const Linked x(kernel("mov.b32 %r1, 1; bar.sync 0; membar.gl; ret;"));
  REQUIRE(x.program.blocks.size() == 1);
  CHECK(x.program.blocks[0].count == 4);
  CHECK(x.program.blocks[0].successors.empty());
  CHECK(x.meetings() == Numbers{end});
}

TEST_CASE("an if without else skips its block") {
  const Linked x(kernel("@%p1 bra SKIP;\nmov.b32 %r1, 1;\nSKIP: ret;"));
  CHECK(x.firsts() == Numbers{0, 1, 2});
  CHECK(x.program.blocks[0].successors == Numbers{1, 2});
  CHECK(x.program.blocks[1].successors == Numbers{2});
  CHECK(x.meetings() == Numbers{2, 2, end});
}

TEST_CASE("if and else meet behind both") {
  const Linked x(kernel("@%p1 bra ELSE; mov.b32 %r1, 1; bra JOIN; ELSE: mov.b32 %r1, 2; JOIN: ret;"));
  CHECK(x.firsts() == Numbers{0, 1, 3, 4});
  CHECK(x.program.blocks[1].successors == Numbers{3});
  CHECK(x.meetings() == Numbers{3, 3, 3, end});
}

TEST_CASE("nested ifs meet at their own joins") {
  const Linked x(kernel("@%p1 bra J1;\n@%p2 bra J2;\nmov.b32 %r1, 1;\nJ2: mov.b32 %r2, 1;\nJ1: ret;"));
  CHECK(x.meetings() == Numbers{4, 3, 3, 4, end});
}

TEST_CASE("a loop meets behind its exit, also with a break") {
  const Linked x(kernel("HEAD: @%p1 bra OUT;\n@%p2 bra OUT;\nbra HEAD;\nOUT: ret;"));
  CHECK(x.firsts() == Numbers{0, 1, 2, 3});
  CHECK(x.program.blocks[2].successors == Numbers{0});
  CHECK(x.meetings() == Numbers{3, 3, 0, end});
}

TEST_CASE("a loop whose test stands last") {
  const Linked x(kernel("mov.b32 %r1, 0;\nL: add.s32 %r1, %r1, 1;\n@%p1 bra L;\nret;"));
  CHECK(x.firsts() == Numbers{0, 1, 3});
  CHECK(x.program.blocks[1].successors == Numbers{2, 1});
  CHECK(x.meetings() == Numbers{1, 2, end});
}

TEST_CASE("an early return makes the end the meeting point") {
  const Linked x(kernel("@%p1 bra A;\nret;\nA: mov.b32 %r1, 1;\nret;"));
  CHECK(x.meetings() == Numbers{end, end, end});
}

TEST_CASE("the block behind a nounroll pragma keeps it, others do not") {
  const Linked p(
      kernel("mov.u32 %r2, 0; L: .pragma \"nounroll\"; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; "
             "@%p1 bra L; .pragma \"used_bytes_mask 1\"; ret;"));
  REQUIRE(p.program.blocks.size() == 3);
  CHECK_FALSE(p.program.blocks[0].nounroll);
  CHECK(p.program.blocks[1].nounroll);
  CHECK_FALSE(p.program.blocks[2].nounroll);
}

TEST_CASE("a predicated exit ends its block and leads on") {
  for (const char* leave : {"exit", "ret", "trap"}) {
    const Linked x(kernel(std::string("@%p1 ") + leave + "; mov.b32 %r1, 1; ret;"));
    CHECK(x.firsts() == Numbers{0, 1});
    CHECK(x.program.blocks[0].successors == Numbers{1});
    CHECK(x.meetings() == Numbers{1, end});
  }
}

TEST_CASE("lanes that leave inside an if do not keep the others from meeting") {
  const Linked x(kernel("@%p1 bra E;\n@%p2 exit;\nbra J;\nE: mov.b32 %r1, 1;\nJ: ret;"));
  CHECK(x.firsts() == Numbers{0, 1, 2, 3, 4});
  CHECK(x.meetings() == Numbers{4, 2, 4, 4, end});
}

TEST_CASE("an endless loop and code that nothing reaches are blocks like others") {
  const Linked x(kernel("L: mov.b32 %r1, 1;\nbra L;\nmov.b32 %r2, 2;\nret;"));
  CHECK(x.firsts() == Numbers{0, 2});
  CHECK(x.program.blocks[0].successors == Numbers{0});
  CHECK(x.meetings() == Numbers{end, end});
}

TEST_CASE("an indexed branch leads to each target once and meets behind all") {
  const Linked x(kernel("T: .branchtargets A, B, A;\nbrx.idx %r1, T;\nA: bra J;\nB: bra J;\nJ: ret;"));
  CHECK(x.program.blocks[0].successors == Numbers{1, 2});
  CHECK(x.meetings() == Numbers{3, 3, 3, end});
}

TEST_CASE("a branch to the next instruction has one successor") {
  const Linked x(kernel("@%p1 bra N;\nN: ret;"));
  CHECK(x.program.blocks[0].successors == Numbers{1});
}

TEST_CASE("callees follow the entry in order of first reference and keep their numbers") {
  const Linked x(kernel("call g; @%p1 bra L; call f; L: call g; ret;",
                        ".func unused() { ret; }\n.func h() { ret; }\n.func f() { call h; ret; }\n"
                        ".func g() { .reg .b32 x; mov.b32 x, 1; ret; }\n"));
  const Program& p = x.program;
  REQUIRE(p.functions.size() == 4);
  CHECK(p.functions[0]->name == "k");
  CHECK(p.functions[1]->name == "g");
  CHECK(p.functions[2]->name == "f");
  CHECK(p.functions[3]->name == "h");
  CHECK(p.first_instruction == Numbers{0, 5, 7, 9});
  CHECK(p.instruction_count == 10);
  CHECK(p.instruction(9).opcode == Opcode::ret);
  CHECK(p.instruction(7).call_target == "h");
  CHECK(p.function_of(6) == 1);
  CHECK(p.function_of(9) == 3);
  CHECK(p.blocks[p.block_at(8)].function == 2);
  CHECK(p.blocks[p.first_block[3]].first == 9);
  CHECK(p.find_function("h") == 3);
  CHECK(p.find_function("unused") == no_index);
  // A call ends its block and leads to the next one.
  CHECK(p.blocks[0].count == 1);
  CHECK(p.blocks[0].successors == Numbers{1});
  CHECK(p.blocks[0].reconvergence == 1);
}

TEST_CASE("a missing kernel is told with what there is") {
  const Module module = kernel("ret;", ".func f() { ret; }\n");
  CHECK(link_error(module, "kk") == "test.ptx: has no kernel 'kk'; did you mean 'k'?");
  CHECK(link_error(module, "something_else") == "test.ptx: has no kernel 'something_else'; it has 'k'");
  CHECK(link_error(module, "f").find("test.ptx:4:7: a device function is not a kernel: 'f'") == 0);
}

TEST_CASE("calls that cannot be followed are errors at the call") {
  CHECK(link_error(kernel("call f;\nret;", ".extern .func f;\n")) ==
        "test.ptx:8:1: call of 'f', which has no body in this file");
  CHECK(link_error(kernel("{ .param .b64 a0; .param .b64 a1; .param .b32 r;\ncall (r), vprintf, (a0, a1); }",
                          ".extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);\n"))
            .empty());
  CHECK(link_error(kernel("{ .param .b64 a0; .param .b32 r;\ncall (r), vprintf, (a0); }",
                          ".extern .func (.param .b32 r) vprintf(.param .b64 x, .param .b64 y);\n")) ==
        "test.ptx:9:1: call of 'vprintf' with 1 arguments and 1 results, which takes 2 and returns 1");
  CHECK(link_error(kernel("call k2;", ".entry k2() { ret; }\n")) == "test.ptx:8:1: call of 'k2', which is a kernel");
  CHECK(link_error(kernel("call f, (%r1);", ".func f() { ret; }\n")) ==
        "test.ptx:8:1: call of 'f' with 1 arguments and 0 results, which takes 0 and returns 0");
}

TEST_CASE("functions that call each other in a cycle are recursive, those that they call are not") {
  const Linked x(kernel("call f; call s;",
                        ".func g;\n.func h() { ret; }\n.func f() { call g; ret; }\n.func g() { call f; call h; ret; }\n"
                        ".func s() { call s; call h; ret; }\n"));
  const Program& p = x.program;
  const auto recursion = [&](const char* name) { return p.recursion[p.find_function(name)]; };
  CHECK(recursion("k") == no_index);
  CHECK(recursion("h") == no_index);
  CHECK(recursion("f") != no_index);
  CHECK(recursion("f") == recursion("g"));
  CHECK(recursion("s") != no_index);
  CHECK(recursion("s") != recursion("f"));
}

TEST_CASE("a call through a register may call what passes the same values and has its address taken") {
  const Linked x(
      kernel("mov.u64 %rd1, f; { .param .b32 a; .param .b64 r;\ncall (r), %rd1, (a), P; }\n"
             "P: .callprototype (.param .b64 _) _ (.param .b32 _);",
             ".func (.param .b64 y) f(.param .b32 x) { ret; }\n"
             ".func (.param .b64 y) other(.param .b32 x) { ret; }\n"
             ".func (.param .b64 y) wide(.param .b64 x) { ret; }\n"
             ".func (.param .b64 y) more(.param .b32 x, .param .b32 z) { ret; }\n"
             ".func (.param .b64 y) named(.param .b32 x) { ret; }\n"
             ".global .u64 table[4] = {wide, more, generic(other), 0};\n"));
  const Program& p = x.program;
  REQUIRE(p.functions.size() == 3);
  CHECK(p.functions[1]->name == "f");
  CHECK(p.functions[2]->name == "other");
  const Instruction& call = p.instruction(1);
  REQUIRE(call.opcode == Opcode::call);
  CHECK(std::vector<std::uint32_t>(p.callees(call).begin(), p.callees(call).end()) == Numbers{1, 2});
}

TEST_CASE("two calls of one function are no recursion") {
  CHECK(link_error(kernel("call f; call g; ret;", ".func g() { ret; }\n.func f() { call g; call g; ret; }\n")).empty());
}
