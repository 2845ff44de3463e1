#pragma once

#include "isa/ptx/program.hpp"
#include "isa/trace/static_program.hpp"

namespace lockstep::ptx {

/// The trace's view of a linked program: mnemonics, registers, blocks, source lines. Block and instruction numbers are
/// the program's. Registers of different functions are numbered apart.
trace::Kernel to_static_program(const Program& program);

}  // namespace lockstep::ptx
