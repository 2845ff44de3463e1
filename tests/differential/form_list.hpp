#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace lockstep::differential {

/// In how many kernels of the seeds each form stands, by its text, such as "add.cc.u32".
using Occurrences = std::unordered_map<std::string, std::uint64_t>;
Occurrences occurrences_of_forms(std::uint64_t first_seed, std::uint64_t last_seed);

/// Prints in how many kernels of the seeds each form of the table of opcodes stands: all forms of one opcode, or for
/// each opcode how many forms do, and why others never can.
void list_forms(std::uint64_t first_seed, std::uint64_t last_seed, const std::string& opcode);

}  // namespace lockstep::differential
