#pragma once
// An R-GPU program: instructions as nodes of a dataflow graph, and the FIFOs between them (Van den Braak, chapter 7).
// A graph names no GPU; it says what is connected and what each node does. The numbers that differ from thread block to
// thread block (constants, addresses, initial values, iterations) are in an Instance.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/error.hpp"

namespace lockstep::dataflow {

inline constexpr std::uint32_t no_node = ~std::uint32_t{0};

/// What a core or a load-store unit executes. Values are 32 bits; the operation says how it reads them. Declared once
/// with names, operand counts and unit in opcodes.cpp.
enum class Opcode : std::uint8_t {
  // Cores, integer.
  move,
  add,
  sub,
  mul,  ///< Low 32 bits.
  mul_hi_s32,
  mul_hi_u32,
  mad,  ///< a * b + c, low 32 bits.
  sad_s32,
  sad_u32,  ///< |a - b| + c.
  min_s32,
  min_u32,
  max_s32,
  max_u32,
  abs_s32,
  neg_s32,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right_s32,
  shift_right_u32,
  select,  ///< a != 0 ? b : c.
  guard,   ///< a where b != 0, otherwise void: an address that a load or store leaves out.
  set_eq,
  set_ne,
  set_lt_s32,
  set_le_s32,
  set_gt_s32,
  set_ge_s32,
  set_lt_u32,
  set_le_u32,
  set_gt_u32,
  set_ge_u32,  ///< 1 or 0, like all comparisons.
  // Cores, single precision (IEEE, to nearest; fused multiply-add rounds once).
  add_f32,
  sub_f32,
  mul_f32,
  fma_f32,
  min_f32,
  max_f32,
  abs_f32,
  neg_f32,
  set_eq_f32,
  set_ne_f32,
  set_lt_f32,
  set_le_f32,
  set_gt_f32,
  set_ge_f32,
  s32_to_f32,
  u32_to_f32,
  f32_to_s32,  ///< Toward zero, like f32_to_u32.
  f32_to_u32,
  // Cores with a special function unit.
  reciprocal,
  square_root,
  reciprocal_square_root,
  sine,
  cosine,
  exponential_2,
  logarithm_2,
  // Load-store units.
  load,
  store,
  reduce  ///< Read-modify-write of memory without a result: add, min, max, ... by Node::reduction.
};
inline constexpr std::size_t opcode_count = static_cast<std::size_t>(Opcode::reduce) + 1;

/// Where a node can be placed, and how its activity is counted.
enum class UnitClass : std::uint8_t { integer, floating, special, load_store };

/// What is known of an opcode without a graph.
struct OpcodeFacts {
  const char* name = "";  ///< In graph files: "add", "fma.f32", "set.lt.s32", "load".
  UnitClass unit = UnitClass::integer;
  std::uint8_t operands = 0;  ///< load: 1 (address); store, reduce: 2 (address, data).
  const char* text = "";      ///< One line for people.
};
const OpcodeFacts& facts(Opcode op);
/// The operation of that name in graph files; none when there is none.
std::optional<Opcode> opcode_named(std::string_view name);
/// The operation whose name is nearest to a misspelt one; "" when none is near.
std::string nearest_opcode(std::string_view name);
/// Whether a `reduce` can do it: add, min, max, and, or, xor of integers, and add.f32.
bool can_reduce(Opcode op);
/// What reads or writes memory: load, store, reduce.
inline bool is_memory(Opcode op) {
  return op >= Opcode::load;
}
/// Whether its results can be sent: all but store and reduce.
inline bool gives_result(Opcode op) {
  return op <= Opcode::load;
}

enum class Space : std::uint8_t { global, scratchpad };
/// How a memory operation treats the caches.
enum class CacheOperator : std::uint8_t {
  l1,             ///< Loads: through L1 (ld.ca), with the prefetcher. Stores: none has another meaning than l2.
  l2,             ///< Loads pass L1 by (ld.cg). Stores: whole lines where addresses follow each other.
  write_through,  ///< Stores that another SM waits for: each 32-byte sector leaves as soon as it is written.
  wait_for_hit    ///< Loads of words that another thread block stores: wait in the L2 slice until they are written.
};
/// Memory element; narrower ones are extended to 32 bits.
enum class Element : std::uint8_t { u8, s8, u16, s16, b32 };
std::uint32_t bytes_of(Element element);

/// An operand: where its values come from. Kind and connections are structure; numbers are in Instance::OperandValues.
struct Operand {
  enum class Kind : std::uint8_t {
    constant,  ///< In the unit's configuration register; no FIFO.
    edge,      ///< From node `source` through a FIFO, behind its initial values.
    ring       ///< Initial values that recirculate in the FIFO: each value read is written back behind the others.
  };
  Kind kind = Kind::constant;
  std::uint32_t source = no_node;
  /// Initial values in the FIFO. Structure, since the mapper and the deadlock check need it.
  std::uint32_t initial = 0;
};

struct Node {
  std::string name;
  Opcode op = Opcode::move;
  std::vector<Operand> operands;  ///< facts(op).operands, then the predicate when there is one.
  /// The last operand decides whether the node executes (true: when it is not 0; false with `inverted`). A core that does
  /// not execute gives its first operand on, a load 0; a store or reduction does nothing.
  bool predicated = false, inverted = false;

  // Of memory operations.
  Space space = Space::global;
  Element element = Element::b32;
  CacheOperator cache_operator = CacheOperator::l1;
  /// Scratchpad: a load takes the word's lock and waits while it is held; a store frees it.
  bool locks = false;
  Opcode reduction = Opcode::add;
  std::int32_t offset = 0;  ///< Immediate, in bytes.

  SourceLocation where;  ///< In the graph file.
};

/// A store of what is left in an operand's FIFO when the graph has ended, done by the SM in its standard mode.
struct Result {
  std::uint32_t node = 0, operand = 0;
  std::uint32_t count = 0;  ///< Values; words of memory from Instance::results on.
};

/// The nodes of one thread block. A graph of several copies has the nodes of the first copy, then those of the second,
/// all with the same structure; a copy's edges stay in the copy.
struct Graph {
  std::string name;
  std::string file;
  std::vector<Node> nodes;
  std::uint32_t copies = 1;
  std::vector<Result> results;

  std::uint32_t nodes_per_copy() const { return static_cast<std::uint32_t>(nodes.size()) / copies; }
};

/// An edge as seen from its source.
struct Receiver {
  std::uint32_t node = 0, operand = 0;
};
/// Receivers of every node, in order of node and operand.
std::vector<std::vector<Receiver>> receivers(const Graph& graph);

/// The same nodes with the same connections, names and places in the file: one mapping serves both.
bool same_structure(const Graph& a, const Graph& b);

/// Checks that need no numbers; all errors together (InputError): operand counts, more than three FIFOs at a core or two at a
/// load-store unit, names used twice, edges to nodes that give nothing, cycles without an initial value (the message
/// names the cycle's nodes), locks outside the scratchpad, wait_for_hit on stores, ...
void check(const Graph& graph);

}  // namespace lockstep::dataflow
