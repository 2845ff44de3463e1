// What functions keep on their stack, against the code of ptxas 13.0 for the same functions in CUDA (sm_90).
#include "isa/machine/call_convention.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::call_convention_test {

using namespace machine;

namespace {

struct Counted {
  long saved = 0, restored = 0;
};

/// Accesses to the stack in all of a module's code.
Counted counted(const std::string& functions, const std::string& body, Schedule schedule = Schedule::list) {
  const ptx::Module module = ptx::test::kernel(body + " ret;", functions);
  const program::Kernel kernel = ptx::to_static_program(ptx::link(module, "k"));
  Counted counted;
  for (const Instruction& i : lower(kernel, {"hopper", ScratchpadAtomics::native, schedule}).instructions)
    if (i.on_stack) ++(i.operation == Operation::global_store ? counted.saved : counted.restored);
  return counted;
}

/// int f(int n, int a0, ..., z): as many values as `live` are read behind the call of f in it, which stands behind a branch.
std::string recursive(int live) {
  std::string parameters = ".param .b32 n, .param .b32 z", loads, stores, uses, list = "pn, pz";
  for (int i = 0; i < live; ++i) {
    const std::string a = std::to_string(i);
    parameters += ", .param .b32 a" + a;
    loads += "ld.param.b32 %x" + a + ", [a" + a + "];\n";
    stores += ".param .b32 p" + a + "; add.s32 %y, %x" + a + ", %n; st.param.b32 [p" + a + "], %y;\n";
    uses += "mad.lo.s32 %s, %x" + a + ", 3, %s;\n";
    list += ", p" + a;
  }
  return ".func (.param .b32 result) f(" + parameters + ")\n{\n.reg .b32 %n, %z, %y, %s, %x<20>; .reg .pred %p;\n" +
         "ld.param.b32 %n, [n]; ld.param.b32 %z, [z];\n" + loads +
         "mov.b32 %s, %z; setp.le.s32 %p, %n, 0; @%p bra END;\n{ .param .b32 pn; add.s32 %y, %n, -1; st.param.b32 "
         "[pn], %y;\n"
         ".param .b32 pz; add.s32 %y, %z, 1; st.param.b32 [pz], %y;\n" +
         stores + ".param .b32 back; call.uni (back), f, (" + list +
         ");\nld.param.b32 %s, [back]; }\nmul.lo.s32 %s, %s, 7;\n" + uses + "END: st.param.b32 [result], %s; ret;\n}\n";
}

std::string call_of_recursive(int live) {
  std::string body = "{ .param .b32 pn; st.param.b32 [pn], %r1; .param .b32 pz; st.param.b32 [pz], %r2;\n",
              list = "pn, pz";
  for (int i = 0; i < live; ++i) {
    body += ".param .b32 p" + std::to_string(i) + "; st.param.b32 [p" + std::to_string(i) + "], %r3;\n";
    list += ", p" + std::to_string(i);
  }
  return body + ".param .b32 back; call.uni (back), f, (" + list +
         "); ld.param.b32 %r4, [back]; }\nst.global.u32 [%rd1], %r4;";
}

/// float f(...) of two kinds behind a table of addresses, and a kernel that calls one of them.
Counted of_leaf(const std::string& registers, const std::string& type, const std::string& code) {
  const auto function = [&](const std::string& name) {
    return ".func (.param ." + type + " result) " + name + "(.param ." + type + " a, .param .b32 b)\n{\n.reg ." + type +
           " %x, %y; .reg .b32 %b;\n" + registers + "ld.param." + type + " %x, [a]; ld.param.b32 %b, [b];\n" + code +
           "\nst.param." + type + " [result], %y; ret;\n}\n";
  };
  return counted(function("f") + function("g") + ".global .align 8 .u64 table[2] = {f, g};\n",
                 "ld.global.u64 %rd2, [table];\n{ .reg ." + type + " %v; .param ." + type +
                     " pa; .param .b32 pb; .param ." + type + " back;\nmov." + type + " %v, 1; st.param." + type +
                     " [pa], %v; st.param.b32 [pb], %r1;\nto: .callprototype (.param ." + type + " _) _ (.param ." +
                     type + " _, .param .b32 _);\ncall (back), %rd2, (pa, pb), to;\nld.param." + type +
                     " %v, [back]; }");
}

}  // namespace

TEST_CASE("A function that calls itself saves its return address, the lanes' barrier and what it still needs") {
  // STL and LDL that ptxas writes where 0, 1, 2, 4 and 10 values live across the call.
  for (const auto& [live, words] : {std::pair{0, 3}, {1, 4}, {2, 5}, {4, 7}, {10, 13}}) {
    const Counted found = counted(recursive(live), call_of_recursive(live));
    CAPTURE(live);
    CHECK(found.saved == words);
    CHECK(found.restored == words);
  }
}

TEST_CASE("A function that is called by name, and not again before it returns, saves nothing") {
  const std::string function =
      ".func (.param .b32 result) g(.param .b32 a)\n{ .reg .b32 %x; ld.param.b32 %x, [a]; add.s32 %x, %x, 1; "
      "st.param.b32 [result], %x; ret; }\n";
  const Counted found = counted(function,
                                "{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 back; call.uni (back), g, (a); "
                                "ld.param.b32 %r4, [back]; } st.global.u32 [%rd1], %r4;");
  CHECK(found.saved == 0);
  CHECK(found.restored == 0);
}

TEST_CASE("A leaf behind an address saves a register only if it has values of 64 bits") {
  const Counted of_words = of_leaf("", "b32", "mad.lo.s32 %y, %x, %b, 3;");
  CHECK(of_words.saved == 0);
  // Of each of the two functions.
  const Counted of_pairs = of_leaf(".reg .b64 %w;", "b64", "cvt.s64.s32 %w, %b; mad.lo.s64 %y, %x, %w, %x;");
  CHECK(of_pairs.saved == 2);
  CHECK(of_pairs.restored == 2);
}

TEST_CASE("In program order functions keep no stack: what other compilers do is not known") {
  CHECK(counted(recursive(2), call_of_recursive(2), Schedule::program_order).saved == 0);
}

TEST_CASE("A kernel without calls has no functions") {
  program::Kernel kernel;
  kernel.blocks.push_back({0, 0});
  const CallConvention convention(kernel);
  CHECK_FALSE(convention.begins_function(0));
  CHECK(convention.frame_at(0) == nullptr);
  CHECK(convention.lives_across_calls(0));
}

}  // namespace lockstep::call_convention_test
