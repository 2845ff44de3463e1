#pragma once
// An instruction for each form of an opcode: its modifiers with operands that fit them, by the PTX ISA.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::exec::test {

/// "add.cc.u32 %r1, %r2, %r3;". Registers: %p, %h, %r, %d and %q of 1, 16, 32, 64 and 128 bits, 32 each; `tx`, `sf` and
/// `sm` are a texture, a surface and a sampler, `q` a .param variable of the function, L a label, T a list of it, f a
/// function.
std::string instruction_of(std::string_view opcode, const std::vector<std::string_view>& modifiers);

}  // namespace lockstep::exec::test
