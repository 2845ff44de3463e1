#pragma once
// A kernel as the generator draws it: structured statements over registers that only widths tell apart. Printing,
// interpretation and reduction read it.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/exec/textures/texture.hpp"
#include "isa/ptx/opcodes.hpp"

namespace lockstep::differential {

/// %p, %h, %r or %d, by its bits: 1, 16, 32 or 64.
struct Register {
  unsigned bits = 32, number = 0;
  bool operator==(const Register&) const = default;
};

/// What an instruction reads.
struct Operand {
  enum class Kind : std::uint8_t {
    reg,
    integer,  ///< A literal: `value`.
    real,     ///< A literal 0f or 0d, by `reg.bits`: `value` has its bits.
    special   ///< %tid.x, %laneid, ...: `special`.
  };
  Kind kind = Kind::reg;
  Register reg;
  bool negated = false;  ///< Of a predicate.
  std::uint64_t value = 0;
  std::string_view special;
};

struct Instruction {
  ptx::Opcode opcode{};
  std::vector<std::string_view> modifiers;
  std::vector<Register> writes;
  std::vector<Operand> reads;
  std::optional<Operand> guard;  ///< A predicate.

  bool has(std::string_view modifier) const;
};

/// Memory that statements use. `own`, `results` and `scratchpad` have a part for each thread.
enum class Area : std::uint8_t {
  input,            ///< Global, never written.
  own,              ///< Global.
  results,          ///< Global.
  counters,         ///< Global, for all threads.
  constants,        ///< A .const variable.
  parameters,       ///< A parameter of the kernel.
  scratchpad,       ///< Of the thread itself or, behind a barrier, of a neighbour.
  shared_counters,  ///< Scratchpad memory for all threads of a block.
  stack             ///< Local.
};
/// Bytes of each area, per thread where it has parts; powers of two.
constexpr std::array<unsigned, 9> area_bytes{4096, 64, 256, 64, 256, 64, 32, 64, 64};
constexpr unsigned bytes_of(Area area) {
  return area_bytes[static_cast<std::size_t>(area)];
}

/// Element (index + first) of an area, modulo its size, where an element has `bytes`.
struct Place {
  Area area = Area::input;
  std::optional<Register> index;
  unsigned first = 0, bytes = 4;
  unsigned neighbour = 0;  ///< How many threads on, around the block.
};

/// A texture or surface that a kernel has the object of.
struct Image {
  enum class Use : std::uint8_t {
    texture,
    surface,     ///< Never written.
    own_surface  ///< Has a part of own_surface_bytes for each thread.
  };
  Use use = Use::texture;
  exec::Texture texture;  ///< `offset` counts from the kernel's texels on.

