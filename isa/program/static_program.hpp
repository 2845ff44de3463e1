#pragma once
// A kernel as an execution and its replay see it: instructions in basic blocks, in terms that name no GPU. The static half
// of a trace.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/dataflow/graph.hpp"

namespace lockstep::program {

inline constexpr std::uint32_t no_register = ~std::uint32_t{0}, no_block = ~std::uint32_t{0};

/// A barrier that is guarded, or whose number or thread count stands in registers, has an entry too: number | threads
/// << 8 in every lane that takes part.
/// An asynchronous copy reads one address and writes another: its first entry has the addresses read, in the
/// instruction's space, by the lanes that read; its second the scratchpad addresses written.
/// What an mbarrier instruction does to its objects has one entry, as mbarrier_entry() says. Of a wait, it has the lanes
/// that have seen the end of the phase; one that observed an incomplete phase is missing there.
enum class AccessKind : std::uint8_t { none, load, store, atomic, reduction, prefetch, barrier, copy, mbarrier };
/// Where an access goes. `generic` is decided per lane by the address (see AddressWindows).
enum class MemorySpace : std::uint8_t { none, generic, global, shared, local, constant, param, texture };

/// What else the timing side must know about an instruction.
enum class Control : std::uint8_t { none, branch, call, ret, exit, barrier, fence, trap };

/// A source operand as the program names it.
struct SourceOperand {
  enum class Kind : std::uint8_t {
    reg,              ///< `value` is its number.
    literal,          ///< `value` holds its bits.
    variable,         ///< The address of a variable: `value` is its MemorySpace.
    launch_constant,  ///< A special register that is the same in all threads of a launch, such as %ntid.x.
    other,            ///< Another special register, a function, ...
    block_constant    ///< A special register that is the same in all threads of a thread block, such as %ctaid.x.
  };
  Kind kind = Kind::other;
  std::uint64_t value = 0;
  std::uint64_t offset = 0;  ///< Of a scratchpad or local variable: where it begins.
  friend bool operator==(const SourceOperand&, const SourceOperand&) = default;
};

/// One instruction of the program's own instruction set. The lowering tables of isa/machine choose machine
/// instructions by `mnemonic`; everything else here holds for every instruction set.
struct StaticInstruction {
  std::uint32_t mnemonic = 0;  ///< Index into Kernel::strings, for example "atom.shared.add.u32".
  Control control = Control::none;
  AccessKind access = AccessKind::none;
  MemorySpace space = MemorySpace::none;
  std::uint8_t element_bytes = 0;       ///< Bytes of one element of a memory access.
  std::uint8_t vector_elements = 1;     ///< Elements per lane: 1, 2, 4 or 8.
  bool reads_special_register = false;  ///< A source is %tid, %laneid, ...
  bool reads_clock = false;             ///< A source is %clock, %clock64 or %globaltimer: a timing marker.
  bool has_immediate = false;           ///< A source is a literal.
  /// A division, reciprocal or square root with IEEE rounding, whose execution leaves an access entry: the lanes whose operands
  /// compilers leave to a subroutine, near the limits of their range. Its addresses are 0. `access` is none.
  bool has_rare_operands = false;
  /// Of a barrier: which of the sixteen, for how many threads (0: all of the thread block), and whether the warp goes
  /// on without waiting.
  std::uint8_t barrier = 0;
  std::uint16_t barrier_threads = 0;
  bool barrier_arrives_only = false;
  /// Virtual register numbers of the kernel, or no_register. The guard is also the last entry of `sources`.
  std::uint32_t guard = no_register;
  /// What is discarded beside other destinations, PTX's "_", has a register of its own that nothing reads.
  std::vector<std::uint32_t> destinations, sources;
  /// The sources as written, in that order, without the guard: an address stands as its base, a vector as its elements.
  /// Empty where that is not known, and of calls by name; of a call through a register, that register.
  std::vector<SourceOperand> operands;
  std::vector<std::uint32_t> callees;  ///< Of a call: the first basic block of each function that it may call.
  std::uint32_t address_register = no_register;  ///< Base register of a memory access; one of `sources`.
  std::int64_t address_offset = 0;               ///< Bytes that an access adds to its base.
  std::uint32_t source_file = 0;                 ///< Index into Kernel::strings.
  std::uint32_t source_line = 0;                 ///< 0 when unknown.
  /// Where the function of that line was called, when it was inlined there: file as of source_file, line, or 0 and 0.
  std::uint32_t call_file = 0, call_line = 0;
};

/// Access entries that each execution of the instruction leaves.
inline std::uint32_t access_entries(const StaticInstruction& instruction) {
  if (instruction.access == AccessKind::copy) return 2;
  return instruction.access == AccessKind::none && !instruction.has_rare_operands ? 0 : 1;
}

/// Instructions [first, first + count) of the kernel. Each execution of a block by a warp is one block entry of
/// its stream, followed by the access entries of its instructions, in order (see access_entries).
struct StaticBlock {
  std::uint32_t first = 0, count = 0;
  /// Blocks that may come next, each once: the next one first when control can fall through to it. Empty where that is
  /// not known, and after the last instruction of a way.
  std::vector<std::uint32_t> successors = {};
  /// What all lanes pass that diverge at the end of this block, or no_block. In a loop that some leave the others meet before it.
  std::uint32_t reconvergence = no_block;
  bool nounroll = false;  ///< The program asks compilers not to unroll the loop that begins here.
};

/// A kernel as the trace knows it.
struct Kernel {
  std::string name;
  std::string instruction_set = "ptx";  ///< Chooses the lowering tables.
  std::vector<std::string> strings;     ///< [0] is "".
  std::vector<StaticInstruction> instructions;
  std::vector<StaticBlock> blocks;
  std::vector<std::uint8_t> register_bits;  ///< Per virtual register: 1 (predicate), 16, 32, 64 or 128.
  std::uint32_t live_registers = 0;         ///< Estimate: 32-bit registers live at once (see ptx::max_live_registers).
  std::uint32_t static_shared_bytes = 0;    ///< Per thread block.
  std::uint32_t local_bytes = 0;            ///< Per thread.
  /// Graphs that thread blocks run while their warps wait at barrier `graph_barrier`: thread block b runs
  /// graphs[b % graphs.size()]. Empty: an ordinary kernel. Only live sources have them.
  std::vector<std::shared_ptr<const dataflow::Graph>> graphs = {};
  std::uint32_t graph_barrier = 0;
};

using Dim3 = std::array<std::uint32_t, 3>;
inline std::uint64_t volume(const Dim3& d) {
  return std::uint64_t{d[0]} * d[1] * d[2];
}

/// Generic addresses inside [shared_base, shared_base + shared_size) are scratchpad offsets, likewise for local;
/// all others are global. Fixed for every trace that this program writes.
struct AddressWindows {
  std::uint64_t shared_base = 0x0100'0000, shared_size = 0x0100'0000;
  std::uint64_t local_base = 0x0200'0000, local_size = 0x0100'0000;
};

/// Of local memory per thread, its call stack included: CUDA C++ Programming Guide, technical specifications per compute
/// capability (the same from 2.0 on).
inline constexpr std::uint64_t most_local_bytes = 512 << 10;

}  // namespace lockstep::program
