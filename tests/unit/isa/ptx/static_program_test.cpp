// The trace's view of a program: registers, accesses, control, source lines, memory sizes.

#include <algorithm>
#include <set>

#include "isa/ptx/shared_layout.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/ptx/text.hpp"

using namespace lockstep;
using namespace lockstep::ptx;
using namespace lockstep::ptx::test;
using program::AccessKind;
using program::Control;
using program::MemorySpace;
using program::StaticInstruction;

namespace {

struct Converted {
  explicit Converted(Module m) : module(std::move(m)), program(link(module, "k")), kernel(to_static_program(program)) {}
  Module module;
  Program program;
  program::Kernel kernel;

  const StaticInstruction& at(std::size_t i) const { return kernel.instructions.at(i); }
  /// The number of a register of the entry.
  std::uint32_t reg(const std::string& name) const {
    const auto& registers = program.functions[0]->registers;
    for (std::uint32_t i = 0; i < registers.size(); ++i) {
      if (registers[i].name == name) return i;
    }
    FAIL("no register " << name);
    return 0;
  }
  std::vector<std::uint32_t> regs(const std::vector<std::string>& names) const {
    std::vector<std::uint32_t> result;
    for (const std::string& name : names) result.push_back(reg(name));
    return result;
  }
};

}  // namespace

TEST_CASE("an instruction lists what it writes and reads, the guard last") {
  const Converted x(kernel("@!%p1 mad.lo.s32 %r1, %r2, %r3, %r2; setp.lt.s32 %p1|%p2, %r1, 7; mov.u32 %r4, %laneid;"));
  CHECK(x.kernel.strings.at(x.at(0).mnemonic) == "mad.lo.s32");
  CHECK(x.at(0).destinations == x.regs({"%r1"}));
  CHECK(x.at(0).sources == x.regs({"%r2", "%r3", "%p1"}));
  CHECK(x.at(0).guard == x.reg("%p1"));
  CHECK_FALSE(x.at(0).has_immediate);
  CHECK(x.at(1).destinations == x.regs({"%p1", "%p2"}));
  CHECK(x.at(1).has_immediate);
  CHECK(x.at(1).guard == program::no_register);
  CHECK(x.at(2).reads_special_register);
  CHECK_FALSE(x.at(2).reads_clock);
  CHECK(x.kernel.register_bits.at(x.reg("%p1")) == 1);
  CHECK(x.kernel.register_bits.at(x.reg("%r1")) == 32);
}

TEST_CASE("the operands of an instruction stand in the order written") {
  using program::SourceOperand;
  using Kind = SourceOperand::Kind;
  const Converted x(
      kernel("@%p1 sub.s32 %r1, 7, %r2; mov.u64 %rd1, table; st.shared.v2.u32 [%rd1+8], {%r1, -1};"
             "mov.u32 %r3, %ntid.x; mov.u32 %r3, %tid.x; ld.shared.u32 %r4, [table+4];",
             ".shared .align 4 .b8 table[64];"));
  const auto is = [](const program::StaticInstruction& i, const std::vector<SourceOperand>& expected) {
    return i.operands == expected;
  };
  const auto shared = static_cast<std::uint64_t>(program::MemorySpace::shared);
  CHECK(is(x.at(0), {{Kind::literal, 7}, {Kind::reg, x.reg("%r2")}}));
  CHECK(is(x.at(1), {{Kind::variable, shared}}));
  CHECK(is(x.at(2), {{Kind::reg, x.reg("%rd1")}, {Kind::reg, x.reg("%r1")}, {Kind::literal, ~std::uint64_t{0}}}));
  CHECK(is(x.at(3), {{Kind::launch_constant, 0}}));
  CHECK(is(x.at(4), {{Kind::other, 0}}));
  CHECK(is(x.at(5), {{Kind::variable, shared}}));
}

TEST_CASE("clock reads are timing markers") {
  for (const char* name : {"clock", "clock_hi", "globaltimer_lo"}) {
    CHECK(Converted(kernel(std::string("mov.u32 %r1, %") + name + ";")).at(0).reads_clock);
  }
  CHECK(Converted(kernel("mov.u64 %rd1, %clock64;")).at(0).reads_clock);
}

