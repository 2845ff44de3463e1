// Instructions, operands and the structure of functions, form by form.

#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::ptx;
using namespace lockstep::ptx::test;
using Kind = Operand::Kind;

TEST_CASE("the head of a module is read") {
  const Module module = parse(".version 8.3\n.target sm_90a, texmode_independent\n.address_size 32\n", "m.ptx");
  CHECK(module.version_major == 8);
  CHECK(module.version_minor == 3);
  CHECK(module.target == "sm_90a");
  CHECK(module.address_bits == 32);
  CHECK(module.file == "m.ptx");
}

TEST_CASE("an instruction has its opcode, modifiers and place") {
  const Instruction x = instruction("  atom.shared.add.u32 %r1, [%rd2+4], 1;");
  CHECK(x.opcode == Opcode::atom);
  CHECK(x.modifiers == std::vector<std::string>{"shared", "add", "u32"});
  CHECK(x.mnemonic() == "atom.shared.add.u32");
  CHECK(x.has("add"));
  CHECK_FALSE(x.has("sub"));
  CHECK(x.line == 7);
  CHECK(x.column == 3);
  CHECK(x.guard == no_index);
}

TEST_CASE("guards may be negated") {
  const Module module = kernel("@%p1 mov.b32 %r1, %r2; @!%p2 mov.b32 %r1, %r2;");
  const Function& k = *module.find_function("k");
  CHECK(k.registers.at(k.instructions.at(0).guard).name == "%p1");
  CHECK_FALSE(k.instructions.at(0).guard_negated);
  CHECK(k.registers.at(k.instructions.at(1).guard).name == "%p2");
  CHECK(k.instructions.at(1).guard_negated);
}

TEST_CASE("registers, literals, special registers and the sink are operands") {
  const Module module =
      kernel("mad.lo.s32 %r1, %r2, -3, 0x10; mov.u32 %r1, %tid.x; atom.global.add.u32 _, [%rd1], %r1;");
  const auto& code = module.find_function("k")->instructions;
  CHECK(register_of(module, code[0].operands[0]) == "%r1");
  CHECK(code[0].operands[2].kind == Kind::integer);
  CHECK(code[0].operands[2].bits == static_cast<std::uint64_t>(-3));
  CHECK(code[0].operands[3].bits == 16);
  CHECK(code[1].operands[1].kind == Kind::special);
  CHECK(code[1].operands[1].special == SpecialRegister::tid_x);
  CHECK(code[2].operands[0].kind == Kind::sink);
}

TEST_CASE("every special register that is modelled is found by its name") {
  for (int i = 0; i < static_cast<int>(SpecialRegister::unmodelled); ++i) {
    const auto special = static_cast<SpecialRegister>(i);
    INFO(name_of(special));
    const Instruction x = instruction("mov.u32 %r1, %" + std::string(name_of(special)) + ";");
    CHECK(x.operands[1].kind == Kind::special);
    CHECK(x.operands[1].special == special);
  }
}

TEST_CASE("special registers that nothing models keep their name") {
  for (const char* name : {"clusterid.x", "cluster_ctarank", "envreg31", "pm0", "pm3_64", "aggr_smem_size"}) {
    INFO(name);
    const Instruction x = instruction(std::string("mov.u32 %r1, %") + name + ";");
    CHECK(x.operands[1].special == SpecialRegister::unmodelled);
    CHECK(x.operands[1].symbol == name);
  }
}

TEST_CASE("there are two offsets in the reserved scratchpad memory, 0 and 1") {
  CHECK_NOTHROW(instruction("mov.u32 %r1, %reserved_smem_offset_1;"));
  CHECK_THROWS_WITH(instruction("mov.u32 %r1, %reserved_smem_offset_2;"), Catch::Contains("%reserved_smem_offset_2"));
}

TEST_CASE("floating-point literals carry f64 bits and the width they were written in") {
  const Instruction x = instruction("fma.rn.f32 %f1, 0f3F000000, 1.25, 0d4000000000000000;");
  CHECK(x.operands[1].kind == Kind::real);
  CHECK(x.operands[1].bits == 0x3FE0000000000000);
  CHECK(x.operands[1].real_bits == 32);
  CHECK(x.operands[2].bits == 0x3FF4000000000000);
  CHECK(x.operands[2].real_bits == 64);
  CHECK(x.operands[3].bits == 0x4000000000000000);
}

