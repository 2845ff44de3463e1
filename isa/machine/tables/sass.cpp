// SASS, the machine code of NVIDIA's GPUs, as imported traces have it. It is one instruction of the SM already, so a row names
// one operation; memory instructions and control flow are lowered by what the static program says of them. The rows hold for
// every generation: code of one that is replayed on another is timed as the nearest operation there. Where there is no
// tensor core for it, a matrix product is timed as an instruction of half precision (of integers: a multiplication), and the
// replay says so. An opcode in small letters is the name of an operation: what an importer makes of an unknown instruction.

#include <vector>

#include "isa/machine/tables/lowering_table.hpp"

namespace lockstep::machine {

namespace {

constexpr LoweringRow rows[] = {
    // Floating point.
    {"FADD", "", "floating"},
    {"FADD32I", "", "floating"},
    {"FFMA", "", "floating"},
    {"FFMA32I", "", "floating"},
    {"FSWZ", "", "floating"},
    {"FSWZADD", "", "floating"},
    {"FMUL", "", "floating_multiply"},
    {"FMUL32I", "", "floating_multiply"},
    {"FMNMX", "", "min_max"},
    {"FMNMX3", "", "min_max"},
    {"FSEL", "", "integer"},
    {"FCMP", "", "compare"},
    {"FCHK", "", "compare"},
    {"FSET", "", "compare"},
    {"FSETP", "", "compare"},
    {"MUFU", "", "special_function"},
    {"RRO", "", "range_reduction"},
    {"HADD2", "F32", "floating"},  // The conversion of a half to f32.
    {"HADD2", "", "half_precision"},
    {"HADD2_32I", "", "half_precision"},
    {"HFMA2", "", "half_precision"},
    {"HFMA2_32I", "", "half_precision"},
    {"HMUL2", "", "half_precision"},
    {"HMUL2_32I", "", "half_precision"},
    {"HMNMX2", "", "half_precision"},
    {"VHMNMX", "", "half_precision"},
    {"HSET2", "", "half_precision"},
    {"HSETP2", "", "half_precision"},
    {"DADD", "", "double_precision"},
    {"DFMA", "", "double_precision"},
    {"DMUL", "", "double_precision"},
    {"DMNMX", "", "double_precision"},
    {"DSET", "", "double_precision"},
    {"DSETP", "", "double_precision"},

    // Tensor operations.
    {"HMMA", "", "half_precision", true},
    {"QMMA", "", "half_precision", true},
    {"HGMMA", "", "half_precision", true},
    {"QGMMA", "", "half_precision", true},
    {"DMMA", "", "double_precision", true},
    {"IMMA", "", "integer_multiply", true},
    {"BMMA", "", "integer_multiply", true},
    {"IGMMA", "", "integer_multiply", true},
    {"BGMMA", "", "integer_multiply", true},

    // Integers.
    {"IADD", "", "integer"},
    {"IADD3", "", "integer"},
    {"IADD32I", "", "integer"},
    {"ISUB", "", "integer"},
    {"IABS", "", "integer"},
    {"ISCADD", "", "integer"},
    {"ISCADD32I", "", "integer"},
    {"LEA", "", "integer"},
    {"LOP", "", "integer"},
    {"LOP3", "", "integer"},
    {"LOP32I", "", "integer"},
    {"VIADD", "", "integer"},
    {"VADD", "", "integer"},
    {"IMAD", "", "integer_multiply"},
    {"IMAD32I", "", "integer_multiply"},
    {"IMADSP", "", "integer_multiply"},
    {"IMUL", "", "integer_multiply"},
    {"IMUL32I", "", "integer_multiply"},
    {"IDP", "", "integer_multiply"},
    {"IDP4A", "", "integer_multiply"},
    {"VMAD", "", "integer_multiply"},
    {"XMAD", "", "integer_multiply"},
    {"IMNMX", "", "min_max"},
    {"VMNMX", "", "min_max"},
    {"VIMNMX", "", "min_max"},
    {"VIMNMX3", "", "min_max"},
    {"VIADDMNMX", "", "min_max"},
    {"VABSDIFF", "", "min_max"},
    {"VABSDIFF4", "", "min_max"},
    {"ISAD", "", "shift"},
    {"ICMP", "", "compare"},
    {"ISET", "", "compare"},
    {"ISETP", "", "compare"},
    {"VSET", "", "compare"},
    {"VSETP", "", "compare"},
    {"SHF", "", "shift"},
    {"SHL", "", "shift"},
    {"SHR", "", "shift"},
    {"VSHL", "", "shift"},
    {"VSHR", "", "shift"},
    {"SGXT", "", "shift"},
    {"BFE", "", "shift"},
    {"BFI", "", "shift"},
    {"BMSK", "", "shift"},
    {"PRMT", "", "shift"},
    {"BREV", "", "bit_find"},
    {"FLO", "", "bit_find"},
    {"POPC", "", "bit_count"},

    // Conversions and moves.
    {"F2F", "", "conversion"},
    {"F2I", "", "conversion"},
    {"I2F", "", "conversion"},
    {"I2I", "", "conversion"},
    {"FRND", "", "conversion"},
    {"F2FP", "", "integer"},  // As hopper.cpp has the conversions of PTX that become it and I2FP.
    {"F2IP", "", "conversion"},
    {"I2FP", "", "integer"},
    {"I2IP", "", "conversion"},
    {"MOV", "", "integer"},
    {"MOV32I", "", "integer"},
    {"MOVM", "", "exchange"},
    {"SEL", "", "integer"},
    {.opcode = "SHFL", .modifiers = "", .operations = "exchange", .through_data_stage = true},
    {"MATCH", "", "exchange"},
    {"REDUX", "", "exchange"},
    {"CREDUX", "", "exchange"},

    // Predicates.
    {"CSET", "", "compare"},
    {"PSET", "", "compare"},
    {"CSETP", "", "compare"},
    {"PSETP", "", "compare"},
    {"PLOP3", "", "compare"},
    {"P2R", "", "integer"},
    {"R2P", "", "integer"},
    {.opcode = "VOTE", .modifiers = "", .operations = "integer", .late_predicates = true},
    {.opcode = "VOTEU", .modifiers = "", .operations = "integer", .late_predicates = true},
    {"VOTE_VTG", "", "integer"},
    {"ELECT", "", "integer"},

    // Special registers.
    {.opcode = "S2R", .modifiers = "", .operations = "special_register", .through_data_stage = true},
    {"S2UR", "", "special_register"},
    {"CS2R", "", "special_register"},
    {"B2R", "", "special_register"},
    {"R2B", "", "special_register"},
    {"R2UR", "", "integer"},

    // What is the same in all lanes.
    {"UBMSK", "", "shift"},
    {"UBREV", "", "bit_find"},
    {"UCLEA", "", "integer"},
    {"UF2FP", "", "conversion"},
    {"UFLO", "", "bit_find"},
    {"UIADD3", "", "integer"},
    {"UIMAD", "", "integer_multiply"},
    {"UIMNMX", "", "min_max"},
    {"UISETP", "", "compare"},
    {"ULDC", "", "integer"},
    {"ULEA", "", "integer"},
    {"ULEPC", "", "integer"},
    {"ULOP", "", "integer"},
    {"ULOP3", "", "integer"},
    {"UMOV", "", "integer"},
    {"UP2UR", "", "integer"},
    {"UPLOP3", "", "compare"},
    {"UPOPC", "", "bit_count"},
    {"UPRMT", "", "shift"},
    {"UPSETP", "", "compare"},
    {"UR2UP", "", "integer"},
    {"USEL", "", "integer"},
    {"USGXT", "", "shift"},
    {"USHF", "", "shift"},
    {"USHL", "", "shift"},
    {"USHR", "", "shift"},

    // Reconvergence, and what only takes an issue slot.
    {"BMOV", "", "integer"},
    {"BSSY", "", "integer"},
    {"BSYNC", "", "integer"},
    {"BREAK", "", "integer"},
    {"WARPSYNC", "", "integer"},
    {"SSY", "", "integer"},
    {"PBK", "", "integer"},
    {"PCNT", "", "integer"},
    {"PRET", "", "integer"},
    {"PEXIT", "", "integer"},
    {"PLONGJMP", "", "integer"},
    {"RPCMOV", "", "integer"},
    {"YIELD", "", "integer"},
    {"NANOSLEEP", "", "integer"},
    {"SAM", "", "integer"},
    {"RAM", "", "integer"},
    {"NOP", "", "integer"},
    {"LEPC", "", "integer"},
    {"GETLMEMBASE", "", "integer"},
    {"SETLMEMBASE", "", "integer"},
    {"SETCTAID", "", "integer"},
    {"PMTRIG", "", "integer"},
    {"BPT", "", "integer"},
    {"RTT", "", "integer"},
    {"CSMTEST", "", "integer"},
    {"ENDCOLLECTIVE", "", "integer"},
    {"PREEXIT", "", "integer"},
    {"WARPGROUP", "", "integer"},
    {"WARPGROUPSET", "", "integer"},
    {"USETMAXREG", "", "integer"},
    {"UVIRTCOUNT", "", "integer"},
    {"UCGABAR_ARV", "", "integer"},
    {"UCGABAR_WAIT", "", "integer"},

    // Around memory, without addresses in a trace.
    {"DEPBAR", "", "integer"},
    {"LDGDEPBAR", "", "integer"},
    {"TEXDEPBAR", "", "integer"},
    {"ARRIVES", "", "integer"},
    {"ACQBULK", "", "integer"},
    {"CCTL", "", "integer"},
    {"CCTLL", "", "integer"},
    {"CCTLT", "", "integer"},
    {"QSPC", "", "integer"},
    {"ERRBAR", "", "integer"},
    {"CGAERRBAR", "", "integer"},
    {"FENCE", "", "integer"},
    {"SYNCS", "", "integer"},
    {"LDTRAM", "", "integer"},
    {"STP", "", "integer"},
    {"SUCLAMP", "", "integer"},
    {"SUBFM", "", "integer"},
    {"SUEAU", "", "integer"},
    {"SUST", "", "integer", true},
    {"SUSTB", "", "integer", true},
    {"SUSTGA", "", "integer", true},
    {"SUATOM", "", "integer", true},
    {"SUATOMGA", "", "integer", true},
    {"SURED", "", "integer", true},
    {"SUREDGA", "", "integer", true},
    {"UBLKCP", "", "integer", true},
    {"UBLKPF", "", "integer", true},
    {"UBLKRED", "", "integer", true},
    {"UTMALDG", "", "integer", true},
    {"UTMASTG", "", "integer", true},
    {"UTMAREDG", "", "integer", true},
    {"UTMAPF", "", "integer", true},
    {"UTMACCTL", "", "integer"},
    {"UTMACMDFLUSH", "", "integer"},
};

/// HMMA.884 of Volta is a quarter of a product: as two cycles of half precision. IMMA.8816 takes half the time of its row.
constexpr LoweringRow volta_rows_of_matrices[] = {
    {"HMMA", "1688 TF32|BF16", "tensor_short", true},
    {"HMMA", "1688", "tensor_short"},
    {"HMMA", "16816", "tensor", true},
    {"IMMA", "8816|8832", "tensor_short", true},
    {"IMMA", "16816", "tensor_short", true},
    {"IMMA", "16832", "tensor", true},
};

/// IMAD.WIDE and IMAD.HI have a pipe of their own, and so have matrices (tables/hopper.cpp).
constexpr LoweringRow hopper_rows[] = {
    {"HMMA", "16816|16832", "tensor"},    {"HMMA", "1688 TF32", "tensor"},       {"HMMA", "", "tensor_short"},
    {"IMMA", "16832|16864", "tensor"},    {"IMMA", "", "tensor_short"},          {"DMMA", "", "tensor_double"},
    {"IMAD", "WIDE|HI", "wide_multiply"}, {"UIMAD", "WIDE|HI", "wide_multiply"},
};

/// Rows for the names of the operations that compute.
std::span<const LoweringRow> operation_rows() {
  static const std::vector<LoweringRow> all = [] {
    std::vector<LoweringRow> named;
    for (const Operation operation : arithmetic_operations())
      named.push_back({name_of(operation), "", name_of(operation)});
    return named;
  }();
  return all;
}

}  // namespace

std::span<const LoweringTable> sass_tables() {
  static const std::vector<LoweringTable> tables = [] {
    std::vector<LoweringTable> all;
    for (const std::string_view machine : {"tesla", "fermi", "kepler", "maxwell", "volta", "hopper"}) {
      LoweringTable table{machine, "sass", {}, rows, {}, operation_rows()};
      if (machine == "volta") table.own = volta_rows_of_matrices;
      if (machine == "hopper") table.own = hopper_rows;
      table.of_machine_code = true;
      all.push_back(table);
    }
    return all;
  }();
  return tables;
}

}  // namespace lockstep::machine
