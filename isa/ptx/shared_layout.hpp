#pragma once
// Where the scratchpad (.shared) and local (.local) variables of a program stand. The functional machine and the static
// program both take the places from here.

#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/ptx/program.hpp"

namespace lockstep::ptx {

/// The variables of one state space in the order of their places: those of the module that the program names, in order
/// of declaration, then those of each function of the program. Extern ones (dynamic scratchpad memory) all stand behind
/// the others, at one and the same place.
struct VariableLayout {
  struct Place {
    const Variable* variable = nullptr;
    std::uint64_t offset = 0;
  };
  std::vector<Place> places;
  std::uint64_t bytes = 0;           ///< Of the variables that are not extern.
  std::uint64_t dynamic_offset = 0;  ///< `bytes`, aligned as the extern variables need it.

  /// nullptr when the variable is not in this layout.
  const Place* find(const Variable* variable) const;
};

/// InputError when the variables do not fit in 32-bit addresses.
VariableLayout shared_layout(const Program& program);  ///< Of one thread block.
/// Of one thread. Variables of functions that are recursive have no place of their own: each activation has one.
VariableLayout local_layout(const Program& program);

}  // namespace lockstep::ptx