TEST_CASE("addresses have a base and an offset") {
  struct Case {
    const char* text;
    const char* base;
    std::int64_t offset;
  };
  for (const Case& c :
       {Case{"[%rd1]", "%rd1", 0}, Case{"[%rd1+8]", "%rd1", 8}, Case{"[%rd1+-4]", "%rd1", -4},
        Case{"[%rd1-4]", "%rd1", -4}, Case{"[%rd1 + 4*3]", "%rd1", 12}, Case{"[%rd1+8-2]", "%rd1", 6},
        Case{"[v]", "v", 0}, Case{"[v+16]", "v", 16}, Case{"[64]", "", 64}, Case{"[(1<<4)+2]", "", 18}}) {
    INFO(c.text);
    const Module module = kernel(std::string("ld.global.u32 %r1, ") + c.text + ";", ".global .b32 v[9];\n");
    const Operand& x = module.find_function("k")->instructions.at(0).operands.at(1);
    CHECK(x.kind == Kind::address);
    CHECK((x.index != no_index ? register_of(module, x) : x.symbol) == c.base);
    CHECK(x.offset == c.offset);
  }
}

TEST_CASE("the address of a variable is an operand") {
  const Module module = kernel("mov.u64 %rd1, v; mov.u64 %rd1, v+12; mov.u64 %rd1, a;", ".global .b32 v[9];\n");
  const auto& code = module.find_function("k")->instructions;
  CHECK(code[0].operands[1].kind == Kind::symbol);
  CHECK(code[0].operands[1].symbol == "v");
  CHECK(code[1].operands[1].offset == 12);
  CHECK(code[2].operands[1].symbol == "a");
}

TEST_CASE("vectors hold operands of all kinds") {
  const Instruction x = instruction("st.global.v4.f32 [%rd1], {%f1, 0f00000000, _, %f2};");
  REQUIRE(x.operands[1].kind == Kind::vector);
  REQUIRE(x.operands[1].elements.size() == 4);
  CHECK(x.operands[1].elements[0].kind == Kind::reg);
  CHECK(x.operands[1].elements[1].kind == Kind::real);
  CHECK(x.operands[1].elements[2].kind == Kind::sink);
}

TEST_CASE("two predicates are written with a bar between them") {
  const Module module = kernel(
      "setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3; shfl.sync.up.b32 %r1|%p4, %r2, 1, 0, -1; "
      "setp.eq.s32 %p5|_, %r1, 1;");
  const Function& k = *module.find_function("k");
  CHECK(k.registers.at(k.instructions[0].operands[0].second).name == "%p2");
  CHECK(k.instructions[0].operands[3].negated);
  CHECK(register_of(module, k.instructions[0].operands[3]) == "%p3");
  CHECK(k.registers.at(k.instructions[1].operands[0].second).name == "%p4");
  CHECK(k.instructions[2].operands[0].second == no_index);
}

TEST_CASE("a texture operand keeps its sampler and coordinates behind its base") {
  const Module module = kernel("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [t, s, {%r5, %r6}];",
                               ".global .texref t;\n.global .samplerref s;\n");
  const Instruction& x = module.find_function("k")->instructions.at(0);
  CHECK(x.modifiers[0] == "2d");
  REQUIRE(x.operands[1].kind == Kind::address);
  CHECK(x.operands[1].symbol == "t");
  REQUIRE(x.operands[1].elements.size() == 2);
  CHECK(x.operands[1].elements[0].symbol == "s");
  CHECK(x.operands[1].elements[1].elements.size() == 2);
}

TEST_CASE("registers are numbered in order of first appearance, declared in ranges or alone") {
  const Module module = module_with(
      ".entry k()\n{ .reg .b32 a, b; .reg .pred q<2>; .reg .f64 %x3<12>; add.s32 b, a, a; mov.f64 %x311, %x30; "
      "setp.eq.s32 q1, a, b; }");
  const auto& registers = module.find_function("k")->registers;
  REQUIRE(registers.size() == 5);
  CHECK((registers[0].name == "b" && registers[0].type == Type::b32));
  CHECK(registers[1].name == "a");
  CHECK((registers[2].name == "%x311" && registers[2].type == Type::f64));
  CHECK((registers[4].name == "q1" && registers[4].type == Type::pred));
}

