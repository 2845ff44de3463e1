// Which unit runs an instruction: what two units can, what some generations have elsewhere, and code for rare operands. The
// numbers are those of ptxas 13.0 for sm_90, of kernels generated for this: loads, the operations on what is loaded, stores.
#include "tests/unit/isa/machine/issued.hpp"

namespace lockstep::units_test {

using namespace lockstep::machine;

namespace {

struct Shares {
  std::ptrdiff_t integer, multiplier;
  bool operator==(const Shares&) const = default;
};

/// Of 32-bit registers of which none is a parameter, and nothing is folded away.
Shares shares(const std::string& body, const std::string& set = "hopper", Schedule schedule = Schedule::list) {
  const program::Kernel kernel = machine::test::kernel_of(body);
  const Program program = lower(kernel, {set, ScratchpadAtomics::native, schedule});
  Shares counted{};
  for (const Instruction& i : program.instructions) {
    const bool prologue = i.source_count == 0 && i.destination_count == 0;
    counted.integer += !prologue && (i.operation == Operation::integer || i.operation == Operation::shift);
    counted.multiplier += i.operation == Operation::integer_multiply || i.operation == Operation::floating;
  }
  return counted;
}

/// `count` times a line in which # is 1, 2, 3 ... 6 in turn.
std::string lines(int count, const std::string& line) {
  std::string text;
  for (int n = 0; n < count; ++n) {
    std::string one = line;
    for (std::size_t at; (at = one.find('#')) != std::string::npos;) one.replace(at, 1, std::to_string(1 + n % 6));
    for (std::size_t at; (at = one.find('$')) != std::string::npos;)
      one.replace(at, 1, std::to_string(1 + (n + 1) % 6));
    text += one;
  }
  return text;
}

}  // namespace

TEST_CASE("unit balance: of additions alone half are multiply-adds") {
  CHECK(shares(lines(6, "add.u32 %r#, %r#, %r$;")) == Shares{3, 3});
  CHECK(shares(lines(12, "add.u32 %r#, %r#, %r$;")) == Shares{6, 6});
  CHECK(shares(lines(12, "sub.u32 %r#, %r#, %r$;")) == Shares{6, 6});
}

TEST_CASE("unit balance: beside as much logic all additions are, beside as many multiplications none") {
  CHECK(shares(lines(12, "add.u32 %r#, %r#, %r$; xor.b32 %r$, %r$, %r#;")) == Shares{12, 12});
  CHECK(shares(lines(12, "add.u32 %r#, %r#, %r$; mad.lo.u32 %r$, %r$, %r#, %r#;")) == Shares{12, 12});
  CHECK(shares(lines(12, "add.u32 %r#, %r#, %r$; fma.rn.f32 %f#, %f#, %f$, %f#; min.u32 %r#, %r#, %r$;")) ==
        Shares{6, 18});
}

TEST_CASE("unit balance: left shifts by a literal are multiplications, others stay shifts") {
  CHECK(shares(lines(6, "shl.b32 %r#, %r#, 3; xor.b32 %r#, %r#, %r$;")) == Shares{6, 6});
  CHECK(shares(lines(6, "shl.b32 %r#, %r#, %r$;")) == Shares{6, 0});
  CHECK(shares(lines(6, "shr.u32 %r#, %r#, 3;")) == Shares{6, 0});
}

TEST_CASE("unit balance: code in program order, and generations before Volta, add on the integer unit") {
  CHECK(shares(lines(6, "add.u32 %r#, %r#, %r$;"), "hopper", Schedule::program_order) == Shares{6, 0});
  CHECK(shares(lines(6, "add.u32 %r#, %r#, %r$;"), "fermi") == Shares{6, 0});
  CHECK(shares(lines(6, "add.u32 %r#, %r#, %r$;"), "volta") == Shares{3, 3});
}

TEST_CASE("rare operands: nothing moves across the branch over their code") {
  // The load below the division of f64 stays below it, and goes above that of integers.
  const auto place_of_load = [](const std::string& division) {
    const program::Kernel kernel =
        machine::test::kernel_of(division + "ld.global.nc.u32 %r1, [%rd1]; add.s32 %r2, %r3, %r1;");
    const Program program = lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
    std::size_t place = 0;
    while (program.instructions[place].operation != Operation::global_load) ++place;
    std::size_t behind = 0;
    const std::size_t prologue = 2;  // Its instructions count for the first of the kernel.
    for (std::size_t n = prologue; n < place; ++n) behind += program.instructions[n].static_index == 0;
    return behind;
  };
  // MOV, BSSY, FSETP, MUFU, 8 of f64, FFMA, FSETP, BRA, BSYNC; BSSY, FCHK, MUFU, 5 FFMA, BRA, BSYNC. Between the last two of each
  // stands the code for rare operands.
  CHECK(place_of_load("div.rn.f64 %fd1, %fd2, %fd3;") == 16 + 64);
  CHECK(place_of_load("div.rn.f32 %f1, %f2, %f3;") == 10 + 34);
  CHECK(place_of_load("div.u32 %r6, %r7, %r8;") == 0);
}

TEST_CASE("rare operands: a side of a branch with such a division is not predicated") {
  const auto branches = [](const std::string& side) {
    const program::Kernel kernel =
        machine::test::kernel_of("setp.eq.s32 %p1, %r1, %r2; @%p1 bra OVER;" + side + "OVER: add.s32 %r3, %r3, 1;");
    const Program program = lower(kernel, {"hopper", ScratchpadAtomics::native, Schedule::list});
    return program.predicated.empty() || program.predicated[0].code.executions == 0;
  };
  CHECK_FALSE(branches("add.f32 %f1, %f2, %f3;"));
  CHECK(branches("div.rn.f32 %f1, %f2, %f3;"));
}

TEST_CASE("Hopper converts whole numbers of 32 bits on the integer unit, others on the special function unit") {
  CHECK(machine::test::issued("cvt.rn.f32.u32 %f1, %r1;", "hopper").back() == Operation::integer);
  CHECK(machine::test::issued("cvt.rz.f32.s32 %f1, %r1;", "hopper").back() == Operation::integer);
  CHECK(machine::test::issued("cvt.rm.f32.s32 %f1, %r1;", "hopper").back() == Operation::conversion);
  CHECK(machine::test::issued("cvt.rzi.s32.f32 %r1, %f1;", "hopper").back() == Operation::conversion);
  CHECK(machine::test::issued("cvt.rn.f32.u64 %f1, %rd1;", "hopper").back() == Operation::conversion);
  // F2FP and HADD2.F32; the latter exists since Volta.
  CHECK(machine::test::issued("cvt.rn.f16.f32 %rs1, %f1;", "hopper").back() == Operation::integer);
  CHECK(machine::test::issued("cvt.rn.f16x2.f32 %r1, %f1, %f2;", "hopper").back() == Operation::integer);
  CHECK(machine::test::issued("cvt.f32.f16 %f1, %rs1;", "hopper").back() == Operation::floating);
  CHECK(machine::test::issued("cvt.f32.bf16 %f1, %rs1;", "hopper").back() == Operation::shift);
  CHECK(machine::test::issued("cvt.rn.f16.f32 %rs1, %f1;", "volta").back() == Operation::conversion);
  CHECK(machine::test::issued("cvt.f32.f16 %f1, %rs1;", "volta").back() == Operation::floating);
  CHECK(machine::test::issued("cvt.rn.f32.u32 %f1, %r1;", "volta").back() == Operation::conversion);
}

TEST_CASE("Hopper multiplies longer for 64 bits or their upper half") {
  CHECK(machine::test::issued("mul.wide.u32 %rd1, %r1, %r2;", "hopper").back() == Operation::wide_multiply);
  CHECK(machine::test::issued("mad.wide.s32 %rd1, %r1, %r2, %rd2;", "hopper").back() == Operation::wide_multiply);
  CHECK(machine::test::issued("mul.hi.s32 %r3, %r1, %r2;", "hopper").back() == Operation::wide_multiply);
  CHECK(machine::test::issued("mul.lo.s32 %r3, %r1, %r2;", "hopper").back() == Operation::integer_multiply);
  CHECK(machine::test::issued("mul.hi.s32 %r3, %r1, %r2;", "volta").back() == Operation::integer_multiply);
}

}  // namespace lockstep::units_test
