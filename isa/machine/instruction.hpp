#pragma once
// Instructions of a real SM, as the timing model sees them: what they read and write, which unit runs them and how the
// memory ones behave. Values are not here; only time is modelled from this.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/program/mbarrier.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::machine {

/// Classes with a latency and an issue interval of their own in a GPU's configuration.
enum class Operation : std::uint8_t {
  integer,            ///< add, logic, select, move
  integer_multiply,   ///< mul, mad
  wide_multiply,      ///< those with a result of 64 bits or its upper half, where they take longer
  shift,              ///< shifts, bit fields, byte permutes
  compare,            ///< integer and f32 comparisons that set predicates or registers
  min_max,            ///< integer and f32 minimum, maximum
  bit_count,          ///< population count
  bit_find,           ///< leading zeros, bit reversal
  floating,           ///< f32 add, fma
  floating_multiply,  ///< f32 mul
  half_precision,     ///< f16, f16x2, bf16 arithmetic
  double_precision,   ///< f64 arithmetic
  tensor,             ///< mma of matrices of 16 rows and 32 bytes each: HMMA.16816, IMMA.16832
  tensor_short,       ///< mma of rows of 16 bytes: HMMA.1688, IMMA.16816
  tensor_double,      ///< mma of f64: DMMA.8x8x4
  conversion,         ///< between types
  special_function,   ///< rcp, rsqrt, sin, cos, ex2, lg2 of a reduced argument
  range_reduction,    ///< brings an argument of sin, cos, ex2 into range
  special_register,   ///< reads of thread index, lane number, clock, ...
  exchange,           ///< shuffle, vote, match, reduce across lanes
  scratchpad_load,
  scratchpad_store,
  load_lock,
  store_unlock,
  scratchpad_atomic,     ///< native, with a result
  scratchpad_reduction,  ///< native, without
  global_load,
  global_store,
  global_atomic,
  global_reduction,
  constant_load,  ///< constant space and indexed parameters
  texture_load,
  async_copy,   ///< From global memory to the scratchpad, without a register between.
  mbarrier,     ///< An action on mbarrier objects, see program::MbarrierAction.
  copy_commit,  ///< Ends a group of a warp's copies.
  copy_wait,    ///< Issues when copies are done.
  branch,
  barrier,
  fence,
  exit
};
inline constexpr std::size_t operation_count = static_cast<std::size_t>(Operation::exit) + 1;
std::string_view name_of(Operation operation);
/// Those that only compute: neither memory nor control flow.
std::span<const Operation> arithmetic_operations();

/// The functional unit groups of an SM.
enum class Unit : std::uint8_t {
  core,
  integer,
  double_precision,
  tensor,
  special_function,
  load_store,
  texture,
  control
};
inline constexpr std::size_t unit_count = static_cast<std::size_t>(Unit::control) + 1;
/// The unit of a memory or control operation, and where an arithmetic one runs unless the GPU says otherwise.
Unit unit_of(Operation operation);

/// What a load or store asks of the caches (PTX: cache operators, ld.volatile, memory orders, eviction priorities).
enum class CacheOperator : std::uint8_t {
  normal,        ///< As the GPU caches this space: .ca, .wb.
  second_level,  ///< Past the L1 cache: .cg, and loads and stores that are ordered beyond the thread block.
  streaming,     ///< Used once: its line is the first to go (.cs, .L1::evict_first).
  last_use,      ///< Not used again: its line is dropped without being written back if it is local (.lu).
  refetch,       ///< Past the L1 cache, which forgets the line: .cv, .volatile, .wt.
  no_allocate,   ///< Brings no line in: .L1::no_allocate.
  read_only      ///< Of data that is never written: .nc.
};

/// Whose threads a fence orders memory for: how long it takes.
enum class FenceScope : std::uint8_t { nobody, block, gpu, system };

/// A fence, or a part of one.
struct Fence {
  FenceScope orders_for = FenceScope::nobody;
  bool waits = false;       ///< Until the warp's accesses are done, before it issues.
  bool forgets_l1 = false;  ///< The SM's L1 cache forgets global memory.
};