  bool is_surface() const { return use != Use::texture; }
  /// Texels along x, y and z; z counts the layers of a layered one.
  std::array<std::uint64_t, 3> extent() const;
};
/// In a row of bytes, then one thread after the other along y and z.
inline constexpr unsigned own_surface_bytes = 64, own_surface_rows = 8;

struct Statement;
using Block = std::vector<Statement>;

/// Instructions on registers of the own lane. Those of one chain share the condition code.
struct Compute {
  std::vector<Instruction> chain;
};
/// ld, st, atom, red: `reads` are what is stored.
struct Access {
  Instruction instruction;
  Place place;
};
/// Where an image is accessed along one dimension: at a register's value plus `first`, modulo the extent or, where it may
/// be outside, modulo 64 less 16.
struct Coordinate {
  Register from;
  unsigned first = 0;
  bool is_inside = true;
};
/// tex, tld4, suld, sust: texels of an image; txq, suq: what it is. `writes` has a predicate behind four results where the
/// instruction says whether the texels are resident; `reads` are what is stored.
struct ImageAccess {
  Instruction instruction;
  unsigned image = 0;
  std::array<Coordinate, 3> at;  ///< Along x, y, z or layers. A floating-point one counts 2^-scale extents or texels.
  unsigned scale = 0;
  std::optional<std::array<int, 3>> offset;  ///< In texels.
};
/// A copy from the input to the own part of scratchpad memory, waited for.
struct Copy {
  Instruction instruction;
  Place from, to;
  bool grouped = false;  ///< Waits for a group, not for everything.
};
/// Between lanes that are in the mask.
struct Exchange {
  Instruction instruction;
  unsigned mask = 0;
  bool from_mask = false;  ///< shfl: the lane that is read is the highest of the mask among those of the second source.
};
/// bar and barrier for all threads of a block, or bar.warp.sync for a mask.
struct Barrier {
  Instruction instruction;
  unsigned number = 0, mask = 0;
  bool counted = false;  ///< Says how many threads take part.
};
/// Hints, fences and other instructions that change no value.
struct NoEffect {
  Instruction instruction;
  unsigned mask = 0;
};
/// The masks of both sides of a branch, where lanes exchange values there.
struct Masks {
  unsigned outside = 0, inside = 0, otherwise = 0;
};
struct Branch {
  Operand condition;
  Block inside, otherwise;
  std::optional<Masks> masks;
};
/// `trips` times, or as often as the lowest bits of a register say: modulo 4.
struct Loop {
  std::optional<Register> trips_of;
  unsigned trips = 0, number = 0;  ///< `number`: its own among the loops of the kernel.
  Block body;
};
/// brx.idx: one of the cases, by the lowest bits of a register, or with .uni of the block's index along x.
struct Selection {
  std::optional<Register> selector;
  std::array<Block, 4> cases;
};
/// Of one function, or where `other` is set through a register, of that one where the predicate holds.
struct Call {
  unsigned function = 0;
  std::optional<unsigned> other;
  Register condition{1, 0}, a{32, 0}, b{64, 0}, result{64, 0};
  unsigned depth = 0;
  bool is_uniform = false;  ///< All threads of every warp make it.
};
/// Of the threads where the condition holds; `inside` is the mask of the others.
struct Exit {
  Operand condition;
  Masks masks;
};
/// Statements that belong together.
struct Group {
  Block body;
};

struct Statement {
  std::variant<Compute, Access, ImageAccess, Copy, Exchange, Barrier, NoEffect, Branch, Loop, Selection, Call, Exit,
               Group>
      is;
};

/// A device function of a 32-bit and a 64-bit value, which gives its first 64-bit register. A recursive one goes on with
/// its result as often as its first parameter says.
struct Function {
  bool recursive = false;
  Block body;
};

/// Textures in linear memory begin at multiples of this on a GPU: buffers are as long, so that they lie so.
constexpr std::size_t aligned_to_texture(std::size_t bytes) {
  return (bytes + 511) / 512 * 512;
}

struct Kernel {
  std::uint64_t seed = 0;
  std::array<unsigned, 3> grid{1, 1, 1}, block{32, 1, 1};
  std::vector<Image> images;
  std::vector<Function> functions;
  Block body;
  /// Whether the oracle knows all instructions.
  bool is_exact = true;

  unsigned threads_per_block() const { return block[0] * block[1] * block[2]; }
  unsigned blocks() const { return grid[0] * grid[1] * grid[2]; }
  unsigned threads() const { return threads_per_block() * blocks(); }
  std::size_t data_bytes() const {
    return aligned_to_texture(bytes_of(Area::counters) +
                              std::size_t{threads()} * (bytes_of(Area::own) + bytes_of(Area::results)));
  }
};

/// Of the buffer in which all images of a kernel lie.
std::size_t texel_bytes(const Kernel& kernel);

/// How many registers of each width a kernel has, and a function.
struct RegisterCounts {
  unsigned predicates, halves, words, wides;
  unsigned of(unsigned bits) const { return bits == 1 ? predicates : bits == 16 ? halves : bits == 32 ? words : wides; }
};
inline constexpr RegisterCounts kernel_registers{8, 8, 16, 10}, function_registers{4, 4, 6, 4};

/// Of the thread's number in the grid, what predicate `number` of a kernel holds at the start.
constexpr unsigned initial_bit(unsigned number) {
  return number % 5;
}
/// What another register holds: an element of the input.
constexpr unsigned initial_element(unsigned thread, Register reg) {
  return (thread * 5 + reg.number * 3 + reg.bits) % (bytes_of(Area::input) * 8 / reg.bits);
}
/// What is added to a function's 32-bit value for each of its registers, and exclusive-ored with its 64-bit value.
inline constexpr std::uint32_t word_step = 0x9e3779b9;
inline constexpr std::uint64_t wide_step = 0x9e3779b97f4a7c15;

/// Every block of the kernel and its functions, outer ones first.
void for_each_block(Kernel& kernel, const std::function<void(Block&)>& use);
/// Calls `use` on every statement below, outer ones first.
void for_each_statement(const Block& block, const std::function<void(const Statement&)>& use);
/// Blocks directly inside a statement.
std::vector<Block*> blocks_of(Statement& statement);
std::vector<const Block*> blocks_of(const Statement& statement);

}  // namespace lockstep::differential
