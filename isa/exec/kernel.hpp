#pragma once
// A kernel decoded for execution: every instruction is an Op that names planes and a function to call.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/exec/arithmetic/arithmetic.hpp"
#include "isa/exec/communication.hpp"
#include "isa/exec/frame.hpp"
#include "isa/exec/memory/device_memory.hpp"
#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

struct Warp;
struct Op;
struct CheckedKernel;

/// What the warp does after an instruction: continues, has set its next block itself, ends its turn to wait for
/// global memory (communication.hpp), or waits at a barrier.
enum class Outcome : std::uint8_t { next, jumped, turn_over, waiting };
using Step = Outcome (*)(Warp& warp, const Op& op, LaneMask mask);

/// How a memory instruction forms its addresses and where they point.
struct MemoryAccess {
  using Transfer = void (*)(std::byte* frame, PlaneOffset plane, std::byte* const* host, LaneMask mask, unsigned at);

  ptx::Space space = ptx::Space::generic;  ///< param: the parameters of the kernel.
  bool writes = false;
  bool constant_only = false;   ///< ld.const: only constant variables may be read.
  std::uint8_t base_width = 0;  ///< Width of the base register, 0 when there is none.
  std::uint8_t elements = 1, element_bytes = 4;
  std::uint32_t bytes = 4;  ///< Of one lane.
  PlaneOffset base = no_plane;
  std::uint64_t offset = 0;  ///< Added to the base; with a symbol, its address is included.
  const char* kind = "";     ///< For messages: "load", "store", "atomic".
  /// Whose addresses count. Of a matrix access each lane names a row, and lanes beyond the last row none.
  LaneMask address_lanes = ~LaneMask{0};
  Transfer transfer = nullptr;
  std::array<PlaneOffset, 8> planes{};   ///< One per element; no_plane where a load drops its element.
  std::array<PlaneOffset, 8> results{};  ///< Of a vector atomic: where the old values go; `planes` are its operands.
  mutable const Allocation* last = nullptr;  ///< The allocation that this instruction accessed last.
};

/// The word of an instruction that names its dimensions: 1d, 2d, 3d, a1d, a2d.
struct Geometry {
  std::string_view name;
  std::uint8_t dimensions = 1;
  bool layered = false;
};

/// An instruction on a texture or surface. Op::memory of such an instruction is one.
struct TextureAccess : MemoryAccess {
  Geometry geometry;
  PlaneOffset handle = no_plane;       ///< 64-bit handles or addresses of references.
  std::uint64_t handle_parameter = 0;  ///< Without a plane: where in the kernel's parameters the handle stands.
  PlaneOffset sampler = no_plane;      ///< Addresses of .samplerref variables, where one is named.
  bool has_sampler = false;
  bool real_coordinates = false;
  std::array<PlaneOffset, 3> coordinate{};  ///< x, y, z in registers of 32 bits.
  PlaneOffset layer = no_plane;
  std::array<PlaneOffset, 3> shift{no_plane, no_plane, no_plane};  ///< Texels added per dimension.
  enum class Level : std::uint8_t { none, level, gradient };
  Level level = Level::none;
  PlaneOffset lod = no_plane;  ///< f32, or s32 with integer coordinates.
  std::array<PlaneOffset, 6> gradient{};
  bool gathers = false;
  std::uint8_t channel = 0;  ///< Of a gather.
  ptx::Type result = ptx::Type::f32;
  PlaneOffset resident = no_plane;  ///< The predicate that tells that texels are in memory: always true here.
  /// Of a surface: what happens outside.
  enum class Boundary : std::uint8_t { trap, clamp, zero };
  Boundary boundary = Boundary::trap;
  std::uint32_t query = 0;  ///< Of txq and suq.
};

/// An mma: D = A * B + C. The registers of each matrix in their order; matrix/fragments.hpp says what lies where.
struct MatrixProduct {
  std::uint8_t rows = 16, depth = 16;  ///< Of A; B and C have 8 columns.
  std::uint8_t a_registers = 0, b_registers = 0, c_registers = 0;
  bool saturates = false, a_signed = false, b_signed = false;  ///< Of integers.
  std::array<PlaneOffset, 4> a{}, c{}, d{};
  std::array<PlaneOffset, 2> b{};
};