TEST_CASE("a register beyond its range or written with a leading zero does not exist") {
  CHECK_THROWS_AS(instruction("mov.b32 %r20, %r1;"), InputError);
  CHECK_THROWS_AS(instruction("mov.b32 %r01, %r1;"), InputError);
  CHECK_NOTHROW(instruction("mov.b32 %r19, %r0;"));
}

TEST_CASE("vector registers are several registers with components") {
  const Module module = kernel(".reg .v4 .f32 v; mov.f32 v.y, v.r; mov.v4.f32 {%f1,%f2,%f3,%f4}, v;");
  const auto& code = module.find_function("k")->instructions;
  CHECK(register_of(module, code[0].operands[0]) == "v.y");
  CHECK(register_of(module, code[0].operands[1]) == "v.x");
  REQUIRE(code[1].operands[1].elements.size() == 4);
  CHECK(register_of(module, code[1].operands[1].elements[3]) == "v.w");
}

TEST_CASE("a name in an inner scope hides the outer one and gets a name of its own") {
  const Module module = kernel(
      "mov.b32 %r1, 1; { .reg .b32 %r<2>; .param .b32 x; mov.b32 %r1, 2; st.param.b32 [x], %r1; }\n"
      "{ .param .b64 x; st.param.b64 [x], %rd1; } mov.b32 %r1, 3;");
  const Function& k = *module.find_function("k");
  CHECK(register_of(module, k.instructions[0].operands[0]) == "%r1");
  CHECK(register_of(module, k.instructions[1].operands[0]) == "%r1$2");
  CHECK(register_of(module, k.instructions[4].operands[0]) == "%r1");
  REQUIRE(k.variables.size() == 2);
  CHECK(k.variables[0].name == "x");
  CHECK(k.variables[1].name == "x$2");
  CHECK(k.variables[1].bytes == 8);
  CHECK(k.instructions[2].operands[0].symbol == "x");
  CHECK(k.instructions[3].operands[0].symbol == "x$2");
}

TEST_CASE("a variable of a function never has the name of one of the module") {
  const Module module = kernel("{ .shared .b32 v[4]; mov.u64 %rd1, v; } mov.u64 %rd1, v;", ".global .b32 v;\n");
  const Function& k = *module.find_function("k");
  CHECK(k.variables.at(0).name == "v$2");
  CHECK(k.instructions[0].operands[1].symbol == "v$2");
  CHECK(k.instructions[1].operands[1].symbol == "v");
}

TEST_CASE("branches name instructions, forwards and backwards") {
  const Module module = kernel("L1: add.s32 %r1, %r1, 1;\n@%p1 bra L1;\nbra.uni $L__2;\nmov.b32 %r1, 0;\n$L__2:\nret;");
  const auto& code = module.find_function("k")->instructions;
  CHECK(code[1].operands[0].kind == Kind::label);
  CHECK(code[1].operands[0].index == 0);
  CHECK(code[2].operands[0].index == 4);
}

TEST_CASE("a label belongs to its scope, so that inlined assembly may repeat it") {
  const Module module = kernel("{ W: bra W; } { W: bra W; } { bra OUT; } OUT: ret;");
  const auto& code = module.find_function("k")->instructions;
  CHECK(code[0].operands[0].index == 0);
  CHECK(code[1].operands[0].index == 1);
  CHECK(code[2].operands[0].index == 3);
}

TEST_CASE("an indexed branch lists its targets") {
  const Module module =
      kernel("T: .branchtargets A, B, A, C<2>;\nbrx.idx %r1, T;\nA: ret;\nB: ret;\nC0: ret;\nC1: exit;");
  const Instruction& x = module.find_function("k")->instructions.at(0);
  REQUIRE(x.operands.size() == 2);
  REQUIRE(x.operands[1].kind == Kind::vector);
  std::vector<std::uint32_t> targets;
  for (const Operand& element : x.operands[1].elements) targets.push_back(element.index);
  CHECK(targets == std::vector<std::uint32_t>{1, 2, 1, 3, 4});
}

