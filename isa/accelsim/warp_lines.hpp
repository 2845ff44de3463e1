#pragma once
// The lines of one warp, as the instructions that it executed.

#include <cstdint>

#include "isa/accelsim/addresses.hpp"
#include "isa/accelsim/code.hpp"
#include "isa/accelsim/kernel_file.hpp"

namespace lockstep::accelsim {

/// An executed instruction.
struct Step {
  std::uint32_t instruction = 0;  ///< Of the Code.
  std::uint32_t mask = 0;
  LaneAddresses access;   ///< When it accesses memory; of a copy in a pair of lines what it reads.
  LaneAddresses written;  ///< Of such a copy: scratchpad addresses.
  bool is_pair = false;
};

/// Reads the lines of a warp after KernelFile::next_warp(). A copy from global memory to the scratchpad (LDGSTS) has two lines,
/// one for each address and both for the same lanes; they are one step.
class WarpLines {
 public:
  WarpLines(KernelFile& file, Code& code, std::uint64_t lines)
      : file_(file), code_(code), spaces_(file.header()), left_(lines) {}
  /// The next step; false behind the last line.
  bool next(Step& step);
  /// Of the launch. Addresses of steps are as the file has them.
  const AddressSpaces& spaces() const { return spaces_; }

 private:
  bool is_copy(std::uint32_t n) const { return code_[n].access() == program::AccessKind::copy; }
  void read_line(std::uint32_t& instruction, std::uint32_t& mask, LaneAddresses& access);
  void read_other_side(Step& step);

  KernelFile& file_;
  Code& code_;
  AddressSpaces spaces_;
  std::uint64_t left_;
  std::uint32_t before_ = CodeInstruction::none;
  LaneAddresses other_;
};

}  // namespace lockstep::accelsim
