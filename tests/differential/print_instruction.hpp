#pragma once
// Single instructions of a kernel as text.

#include <string>
#include <string_view>

#include "tests/differential/kernel.hpp"

namespace lockstep::differential {

std::string name_of(Register reg);  ///< "%r3".
std::string printed(const Operand& operand);
std::string form_text(const Instruction& instruction);  ///< With its guard: "@!%p1 add.u32".
std::string printed(const Instruction& instruction);
/// `address` in [ ].
std::string printed_access(const Instruction& instruction, const std::string& address);
/// `lane` takes the place of the second source.
/// Of a surface: what the instruction moves.
unsigned moved_bytes(const Instruction& instruction);
bool is_query(ptx::Opcode opcode);
/// With the coordinates in %x0 to %x2, level and gradients in %x3.
std::string printed_image_access(const ImageAccess& access, const Image& image);
std::string printed_exchange(const Exchange& exchange, std::string_view lane);
std::string printed_barrier(const Barrier& barrier, unsigned threads);
std::string printed_no_effect(const NoEffect& instruction);

/// The state space that an access names, such as "shared::cta"; "" for a generic one.
std::string space_of(const Instruction& instruction, Area area);
/// "global", "shared", "local", "const" or "param".
std::string_view plain_space_of(Area area);
/// The register that holds the address of an area.
std::string base_of(Area area);

}  // namespace lockstep::differential
