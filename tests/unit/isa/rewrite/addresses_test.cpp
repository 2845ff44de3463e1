#include <catch2/catch.hpp>

#include "isa/rewrite/edited_text.hpp"
#include "isa/rewrite/scratchpad_addresses.hpp"
#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using rewrite::AddressStep;
using rewrite::KernelRewrite;
using rewrite::Lines;

namespace {

/// Kernel "k" whose body begins at line 7, with memory of `bytes`.
std::string kernel_text(const std::string& body, const std::string& items) {
  return ptx::test::head + items + ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n" +
         ".reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f64 %fd<20>; .reg .f32 %f<20>; .reg .pred %p<20>;\n" + body +
         "\n}\n";
}

/// address ^ ((address >> 5) & 124): the words of a row change places.
KernelRewrite exclusive_or(const std::string& kernel = "k") {
  using Operation = AddressStep::Operation;
  KernelRewrite rewrite;
  rewrite.kernel = kernel;
  rewrite.what = "hash \"xor\" in software";
  rewrite.steps = {{Operation::shift_right, 0, 0, 5}, {Operation::bit_and, 1, 0, 124}, {Operation::bit_xor, 0, 2, 0}};
  rewrite.linear = true;
  rewrite.bytes_needed = [](std::uint64_t bytes) { return (bytes + 127) / 128 * 128; };
  return rewrite;
}

rewrite::RewrittenModule rewritten(const std::string& text,
                                   const std::vector<KernelRewrite>& kernels = {exclusive_or()},
                                   Lines lines = Lines::added) {
  const ptx::Module module = ptx::parse(text, "test.ptx");
  rewrite::RewrittenModule result = rewrite::rewrite_scratchpad_addresses(text, module, kernels, lines);
  ptx::parse(result.text, "result.ptx");  // Still PTX.
  return result;
}

rewrite::RewrittenModule rewritten_body(const std::string& body,
                                        const std::string& items = ".shared .align 4 .b8 memory[4096];\n") {
  return rewritten(kernel_text(body, items));
}

/// The instructions of kernel "k", one per line: mnemonic and operands as counted registers do not matter here.
std::vector<std::string> mnemonics(const std::string& text) {
  const ptx::Module module = ptx::parse(text, "result.ptx");
  std::vector<std::string> result;
  for (const ptx::Instruction& one : module.find_function("k")->instructions) result.push_back(one.mnemonic());
  return result;
}

std::string refusal(const std::string& body, const std::string& items = ".shared .align 4 .b8 memory[4096];\n") {
  try {
    rewritten_body(body, items);
  } catch (const InputError& error) {
    return error.what();
  }
  FAIL("was rewritten");
  return {};
}

using Mnemonics = std::vector<std::string>;

}  // namespace

TEST_CASE("Sections of debugging data stay as they are, whatever stands in them") {
  const std::string section = "\n.section .debug_str\n{\n.b8 \",90\n}\n";
  const std::string text =
      kernel_text("mov.u32 %r1, memory; ld.shared.u32 %r2, [%r1];\nret;", ".shared .align 4 .b8 memory[4096];\n") +
      section;
  CHECK_THAT(rewritten(text).text, Catch::EndsWith(section));
}

TEST_CASE("An access goes through the function; all else stays byte for byte", "[rewrite]") {
  const std::string before =
      kernel_text("// words\n\tld.shared.u32 \t%r1, [%r2];  // here\n\tst.global.u32 [%rd1], %r1;",
                  ".shared .align 4 .b8 memory[4096];\n");
  const auto after = rewritten(before);
  std::string expected = before;
  expected.replace(expected.find("{\n.reg"), 1, "{\n\t.reg .b32 \t%hashed_<3>;");
  expected.replace(expected.find("ld.shared.u32 \t%r1, [%r2]"), 25,
                   "shr.u32 \t%hashed_0, %r2, 5;\n\tand.b32 \t%hashed_1, %hashed_0, 124;\n\t"
                   "xor.b32 \t%hashed_2, %r2, %hashed_1;\n\tld.shared.u32 \t%r1, [%hashed_2]");
  CHECK(after.text == expected);
  CHECK(after.kernels.at(0).accesses == 1);
  CHECK(after.kernels.at(0).added_instructions == 3);
}