TEST_CASE("memory accesses have kind, space, width and address register") {
  struct Case {
    const char* text;
    AccessKind kind;
    MemorySpace space;
    int bytes, elements;
  };
  for (const Case& c : {
           Case{"ld.global.nc.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+16];", AccessKind::load, MemorySpace::global, 4, 4},
           Case{"ld.volatile.shared.u8 %rs1, [%rd1];", AccessKind::load, MemorySpace::shared, 1, 1},
           Case{"ld.shared::cta.b16 %rs1, [%rd1];", AccessKind::load, MemorySpace::shared, 2, 1},
           Case{"ld.u64 %rd2, [%rd1];", AccessKind::load, MemorySpace::generic, 8, 1},
           Case{"ld.const.b32 %r1, [%rd1];", AccessKind::load, MemorySpace::constant, 4, 1},
           Case{"ld.param.u32 %r1, [%rd1];", AccessKind::load, MemorySpace::param, 4, 1},
           Case{"st.local.v2.b64 [%rd1], {%rd2, 5};", AccessKind::store, MemorySpace::local, 8, 2},
           Case{"atom.shared.cas.b32 %r1, [%rd1], %r2, %r3;", AccessKind::atomic, MemorySpace::shared, 4, 1},
           Case{"atom.add.noftz.f16 %rs1, [%rd1], %rs2;", AccessKind::atomic, MemorySpace::generic, 2, 1},
           Case{"atom.global.add.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1], {%f1,%f2,%f3,%f4};", AccessKind::atomic,
                MemorySpace::global, 4, 4},
           Case{"red.global.v2.f16x2.max.noftz [%rd1], {%r1, %r2};", AccessKind::reduction, MemorySpace::global, 4, 2},
           Case{"red.global.add.u64 [%rd1], %rd2;", AccessKind::reduction, MemorySpace::global, 8, 1},
           Case{"prefetch.global.L2 [%rd1];", AccessKind::prefetch, MemorySpace::global, 1, 1},
       }) {
    INFO(c.text);
    const Converted x(kernel(c.text));
    CHECK(x.at(0).access == c.kind);
    CHECK(x.at(0).space == c.space);
    CHECK(x.at(0).element_bytes == c.bytes);
    CHECK(x.at(0).vector_elements == c.elements);
    CHECK(x.at(0).address_register == x.reg("%rd1"));
    CHECK(std::count(x.at(0).sources.begin(), x.at(0).sources.end(), x.reg("%rd1")) == 1);
  }
}

TEST_CASE("stores read their values, loads write every element") {
  const Converted x(
      kernel("st.global.v2.b32 [%rd1], {%r1, %r2}; ld.global.v2.b32 {%r3, _}, [%rd1]; "
             "atom.global.add.u32 _, [%rd1], %r1; red.global.add.u32 [%rd1], %r1;"));
  CHECK(x.at(0).destinations.empty());
  CHECK(x.at(0).sources == x.regs({"%rd1", "%r1", "%r2"}));
  REQUIRE(x.at(1).destinations.size() == 2);
  CHECK(x.at(1).destinations[0] == x.reg("%r3"));
  CHECK(x.at(2).destinations.empty());
  CHECK(x.at(3).sources == x.regs({"%rd1", "%r1"}));
}

TEST_CASE("_ beside a register is a register of its own, in its place and of that size") {
  const Converted x(
      kernel("ld.global.v2.b32 {_, %r1}, [%rd1]; ld.global.v2.b32 {_, %r2}, [%rd1]; setp.lt.s32 _|%p1, %r1, 7;"
             "setp.lt.s32 %p2|_, %r1, 7; mov.b64 {_, %r3}, %rd1; shfl.sync.idx.b32 %r4|_, %r1, 0, 31, -1;"));
  std::set<std::uint32_t> unread;
  const auto last_is = [&](std::size_t i, const std::string& name) {
    CAPTURE(i);
    REQUIRE(x.at(i).destinations.size() == 2);
    CHECK(x.at(i).destinations[1] == x.reg(name));
    const std::uint32_t first = x.at(i).destinations[0];
    CHECK(x.kernel.register_bits.at(first) == x.kernel.register_bits.at(x.reg(name)));
    for (const StaticInstruction& one : x.kernel.instructions)
      CHECK(std::find(one.sources.begin(), one.sources.end(), first) == one.sources.end());
    unread.insert(first);
  };
  last_is(0, "%r1"), last_is(1, "%r2"), last_is(2, "%p1"), last_is(4, "%r3");
  CHECK(unread.size() == 4);
  // A second destination that is not there leaves the first where it is.
  CHECK(x.at(3).destinations == x.regs({"%p2"}));
  CHECK(x.at(5).destinations == x.regs({"%r4"}));
}

