#pragma once
// Parameters of device functions as registers. `st.param` into a call's argument, the callee's `ld.param` of it, and
// the same for results are moves between registers; a timing scoreboard sees them through one virtual register per
// variable. A caller's argument variable and the callee's parameter that it is passed for are one and the same
// register, so that a call itself moves nothing.

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/ptx/program.hpp"

namespace lockstep::ptx {

class ParamRegisters {
 public:
  explicit ParamRegisters(const Program& program);

  /// Per register: 16, 32 or 64; a structure counts as 64.
  const std::vector<std::uint8_t>& bits() const { return bits_; }

  struct Use {
    std::uint32_t read = no_index, written = no_index;
  };
  /// The parameter register that an instruction of a function of the program reads or writes.
  Use use(std::uint32_t function, const Instruction& instruction) const;

  /// True for an ld.param or st.param that is such a move. The parameters of the kernel itself are memory.
  bool is_move(std::uint32_t function, const Instruction& instruction) const;

  /// The parameter register of a variable of the function, or no_index.
  std::uint32_t find(std::uint32_t function, std::string_view name) const;

 private:
  /// Per function: of its .param variables.
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> numbers_;
  std::vector<std::uint8_t> bits_;
};

}  // namespace lockstep::ptx
