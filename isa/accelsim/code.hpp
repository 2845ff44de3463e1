#pragma once
// The code of a kernel, as the lines of its executions show it: instructions, and which of them always follow each other.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "isa/accelsim/text_file.hpp"
#include "isa/program/static_program.hpp"
#include "isa/sass/opcodes.hpp"

namespace lockstep::accelsim {

/// What is known of one instruction of a kernel's code. Instructions are told apart by address and text, as a function that
/// is called has addresses of its own from 0.
struct CodeInstruction {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t pc = 0;
  std::string text;  ///< From the number of destination registers to the width of an access.
  std::string mnemonic;
  const sass::OpcodeRow* row = nullptr;              ///< Null: the opcode is unknown.
  std::vector<std::uint32_t> destinations, sources;  ///< Register numbers as written, without the zero register.
  bool has_addresses = false;                        ///< Its lines have addresses.
  std::uint32_t source_line = 0;

  std::uint64_t executions = 0;
  std::uint32_t next = none, previous = none;  ///< What followed and preceded it at first.
  std::uint32_t same_pc = none;                ///< Another instruction with this address.
  std::uint32_t function = 0;                  ///< Counted in the order of their first calls.
  bool begins = false;   ///< Something else precedes or follows at times: a basic block begins here.
  bool ends = false;     ///< A warp has ended behind it.
  bool guarded = false;  ///< Was executed by fewer lanes than its surroundings.
  bool on_shared = false, on_local = false, on_global = false;  ///< Where its generic addresses lay.
  bool in_pairs = false;  ///< A copy whose lines come in pairs, one for each side.

  program::Control control() const { return row == nullptr ? program::Control::none : row->control; }
  program::AccessKind access() const { return row == nullptr ? program::AccessKind::none : row->access; }
};

/// The instructions of one kernel, of all its launches.
class Code {
 public:
  /// The instruction of a line at address `pc` whose text begins with `rest`, which is new when no other line had it. `hint`: the
  /// instruction before, or none. `length`: of its text in the line.
  std::uint32_t find(std::uint32_t hint, std::uint32_t pc, std::string_view rest, std::size_t& length,
                     const TextFile& place);

  const CodeInstruction& operator[](std::uint32_t n) const { return instructions_[n]; }
  CodeInstruction& operator[](std::uint32_t n) { return instructions_[n]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(instructions_.size()); }

  /// Whether a basic block begins at `n` when it comes behind `before`, by what has been seen up to now.
  bool begins_block(std::uint32_t before, std::uint32_t n) const {
    const CodeInstruction& i = instructions_[n];
    return i.begins || before == CodeInstruction::none || i.previous != before || instructions_[before].next != n ||
           instructions_[before].control() != program::Control::none || instructions_[before].ends;
  }

  /// A function that has just been called for the first time.
  std::uint32_t new_function() { return ++functions_; }

 private:
  bool matches(const CodeInstruction& i, std::uint32_t pc, std::string_view rest) const {
    return i.pc == pc && rest.starts_with(i.text) && (rest.size() == i.text.size() || rest[i.text.size()] == ' ');
  }
  std::uint32_t add(std::uint32_t pc, std::string_view rest, const TextFile& place);

  std::deque<CodeInstruction> instructions_;
  std::unordered_map<std::uint32_t, std::uint32_t> by_pc_;  ///< The one that was added last.
  std::uint32_t functions_ = 0;
};

/// Follows one warp through its code and notes what follows what, with which lanes.
class WarpPath {
 public:
  explicit WarpPath(Code& code) : code_(code) {}
  /// The warp executes instruction `n` next.
  void step(std::uint32_t n, std::uint32_t mask);
  /// Its lines end.
  void end();

 private:
  void follow(std::uint32_t n);
  void note_function(std::uint32_t n);
  void note_guard(std::uint32_t n, std::uint32_t mask);
  void note_lanes(std::uint32_t n, std::uint32_t mask);

  Code& code_;
  std::uint32_t before_ = CodeInstruction::none;
  std::uint32_t lanes_ = 0;  ///< Of the instructions around.
  // Of the basic block so far: the lanes of what is no access, once there is any, and those of its accesses.
  bool block_lanes_known_ = false;
  std::uint32_t block_lanes_ = 0, access_lanes_ = 0;
  std::vector<std::uint32_t> callers_;  ///< Functions.
};

}  // namespace lockstep::accelsim
