// Walks the table of opcodes: every row is executed or refused with a clear message, with as many operands as it says.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "isa/ptx/opcodes.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::opcode_table_test {

using namespace lockstep::exec::test;
using Catch::Matchers::Contains;
using ptx::Opcode;
using ptx::OpcodeClass;
using ptx::OpcodeRow;

namespace {

/// For each opcode that the machine executes but arithmetic ones (opcode_syntax_test.cpp), instructions with its fewest and
/// its most operands (see run.hpp for the registers). L is a label behind the instruction, T a list of it.
constexpr const char* executed[] = {
    "activemask.b32 %r1;",
    "applypriority.global.L2::evict_normal [%rd2], 128;",
    "atom.global.add.u32 %r1, [%rd2], %r3;",
    "atom.global.cas.b32 %r1, [%rd2], %r3, %r4;",
    "bar.warp.sync -1;",
    "bar.red.popc.u32 %r1, 1, 64, %p1;",
    "barrier.sync 0;",
    "barrier.red.and.pred %p2, 1, 64, %p1;",
    "bra L;",
    "brkpt;",
    "brx.idx %r1, T;",
    "call f;",
    "cp.async.wait_all;",
    "cp.async.ca.shared.global.L2::cache_hint [%rd2], [%rd3], 4, %r1, %rd4;",
    "createpolicy.cvt.L2.b64 %rd2;",
    "createpolicy.range.L2::evict_last.b64 %rd2, [%rd3], 1, 2;",
    "cvta.global.u64 %rd2, %rd3;",
    "discard.global.L2 [%rd2], 128;",
    "elect.sync _|%p1, -1;",
    "exit;",
    "fence.sc.gpu;",
    "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;",
    "griddepcontrol.wait;",
    "isspacep.global %p1, %rd2;",
    "ld.global.u32 %r1, [%rd2];",
    "ld.global.L2::cache_hint.u32 %r1, [%rd2], %rd3;",
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r1, [%rd2];",
    "ldu.global.u32 %r1, [%rd2];",
    "match.any.sync.b32 %r1, %r2, -1;",
    "mbarrier.inval.shared.b64 [%rd2];",
    "mbarrier.try_wait.shared.b64 %p1, [%rd2], %rd3, %r1;",
    "membar.gl;",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0, %fd1}, {%fd2}, {%fd3}, {%fd0, %fd1};",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;",
    "nanosleep.u32 20;",
    "pmevent 1;",
    "prefetch.global.L1 [%rd2];",
    "prefetch.global.L2::evict_last [%rd2], 1;",
    "prefetchu.L1 [%rd2];",
    "red.global.add.u32 [%rd2], %r1;",
    "red.global.add.L2::cache_hint.u32 [%rd2], %r1, %rd3;",
    "redux.sync.add.u32 %r1, %r2, -1;",
    "ret;",
    "setmaxnreg.inc.sync.aligned.u32 32;",
    "shfl.up.b32 %r1, %r2, %r3, %r4;",
    "shfl.sync.up.b32 %r1, %r2, %r3, %r4, -1;",
    "st.global.u32 [%rd2], %r1;",
    "st.global.L2::cache_hint.u32 [%rd2], %r1, %rd3;",
    "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%rd2], %r1;",
    "suld.b.1d.b32.trap %r1, [%rd2, {%r2}];",
    "suq.width.b32 %r1, [%rd2];",
    "sust.b.1d.b32.trap [%rd2, {%r2}], %r1;",
    "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5}];",
    "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}], {%f7, %f8}, {%f9, %f10}, {%r1, %r2};",
    "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}];",
    "tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd2, {%f5, %f6}], {%r1, %r2};",
    "trap;",
    "txq.width.b32 %r1, [%rd2];",
    "txq.level.width.b32 %r1, [%rd2], %r2;",
    "vote.all.pred %p1, %p2;",
    "vote.sync.all.pred %p1, %p2, -1;",
    "wmma.store.d.sync.aligned.row.m8n8k4.f64 [%rd2], {%fd0, %fd1};",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%fd0, %fd1}, {%fd2}, {%fd3}, {%fd0, %fd1};",
};

/// Opcodes of which the machine lacks the forms with the fewest or most operands: clusters, bulk and
/// asynchronous stores and reductions, comparison with a depth.
const std::set<Opcode> partly = {Opcode::bar, Opcode::barrier, Opcode::red, Opcode::st, Opcode::tld4};

std::string program_with(const std::string& instruction) {
  // Decoded, but executed by no thread: %p0 is false.
  return "T: .branchtargets L;\n@%p0 " + instruction + "\nL:";
}
const std::string other_function = ".func f() { ret; }\n";

std::string error_of(const std::string& instruction) {
  return Body{program_with(instruction), other_function, 1, 0, {}}.program().error();
}

ptx::Instruction parsed(const std::string& instruction) {
  const ptx::Module module = ptx::parse(ptx_head + kernel(program_with(instruction), other_function), "test.ptx");
  const auto& all = module.find_function("k")->instructions;
  return *std::find_if(all.begin(), all.end(), [](const ptx::Instruction& one) { return one.guard != ptx::no_index; });
}

bool is_executed(OpcodeClass subject) {
  return subject != OpcodeClass::video && subject != OpcodeClass::other;
}