/// One decoded instruction. `arithmetic` also holds the planes of other instructions that need only planes.
struct Op {
  Arithmetic arithmetic;
  Step step = nullptr;  ///< Null: run `arithmetic`.
  const MemoryAccess* memory = nullptr;
  PlaneOffset guard = no_plane;
  LaneMask guard_flip = 0;        ///< All ones when the guard is negated.
  std::uint32_t instruction = 0;  ///< Number in the program.
  bool records = false;           ///< Has an access entry in the trace.
  /// See communication.hpp.
  bool receives = false, sends = false, ends_turn = false;
};

/// A basic block of the program.
struct Block {
  std::uint32_t first_op = 0, end_op = 0;
  std::uint32_t first_instruction = 0, instructions = 0;
  bool checked = false;  ///< It is looked at before it is entered, for one of the reasons below.
  bool endless = false;  ///< It is in a loop, and no way leads from it to an end (ptx/control_flow/endless.hpp).
  /// Where lanes that execute apart take turns (control/regrouping.hpp).
  bool yields = false;
  LaneMask members = 0;
  std::uint32_t first_member_mask = 0, member_masks = 0;  ///< In Kernel::member_masks.
};

/// A call site. Values go from the caller's planes or param variables to those of the callee, and back on return. Of a
/// function of the device runtime, the arguments' sources and the results' destinations count.
struct CallSite {
  /// Bytes that are copied per lane between two param variables (byte offsets in the thread's local memory, or in the
  /// activation's frame there), between two planes, or from a plane to a variable.
  struct Copy {
    PlaneOffset from_plane = no_plane, to_plane = no_plane;
    std::uint64_t from = 0, to = 0;
    std::uint32_t bytes = 0;
    std::uint32_t plane_bytes = 0;  ///< Of one lane in the plane, when one side is a plane and the other a variable.
  };
  std::uint32_t caller = 0, callee = 0;  ///< Functions of the program.
  std::uint32_t callee_block = 0;
  std::vector<Copy> arguments, results;
};

/// The functions that a call through a register may call, each with its address.
struct CallTable {
  struct Target {
    std::uint64_t address = 0;
    const CallSite* site = nullptr;
  };
  PlaneOffset address = no_plane;
  unsigned width = 64;  ///< Of the plane.
  std::vector<Target> targets;
};

/// Where a variable lies.
struct Place {
  ptx::Space space = ptx::Space::global;
  std::uint64_t address = 0;  ///< In its space: device address, scratchpad offset, local offset, parameter offset.
};

/// The frame of one function of a kernel.
struct FunctionFrame {
  FrameLayout layout;
  std::uint32_t register_bytes = 0;  ///< The planes of registers stand first.
  std::uint32_t offset = 0;          ///< Of this frame in the warp's frames.
  bool recursive = false;            ///< It may have several activations at once.
  std::uint64_t local_bytes = 0;     ///< Of the frame that each has in local memory then.
};

/// A kernel and every function it calls, decoded.
struct Kernel {
  const ptx::Module* module = nullptr;
  ptx::Program program;
  Communication communication;
  std::string name;
  std::vector<FunctionFrame> functions;
  std::uint32_t frame_bytes = 0;  ///< Of all functions.
  std::vector<Op> ops;
  std::deque<MemoryAccess> accesses;
  std::deque<TextureAccess> textures;
  std::deque<std::array<MemoryAccess, 2>> copies;  ///< Of cp.async: the source and the destination.
  std::vector<MatrixProduct> products;             ///< Op::arithmetic.control of an mma is its number here.
  std::vector<Block> blocks;
  std::vector<PlaneOffset> member_masks;  ///< Of all blocks.
  std::deque<CallSite> calls;
  std::vector<CallTable> call_tables;
  std::vector<std::vector<std::uint32_t>> jump_tables;  ///< Of brx.idx: target blocks.
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_offset = 0;  ///< Where the dynamic scratchpad memory of a launch begins.
  bool uses_reserved_shared = false;        ///< It asks where the reserved scratchpad memory stands.
  std::uint64_t local_bytes = 0;            ///< Per thread: variables, then param variables of calls; no frames.
  std::uint64_t parameter_bytes = 0;        ///< Of the entry.
  std::uint64_t parameter_address = 0;      ///< Device address at which the parameters of a launch are placed.
  std::vector<std::uint64_t> parameter_offsets;
  std::shared_ptr<const CheckedKernel> checked;  ///< What the checks need to know (checks/); null without checks.
};

}  // namespace lockstep::exec
