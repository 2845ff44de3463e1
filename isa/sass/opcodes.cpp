#include "isa/sass/opcodes.hpp"

#include <algorithm>

namespace lockstep::sass {

namespace {

using program::AccessKind;
using program::Control;
using program::MemorySpace;

// What steers reconvergence (BSSY, BSYNC, WARPSYNC, SSY, ...) takes an issue slot and jumps nowhere by itself: a trace has the
// instructions that follow. SYNC, BRK and CONT of Kepler to Pascal jump.
constexpr OpcodeRow rows[] = {
    {"ACQBULK"},
    {"ARRIVES"},
    {.name = "ATOM", .access = AccessKind::atomic, .space = MemorySpace::generic, .result = Words::access},
    {.name = "ATOMG", .access = AccessKind::atomic, .space = MemorySpace::global, .result = Words::access},
    {.name = "ATOMS", .access = AccessKind::atomic, .space = MemorySpace::shared, .result = Words::access},
    {"B2R"},
    {.name = "BAR", .control = Control::barrier},
    {"BFE"},
    {"BFI"},
    {.name = "BGMMA", .result = Words::matrix, .sources = Words::matrix},
    {.name = "BMMA", .result = Words::matrix, .sources = Words::matrix},
    {"BMOV"},
    {"BMSK"},
    {"BPT"},
    {.name = "BRA", .control = Control::branch},
    {"BREAK"},
    {"BREV"},
    {.name = "BRK", .control = Control::branch},
    {.name = "BRX", .control = Control::branch},
    {.name = "BRXU", .control = Control::branch},
    {"BSSY"},
    {"BSYNC"},
    {.name = "CAL", .control = Control::call},
    {.name = "CALL", .control = Control::call},
    {"CCTL"},
    {"CCTLL"},
    {"CCTLT"},
    {"CGAERRBAR"},
    {.name = "CONT", .control = Control::branch},
    {"CREDUX"},
    {.name = "CS2R", .result = Words::two},
    {.name = "CSET", .reads_predicate = true},
    {.name = "CSETP", .sets_predicate = true, .reads_predicate = true},
    {"CSMTEST"},
    {.name = "DADD", .result = Words::two, .sources = Words::two},
    {"DEPBAR"},
    {.name = "DFMA", .result = Words::two, .sources = Words::two},
    {.name = "DMMA", .result = Words::double_matrix, .sources = Words::double_matrix},
    {.name = "DMNMX", .result = Words::two, .sources = Words::two},
    {.name = "DMUL", .result = Words::two, .sources = Words::two},
    {.name = "DSET", .result = Words::two, .sources = Words::two},
    {.name = "DSETP", .sources = Words::two, .sets_predicate = true},
    {.name = "ELECT", .sets_predicate = true},
    {"ENDCOLLECTIVE"},
    {"ERRBAR"},
    {.name = "EXIT", .control = Control::exit},
    {.name = "F2F", .result = Words::two_if_real},
    {"F2FP"},
    {.name = "F2I", .result = Words::two_if_integer},
    {"F2IP"},
    {"FADD"},
    {"FADD32I"},
    {.name = "FCHK", .sets_predicate = true},
    {"FCMP"},
    {"FENCE"},
    {"FFMA"},
    {"FFMA32I"},
    {"FLO"},
    {"FMNMX"},
    {"FMNMX3"},
    {"FMUL"},
    {"FMUL32I"},
    {"FRND"},
    {.name = "FSEL", .reads_predicate = true},
    {"FSET"},
    {.name = "FSETP", .sets_predicate = true},
    {"FSWZ"},
    {"FSWZADD"},
    {"GETLMEMBASE"},
    {"HADD2"},
    {"HADD2_32I"},
    {"HFMA2"},
    {"HFMA2_32I"},
    {.name = "HGMMA", .result = Words::matrix, .sources = Words::matrix},
    {.name = "HMMA", .result = Words::matrix, .sources = Words::matrix},
    {"HMNMX2"},
    {"HMUL2"},
    {"HMUL2_32I"},
    {"HSET2"},
    {.name = "HSETP2", .sets_predicate = true},
    {.name = "I2F", .result = Words::two_if_real},
    {"I2FP"},
    {"I2I"},
    {"I2IP"},
    {"IABS"},
    {"IADD"},
    {"IADD3"},
    {"IADD32I"},
    {"ICMP"},
    {"IDP"},
    {"IDP4A"},
    {.name = "IGMMA", .result = Words::matrix, .sources = Words::matrix},
    {.name = "IMAD", .result = Words::two_if_wide},
    {"IMAD32I"},
    {"IMADSP"},
    {.name = "IMMA", .result = Words::matrix, .sources = Words::matrix},
    {"IMNMX"},
    {"IMUL"},
    {"IMUL32I"},
    {"ISAD"},
    {"ISCADD"},
    {"ISCADD32I"},
    {"ISET"},
    {.name = "ISETP", .sets_predicate = true},
    {"ISUB"},
    {.name = "JCAL", .control = Control::call},
    {.name = "JMP", .control = Control::branch},
    {.name = "JMX", .control = Control::branch},
    {.name = "JMXU", .control = Control::branch},
    {.name = "KILL", .control = Control::exit},
    {.name = "LD", .access = AccessKind::load, .space = MemorySpace::generic, .result = Words::access},
    {.name = "LDC", .access = AccessKind::load, .space = MemorySpace::constant, .result = Words::access},
    {.name = "LDG", .access = AccessKind::load, .space = MemorySpace::global, .result = Words::access},
    {"LDGDEPBAR"},
    {.name = "LDGSTS", .access = AccessKind::copy, .space = MemorySpace::global},
    {.name = "LDL", .access = AccessKind::load, .space = MemorySpace::local, .result = Words::access},
    {.name = "LDLK", .access = AccessKind::load, .space = MemorySpace::generic, .result = Words::access},
    {.name = "LDS", .access = AccessKind::load, .space = MemorySpace::shared, .result = Words::access},
    {.name = "LDSLK", .access = AccessKind::load, .space = MemorySpace::shared, .result = Words::access},
    {.name = "LDSM",
     .access = AccessKind::load,
     .space = MemorySpace::shared,
     .result = Words::rows,
     .matrix_rows = true},
    {.name = "LDS_LDU", .access = AccessKind::load, .space = MemorySpace::shared, .result = Words::access},
    {"LDTRAM"},
    {.name = "LDU", .access = AccessKind::load, .space = MemorySpace::generic, .result = Words::access},
    {.name = "LD_LDU", .access = AccessKind::load, .space = MemorySpace::generic, .result = Words::access},
    {"LEA"},
    {"LEPC"},
    {.name = "LONGJMP", .control = Control::branch},
    {"LOP"},
    {"LOP3"},
    {"LOP32I"},
    {"MATCH"},
    {.name = "MEMBAR", .control = Control::fence},
    {"MOV"},
    {"MOV32I"},
    {"MOVM"},
    {"MUFU"},
    {"NANOSLEEP"},
    {"NOP"},
    {.name = "P2R", .reads_predicate = true},
    {"PBK"},
    {"PCNT"},
    {"PEXIT"},
    {"PLONGJMP"},
    {.name = "PLOP3", .sets_predicate = true, .reads_predicate = true},
    {"PMTRIG"},
    {"POPC"},
    {"PREEXIT"},
    {"PRET"},
    {"PRMT"},
    {.name = "PSET", .reads_predicate = true},
    {.name = "PSETP", .sets_predicate = true, .reads_predicate = true},
    {.name = "QGMMA", .result = Words::matrix, .sources = Words::matrix},
    {.name = "QMMA", .result = Words::matrix, .sources = Words::matrix},
    {"QSPC"},
    {"R2B"},
    {.name = "R2P", .sets_predicate = true},
    {"R2UR"},
    {"RAM"},
    {.name = "RED", .access = AccessKind::reduction, .space = MemorySpace::generic},
    {.name = "REDG", .access = AccessKind::reduction, .space = MemorySpace::global},
    {.name = "REDS", .access = AccessKind::reduction, .space = MemorySpace::shared},
    {"REDUX"},
    {.name = "RET", .control = Control::ret},
    {"RPCMOV"},
    {"RRO"},
    {"RTT"},
    {"S2R"},
    {"S2UR"},
    {"SAM"},
    {.name = "SEL", .reads_predicate = true},
    {"SETCTAID"},
    {"SETLMEMBASE"},
    {"SGXT"},
    {"SHF"},
    {"SHFL"},
    {"SHL"},
    {"SHR"},
    {"SSY"},
    {.name = "ST", .access = AccessKind::store, .space = MemorySpace::generic},
    {.name = "STG", .access = AccessKind::store, .space = MemorySpace::global},
    {.name = "STL", .access = AccessKind::store, .space = MemorySpace::local},
    {"STP"},
    {.name = "STS", .access = AccessKind::store, .space = MemorySpace::shared},
    {.name = "STSCUL", .access = AccessKind::store, .space = MemorySpace::shared},
    {.name = "STSM", .access = AccessKind::store, .space = MemorySpace::shared, .matrix_rows = true},
    {.name = "STSUL", .access = AccessKind::store, .space = MemorySpace::shared},
    {.name = "STUL", .access = AccessKind::store, .space = MemorySpace::generic},
    {"SUATOM"},
    {"SUATOMGA"},
    {"SUBFM"},
    {"SUCLAMP"},
    {"SUEAU"},
    {.name = "SULD", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "SULDB", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "SULDGA", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {"SURED"},
    {"SUREDGA"},
    {"SUST"},
    {"SUSTB"},
    {"SUSTGA"},
    {.name = "SYNC", .control = Control::branch},
    {"SYNCS"},
    {.name = "TEX", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {"TEXDEPBAR"},
    {.name = "TEXS", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TLD", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TLD4", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TLD4S", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TLDS", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TMML", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TXA", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TXD", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {.name = "TXQ", .access = AccessKind::load, .space = MemorySpace::texture, .result = Words::access},
    {"UBLKCP"},
    {"UBLKPF"},
    {"UBLKRED"},
    {"UBMSK"},
    {"UBREV"},
    {"UCGABAR_ARV"},
    {"UCGABAR_WAIT"},
    {"UCLEA"},
    {"UF2FP"},
    {"UFLO"},
    {"UIADD3"},
    {.name = "UIMAD", .result = Words::two_if_wide},
    {"UIMNMX"},
    {.name = "UISETP", .sets_predicate = true},
    {"ULDC"},
    {"ULEA"},
    {"ULEPC"},
    {"ULOP"},
    {"ULOP3"},
    {"UMOV"},
    {.name = "UP2UR", .reads_predicate = true},
    {.name = "UPLOP3", .sets_predicate = true},
    {"UPOPC"},
    {"UPRMT"},
    {.name = "UPSETP", .sets_predicate = true},
    {"UR2UP"},
    {.name = "USEL", .reads_predicate = true},
    {"USETMAXREG"},
    {"USGXT"},
    {"USHF"},
    {"USHL"},
    {"USHR"},
    {"UTMACCTL"},
    {"UTMACMDFLUSH"},
    {"UTMALDG"},
    {"UTMAPF"},
    {"UTMAREDG"},
    {"UTMASTG"},
    {"UVIRTCOUNT"},
    {"VABSDIFF"},
    {"VABSDIFF4"},
    {"VADD"},
    {"VHMNMX"},
    {"VIADD"},
    {"VIADDMNMX"},
    {"VIMNMX"},
    {"VIMNMX3"},
    {"VMAD"},
    {"VMNMX"},
    {.name = "VOTE", .sets_predicate = true, .reads_predicate = true},
    {.name = "VOTEU", .sets_predicate = true, .reads_predicate = true},
    {"VOTE_VTG"},
    {"VSET"},
    {.name = "VSETP", .sets_predicate = true},
    {"VSHL"},
    {"VSHR"},
    {"WARPGROUP"},
    {"WARPGROUPSET"},
    {"WARPSYNC"},
    {"XMAD"},
    {"YIELD"},
};
static_assert(std::is_sorted(std::begin(rows), std::end(rows),
                             [](const OpcodeRow& a, const OpcodeRow& b) { return a.name < b.name; }));

bool is_any_of(const Mnemonic& m, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return m.has(word); });
}

}  // namespace

Mnemonic::Mnemonic(std::string_view text)
    : opcode_(text.substr(0, text.find('.'))), modifiers_(text.substr(std::min(opcode_.size(), text.size()))) {}

bool Mnemonic::has(std::string_view modifier) const {
  for (std::string_view rest = modifiers_; !rest.empty();) {
    rest.remove_prefix(1);  // The point.
    const std::size_t end = std::min(rest.find('.'), rest.size());
    if (rest.substr(0, end) == modifier) return true;
    rest.remove_prefix(end);
  }
  return false;
}

std::uint8_t Mnemonic::access_bytes(const OpcodeRow& row) const {
  if (row.matrix_rows || has("128")) return 16;
  if (is_any_of(*this, {"64", "U64", "S64", "F64"})) return 8;
  if (is_any_of(*this, {"U16", "S16"})) return 2;
  if (is_any_of(*this, {"U8", "S8"})) return 1;
  return 4;
}

std::uint32_t Mnemonic::matrices() const {
  return has("4") ? 4 : has("2") ? 2 : 1;
}

std::uint32_t Mnemonic::result_words(const OpcodeRow& row) const {
  switch (row.result) {
    case Words::access: return std::max(1, access_bytes(row) / 4);
    case Words::rows: return matrices();
    case Words::matrix: return modifiers_.ends_with(".F16") ? 2 : 4;
    case Words::double_matrix: return 4;
    case Words::two: return has("32") ? 1 : 2;
    case Words::two_if_wide: return has("WIDE") ? 2 : 1;
    case Words::two_if_real: return modifiers_.starts_with(".F64") ? 2 : 1;  // F2F.F64.F32, I2F.F64.S64
    case Words::two_if_integer: return is_any_of(*this, {"S64", "U64"}) ? 2 : 1;
    case Words::one: break;
  }
  return 1;
}

std::uint32_t Mnemonic::source_words(const OpcodeRow& row, std::size_t n, std::size_t count) const {
  if (row.sources == Words::two) return 2;
  if (row.sources == Words::matrix || row.sources == Words::double_matrix) return n == 1 ? 2 : 4;
  if (row.access == AccessKind::none) return 1;
  if (n == 0) return has("E") && row.space != MemorySpace::shared ? 2 : 1;  // An address of 64 bits.
  const bool data =
      row.access == AccessKind::store || row.access == AccessKind::atomic || row.access == AccessKind::reduction;
  return data && n + 1 == count ? std::max(1, access_bytes(row) / 4) : 1;
}

std::span<const OpcodeRow> opcodes() {
  return rows;
}

const OpcodeRow* find_opcode(std::string_view name) {
  const OpcodeRow* row = std::lower_bound(std::begin(rows), std::end(rows), name,
                                          [](const OpcodeRow& a, std::string_view b) { return a.name < b; });
  return row != std::end(rows) && row->name == name ? row : nullptr;
}

}  // namespace lockstep::sass