TEST_CASE("a body that can run off its end returns there") {
  Module module = kernel("mov.b32 %r1, 1;");
  CHECK(module.find_function("k")->instructions.back().opcode == Opcode::ret);
  module = kernel("");
  CHECK(module.find_function("k")->instructions.size() == 1);
  module = kernel("@%p1 bra END; ret; END:");
  REQUIRE(module.find_function("k")->instructions.size() == 3);
  CHECK(module.find_function("k")->instructions[0].operands[0].index == 2);
  module = kernel("ret; AFTER:");
  CHECK(module.find_function("k")->instructions.size() == 1);
  module = kernel("@%p1 exit;");
  CHECK(module.find_function("k")->instructions.size() == 2);
}

TEST_CASE("calls name results, function and arguments") {
  const Module module = kernel(
      "{ .param .b32 p0; .param .b32 p1; .param .b32 r0;\nst.param.b32 [p0+0], %r1;\n"
      "call.uni (r0), f, (p0, p1); ld.param.b32 %r2, [r0+0]; }\ncall g; call g, (); call (%r1), h, (%r2, 5);",
      ".func (.param .b32 r) f(.param .b32 x, .param .b32 y);\n.func g;\n.func (.reg .b32 r) h(.reg .b32 x, .reg .b32 "
      "y);\n");
  const auto& code = module.find_function("k")->instructions;
  CHECK(code[1].mnemonic() == "call.uni");
  CHECK(code[1].call_target == "f");
  REQUIRE(code[1].call_results.size() == 1);
  CHECK(code[1].call_results[0].symbol == "r0");
  REQUIRE(code[1].call_arguments.size() == 2);
  CHECK(code[1].call_arguments[1].symbol == "p1");
  CHECK((code[3].call_target == "g" && code[3].call_arguments.empty()));
  CHECK((code[4].call_target == "g" && code[4].call_arguments.empty()));
  CHECK(code[5].call_results[0].kind == Kind::reg);
  CHECK(code[5].call_arguments[1].bits == 5);
}

TEST_CASE("an indirect call keeps its register and no target") {
  const Module module = kernel(
      "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _) .noreturn;\n"
      "{ .param .b32 a0; .param .b64 a1; .param .b32 r0; call (r0), %rd1, (a0, a1), P; }");
  const Instruction& x = module.find_function("k")->instructions.at(0);
  CHECK(x.call_target.empty());
  REQUIRE(x.operands.size() == 1);
  CHECK(register_of(module, x.operands[0]) == "%rd1");
}

TEST_CASE("source lines follow .loc, also of inlined code, and unknown files count as none") {
  const Module module = kernel(
      ".loc 1 12 3\nmov.b32 %r1, 1;\n.loc 2 7 1, function_name $S+3, inlined_at 1 13 2\nmov.b32 %r1, 2;\n"
      ".loc 1 0 0\nmov.b32 %r1, 3;\n.loc 9 4 4\nmov.b32 %r1, 4;",
      ".file 1 \"a.cu\", 1234, 99\n.file 2 \"dir\" \"b.h\"\n");
  const auto& code = module.find_function("k")->instructions;
  CHECK(module.source_files == std::vector<std::string>{"", "a.cu", "dir/b.h"});
  CHECK((code[0].source_file == 1 && code[0].source_line == 12));
  CHECK((code[1].source_file == 2 && code[1].source_line == 7));
  CHECK((code[1].call_file == 1 && code[1].call_line == 13));
  CHECK((code[0].call_line == 0 && code[2].call_line == 0 && code[3].call_line == 0));
  CHECK((code[2].source_file == 1 && code[2].source_line == 0));
  CHECK((code[3].source_file == 0 && code[3].source_line == 0));
}

TEST_CASE("function heads carry launch bounds and ignore what does not concern execution") {
  const Module module = module_with(
      ".visible .entry a() .maxntid 64, 4, 2 .minnctapersm 2 .maxnreg 32 .pragma \"nounroll\"; { ret; }\n"
      ".weak .entry b .reqntid 32 .explicitcluster .reqnctapercluster 2, 1, 1 { ret; }\n"
      ".func .attribute(.unified(1, 2)) c() .noreturn .abi_preserve 4 { trap; }\n");
  CHECK(module.find_function("a")->is_entry);
  CHECK(module.find_function("a")->max_threads == 512);
  CHECK(module.find_function("a")->required_threads[0] == 0);
  CHECK(module.find_function("b")->required_threads[0] == 32);
  CHECK(module.find_function("b")->required_threads[1] == 1);
  CHECK_FALSE(module.find_function("c")->is_entry);
  CHECK(module.find_function("d") == nullptr);
}

