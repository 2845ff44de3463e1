#pragma once
// Where the variables of a program lie: module variables in device memory, the others at offsets of their own spaces.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/exec/kernel.hpp"
#include "isa/exec/memory/device_memory.hpp"
#include "isa/ptx/module.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::exec {

/// Device addresses of a module's .global and .const variables, and of its functions whose address is taken.
using ModuleVariables = std::map<std::string, std::uint64_t>;

/// Allocates a module's .global and .const variables and writes their initial values; gives functions their addresses.
ModuleVariables allocate_variables(const ptx::Module& module, DeviceMemory& memory);

/// Where every variable that a program may name lies.
struct VariablePlaces {
  std::map<std::string, Place> of_module;
  /// Per function of the program. Local places of one that is recursive count from the beginning of its frame.
  std::vector<std::map<std::string, Place>> of_function;
  std::vector<std::uint64_t> frame_bytes;  ///< Per function: of its frame in local memory; 0 unless it is recursive.
  std::uint64_t static_shared_bytes = 0, dynamic_shared_offset = 0;
  std::uint64_t local_bytes = 0;  ///< Per thread, without frames: .local variables, then .param variables of calls.
  std::uint64_t parameter_bytes = 0;
  std::vector<std::uint64_t> parameter_offsets;  ///< Of the entry.
};

/// A thread's local memory is a multiple of it: the bytes of the widest access of a lane.
inline constexpr std::uint64_t local_alignment = 32;

/// What a thread's local memory needs for the frames of recursive functions, `call_depth` of the largest.
std::uint32_t stack_bytes(const VariablePlaces& places, std::uint32_t call_depth);

VariablePlaces place_variables(const ptx::Program& program, const ModuleVariables& module_variables);

}  // namespace lockstep::exec
