#pragma once
// What the functional machine is asked to do: buffers, kernels and launches, all values known.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "isa/dataflow/instance.hpp"
#include "isa/error.hpp"
#include "isa/exec/checks/check.hpp"
#include "isa/exec/textures/texture.hpp"
#include "isa/program/static_program.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::exec {

/// The device address of a buffer plus a byte offset.
struct BufferAddress {
  std::uint32_t buffer = 0;  ///< Index into Task::buffers.
  std::uint64_t offset = 0;
};
/// The device address of a module variable plus a byte offset.
struct VariableAddress {
  std::uint32_t variable = 0;  ///< Index into Task::variables.
  std::uint64_t offset = 0;
};

/// A device address among initial contents: 8 bytes from byte `at` on.
struct Pointer {
  std::uint64_t at = 0;
  std::variant<BufferAddress, VariableAddress> to;
};

/// A global-memory allocation with its initial bytes. Every buffer is aligned to 256 bytes, with unmapped space around
/// it.
struct Buffer {
  std::string name;
  std::vector<std::uint8_t> bytes;     ///< What it begins with.
  std::vector<Pointer> pointers = {};  ///< Take the place of the bytes there.
  std::uint64_t zeros = 0;  ///< Bytes of zero behind `bytes`: they take no room before a kernel writes there.
};

/// What a .global or .const variable holds from its first byte on before the first launch, as cudaMemcpyToSymbol leaves
/// it; behind that stays what its module says.
struct VariableContents {
  const ptx::Module* module = nullptr;  ///< Owned by the Task.
  std::string name;
  std::vector<std::uint8_t> bytes;     ///< Not more than the variable has; none: it only needs to be there.
  std::vector<Pointer> pointers = {};  ///< Take the place of the bytes there.
};

/// The object of a texture or surface.
struct TextureHandle {
  std::uint32_t texture = 0;  ///< Index into Task::textures.
};
/// A kernel argument: raw bytes of a scalar, the address of a buffer or module variable, or a texture object.
using Argument = std::variant<std::vector<std::uint8_t>, BufferAddress, TextureHandle, VariableAddress>;

struct KernelLaunch {
  const ptx::Module* module = nullptr;  ///< Owned by the Task.
  std::string entry;
  program::Dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t registers_per_thread = 0;  ///< 0: estimate.
  bool cooperative = false;         ///< All thread blocks are resident, and may wait for each other at grid.sync().
  std::vector<Argument> arguments;  ///< One per kernel parameter; sizes must match.
  /// A graph that each thread block runs whenever its warps meet at Program::barrier; the kernel is what the SM does in
  /// its standard mode before and after. Null: there is none.
  std::shared_ptr<const dataflow::Program> graph = nullptr;
};

/// An element of memory that a host has read between launches, to decide on those that follow.
struct HostRead {
  std::size_t launches = 0;  ///< How many had ended.
  std::variant<BufferAddress, VariableAddress> from;
  std::vector<std::uint8_t> bytes;
  std::string text;  ///< As the launch descriptor names it: "counters[0]".
  SourceLocation where;
};

/// What a host has made of such elements, under a name.
struct HostValue {
  std::size_t launches = 0;  ///< How many had ended.
  std::string name, value;
};

/// A whole workload, ready to execute.
struct Task {
  std::string name;
  std::string origin;
  std::vector<std::pair<std::string, std::string>> arguments;  ///< Named workload arguments, for the trace header.
  std::vector<std::shared_ptr<const ptx::Module>> modules;
  /// The text of each module that is not what its file says.
  std::map<const ptx::Module*, std::string> module_texts;
  std::vector<Buffer> buffers;
  std::vector<VariableContents> variables;
  /// Passed as TextureHandle, or bound to every .texref and .surfref variable of the same name.
  std::vector<Texture> textures;
  std::vector<KernelLaunch> launches;
  /// What the launches were decided on by, in the order of reading. Execution that finds other bytes there ends with an
  /// InputError: its launches would be others.
  std::vector<HostRead> host_reads = {};
  std::vector<HostValue> host_values = {};  ///< For people; in order.
  /// Warp instructions one thread block may execute before it counts as never ending; 0: as MachineLimits says.
  std::uint64_t instruction_limit = 0;
  /// Thread blocks of a launch that are resident at once, when its kernel communicates between thread blocks; 0:
  /// default_resident_blocks.
  std::uint64_t resident_blocks = 0;
  /// Activations of recursive functions that may wait for each other in one thread; 0: as MachineLimits says.
  std::uint32_t call_depth = 0;
  /// Told now and then, while thread blocks execute, how many warp instructions that were so far.
  std::function<void(std::uint64_t warp_instructions)> progress = nullptr;
  /// Takes the lines that printf prints; none: they are dropped.
  std::function<void(std::string_view)> print = nullptr;
  /// What is looked for while launches without a graph execute. Values and streams do not depend on it.
  CheckSet checks;
};

}  // namespace lockstep::exec