TEST_CASE("On request every line of the text keeps its number", "[rewrite]") {
  const std::string before =
      kernel_text("ld.shared.u32 %r1, [%r2+4];\nst.shared.u64 [%rd1], %rd2;\nadd.u32 %r1, %r1, 1;",
                  ".shared .align 4 .b8 memory[4096];\n");
  const auto after = rewritten(before, {exclusive_or()}, Lines::kept);
  CHECK(std::count(after.text.begin(), after.text.end(), '\n') == std::count(before.begin(), before.end(), '\n'));
  const ptx::Module module = ptx::parse(after.text, "result.ptx");
  for (const ptx::Instruction& one : module.find_function("k")->instructions) {
    if (one.opcode == ptx::Opcode::ld) CHECK(one.line == 8);
    if (one.opcode == ptx::Opcode::st) CHECK(one.line == 9);
    if (one.opcode == ptx::Opcode::add && one.has("u32")) CHECK(one.line == 10);
  }
}

TEST_CASE("Accesses of one address in a block hash it once, until its register changes", "[rewrite]") {
  const Mnemonics hash = {"shr.u32", "and.b32", "xor.b32"};
  const auto once = rewritten_body("ld.shared.u32 %r1, [%r2+8]; add.u32 %r1, %r1, 1; st.shared.u32 [%r2+8], %r1;");
  CHECK(mnemonics(once.text) ==
        Mnemonics{"add.s32", "shr.u32", "and.b32", "xor.b32", "ld.shared.u32", "add.u32", "st.shared.u32", "ret"});
  const auto twice = rewritten_body("ld.shared.u32 %r1, [%r2]; add.u32 %r2, %r2, 4; st.shared.u32 [%r2], %r1;");
  CHECK(mnemonics(twice.text) == Mnemonics{"shr.u32", "and.b32", "xor.b32", "ld.shared.u32", "add.u32", "shr.u32",
                                           "and.b32", "xor.b32", "st.shared.u32", "ret"});
  // A load into its own address register.
  const auto chase = rewritten_body("ld.shared.u32 %r2, [%r2]; ld.shared.u32 %r2, [%r2];");
  CHECK(chase.kernels[0].added_instructions == 6);
  // A branch may come between.
  const auto blocks =
      rewritten_body("ld.shared.u32 %r1, [%r2]; @%p1 bra over; add.u32 %r1, %r1, 1;\nover: st.shared.u32 [%r2], %r1;");
  CHECK(blocks.kernels[0].added_instructions == 6);
}

TEST_CASE("Addresses of variables, numbers and 64-bit registers come into 32 bits first", "[rewrite]") {
  CHECK(mnemonics(rewritten_body("ld.shared.u32 %r1, [memory+12];").text)[0] == "mov.u32");
  CHECK(mnemonics(rewritten_body("ld.shared.u32 %r1, [256];").text)[0] == "mov.u32");
  CHECK(mnemonics(rewritten_body("ld.shared.u8 %r1, [%rd3+1];").text) ==
        Mnemonics{"cvt.u32.u64", "add.s32", "shr.u32", "and.b32", "xor.b32", "ld.shared.u8", "ret"});
  CHECK(rewritten_body("ld.shared.u32 %r1, [memory+12];").text.find("mov.u32 \t%hashed_0, memory+12;") !=
        std::string::npos);
}

