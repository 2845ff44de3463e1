#pragma once
// How messages and tables call an instruction's place.

#include <fmt/format.h>

#include <string>

#include "isa/program/static_program.hpp"

namespace lockstep::program {

/// "chase.cu:23", or what identifies the instruction when its line is not known.
inline std::string source_place(const Kernel& kernel, std::uint32_t instruction) {
  const StaticInstruction& at = kernel.instructions[instruction];
  if (at.source_line == 0) return fmt::format("instruction {}", instruction);
  const std::string& file = kernel.strings[at.source_file];
  return file.empty() ? fmt::format("line {}", at.source_line)
                      : fmt::format("{}:{}", file.substr(file.rfind('/') + 1), at.source_line);
}

}  // namespace lockstep::program