/// Which of the lanes of an access act.
enum class Election : std::uint8_t {
  each_lane,               ///< All that the trace names.
  one_lane,                ///< One of them, for all.
  one_lane_of_a_full_warp  ///< One when the trace names all lanes of the warp, else each.
};

inline constexpr std::uint32_t max_destinations = 8, max_sources = 12;
inline constexpr std::size_t most_scoreboard_entries = 0xffff;  ///< Numbers of 16 bits, of which one means none.

/// One machine instruction.
struct Instruction {
  static constexpr std::uint16_t no_guard = 0xffff;
  Operation operation = Operation::integer;
  /// What a compiler may make of it instead, for a unit that has less to do; Operation::exit: nothing.
  Operation alternative = Operation::exit;
  std::uint8_t destination_count = 0, source_count = 0;
  /// Takes the next access entry of the stream, unless it is on the stack; the operations behind it in the same chain use that entry too.
  bool takes_access = false;
  /// Of a generic atomic: neither issues nor acts when no lane's address lies in this operation's space.
  bool only_own_space = false;
  Election election = Election::each_lane;  ///< Of an atomic: see WarpAggregation.
  Fence fence;                              ///< Of a fence.
  /// Of a branch: closes a lock loop. While lanes remain, the next instruction is `loop_start`.
  bool closes_lock_loop = false;
  /// Of the load, the compare-and-swap and the branch of a loop that does what the atomic units lack. The swap succeeds
  /// in one lane of each word, unless another swap of that word came between the load and it; while lanes remain, the
  /// branch goes to `loop_start`.
  bool cas_loop = false;
  /// Of a branch inside a chain of operations: taken by nearly all warps, over code for rare operands. Where it takes an access entry,
  /// warps of which that has lanes go through the `skipped` instructions behind it; no others are known of.
  bool skips = false;
  /// Of a jump back: right in front of it stands an EXIT that a guard leaves out.
  bool behind_exit = false;
  std::uint8_t skipped = 0;
  /// Of an access to local memory: to the call stack, `entry_shift` bytes above the lane's stack pointer. It takes no entry of the
  /// stream. `stack_step` is added to the stack pointers, before the access if it is positive, else behind it.
  bool on_stack = false;
  std::int32_t stack_step = 0;
  /// Rounds of a loop that are unrolled need it in the first one alone. Without sources: it puts a literal into its register, which
  /// straight code needs once.
  bool once_for_all_rounds = false;
  bool adds_one = false;     ///< Of a native atomic: adds the constant one, which units may aggregate.
  bool swaps = false;        ///< Of a native atomic: a compare-and-swap.
  bool floating = false;     ///< Of an atomic on global memory: on floating-point numbers.
  bool matrix_rows = false;  ///< Of a scratchpad access: see scratchpad::Scratchpad::row_passes.
  /// Of what is no access: how often it goes through the data stage of the scratchpad, as shuffles and reads of a thread's
  /// number do.
  std::uint8_t data_stage_uses = 0;
  bool late_predicates = false;  ///< The predicates among its sources are read as late as a guard.
  /// Of a barrier: see program::StaticInstruction.
  bool barrier_arrives_only = false;
  std::uint8_t barrier = 0;
  std::uint16_t barrier_threads = 0;
  program::MbarrierAction mbarrier = program::MbarrierAction::none;
  /// Of a copy_wait: how many groups, the last ones, it does not wait for.
  static constexpr std::uint8_t all_copies = 0xff;  ///< It waits for copies without a group, too.
  std::uint8_t copy_groups = 0;
  /// The counter of loads in flight that counts this one, from 1 on; 0: none, or nothing shares it.
  static constexpr unsigned most_counters = 6;
  std::uint8_t counter = 0;
  std::uint8_t awaits_counters = 0;  ///< Counters that must be zero when it issues, a bit for each.
  std::uint8_t element_bytes = 0, vector_elements = 1;
  program::MemorySpace space = program::MemorySpace::none;
  CacheOperator cache_operator = CacheOperator::normal;
  std::uint16_t guard = no_guard;  ///< The source that decides which lanes act.
  bool guarded_in_chain = false;  ///< The guard is of its chain of operations, whose value stays where it does not act.
  std::uint16_t destinations[max_destinations] = {};
  std::uint16_t sources[max_sources] = {};
  std::uint32_t access_entry = 0;  ///< Of an access: which of the entries of its Code it takes, the first of several.
  std::int32_t entry_shift = 0;    ///< Added to the addresses of that entry.
  /// Of a scratchpad access of which it is known: its address is that of a root (see Addresses) and this.
  std::uint32_t address_root = 0;
  std::int32_t address_offset = 0;
  std::uint32_t loop_start = 0;    ///< Program-wide instruction number.
  std::uint32_t static_index = 0;  ///< Into Kernel::instructions.
  std::uint32_t place = 0;         ///< Where it lies in the code, counted in instructions (code_layout.hpp).

