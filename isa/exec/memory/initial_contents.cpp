#include "isa/exec/memory/initial_contents.hpp"

#include <fmt/format.h>

#include <cstring>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep::exec {

std::vector<const ptx::Variable*> settable_variables(const ptx::Module& module) {
  std::vector<const ptx::Variable*> result;
  for (const ptx::Variable& variable : module.variables) {
    const bool in_device_memory = variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
    if (in_device_memory && !variable.is_extern && variable.bytes != 0 && variable.opaque == ptx::Opaque::none) {
      result.push_back(&variable);
    }
  }
  return result;
}

const Allocation& write_variable(const VariableContents& contents, const ModuleVariables& places,
                                 DeviceMemory& memory) {
  std::vector<std::string> names;
  for (const ptx::Variable* variable : settable_variables(*contents.module)) {
    names.push_back(variable->name);
    if (variable->name != contents.name) continue;
    if (contents.bytes.size() > variable->bytes) {
      throw InputError(variable->where, fmt::format("the variable '{}' has {} bytes, but its contents have {}",
                                                    contents.name, variable->bytes, contents.bytes.size()));
    }
    const Allocation& place = *memory.find(places.at(contents.name));
    if (!contents.bytes.empty()) std::memcpy(place.host, contents.bytes.data(), contents.bytes.size());
    return place;
  }
  throw InputError(fmt::format("{} has no .global or .const variable '{}'{}", contents.module->file, contents.name,
                               did_you_mean(contents.name, names)));
}

void write_pointers(const std::vector<Pointer>& pointers, const Allocation& place,
                    const std::vector<const Allocation*>& buffers, const std::vector<const Allocation*>& variables) {
  for (const Pointer& pointer : pointers) {
    const auto* buffer = std::get_if<BufferAddress>(&pointer.to);
    const auto* variable = std::get_if<VariableAddress>(&pointer.to);
    const auto& targets = buffer != nullptr ? buffers : variables;
    const std::uint32_t target = buffer != nullptr ? buffer->buffer : variable->variable;
    if (place.size < sizeof(std::uint64_t) || pointer.at > place.size - sizeof(std::uint64_t) ||
        target >= targets.size()) {
      throw InputError(
          fmt::format("contents of '{}': byte {} cannot hold the address of {} {}: there are {} bytes, {} "
                      "buffers and {} variables",
                      place.name, pointer.at, buffer != nullptr ? "buffer" : "variable", target, place.size,
                      buffers.size(), variables.size()));
    }
    const std::uint64_t address = targets[target]->base + (buffer != nullptr ? buffer->offset : variable->offset);
    std::memcpy(place.host + pointer.at, &address, sizeof address);
  }
}

}  // namespace lockstep::exec