/// An operand that stands in place of a letter of the row.
std::string operand_for(char letter, unsigned number) {
  if (letter == 'a') return "[%rd2]";
  if (letter == 'l') return "L";
  return fmt::format("%r{}", number + 1);
}
std::string with_operands(const OpcodeRow& row, std::size_t count) {
  std::string letters;
  for (const char c : row.operands) {
    if (c != '[' && c != ']' && c != '*') letters += c;
  }
  std::string text(row.name);
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? " " : ", ") + operand_for(i < letters.size() ? letters[i] : 's', static_cast<unsigned>(i));
  }
  return text + ";";
}

}  // namespace

TEST_CASE("opcodes on memory, other lanes and control are decoded with the operands that their rows name",
          "[exec][opcodes]") {
  std::map<Opcode, std::set<std::size_t>> counts;
  for (const std::string text : executed) {
    INFO(text);
    CHECK(error_of(text) == "");
    const ptx::Instruction instruction = parsed(text);
    counts[instruction.opcode].insert(instruction.operands.size());
    CHECK(text.starts_with(ptx::name_of(instruction.opcode)));
  }
  for (const OpcodeRow& row : ptx::opcode_table) {
    INFO(row.name);
    CHECK(counts.contains(row.opcode) == (is_executed(row.subject) && row.subject != OpcodeClass::arithmetic));
    if (!counts.contains(row.opcode)) continue;
    const auto& seen = counts[row.opcode];
    CHECK(*seen.begin() >= row.least_operands());
    CHECK(*seen.rbegin() <= row.most_operands());
    if (partly.contains(row.opcode)) continue;
    CHECK(*seen.begin() == row.least_operands());
    if (row.most_operands() != OpcodeRow::any) CHECK(*seen.rbegin() == row.most_operands());
  }
}

TEST_CASE("what the machine does not execute is refused by name", "[exec][opcodes]") {
  for (const OpcodeRow& row : ptx::opcode_table) {
    if (is_executed(row.subject) && row.opcode != Opcode::sured) continue;
    const std::string text = with_operands(row, row.least_operands());
    INFO(text);
    CHECK_THAT(error_of(text), Contains(fmt::format("{}: ", row.name)) && Contains("not supported"));
  }
}

TEST_CASE("an opcode without modifiers is decoded or refused, never taken for something else", "[exec][opcodes]") {
  for (const OpcodeRow& row : ptx::opcode_table) {
    if (row.opcode == Opcode::call || row.opcode == Opcode::bra || row.opcode == Opcode::brx) continue;
    for (std::size_t count = row.least_operands(); count <= std::min<std::size_t>(row.most_operands(), 6); ++count) {
      const std::string text = with_operands(row, count), error = error_of(text);
      INFO(text << " gives " << error);
      CHECK((error.empty() || error.find(fmt::format("test.ptx:11:1: {}: ", row.name)) != std::string::npos));
    }
  }
}

TEST_CASE("one operand too few or too many is an error of the text", "[exec][opcodes]") {
  for (const OpcodeRow& row : ptx::opcode_table) {
    if (row.opcode == Opcode::call || row.opcode == Opcode::bra || row.opcode == Opcode::brx) continue;
    INFO(row.name);
    const std::string expected = fmt::format("'{}' takes", row.name);
    if (row.least_operands() > 0) {
      CHECK_THROWS_WITH(parsed(with_operands(row, row.least_operands() - 1)), Contains(expected));
    }
    if (row.most_operands() != OpcodeRow::any) {
      CHECK_THROWS_WITH(parsed(with_operands(row, row.most_operands() + 1)), Contains(expected));
    }
  }
}

TEST_CASE("opcodes are found by their names only", "[opcodes]") {
  for (const OpcodeRow& row : ptx::opcode_table) {
    CHECK(ptx::find_opcode(row.name) == row.opcode);
    CHECK(!ptx::find_opcode(std::string(row.name) + "x"));
  }
  CHECK(!ptx::find_opcode(""));
  CHECK(!ptx::find_opcode("ADD"));
  static_assert(ptx::find_opcode("atom") == Opcode::atom && !ptx::find_opcode("atomic"));
}

TEST_CASE("the letters of a row say which operands are written, read and addresses", "[opcodes]") {
  using ptx::row_of;
  CHECK(row_of(Opcode::st).operands.starts_with("as"));
  CHECK(row_of(Opcode::atom).operands == "das[s]");
  CHECK(row_of(Opcode::call).least_operands() == 0);
  CHECK(row_of(Opcode::call).most_operands() == OpcodeRow::any);
  CHECK(row_of(Opcode::mma).least_operands() == 4);
  CHECK(row_of(Opcode::brx).leaves());
  CHECK(!row_of(Opcode::call).leaves());
  CHECK(row_of(Opcode::call).ends_block());
  for (const OpcodeRow& row : ptx::opcode_table) {
    INFO(row.name);
    // An instruction that accesses memory names an address, but for those whose forms differ.
    if (row.traits.access != program::AccessKind::none && row.opcode != Opcode::cp && row.opcode != Opcode::mbarrier) {
      CHECK(row.operands.find('a') != std::string_view::npos);
    }
    if (row.traits.access == program::AccessKind::store || row.traits.access == program::AccessKind::reduction) {
      CHECK(!row.writes_first());
    }
    if (row.subject == OpcodeClass::arithmetic || row.subject == OpcodeClass::exchange) CHECK(row.writes_first());
    if (row.subject == OpcodeClass::control) CHECK(row.traits.control != program::Control::none);
  }
}

}  // namespace lockstep::opcode_table_test
