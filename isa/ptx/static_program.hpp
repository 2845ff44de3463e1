#pragma once

#include "isa/program/static_program.hpp"
#include "isa/ptx/program.hpp"

namespace lockstep::ptx {

/// The trace's view of a linked program: mnemonics, registers, blocks, source lines. Block and instruction numbers are
/// the program's. Registers of different functions are numbered apart.
program::Kernel to_static_program(const Program& program);

}  // namespace lockstep::ptx
