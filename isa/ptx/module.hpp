#pragma once
// What a PTX file says, as data: the parser fills it, the functional machine and the trace read it.
// Nothing here interprets an instruction: an opcode is a row of the table (opcodes.hpp), modifiers are kept as written.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "isa/ptx/opcodes.hpp"

namespace lockstep::ptx {

/// A fundamental PTX type. b128 appears only in moves; f16x2 and bf16x2 are packed pairs.
enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64
};
unsigned bits_of(Type type);             ///< 1 for pred, 0 for none.
std::string_view name_of(Type type);     ///< "u32", without the dot.
Type type_named(std::string_view name);  ///< none when there is no such type.
bool is_floating(Type type);
bool is_signed(Type type);  ///< s8 to s64.

/// A PTX state space; `generic` is an address without one.
enum class Space : std::uint8_t { generic, constant, global, local, param, shared };
std::string_view name_of(Space space);

enum class SpecialRegister : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  envreg1,  ///< Upper half of the address of a cooperative launch's workspace, which %envreg2 has the lower half of.
  envreg2,
  reserved_smem_offset_begin,  ///< Of the scratchpad memory that is reserved for system software, one of these five.
  reserved_smem_offset_end,
  reserved_smem_offset_cap,  ///< Its size.
  reserved_smem_offset_0,
  reserved_smem_offset_1,  ///< What the cooperative groups of CUDA keep for tiles of several warps.
  unmodelled  ///< A PTX special register that nothing here models (%clusterid.x, %pm0, ...); Operand::symbol names it.
};
/// The register named, without "%": "tid.x", "clock64"; false when there is none.
bool special_register_named(std::string_view name, SpecialRegister& result);
std::string_view name_of(SpecialRegister reg);
unsigned bits_of(SpecialRegister reg);  ///< 32, or 64 for clock64 and globaltimer.
bool is_clock(SpecialRegister reg);     ///< The clocks and the global timer.
/// Says where the reserved scratchpad memory of a thread block stands, or how large it is.
bool is_of_reserved_scratchpad(SpecialRegister reg);

using RegisterId = std::uint32_t;  ///< Index into Function::registers.
inline constexpr std::uint32_t no_index = ~std::uint32_t{0};

/// One operand of an instruction.
struct Operand {
  enum class Kind : std::uint8_t {
    reg,      ///< A register: `index`; `negated` for !%p.
    special,  ///< A special register: `special`.
    integer,  ///< An integer literal: two's complement in `bits`.
    real,     ///< A floating-point literal: `bits` holds its f64 bits; `real_bits` is 32 for 0f..., 64 otherwise.
    symbol,   ///< The address of a variable or function: `symbol`, plus the byte `offset`.
    address,  ///< [base + offset]: `index` is the base register, or no_index with `symbol`, or neither (absolute).
    label,    ///< A branch target: `index` is an instruction number of the function.
    vector,   ///< {a, b, ...}: `elements`. The targets of brx.idx are a vector of labels.
    sink      ///< "_".
  };
  Kind kind = Kind::sink;
  bool negated = false;
  SpecialRegister special{};
  std::uint32_t index = no_index;
  std::uint64_t bits = 0;
  std::uint8_t real_bits = 64;
  std::int64_t offset = 0;
  std::string symbol;  ///< For a register of a video instruction: its selector, "b0" or "h1".
  /// Of a vector; for an address with several parts, [texture, sampler, {x, y}], all parts after the first.
  std::vector<Operand> elements;
  /// `%p|%q` of setp and shfl writes a second register: its id, or no_index.
  std::uint32_t second = no_index;
};

/// One instruction as written: "@!%p1 atom.shared.add.u32 %r1, [%rd2+4], 1;".
struct Instruction {
  Opcode opcode{};                     ///< Opcode::atom
  std::vector<std::string> modifiers;  ///< "shared", "add", "u32", without dots; "::"-parts stay in one modifier.
  std::vector<Operand> operands;       ///< In the order written. For call: see below.
  RegisterId guard = no_index;         ///< The guard predicate, or no_index.
  bool guard_negated = false;
  int line = 0, column = 0;       ///< Where it stands in the PTX file.
  std::uint32_t source_file = 0;  ///< .loc: number in Module::source_files, 0 when there is none.
  int source_line = 0;            ///< .loc: line in that file, 0 when there is none.
  /// .loc inlined_at: where the function of that line was called, when it was inlined there; line 0: it was not.
  std::uint32_t call_file = 0;
  int call_line = 0;