TEST_CASE("an asynchronous copy has two access entries, and waits depend on it") {
  const Converted x(
      kernel("cp.async.cg.shared.global [%r1], [%rd1], 16, %r2; cp.async.commit_group; cp.async.wait_group 1;\n"
             "cp.async.ca.shared.global [%r1], [%rd1], 4; cp.async.wait_all; ld.global.u32 %r3, [%rd1];"));
  CHECK(x.at(0).access == AccessKind::copy);
  CHECK(program::access_entries(x.at(0)) == 2);
  CHECK(x.at(0).space == MemorySpace::global);
  CHECK(x.at(0).element_bytes == 16);
  CHECK(x.at(3).element_bytes == 4);
  CHECK(x.at(0).sources == x.regs({"%r1", "%rd1", "%r2"}));
  REQUIRE(x.at(0).destinations.size() == 1);
  CHECK(x.at(1).access == AccessKind::none);
  CHECK(x.at(1).sources.empty());
  CHECK(x.at(2).sources == x.at(0).destinations);
  CHECK(x.at(3).destinations == x.at(0).destinations);
  CHECK(x.at(4).sources == x.at(0).destinations);
  CHECK(program::access_entries(x.at(4)) == 0);
  CHECK(program::access_entries(x.at(5)) == 1);
}

TEST_CASE("a texture read is a load of the texture space") {
  const Converted x(kernel("tex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, [%rd1, {%r1,%r2}];"));
  CHECK(x.at(0).access == AccessKind::load);
  CHECK(x.at(0).space == MemorySpace::texture);
  CHECK(x.at(0).element_bytes == 4);
  CHECK(x.at(0).vector_elements == 4);
  CHECK(x.at(0).sources == x.regs({"%rd1", "%r1", "%r2"}));
}

TEST_CASE("control instructions have their kind") {
  struct Case {
    const char* text;
    Control control;
  };
  for (const Case& c :
       {Case{"L: bra L;", Control::branch}, Case{"T: .branchtargets L; L: brx.idx %r1, T;", Control::branch},
        Case{"exit;", Control::exit}, Case{"ret;", Control::exit}, Case{"trap;", Control::trap},
        Case{"bar.sync 0;", Control::barrier}, Case{"barrier.sync.aligned 1, 64;", Control::barrier},
        Case{"bar.red.popc.u32 %r1, 0, %p1;", Control::barrier}, Case{"bar.arrive 0, 64;", Control::barrier},
        Case{"bar.warp.sync -1;", Control::none}, Case{"membar.gl;", Control::fence},
        Case{"fence.acq_rel.gpu;", Control::fence}, Case{"call f;", Control::call}, Case{"brkpt;", Control::none}}) {
    INFO(c.text);
    CHECK(Converted(kernel(c.text, ".func f() { ret; }\n")).at(0).control == c.control);
  }
  const Converted x(kernel("call f; ret;", ".func f() { ret; }\n"));
  CHECK(x.at(2).control == Control::ret);
}

TEST_CASE("bar.red writes its result, bar.sync nothing") {
  const Converted x(kernel("bar.red.popc.u32 %r1, 0, %p1; bar.sync %r1;"));
  CHECK(x.at(0).destinations == x.regs({"%r1"}));
  CHECK(x.at(0).sources == x.regs({"%p1"}));
  CHECK(x.at(1).destinations.empty());
  CHECK(x.at(1).sources == x.regs({"%r1"}));
}

TEST_CASE("the carry goes through a register of its own") {
  const Converted x(kernel("add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r2, %r3; add.u32 %r1, %r2, %r3;"));
  REQUIRE(x.at(0).destinations.size() == 2);
  const std::uint32_t carry = x.at(0).destinations[1];
  CHECK(x.kernel.register_bits.at(carry) == 1);
  CHECK(x.at(1).sources.back() == carry);
  CHECK(x.at(2).destinations.size() == 1);
}