TEST_CASE("parameters have types, sizes and alignments") {
  const Module module = module_with(
      ".entry k(.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24], .param .u64 .ptr q, .param .f32 f,\n"
      ".param .v4 .f32 v) { ret; }");
  const auto& parameters = module.find_function("k")->parameters;
  REQUIRE(parameters.size() == 5);
  CHECK((parameters[0].name == "p" && parameters[0].bytes == 8 && parameters[0].alignment == 8));
  CHECK((parameters[1].bytes == 24 && parameters[1].alignment == 8 && parameters[1].space == Space::param));
  CHECK((parameters[3].bytes == 4 && parameters[3].type == Type::f32));
  CHECK((parameters[4].bytes == 16 && parameters[4].alignment == 16));
}

TEST_CASE("a function may be declared before it is defined, and again after it") {
  const Module module = module_with(
      ".func (.param .b32 r) f(.param .b32 x);\n.visible .func (.param .b32 r) f(.param .b32 x) { ret; }\n"
      ".func (.param .b32 r) f(.param .b32 x);\n.extern .func g(.param .b32 x)\n;\n");
  REQUIRE(module.functions.size() == 2);
  CHECK(module.find_function("f")->has_body);
  CHECK_FALSE(module.find_function("g")->has_body);
}

TEST_CASE("functions may have registers as parameters") {
  const Module module = module_with(".func (.reg .u32 r) f(.reg .u32 x, .reg .f64 y) { add.u32 r, x, 1; ret; }");
  const Function& f = *module.find_function("f");
  CHECK(f.result_registers == std::vector<RegisterId>{0});
  CHECK(f.parameter_registers == std::vector<RegisterId>{1, 2});
  CHECK(f.registers[2].type == Type::f64);
  CHECK(f.registers.size() == 3);
  CHECK(f.instructions[0].operands[0].index == 0);
}

TEST_CASE("an alias is a function with the same body") {
  const Module module = module_with(".func f() { ret; }\n.func g();\n.alias g, f;\n");
  REQUIRE(module.find_function("g") != nullptr);
  CHECK(module.find_function("g")->has_body);
}

TEST_CASE("debugging sections, pragmas and old DWARF lines are skipped") {
  const Module module = module_with(
      ".section .debug_loc { }\n.section .debug_info\n{\n.b32 12\n.b64 $L__x+4 // }\n.b8 1,2\n$L__x:\n}\n"
      ".pragma \"used_bytes_mask 0xfff\";\n@@DWARF .section .debug_line, \"\",@progbits\n.func f() { ret; }\n");
  CHECK(module.functions.size() == 1);
}

TEST_CASE("video instructions select parts of registers, and may negate them") {
  const Module module = kernel("vadd.s32.u32.s32.sat %r1, %r2.b0, %r3.h1; vmad.s32.s32.u32 %r1, %r2.b1, -%r3.b2, %r4;");
  const auto& code = module.find_function("k")->instructions;
  CHECK(code[0].operands[1].symbol == "b0");
  CHECK(code[0].operands[2].symbol == "h1");
  CHECK(code[1].operands[2].negated);
}

TEST_CASE("instructions that nothing here executes are still PTX") {
  CHECK_NOTHROW(kernel(
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1], %r9;\n"
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, {%r1,%r2}, {%r3}, {%f1,%f2,%f3,%f4};\n"
      "cp.async.ca.shared.global.L2::128B [%r1], [%rd1], 16, %r2; cp.async.commit_group; cp.async.wait_group 0;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r1], %r2; elect.sync _|%p1, -1;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];\n"
      "suld.b.2d.b32.trap {%r5}, [%rd2, {%r4,%r4}]; createpolicy.fractional.L2::evict_last.b64 %rd1, 1.0;\n"
      "mapa.shared::cluster.u32 %r1, %r2, 1; barrier.cluster.arrive.aligned; fence.proxy.async;\n"
      "lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 0x3f, %p2; griddepcontrol.wait; nanosleep.u32 20; brkpt;"));
}