TEST_CASE("A vector whose words part is accessed word by word, all addresses first", "[rewrite]") {
  const auto vector = rewritten_body("@%p1 ld.shared.v2.f32 {%f1, %f2}, [%r2];");
  CHECK(mnemonics(vector.text) ==
        Mnemonics{"shr.u32", "and.b32", "xor.b32", "xor.b32", "ld.shared.f32", "ld.shared.f32", "ret"});
  CHECK(vector.text.find("@%p1 ld.shared.f32 \t%f2, [%hashed_3];") != std::string::npos);
  CHECK(vector.kernels[0].split == 1);
  const auto wide = rewritten_body("ld.shared.f64 %fd1, [%r2];");
  CHECK(mnemonics(wide.text) ==
        Mnemonics{"shr.u32", "and.b32", "xor.b32", "xor.b32", "ld.shared.b32", "ld.shared.b32", "mov.b64", "ret"});
  const auto store = rewritten_body("st.shared.v2.u64 [%r2], {%rd1, 4294967298};");
  CHECK(mnemonics(store.text) == Mnemonics{"shr.u32", "and.b32", "xor.b32", "xor.b32", "xor.b32", "xor.b32", "mov.b64",
                                           "st.shared.b32", "st.shared.b32", "st.shared.b32", "st.shared.b32", "ret"});
  CHECK(store.text.find(", 2;") != std::string::npos);  // The low word of the number; 1 is the high one.
  // Narrow elements share a word.
  const auto narrow = rewritten_body("ld.shared.v4.u8 {%r1, %r3, %r4, %r5}, [%r2];");
  CHECK(narrow.kernels[0].split == 0);
  const auto halves = rewritten_body("ld.shared.v4.u16 {%r1, %r3, %r4, %r5}, [%r2];");
  CHECK(halves.kernels[0].split == 1);
  CHECK(halves.text.find("ld.shared.v2.u16 \t{%r4, %r5}") != std::string::npos);
}

TEST_CASE("A vector whose words stay together is one access", "[rewrite]") {
  KernelRewrite pairs = exclusive_or();
  pairs.steps[1].immediate = 120;
  pairs.contiguous_words = 2;
  const std::string items = ".shared .align 8 .b8 memory[4096];\n";
  CHECK(rewritten(kernel_text("ld.shared.v2.u32 {%r1, %r3}, [%r2];", items), {pairs}).kernels[0].split == 0);
  CHECK(rewritten(kernel_text("atom.shared.add.u64 %rd1, [%r2], %rd2;", items), {pairs}).kernels[0].accesses == 1);
  CHECK(rewritten(kernel_text("ld.shared.v4.u32 {%r1, %r3, %r4, %r5}, [%r2];", items), {pairs}).kernels[0].split == 1);
}

TEST_CASE("An access without a state space is rewritten where it is proven to be one of the scratchpad", "[rewrite]") {
  const std::string make = "mov.u64 %rd1, memory; cvta.shared.u64 %rd2, %rd1; ld.param.u64 %rd4, [a];\n";
  const auto proven = rewritten_body(make + "atom.inc.u32 %r1, [%rd2+4], 7; st.u32 [%rd4], %r1;");
  CHECK(mnemonics(proven.text) == Mnemonics{"mov.u64", "cvta.shared.u64", "ld.param.u64", "cvta.to.shared.u64",
                                            "cvt.u32.u64", "add.s32", "shr.u32", "and.b32", "xor.b32",
                                            "atom.shared.inc.u32", "st.u32", "ret"});
  CHECK(rewritten_body(make + "ld.volatile.u32 %r1, [%rd2];").text.find("ld.volatile.shared.u32") != std::string::npos);
  // Nothing makes generic addresses of the scratchpad's: no generic access can be one.
  CHECK(rewritten_body("ld.global.u64 %rd5, [%rd6]; ld.u32 %r1, [%rd5];").kernels[0].accesses == 0);
}

