#include "isa/exec/launch_checks.hpp"

#include <fmt/format.h>

#include <limits>

#include "isa/error.hpp"
#include "isa/exec/control/barriers.hpp"
#include "isa/exec/thread_block.hpp"
#include "isa/trace/header_codec.hpp"

namespace lockstep::exec {

namespace {

// CUDA C++ Programming Guide, technical specifications per compute capability: the same on every GPU since 3.0.
constexpr std::uint64_t most_threads = 1024;  ///< Of a thread block.
constexpr std::uint32_t most_threads_z = 64;
constexpr std::uint32_t most_blocks_x = 0x7fff'ffff, most_blocks_yz = 65535;

void check_shape(const KernelLaunch& launch, const ptx::Function& entry, const SourceLocation& where,
                 Diagnostics& diagnostics) {
  const auto& block = launch.block;
  const std::uint64_t threads = program::volume(block);
  if (threads == 0 || program::volume(launch.grid) == 0) {
    diagnostics.add(
        where, fmt::format("kernel '{}': a launch with a grid of {}x{}x{} blocks of {}x{}x{} threads is empty",
                           entry.name, launch.grid[0], launch.grid[1], launch.grid[2], block[0], block[1], block[2]));
    return;
  }
  if (launch.grid[0] > most_blocks_x || launch.grid[1] > most_blocks_yz || launch.grid[2] > most_blocks_yz) {
    diagnostics.add(where, fmt::format("kernel '{}': a grid of {}x{}x{} blocks; at most {}x{}x{} are possible",
                                       entry.name, launch.grid[0], launch.grid[1], launch.grid[2], most_blocks_x,
                                       most_blocks_yz, most_blocks_yz));
  } else if (program::volume(launch.grid) > trace::max_thread_blocks) {
    diagnostics.add(where, fmt::format("kernel '{}': a grid of {}x{}x{} blocks has {}; at most {} can be executed",
                                       entry.name, launch.grid[0], launch.grid[1], launch.grid[2],
                                       program::volume(launch.grid), trace::max_thread_blocks));
  }
  if (block[0] > most_threads || block[1] > most_threads || block[2] > most_threads_z || threads > most_threads) {
    diagnostics.add(where,
                    fmt::format("kernel '{}': a thread block of {}x{}x{} has {} threads; at most {} are possible, "
                                "and {} in z",
                                entry.name, block[0], block[1], block[2], threads, most_threads, most_threads_z));
  }
  const auto& required = entry.required_threads;
  if (required[0] != 0 && (required[0] != block[0] || required[1] != block[1] || required[2] != block[2])) {
    diagnostics.add(where,
                    fmt::format("kernel '{}' requires blocks of {}x{}x{} threads (.reqntid), not {}x{}x{}", entry.name,
                                required[0], required[1], required[2], block[0], block[1], block[2]));
  }
  if (entry.max_threads != 0 && threads > entry.max_threads) {
    diagnostics.add(where, fmt::format("kernel '{}' allows at most {} threads per block (.maxntid), not {}", entry.name,
                                       entry.max_threads, threads));
  }
}

void check_graph(const KernelLaunch& launch, const SourceLocation& where, const std::string& kernel,
                 Diagnostics& diagnostics) {
  const dataflow::Program& program = *launch.graph;
  if (program.parts.empty() || !program.instance) {
    throw Bug(fmt::format("kernel '{}': a launch with a graph that has no {}", kernel,
                          program.parts.empty() ? "parts" : "instances"));
  }
  if (launch.grid[1] != 1 || launch.grid[2] != 1) {
    diagnostics.add(where, fmt::format("kernel '{}' runs a graph in a grid of {}x{}x{} thread blocks; a grid of graphs "
                                       "has one dimension",
                                       kernel, launch.grid[0], launch.grid[1], launch.grid[2]));
  }
  if (program.barrier >= barrier_count) {
    diagnostics.add(where, fmt::format("kernel '{}' runs its graph at barrier {}; they are 0 to {}", kernel,
                                       program.barrier, barrier_count - 1));
  }
  if (launch.grid[0] % program.parts.size() != 0) {
    diagnostics.add(where,
                    fmt::format("kernel '{}' has {} thread blocks; its graph has {} parts, one thread block each, "
                                "so that they must be a multiple",
                                kernel, launch.grid[0], program.parts.size()));
  }
  for (const auto& part : program.parts) {
    try {
      dataflow::check(*part);
    } catch (const InputError& error) {
      diagnostics.add(error);
    }
  }
}

}  // namespace

void check_launch(const Kernel& kernel, const KernelLaunch& launch, const std::vector<const Allocation*>& buffers,
                  std::size_t textures, const std::vector<VariableContents>& variables) {
  const ptx::Function& entry = *kernel.program.functions[0];
  SourceLocation where = entry.where;
  if (where.file.empty()) where.file = kernel.module->file;
  Diagnostics diagnostics;
  check_shape(launch, entry, where, diagnostics);
  if (launch.graph != nullptr) check_graph(launch, where, entry.name, diagnostics);

  if (launch.arguments.size() != entry.parameters.size()) {
    std::string parameters;
    for (const ptx::Variable& parameter : entry.parameters) {
      parameters += fmt::format("{}{} ({} bytes)", parameters.empty() ? "" : ", ", parameter.name, parameter.bytes);
    }
    diagnostics.add(
        where, fmt::format("kernel '{}' takes {} arguments, {} are given; its parameters: {}", entry.name,
                           entry.parameters.size(), launch.arguments.size(), parameters.empty() ? "none" : parameters));
  }
  for (std::size_t i = 0; i < std::min(launch.arguments.size(), entry.parameters.size()); ++i) {
    const ptx::Variable& parameter = entry.parameters[i];
    if (const auto* buffer = std::get_if<BufferAddress>(&launch.arguments[i])) {
      if (buffer->buffer >= buffers.size()) {
        diagnostics.add(where,
                        fmt::format("kernel '{}', argument {}: there is no buffer {}", entry.name, i, buffer->buffer));
      } else if (parameter.bytes != 8) {
        diagnostics.add(where,
                        fmt::format("kernel '{}', argument {}: the address of buffer '{}' has 8 bytes, but the "
                                    "parameter '{}' has {}",
                                    entry.name, i, buffers[buffer->buffer]->name, parameter.name, parameter.bytes));
      }
    } else if (const auto* variable = std::get_if<VariableAddress>(&launch.arguments[i])) {
      if (variable->variable >= variables.size()) {
        diagnostics.add(
            where, fmt::format("kernel '{}', argument {}: there is no variable {}", entry.name, i, variable->variable));
      } else if (parameter.bytes != 8) {
        diagnostics.add(
            where, fmt::format("kernel '{}', argument {}: the address of variable '{}' has 8 bytes, but the "
                               "parameter '{}' has {}",
                               entry.name, i, variables[variable->variable].name, parameter.name, parameter.bytes));
      }
    } else if (const auto* texture = std::get_if<TextureHandle>(&launch.arguments[i])) {
      if (texture->texture >= textures) {
        diagnostics.add(
            where, fmt::format("kernel '{}', argument {}: there is no texture {}", entry.name, i, texture->texture));
      } else if (parameter.bytes != 8) {
        diagnostics.add(where, fmt::format("kernel '{}', argument {}: a texture object has 8 bytes, but the parameter "
                                           "'{}' has {}",
                                           entry.name, i, parameter.name, parameter.bytes));
      }
    } else if (const auto& bytes = std::get<std::vector<std::uint8_t>>(launch.arguments[i]);
               bytes.size() != parameter.bytes) {
      diagnostics.add(where,
                      fmt::format("kernel '{}', argument {}: a value of {} bytes is given, but the parameter '{}' "
                                  "has {}",
                                  entry.name, i, bytes.size(), parameter.name, parameter.bytes));
    }
  }
  if (kernel.parameter_bytes > most_parameter_bytes) {
    diagnostics.add(where, fmt::format("kernel '{}' has {} bytes of parameters; at most {} are possible", entry.name,
                                       kernel.parameter_bytes, most_parameter_bytes));
  }
  const std::uint64_t shared = kernel.dynamic_shared_offset + launch.dynamic_shared_bytes +
                               (kernel.uses_reserved_shared ? reserved_shared_alignment + reserved_shared_bytes : 0);
  if (shared > program::AddressWindows{}.shared_size) {
    diagnostics.add(where,
                    fmt::format("kernel '{}' needs {} bytes of scratchpad memory per thread block; at most {} are "
                                "possible",
                                entry.name, shared, program::AddressWindows{}.shared_size));
  }
  if (kernel.local_bytes > program::most_local_bytes) {
    diagnostics.add(where, fmt::format("kernel '{}' needs {} bytes of local memory per thread; at most {} are possible",
                                       entry.name, kernel.local_bytes, program::most_local_bytes));
  }
  diagnostics.throw_if_any();
}

}  // namespace lockstep::exec
