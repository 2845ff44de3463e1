#pragma once
// The arrays that a kernel has in scratchpad memory, and which instructions access which.

#include <cstdint>
#include <string>
#include <vector>

#include "isa/ptx/program.hpp"

namespace lockstep::rewrite {

struct ArrayAccesses {
  struct Array {
    const ptx::Variable* variable = nullptr;
    std::uint64_t offset = 0;         ///< In the thread block's scratchpad memory.
    std::uint32_t widest_access = 4;  ///< Bytes that one lane accesses at once.
    std::uint32_t element_bytes = 0;  ///< Of its smallest elements; 0: never accessed.
    /// Why its words have to stay where they are; "" when they need not.
    std::string fixed;
  };
  std::vector<Array> arrays;            ///< Every .shared variable of the program, in order of their places.
  std::vector<std::uint32_t> array_of;  ///< Per instruction of the program: the array that it accesses, or no_index.
};

/// Of a program. An array may be changed when every instruction that may reach it is known, stands in the entry, and can be
/// given another address.
ArrayAccesses find_array_accesses(const ptx::Program& program);

}  // namespace lockstep::rewrite
