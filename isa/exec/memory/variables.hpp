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

/// Device addresses of a module's .global and .const variables.
using ModuleVariables = std::map<std::string, std::uint64_t>;

/// Allocates a module's .global and .const variables and writes their initial values.
ModuleVariables allocate_variables(const ptx::Module& module, DeviceMemory& memory);

/// Where every variable that a program may name lies.
struct VariablePlaces {
  std::map<std::string, Place> of_module;
  std::vector<std::map<std::string, Place>> of_function;  ///< Per function of the program.
  std::uint64_t static_shared_bytes = 0, dynamic_shared_offset = 0;
  std::uint64_t local_bytes = 0;  ///< Per thread: .local variables, then the .param variables of calls.
  std::uint64_t parameter_bytes = 0;
  std::vector<std::uint64_t> parameter_offsets;  ///< Of the entry.
};

VariablePlaces place_variables(const ptx::Program& program, const ModuleVariables& module_variables);

}  // namespace lockstep::exec