TEST_CASE("An mbarrier keeps its two words together, and what names no state space of it gets one", "[rewrite]") {
  KernelRewrite pairs = exclusive_or();
  pairs.steps[1].immediate = 120;
  pairs.contiguous_words = 2;
  const std::string items = ".shared .align 8 .b8 memory[4096];\n";
  const std::string address = "mov.u64 %rd1, memory; cvt.u32.u64 %r1, %rd1; cvta.shared.u64 %rd2, %rd1;\n";
  // Where each would be in the text of the ISA: the state space directly before the type.
  for (const auto& [plain, in_space] : std::vector<std::pair<std::string, std::string>>{
           {"mbarrier.init.b64 [%rd2], 32;", "mbarrier.init.shared.b64"},
           {"mbarrier.arrive.b64 %rd3, [%rd2];", "mbarrier.arrive.shared.b64"},
           {"mbarrier.arrive.noComplete.b64 %rd3, [%rd2], 1;", "mbarrier.arrive.noComplete.shared.b64"},
           {"mbarrier.test_wait.b64 %p1, [%rd2], %rd3;", "mbarrier.test_wait.shared.b64"},
           {"mbarrier.test_wait.parity.b64 %p1, [%rd2], 0;", "mbarrier.test_wait.parity.shared.b64"},
           {"mbarrier.inval.b64 [%rd2];", "mbarrier.inval.shared.b64"},
           {"cp.async.mbarrier.arrive.noinc.b64 [%rd2];", "cp.async.mbarrier.arrive.noinc.shared.b64"}}) {
    CAPTURE(plain);
    const auto after = rewritten(kernel_text(address + plain, items), {pairs});
    CHECK(after.kernels[0].accesses == 1);
    CHECK(after.kernels[0].split == 0);
    CHECK(mnemonics(after.text).at(mnemonics(after.text).size() - 2) == in_space);
    // A hash of single words would tear it apart.
    CHECK(refusal(address + plain, items).find("2 words part") != std::string::npos);
    // With the state space written, the same.
    std::string named = plain;
    named.replace(0, named.find(' '), in_space);
    named.replace(named.find("%rd2"), 4, "%r1");
    CHECK(rewritten(kernel_text(address + named, items), {pairs}).kernels[0].accesses == 1);
    CHECK(refusal(address + named, items).find("2 words part") != std::string::npos);
  }
  // A count has no address.
  CHECK(rewritten_body("mbarrier.pending_count.b64 %r1, %rd1;").kernels[0].accesses == 0);
}

TEST_CASE("An asynchronous copy goes through the function where it writes, if its words stay together", "[rewrite]") {
  const auto copied = rewritten_body("cp.async.ca.shared.global [%r2], [%rd1], 4;");
  CHECK(copied.kernels[0].accesses == 1);
  CHECK(copied.text.find("], [%rd1], 4;") != std::string::npos);
  CHECK(refusal("cp.async.ca.shared.global [%r2], [%rd1], 8;").find("2 words part") != std::string::npos);
  CHECK(refusal("cp.async.cg.shared.global [%r2], [%rd1], 16;").find("4 words part") != std::string::npos);
  CHECK(rewritten_body("cp.async.commit_group; cp.async.wait_group 0;").kernels[0].accesses == 0);
}

TEST_CASE("An access that may lead anywhere finds out at run time whether it is one of the scratchpad", "[rewrite]") {
  const std::string make = "mov.u64 %rd1, memory; cvta.shared.u64 %rd2, %rd1;\nld.global.u64 %rd5, [%rd6]; ";
  const Mnemonics before = {"mov.u64", "cvta.shared.u64", "ld.global.u64"};
  const auto with = [&](Mnemonics then) {
    then.insert(then.begin(), before.begin(), before.end());
    then.emplace_back("ret");
    return then;
  };
  const auto load = rewritten_body(make + "@%p1 ld.u32 %r1, [%rd5];");
  CHECK(mnemonics(load.text) == with({"cvta.to.shared.u64", "cvt.u32.u64", "shr.u32", "and.b32", "xor.b32",
                                      "isspacep.shared", "cvt.u64.u32", "cvta.shared.u64", "selp.b64", "ld.u32"}));
  CHECK(load.kernels[0].accesses == 1);
  const auto pair = rewritten_body(make + "ld.v2.u32 {%r1, %r2}, [%rd5+8];");
  CHECK(pair.kernels[0].split == 1);
  CHECK(std::count(pair.text.begin(), pair.text.end(), '{') == 1);  // The body's: no vector is left.
  const std::string message = refusal(make + ".loc 1 30 2\natom.add.u64 %rd7, [%rd5], 1;",
                                      ".file 1 \"k.cu\"\n.shared .align 4 .b8 memory[4096];\n");
  CHECK(message.find("atom.add.u64") != std::string::npos);
  CHECK(message.find("k.cu:30") != std::string::npos);
}