  bool reads(std::uint16_t entry) const {
    return std::find(sources, sources + source_count, entry) != sources + source_count;
  }
  bool writes(std::uint16_t entry) const {
    return std::find(destinations, destinations + destination_count, entry) != destinations + destination_count;
  }
  /// Whether its destinations are new in all lanes: no lane keeps what another instruction of the program wrote.
  bool writes_all_lanes() const { return guard == no_guard || guarded_in_chain; }
};

/// Access entries that it takes: an asynchronous copy has those of its source and, behind it, of its destination.
inline std::uint32_t access_entries(const Instruction& i) {
  if (!i.takes_access || i.on_stack) return 0;
  return i.operation == Operation::async_copy ? 2 : 1;
}

/// The machine instructions of a basic block, or of several executions of it one after the other.
struct Code {
  std::uint32_t first = 0, end = 0;  ///< Instructions [first, end) of the program.
  std::uint32_t executions = 0;      ///< Of the block; 0: there is no such code.
  std::uint32_t access_entries = 0;  ///< Of all these executions, those of the first before those of the second.
  bool reordered = false;            ///< Accesses do not take all their entries in the order of the trace.
};

/// Lanes that part at the end of a basic block, execute at most these blocks, and meet again. Without sides, it is the block that
/// follows: the first one of a loop's next round.
struct Hammock {
  std::vector<std::uint32_t> sides;  ///< Basic blocks, in the order of the code.
  std::uint32_t join = 0;            ///< The basic block where they meet.
  /// So many of the sides, the first ones, test further conditions; all lanes execute their code.
  std::uint32_t conditions = 0;
  bool only_way = false;  ///< No other block leads to the join.
};

/// Code of a basic block and of what follows it: rounds of a loop, and sides of branches that the compiler predicates instead of
/// branching (if-conversion). All of it is issued, also the sides that no lane executes.
struct Path {
  /// `executions` of the first block; 0: there is none. Access entries: block, sides, join, sides, join, ...
  Code code;
  std::vector<Hammock> hammocks;  ///< Each begins in the join of the one before, the first in the block itself.
};

/// A kernel lowered for one machine generation.
struct Program {
  const program::Kernel* kernel = nullptr;
  std::vector<Instruction> instructions;
  std::uint32_t places = 0;      ///< One more than the largest place of an instruction.
  std::vector<Code> blocks;      ///< Of each basic block of the trace.
  std::vector<Path> predicated;  ///< Sides of branches, by the basic block that the code begins with; or empty.
  /// Rounds of loops that the compiler unrolls, by the basic block that a round begins with, most rounds first; or empty.
  std::vector<std::vector<Path>> unrolled;
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  /// By basic block where lanes meet that were registered to meet there: the instruction that those issue which come there and wait;
  /// the last ones execute the block's own. `none` where nothing waits, or empty.
  std::vector<std::uint32_t> arrivals;
  /// Bits by scoreboard entry: the kernel's virtual registers, temporaries, and names that unrolled code adds. 1: it takes no room in
  /// the register file, as predicates and what lies in uniform registers.
  std::vector<std::uint8_t> register_bits;
  /// Of a thread, of 32 bits: as many as a compiler is expected to give; 0: not known.
  std::uint32_t registers = 0;
  /// Mnemonics that this generation lacks and that are timed as the chain of its table.
  std::vector<std::string> later_instructions;
};

}  // namespace lockstep::machine
