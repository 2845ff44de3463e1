#pragma once
// Which types and modifiers an opcode takes, by the syntax of its row (`OpcodeRow::syntax`). The order in which modifiers
// are written does not count, but that of types does: in cvt.f32.u8 the first one is that of the destination. So does that
// of the priorities of createpolicy, and of all that may stand in the same places of an alternative.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/ptx/opcodes.hpp"

namespace lockstep::ptx {

/// Whether the opcode, which must be one that is executed, takes these modifiers, all together and each once.
bool takes(Opcode opcode, const std::vector<std::string>& modifiers);

/// Of modifiers that the opcode does not take: what is wrong and what is nearest to it that would be right.
std::string explain_refusal(Opcode opcode, const std::vector<std::string>& modifiers);

/// A form is one set of modifiers that an opcode takes, as ISA and compilers order them. They are numbered from 0;
/// an opcode that is not executed has none.
std::uint64_t form_count(Opcode opcode);
std::vector<std::string_view> form(Opcode opcode, std::uint64_t number);

/// Every modifier that some row names, types included.
const std::vector<std::string_view>& modifier_names();

}  // namespace lockstep::ptx
