// Every opcode of SASS has a machine instruction on every generation.

#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"
#include "isa/machine/tables/lowering_table.hpp"
#include "isa/sass/opcodes.hpp"

using namespace lockstep;
using machine::Operation;

namespace {

/// What an instruction becomes.
std::vector<Operation> lowered(const std::string& mnemonic, const std::string& machine_set, bool has_result = true) {
  const sass::OpcodeRow* row = sass::find_opcode(sass::Mnemonic(mnemonic).opcode());
  REQUIRE(row != nullptr);
  program::Kernel kernel;
  kernel.instruction_set = "sass";
  kernel.strings = {"", mnemonic};
  kernel.register_bits = {32, 32};
  program::StaticInstruction s;
  s.mnemonic = 1;
  s.control = row->control;
  s.access = row->access;
  s.space = row->space;
  s.element_bytes = sass::Mnemonic(mnemonic).access_bytes(*row);
  s.sources = {0};
  if (has_result) s.destinations = {1};
  kernel.instructions = {s};
  kernel.blocks = {{0, 1}};
  std::vector<Operation> all;
  const machine::Program program =
      machine::lower(kernel, {machine_set, machine::ScratchpadAtomics::native, machine::Schedule::list});
  for (const machine::Instruction& i : program.instructions) all.push_back(i.operation);
  return all;
}

}  // namespace

TEST_CASE(
    "Every opcode of SASS is one machine instruction on every generation, a copy two, a generic atomic one per space") {
  for (const std::string& machine_set : machine::instruction_sets()) {
    for (const sass::OpcodeRow& row : sass::opcodes()) {
      CAPTURE(machine_set, row.name);
      const bool copies = row.access == program::AccessKind::copy;
      const bool generic = row.space == program::MemorySpace::generic;
      const bool updates = row.access == program::AccessKind::atomic || row.access == program::AccessKind::reduction;
      CHECK(lowered(std::string(row.name), machine_set).size() == (copies || (generic && updates) ? 2 : 1));
    }
  }
}

TEST_CASE("Instructions of SASS become the operations that they are") {
  const std::pair<const char*, Operation> cases[] = {
      {"IADD3.X", Operation::integer},
      {"IMAD.MOV.U32", Operation::integer_multiply},
      {"IMAD.WIDE.U32", Operation::integer_multiply},
      {"ISETP.GE.U32.AND", Operation::compare},
      {"FFMA.FTZ", Operation::floating},
      {"DFMA", Operation::double_precision},
      {"HFMA2.MMA", Operation::half_precision},
      {"HADD2.BF16_V2", Operation::half_precision},
      {"HADD2.F32", Operation::floating},
      {"F2FP.F16.F32.PACK_AB", Operation::integer},
      {"I2FP.F32.S32", Operation::integer},
      {"I2F.S16", Operation::conversion},
      {"MUFU.EX2", Operation::special_function},
      {"SHFL.BFLY", Operation::exchange},
      {"LDS.U.128", Operation::scratchpad_load},
      {"STS.64", Operation::scratchpad_store},
      {"LDG.E.64.CONSTANT.SYS", Operation::global_load},
      {"LDL", Operation::global_load},
      {"STG.E.SYS", Operation::global_store},
      {"ATOMG.E.ADD.STRONG.GPU", Operation::global_atomic},
      {"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU", Operation::global_reduction},
      {"ATOMS.ADD", Operation::scratchpad_atomic},
      {"ATOMS.CAST.SPIN.64", Operation::scratchpad_atomic},
      {"LDC.64", Operation::constant_load},
      {"TEX.SCR.LL", Operation::texture_load},
      {"BAR.SYNC", Operation::barrier},
      {"MEMBAR.SC.GPU", Operation::fence},
      {"MEMBAR.ALL.CTA", Operation::integer},
      {"BRA", Operation::branch},
      {"EXIT", Operation::exit},
  };
  for (const auto& [mnemonic, operation] : cases) {
    CAPTURE(mnemonic);
    CHECK(lowered(mnemonic, "volta") == std::vector<Operation>{operation});
  }
  CHECK(lowered("IMAD.WIDE.U32", "hopper") == std::vector<Operation>{Operation::wide_multiply});
  CHECK(lowered("ATOMS.POPC.INC.32", "volta", false) == std::vector<Operation>{Operation::scratchpad_reduction});
  CHECK(lowered("ATOMG.E.CAS.STRONG.GPU", "volta", false) == std::vector<Operation>{Operation::global_atomic});
}

TEST_CASE("Modifiers say how many bytes a lane accesses and how many registers operands take") {
  const auto bytes = [](const char* mnemonic) {
    const sass::Mnemonic m(mnemonic);
    return int{m.access_bytes(*sass::find_opcode(m.opcode()))};
  };
  CHECK(bytes("LDG.E.SYS") == 4);
  CHECK(bytes("LDG.E.U8") == 1);
  CHECK(bytes("LDG.E.S16.CONSTANT") == 2);
  CHECK(bytes("LDG.E.64.STRONG.SYS") == 8);
  CHECK(bytes("LDGSTS.E.BYPASS.LTC128B.128") == 16);
  CHECK(bytes("LDG.E.LTC128B") == 4);
  CHECK(bytes("RED.E.ADD.F64.RN") == 8);
  CHECK(bytes("LDSM.16.M88.4") == 16);  // A row of a matrix, of whatever the lane gets.
  CHECK(bytes("STSM.16.MT88") == 16);
  const auto words = [](const char* mnemonic) {
    const sass::Mnemonic m(mnemonic);
    return m.result_words(*sass::find_opcode(m.opcode()));
  };
  CHECK(words("IMAD") == 1);
  CHECK(words("IMAD.WIDE") == 2);
  CHECK(words("DADD") == 2);
  CHECK(words("LDS.128") == 4);
  CHECK(words("LDG.E.U8") == 1);
  CHECK(words("F2F.F64.F32") == 2);
  CHECK(words("F2F.F32.F64") == 1);
  CHECK(words("HMMA.16816.F32") == 4);
  CHECK(words("HMMA.16816.F16") == 2);
  CHECK(words("DMMA.8x8x4") == 4);
  CHECK(words("I2F.F64.S64") == 2);
  CHECK(words("I2F.S64") == 1);
  CHECK(words("F2I.S64.F64") == 2);
  CHECK(words("F2I.F64") == 1);
  CHECK(words("UIMAD.WIDE.U32") == 2);
  CHECK(words("LDSM.16.M88") == 1);
  CHECK(words("LDSM.16.M88.2") == 2);
  CHECK(words("LDSM.16.MT88.4") == 4);
}
