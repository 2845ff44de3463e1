// Where LDC stands in the code of ptxas 13.0 for sm_90, by what its README says of it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

#include "isa/machine/dominance.hpp"
#include "isa/machine/lowering.hpp"
#include "isa/ptx/static_program.hpp"
#include "tests/unit/isa/kernel_files.hpp"
#include "tests/unit/isa/ptx/text.hpp"

namespace lockstep::parameter_loads_test {

namespace {

const std::string load = "ld.param.u64 %rd1, [a]; ld.param.u32 %r9, [n]; mov.u32 %r1, %tid.x; mov.u32 %r3, 0;";
const std::string gather = "mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r1, [%rd3];";
const std::string another = "mul.wide.s32 %rd4, %r3, 4; add.s64 %rd5, %rd1, %rd4; ld.global.u32 %r3, [%rd5];";
const std::string again =
    "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP; st.global.u32 [%rd9], %r1; ret;";

/// Loads of parameters, by basic block.
std::vector<unsigned> loads_by_block(const std::string& body, const std::string& set = "hopper") {
  const program::Kernel kernel = ptx::to_static_program(ptx::link(ptx::test::kernel(body), "k"));
  const machine::Program program =
      machine::lower(kernel, {set, machine::ScratchpadAtomics::native, machine::Schedule::list});
  std::vector<unsigned> loads;
  for (const machine::Code& code : program.blocks) {
    loads.push_back(0);
    for (std::uint32_t n = code.first; n < code.end; ++n)
      loads.back() += program.instructions[n].operation == machine::Operation::constant_load;
  }
  return loads;
}

using Loads = std::vector<unsigned>;

}  // namespace

TEST_CASE("The base of an array that lies in the register file is loaded from constant memory") {
  CHECK(loads_by_block(load + gather + "st.global.u32 [%rd3], %r1; ret;") == Loads{1});
  CHECK(loads_by_block(load + "st.global.u32 [%rd1], %r1; ret;") == Loads{0});  // An address in a uniform register.
}

TEST_CASE("A loop all of whose rounds read a parameter has it loaded before") {
  CHECK(loads_by_block(load + "LOOP: bar.sync 0;" + gather + again) == Loads{1, 0, 0});
}

TEST_CASE("A block that some rounds of a loop leave out loads the parameters that it reads itself, once") {
  const std::string skip = "LOOP: bar.sync 0; setp.eq.u32 %p1, %r1, %r9; @%p1 bra ON; bar.sync 0;",
                    on = "ON: bar.sync 0;";
  CHECK(loads_by_block(load + skip + gather + on + again) == Loads{0, 0, 1, 0, 0});
  CHECK(loads_by_block(load + skip + gather + another + on + again) == Loads{0, 0, 1, 0, 0});
  CHECK(loads_by_block(load + another + skip + gather + on + again) == Loads{1, 0, 1, 0, 0});
}

TEST_CASE("Outside loops the first block that reads a parameter loads it, each of several that are no way to another") {
  const std::string branch = "setp.eq.u32 %p1, %r1, %r9; @%p1 bra ELSE; bar.sync 0;",
                    end = "END: st.global.u32 [%rd3], %r1; ret;";
  CHECK(loads_by_block(load + "setp.eq.u32 %p1, %r1, %r9; @%p1 bra ON; bar.sync 0;" + gather +
                       "st.global.u32 [%rd3], %r1; ON: ret;") == Loads{0, 1, 0});
  CHECK(loads_by_block(load + branch + gather + "bra.uni END; ELSE: bar.sync 0;" + another + end) == Loads{0, 1, 1, 0});
  CHECK(loads_by_block(load + gather + branch + another + "ELSE:" + end) == Loads{1, 0, 0});
}

TEST_CASE("What a loop in a side of a branch reads is loaded in that side") {
  CHECK(loads_by_block(
            load + "setp.eq.u32 %p1, %r1, %r9; @%p1 bra ON; bar.sync 0; LOOP: bar.sync 0;" + gather +
            "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP; ON: st.global.u32 [%rd9], %r1; ret;") ==
        Loads{0, 1, 0, 0});
}

TEST_CASE(
    "A loop around another one loads in each round what it reads, and what the other one reads in front of that") {
  CHECK(loads_by_block(
            load + "OUTER: bar.sync 0; setp.eq.u32 %p1, %r1, %r9; @%p1 bra ON; mov.u32 %r3, 0; LOOP: bar.sync 0;" +
            gather +
            "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP; ON: bar.sync 0; setp.lt.u32 %p3, %r1, 5; "
            "@%p3 bra OUTER; ret;") == Loads{0, 0, 1, 0, 0, 0});
  CHECK(loads_by_block(
            load + "OUTER: bar.sync 0;" + gather +
            "mov.u32 %r3, 0; LOOP: bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP;" +
            another + "setp.lt.u32 %p3, %r1, 5; @%p3 bra OUTER; ret;") == Loads{0, 1, 0, 0, 0});
}

namespace {

/// Instructions of PTX whose block loads a parameter for a uniform register anew (ULDC), by basic block.
std::vector<unsigned> uniform_loads_by_block(const std::string& body) {
  const program::Kernel kernel = ptx::to_static_program(ptx::link(ptx::test::kernel(body), "k"));
  const machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  std::vector<unsigned> loads;
  for (const machine::Code& code : program.blocks) {
    loads.push_back(0);
    for (std::uint32_t n = code.first; n < code.end; ++n) {
      const machine::Instruction& i = program.instructions[n];
      loads.back() += i.operation == machine::Operation::integer && i.space == program::MemorySpace::param &&
                      i.destination_count == 1 && program.register_bits[i.destinations[0]] == 1;
    }
  }
  return loads;
}

// Read by two operands of a multiplication and addition that takes one from elsewhere than the register file.
const std::string factors = "ld.param.f32 %f8, [a]; ld.param.f32 %f9, [n]; mov.f32 %f1, %f8; ";
const std::string step = "fma.rn.f32 %f1, %f1, %f8, %f9;";
const std::string rounds = "add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, %r1; @%p2 bra LOOP;";
const std::string outer = "bar.sync 0; setp.lt.u32 %p3, %r1, 5; @%p3 bra OUTER; st.global.f32 [%rd9], %f1; ret;";

}  // namespace

TEST_CASE("Of two parameters of one instruction that lie outside the register file, one is loaded into it") {
  // ptxas, in front of the inner loop and in each round of the outer one: ULDC UR8, c[...]; LDC R4, c[...]; FFMA R9, R9, UR8, R4.
  const std::string nest =
      load + factors + "OUTER: bar.sync 0; mov.u32 %r3, 0; LOOP: bar.sync 0;" + step + rounds + outer;
  CHECK(loads_by_block(nest) == Loads{0, 1, 0, 0, 0});
  CHECK(uniform_loads_by_block(nest)[1] == 1);
  CHECK(uniform_loads_by_block(nest)[2] == 0);
}

TEST_CASE("A loop without others has the parameters of its instructions loaded in front of it") {
  const std::string one = load + factors + "LOOP: bar.sync 0;" + step + rounds + "st.global.f32 [%rd9], %f1; ret;";
  CHECK(loads_by_block(one)[1] == 0);
  CHECK(uniform_loads_by_block(one)[1] == 0);
}

namespace {

/// Reads of loaded parameters in front of which, in the block or one that all ways to it pass, stands no load.
unsigned reads_without_load(const machine::Program& program) {
  const machine::Dominance dominance(program.kernel->blocks);
  std::map<std::uint16_t, std::vector<std::uint32_t>> loaded_in;
  const auto each = [&](auto&& see) {
    for (std::uint32_t b = 0; b < program.blocks.size(); ++b)
      for (std::uint32_t n = program.blocks[b].first; n < program.blocks[b].end; ++n) see(b, program.instructions[n]);
  };
  each([&](std::uint32_t b, const machine::Instruction& i) {
    if (i.operation == machine::Operation::constant_load && i.space == program::MemorySpace::param)
      loaded_in[i.destinations[0]].push_back(b);
  });
  unsigned without = 0;
  std::set<std::pair<std::uint32_t, std::uint16_t>> seen;  // By block.
  each([&](std::uint32_t b, const machine::Instruction& i) {
    for (unsigned s = 0; s < i.source_count; ++s) {
      const auto at = loaded_in.find(i.sources[s]);
      if (at == loaded_in.end() || seen.contains({b, i.sources[s]})) continue;
      without += std::none_of(at->second.begin(), at->second.end(),
                              [&](std::uint32_t other) { return other != b && dominance.passes(b, other); });
    }
    for (unsigned d = 0; d < i.destination_count; ++d) seen.insert({b, i.destinations[d]});
  });
  return without;
}

}  // namespace

TEST_CASE("A load of a parameter behind its reader is noticed") {
  const program::Kernel kernel =
      ptx::to_static_program(ptx::link(ptx::test::kernel(load + gather + "st.global.u32 [%rd9], %r1; ret;"), "k"));
  machine::Program program =
      machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
  REQUIRE(reads_without_load(program) == 0);
  const auto first = std::find_if(program.instructions.begin(), program.instructions.end(), [](const auto& i) {
    return i.operation == machine::Operation::constant_load && i.space == program::MemorySpace::param;
  });
  REQUIRE(first != program.instructions.end());
  const auto reader =
      std::find_if(first, program.instructions.end(), [&](const auto& i) { return i.reads(first->destinations[0]); });
  REQUIRE(reader != program.instructions.end());
  std::iter_swap(first, reader);
  CHECK(reads_without_load(program) == 1);
}

TEST_CASE("No kernel reads a parameter on a way that has not loaded it") {
  for (const std::string& file : test::kernel_files(9)) {
    const ptx::Module module = ptx::parse_file(file);
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      CAPTURE(file, function.name);
      const program::Kernel kernel = ptx::to_static_program(ptx::link(module, function.name));
      const machine::Program program =
          machine::lower(kernel, {"hopper", machine::ScratchpadAtomics::native, machine::Schedule::list});
      CHECK(reads_without_load(program) == 0);
    }
  }
}

}  // namespace lockstep::parameter_loads_test