  /// One of those that stand for a wmma (wmma/expansion.hpp), and the first that all lanes of a warp must execute together.
  bool part_of_wmma = false, needs_whole_warp = false;

  /// Only for call: names of the param variables that hold results and arguments, or register/immediate operands.
  std::vector<Operand> call_results, call_arguments;
  std::string call_target;

  const OpcodeRow& row() const { return row_of(opcode); }
  bool has(std::string_view modifier) const;
  std::string mnemonic() const;      ///< "atom.shared.add.u32"
  Type last_type() const;            ///< That of the last modifier that names one, or none.
  unsigned vector_elements() const;  ///< 2, 4 or 8 for .v2, .v4 and .v8, else 1.
  const Operand* address() const;    ///< The first operand in [ ], or nullptr.
};

/// The types of PTX ISA 5.3 that hide what they hold. A variable of one is 8 bytes with an address and no contents.
enum class Opaque : std::uint8_t { none, texture, sampler, surface };
std::string_view name_of(Opaque opaque);  ///< "texref", "samplerref", "surfref"; "" for none.

/// A variable of a module or function: .global, .const, .shared, .local, .param.
struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint32_t alignment = 1;  ///< In bytes.
  std::uint64_t bytes = 0;      ///< 0 for an extern array: dynamic shared memory.
  bool is_extern = false;
  std::vector<std::uint8_t> initial;  ///< Empty, or the first bytes of the variable; the rest is zero.
  /// Addresses in the initialiser: at byte `offset` of the variable stands the address of `symbol` plus `addend`.
  struct Relocation {
    std::uint64_t offset;
    std::string symbol;
    std::int64_t addend;
    unsigned bytes;
    bool generic;
    unsigned shift = 0;  ///< The bytes hold the address shifted right by so many bits: 0xFF00(symbol) shifts by 8.
  };
  std::vector<Relocation> relocations;
  Opaque opaque = Opaque::none;
  /// Of an opaque variable with an initialiser: "filter_mode" and "linear", as written.
  std::vector<std::pair<std::string, std::string>> fields;
  SourceLocation where;
};

struct Register {
  std::string name;  ///< "%r12"
  Type type = Type::b32;
};

/// A kernel (.entry) or device function (.func).
struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;
  std::vector<Variable> results;  ///< .func (.param .b32 r): space param; or registers, see below.
  std::vector<Variable> parameters;
  std::vector<RegisterId> result_registers, parameter_registers;  ///< For functions declared with .reg parameters.
  std::vector<Register> registers;  ///< Those that the body names, in order of first appearance.
  std::vector<Variable> variables;  ///< .local, .shared and call-site .param variables; names made unique.
  /// Ends with an instruction that leaves the function or branches: a `ret` is added where the text falls off the end.
  std::vector<Instruction> instructions;
  std::vector<std::uint32_t> nounroll;            ///< Instructions before which a body has .pragma "nounroll".
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid, or zeros.
  std::uint32_t max_threads = 0;                  ///< Product of .maxntid, or 0.
  SourceLocation where;
};

struct Module {
  std::string file;
  unsigned version_major = 0, version_minor = 0;
  std::string target;  ///< "sm_35"
  /// .target ..., texmode_independent: the sampler is no part of the texture (PTX ISA 5.3).
  bool independent_textures = false;
  unsigned address_bits = 64;
  std::vector<std::string> source_files;  ///< [0] is ""; .file N "name" stands at N.
  std::vector<Variable> variables;
  std::vector<Function> functions;

  const Function* find_function(std::string_view name) const;
  const Variable* find_variable(std::string_view name) const;
};

/// The variable that an operand of the function names: its own ones, its parameters and results, then the module's.
/// nullptr when the name is that of a function.
const Variable* find_visible(const Module& module, const Function& function, std::string_view name);

/// Parses the text of a PTX file. Reports every syntax error with file:line:column in one InputError.
Module parse(std::string_view text, const std::string& file_name);

/// Reads and parses a file. InputError when it cannot be read or is not PTX.
Module parse_file(const std::string& path);

}  // namespace lockstep::ptx