TEST_CASE("What cannot be divided is refused, every place of it", "[rewrite]") {
  const std::string message = refusal(
      "atom.shared.add.u64 %rd1, [%r2], %rd2;\nld.relaxed.cta.shared.u64 %rd1, [%r2];\n"
      "ld.shared.u32 %r1, [%r2];");
  CHECK(message.find("test.ptx:8:1") != std::string::npos);
  CHECK(message.find("test.ptx:9:1") != std::string::npos);
  CHECK(message.find("test.ptx:10") == std::string::npos);
}

TEST_CASE("Memory that the function leaves grows with its last variable", "[rewrite]") {
  const std::string body = "mov.u32 %r1, first; ld.shared.u32 %r1, [second+4];";
  const std::string first = ".shared .align 4 .b8 first[64];\n";
  const auto bytes = [&](const std::string& second) {
    const auto after = rewritten_body(body, first + second);
    const ptx::Module module = ptx::parse(after.text, "result.ptx");
    return std::pair(module.find_variable("first")->bytes, module.find_variable("second")->bytes);
  };
  // 64 + 100 bytes become 256.
  CHECK(bytes(".shared .align 4 .b8 second[100];\n") == std::pair<std::uint64_t, std::uint64_t>(64, 192));
  CHECK(bytes(".shared .align 4 .b32 second[0x19];\n") == std::pair<std::uint64_t, std::uint64_t>(64, 192));
  CHECK(bytes(".shared .align 4 .f32 second[5][5];\n") == std::pair<std::uint64_t, std::uint64_t>(64, 200));
  CHECK(bytes(".shared .align 8 .u64 second;\n") == std::pair<std::uint64_t, std::uint64_t>(64, 64));
  const auto dynamic = rewritten_body("ld.shared.u32 %r1, [rest];", ".extern .shared .align 4 .b8 rest[];\n");
  CHECK(dynamic.kernels[0].has_dynamic);
  CHECK(dynamic.kernels[0].added_static_bytes == 0);
}

TEST_CASE("A device function that kernels with different addresses call is refused", "[rewrite]") {
  const std::string text = std::string(ptx::test::head) + R"(
.shared .align 4 .b8 memory[4096];
.func f(.param .u32 i) { .reg .b32 %r<4>; ld.param.u32 %r1, [i]; ld.shared.u32 %r2, [%r1]; ret; }
.visible .entry k() { .param .b32 p; call.uni f, (p); ret; }
.visible .entry other() { .param .b32 p; call.uni f, (p); ret; }
)";
  CHECK_THROWS_AS(rewritten(text), InputError);
  const auto both = rewritten(text, {exclusive_or("k"), exclusive_or("other")});
  CHECK(both.kernels[0].accesses + both.kernels[1].accesses == 1);
}

