#pragma once
// What memory holds before the first launch: contents of module variables, and device addresses among contents.

#include <vector>

#include "isa/exec/launch.hpp"
#include "isa/exec/memory/device_memory.hpp"
#include "isa/exec/memory/variables.hpp"

namespace lockstep::exec {

/// The .global and .const variables of a module that may be given contents, in the order of its text.
std::vector<const ptx::Variable*> settable_variables(const ptx::Module& module);

/// Copies the bytes of `contents` into their variable, and returns where it lies. InputError when the module has no such
/// variable, or a smaller one.
const Allocation& write_variable(const VariableContents& contents, const ModuleVariables& places, DeviceMemory& memory);

/// Writes device addresses into the contents at `place`. InputError when one does not lie inside, or leads to a buffer or
/// variable that the task does not have.
void write_pointers(const std::vector<Pointer>& pointers, const Allocation& place,
                    const std::vector<const Allocation*>& buffers, const std::vector<const Allocation*>& variables);

}  // namespace lockstep::exec
