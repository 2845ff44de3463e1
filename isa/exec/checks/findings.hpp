#pragma once
// What the checks have found, each kind of mistake at each pair of source lines once.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "isa/error.hpp"
#include "isa/exec/checks/check.hpp"
#include "isa/exec/kernel.hpp"
#include "isa/exec/launch.hpp"

namespace lockstep::exec {

/// An instruction that a thread executed.
struct FindingPlace {
  std::string instruction;  ///< "st.shared.u32"
  SourceLocation source;    ///< Of .loc; line 0 when there is none.
  SourceLocation ptx;
  program::Dim3 block{}, thread{};
  std::string target;  ///< "byte 4 of scratchpad array 's'", or what the instruction did; empty when it has none.
};

/// An error in the kernel, as it was met first.
struct Finding {
  Check check = Check::init;
  std::string kernel;
  std::string what;
  std::string remedy;  ///< What would be right.
  FindingPlace place;
  std::optional<FindingPlace> other;  ///< The earlier one of two accesses, or the call of malloc or free.
  std::uint64_t count = 1;            ///< How often it was met at these lines.
};

/// Several lines of text.
std::string describe(const Finding& finding);

/// A thread of a launch at an instruction.
struct ThreadAt {
  std::uint32_t instruction = 0;
  std::uint64_t block = 0;  ///< Of the grid, x fastest.
  std::uint32_t thread = 0;
};
/// `grid` and `block`: of the launch.
FindingPlace place_of(const Kernel& kernel, const program::Dim3& grid, const program::Dim3& block, const ThreadAt& at);

/// "byte 4 of scratchpad array 's'", "byte 4 of buffer 'out'". `address`: an offset in scratchpad or local memory, or a
/// device address.
std::string name_of_address(const Kernel& kernel, const DeviceMemory& memory, ptx::Space space, std::uint64_t address);

class Findings {
 public:
  /// Counts an error of a kind; true when it is the first at these lines, and add() must follow. `other` is the
  /// instruction of the second access, or no_index.
  bool count(Check check, std::uint8_t kind, const Kernel& kernel, std::uint32_t instruction,
             std::uint32_t other = ptx::no_index);
  void add(Finding finding) { list_.push_back(std::move(finding)); }
  const std::vector<Finding>& list() const { return list_; }

 private:
  using Line = std::pair<std::uint32_t, int>;
  std::map<std::tuple<Check, std::uint8_t, const Kernel*, Line, Line>, std::size_t> places_;
  std::vector<Finding> list_;
};

}  // namespace lockstep::exec