TEST_CASE("parameters of device functions are registers that tie caller and callee together") {
  const Converted x(
      kernel("ld.param.u32 %r1, [n];\n"
             "{ .param .b32 p; .param .b64 q; .param .b32 r; st.param.b32 [p+0], %r1; st.param.b64 [q+0], %rd1;\n"
             "call (r), f, (p, q); ld.param.b32 %r2, [r+0]; }\nret;",
             ".func (.param .b32 out) f(.param .b32 x, .param .b64 y) { .reg .b32 %r<9>;\n"
             "ld.param.u32 %r1, [x]; st.param.b32 [out+0], %r1; ret; }\n"));
  const StaticInstruction& kernel_parameter = x.at(0);
  CHECK(kernel_parameter.access == AccessKind::load);
  CHECK(kernel_parameter.space == MemorySpace::param);
  const StaticInstruction& pass = x.at(1);
  const StaticInstruction& result = x.at(4);
  const StaticInstruction& take = x.at(6);
  const StaticInstruction& give = x.at(7);
  for (const StaticInstruction* move : {&pass, &x.at(2), &result, &take, &give}) {
    CHECK(move->access == AccessKind::none);
    CHECK(move->space == MemorySpace::none);
    CHECK(move->address_register == program::no_register);
  }
  REQUIRE(pass.destinations.size() == 1);
  CHECK(pass.sources == x.regs({"%r1"}));
  CHECK(take.sources == pass.destinations);
  REQUIRE(give.destinations.size() == 1);
  CHECK(result.sources == give.destinations);
  CHECK(pass.destinations != give.destinations);
  CHECK(x.at(2).destinations != pass.destinations);
  CHECK(x.kernel.register_bits.at(pass.destinations[0]) == 32);
  CHECK(x.kernel.register_bits.at(x.at(2).destinations[0]) == 64);
  // The callee's %r1 is not the caller's.
  CHECK(take.destinations != x.regs({"%r1"}));
}

TEST_CASE("parameters in registers are moved by call and ret") {
  const Converted x(kernel("call (%r1), f, (%r2, 3); ret;",
                           ".func (.reg .u32 r) f(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }\n"));
  const StaticInstruction& call = x.at(0);
  const StaticInstruction& add = x.at(2);
  const StaticInstruction& ret = x.at(3);
  CHECK(call.sources == x.regs({"%r2"}));
  CHECK(call.destinations == add.sources);
  CHECK(call.has_immediate);
  CHECK(ret.sources == add.destinations);
  CHECK(ret.destinations == x.regs({"%r1"}));
}

TEST_CASE("source lines come from .loc, or from the PTX text when it has none") {
  const Converted with(kernel(".loc 1 12 3\nmov.b32 %r1, 1;\n.loc 1 0 0\nmov.b32 %r1, 2;", ".file 1 \"a.cu\"\n"));
  CHECK(with.kernel.strings.at(with.at(0).source_file) == "a.cu");
  CHECK(with.at(0).source_line == 12);
  CHECK(with.at(1).source_line == 0);
  const Converted without(kernel("mov.b32 %r1, 1;\nret;"));
  CHECK(without.kernel.strings.at(without.at(1).source_file) == "test.ptx");
  CHECK(without.at(1).source_line == 8);
}

TEST_CASE("shared variables stand in order, aligned, those of the module first and only when they are named") {
  const Converted x(
      kernel(".shared .align 8 .b8 mine[12]; mov.u64 %rd1, late; mov.u64 %rd1, mine; mov.u64 %rd1, dyn; call f;",
             ".shared .b8 early[3];\n.shared .align 4 .b8 late[6];\n.extern .shared .align 32 .b8 dyn[];\n"
             ".func f() { .reg .u64 x; .shared .b16 own; mov.u64 x, early; mov.u64 x, dyn2; ret; }\n"
             ".shared .b8 unnamed[1000];\n.extern .shared .b64 dyn2[];\n"));
  const VariableLayout layout = shared_layout(x.program);
  const auto place = [&](std::uint32_t function, const char* name) {
    const auto* const found = layout.find(find_visible(x.module, *x.program.functions[function], name));
    REQUIRE(found != nullptr);
    return found->offset;
  };
  CHECK(place(0, "early") == 0);
  CHECK(place(0, "late") == 4);
  CHECK(place(0, "mine") == 16);
  CHECK(place(1, "own") == 28);
  CHECK(layout.bytes == 30);
  CHECK(layout.dynamic_offset == 32);
  CHECK(place(0, "dyn") == 32);
  CHECK(place(1, "dyn2") == 32);
  CHECK(layout.find(x.module.find_variable("unnamed")) == nullptr);
  CHECK(x.kernel.static_shared_bytes == 30);
}

TEST_CASE("local variables of all functions have places of their own") {
  const Converted x(kernel(".local .align 4 .b8 d[6]; call f;", ".func f() { .local .align 8 .b8 d[24]; ret; }\n"));
  CHECK(x.kernel.local_bytes == 32);
  CHECK(x.kernel.static_shared_bytes == 0);
}

TEST_CASE("blocks and their instructions are those of the program") {
  const Converted x(kernel("@%p1 bra L; mov.b32 %r1, 1; L: ret;"));
  CHECK(x.kernel.name == "k");
  REQUIRE(x.kernel.blocks.size() == 3);
  CHECK((x.kernel.blocks[1].first == 1 && x.kernel.blocks[1].count == 1));
  CHECK(x.kernel.instructions.size() == 3);
}
