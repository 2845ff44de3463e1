#pragma once
// Module variables of a task, and device addresses in it. Internal to sim/workload.

#include <string>
#include <variant>
#include <vector>

#include "isa/exec/launch.hpp"
#include "sim/workload/launches/launches.hpp"

namespace lockstep::workload {

/// An address that a descriptor uses, to be checked when all modules are known.
struct AddressUse {
  Address address;
  SourceLocation where;
  std::string text;  ///< As written, for messages.
};

/// The address as the functional machine takes it.
std::variant<exec::BufferAddress, exec::VariableAddress> device_address(const Descriptor& descriptor,
                                                                        const Address& address);

/// Adds the descriptor's variables to a task that has its modules. A variable stands in every module that has one of its
/// name: in the first of them at its own index, in the others behind all variables. Then checks that `uses` and the
/// addresses among contents point into what they name.
void add_variables(const Descriptor& descriptor, Evaluation& evaluation, const std::vector<AddressUse>& uses,
                   exec::Task& task, EvaluationErrors& errors);

/// EvaluationError when an address lies outside of its buffer, which is no variable.
void check_buffer_address(const Descriptor& descriptor, const Evaluation& evaluation, const AddressUse& use);

/// The device addresses among contents.
std::vector<exec::Pointer> device_pointers(const Descriptor& descriptor, const Elements& elements);

/// Contents as a buffer of the functional machine.
exec::Buffer device_buffer(const Descriptor& descriptor, const std::string& name, Elements elements);

}  // namespace lockstep::workload