TEST_CASE("Kernels whose functions have one name and other steps share no device function", "[rewrite]") {
  const std::string text = std::string(ptx::test::head) + R"(
.shared .align 4 .b8 memory[4096];
.func f(.param .u32 i) { .reg .b32 %r<4>; ld.param.u32 %r1, [i]; ld.shared.u32 %r2, [%r1]; ret; }
.visible .entry k() { .param .b32 p; call.uni f, (p); ret; }
.visible .entry other() { .param .b32 p; call.uni f, (p); ret; }
.visible .entry apart() { .reg .b32 %r<4>; ld.shared.u32 %r2, [memory]; ret; }
)";
  KernelRewrite smaller = exclusive_or("other"), none = exclusive_or("k");
  smaller.steps[1].immediate = 60;
  none.steps.clear();
  CHECK_THROWS_AS(rewritten(text, {exclusive_or("k"), smaller}), InputError);
  CHECK_THROWS_AS(rewritten(text, {none, exclusive_or("other")}), InputError);
  const ptx::Module module = ptx::parse(text, "test.ptx");
  CHECK(rewrite::kernels_with_common_accesses(module, {"apart", "k", "other"}) ==
        std::vector<std::set<std::string>>{{"apart"}, {"k", "other"}});
}

TEST_CASE("What reaches other thread blocks, or more than its operand says, is refused", "[rewrite]") {
  CHECK(refusal("st.bulk.shared::cta [%r2], 64, 0;").find("st.bulk") != std::string::npos);
  CHECK(refusal("mov.u64 %rd1, memory; cvta.shared.u64 %rd2, %rd1; mapa.u64 %rd3, %rd2, 1; ld.u32 %r1, [%rd3];")
            .find("mapa.u64") != std::string::npos);
}

TEST_CASE("wmma in scratchpad memory, named or proven, is refused with what would be right", "[rewrite]") {
  const std::string list = "{%r3, %r4, %r5, %r6}";
  for (const std::string& body :
       {"mov.u32 %r2, memory; wmma.load.a.sync.aligned.row.m16n16k16.shared.bf16 " + list + ", [%r2], 16;",
        "mov.u64 %rd1, memory; cvta.shared.u64 %rd2, %rd1; wmma.load.a.sync.aligned.row.m16n16k16.bf16 " + list +
            ", [%rd2], 16;"}) {
    INFO(body);
    CHECK(refusal(body).find("ldmatrix and mma.sync in its place") != std::string::npos);
  }
}

TEST_CASE("A piece of a vector of which nothing is kept is not loaded", "[rewrite]") {
  const auto after = rewritten_body(".reg .b16 %h<3>; ld.shared.v4.u16 {_, _, _, %h1}, [%r2];");
  CHECK(after.text.find("{_, %h1}") != std::string::npos);
  CHECK(after.text.find("{_, _}") == std::string::npos);
}

TEST_CASE("A kernel that reads the size of its memory is refused where that grows", "[rewrite]") {
  const std::string body = "mov.u32 %r1, %total_smem_size; ld.shared.u32 %r3, [memory];";
  CHECK(refusal(body, ".shared .align 4 .b8 memory[100];\n").find("size of the scratchpad") != std::string::npos);
  CHECK_NOTHROW(rewritten_body(body));  // 4096 bytes stay.
  CHECK(refusal("mov.u32 %r1, %dynamic_smem_size; ld.shared.u32 %r3, [memory];",
                ".extern .shared .align 4 .b8 memory[];\n")
            .find("size of the scratchpad") != std::string::npos);
}

TEST_CASE("A kernel that asks for the reserved scratchpad memory is refused, whose addresses stay", "[rewrite]") {
  const std::string found = refusal("mov.u32 %r1, %reserved_smem_offset_1; ld.shared.u32 %r3, [%r1];");
  CHECK(found.find("test.ptx:8:1: ") == 0);
  CHECK(found.find("reserved for system software") != std::string::npos);
}

TEST_CASE("New registers get a name that the text does not have", "[rewrite]") {
  const auto after = rewritten_body(".reg .b32 %hashed_0; mov.u32 %hashed_0, 4; ld.shared.u32 %r1, [%hashed_0];");
  CHECK(after.text.find("%hashed___2") != std::string::npos);
}
