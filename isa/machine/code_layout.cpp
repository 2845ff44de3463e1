#include "isa/machine/code_layout.hpp"

#include <map>
#include <vector>

namespace lockstep::machine {

namespace {

/// Instructions in front of which the call of a function stands, if it is one: moves of operands.
constexpr std::uint32_t most_moves = 2;

class Layout {
 public:
  explicit Layout(Program& program) : program_(program), is_placed_(program.instructions.size()) {}

  void run() {
    const std::vector<bool> predicated = blocks_in_predicated_code();
    for (std::size_t b = 0; b < program_.blocks.size(); ++b) {
      if (!program_.unrolled.empty())
        for (const Path& path : program_.unrolled[b]) place(path.code);
      if (!program_.predicated.empty()) place(program_.predicated[b].code);
      if (!predicated[b]) place(program_.blocks[b]);
    }
    for (std::size_t b = 0; b < program_.blocks.size(); ++b)
      if (predicated[b]) place(program_.blocks[b]);
    // Warps that wait where lanes meet issue the block's own first instruction.
    for (std::size_t b = 0; b < program_.arrivals.size(); ++b)
      if (const std::uint32_t n = program_.arrivals[b]; n != Program::none)
        put(n, program_.instructions[program_.blocks[b].first].place);
    for (const auto& [first, count] : functions_called_) place_function(first, count);
    program_.places = next_;
  }

 private:
  /// Blocks whose own code is executed only where a warp does not go the way that predicated code goes.
  std::vector<bool> blocks_in_predicated_code() const {
    std::vector<bool> inside(program_.blocks.size());
    for (std::size_t b = 0; b < program_.predicated.size(); ++b) {
      const Path& path = program_.predicated[b];
      if (path.code.executions == 0) continue;
      inside[b] = true;
      for (const Hammock& hammock : path.hammocks) {
        for (const std::uint32_t side : hammock.sides) inside[side] = true;
        if (hammock.only_way) inside[hammock.join] = true;
      }
    }
    return inside;
  }

  void place(const Code& code) {
    if (code.executions == 0) return;
    for (std::uint32_t n = code.first; n < code.end; ++n) {
      if (is_placed_[n]) continue;
      put(n, next_++);
      if (program_.instructions[n].skips) n = place_call(n);
    }
  }

  /// Of a branch over code for rare operands that calls a function: what stands between them. Returns the last instruction
  /// of that code.
  std::uint32_t place_call(std::uint32_t branch) {
    const std::uint32_t end = branch + 1 + program_.instructions[branch].skipped;
    std::uint32_t call = branch + 1;
    while (call < end && program_.instructions[call].operation != Operation::branch) ++call;
    if (call >= end || call - branch > most_moves + 1 || call + 1 == end) return branch;
    for (std::uint32_t n = branch + 1; n <= call; ++n) put(n, next_++);
    for (std::uint32_t n = call + 1; n < end; ++n) is_placed_[n] = true;
    functions_called_.emplace_back(call + 1, end - call - 1);
    return end - 1;
  }

  void place_function(std::uint32_t first, std::uint32_t count) {
    std::vector<Operation> operations;
    for (std::uint32_t n = first; n < first + count; ++n) operations.push_back(program_.instructions[n].operation);
    const auto [function, is_new] = functions_.try_emplace(std::move(operations), next_);
    if (is_new) next_ += count;
    for (std::uint32_t n = 0; n < count; ++n) put(first + n, function->second + n);
  }

  void put(std::uint32_t n, std::uint32_t place) {
    program_.instructions[n].place = place;
    is_placed_[n] = true;
  }

  Program& program_;
  std::vector<bool> is_placed_;
  std::uint32_t next_ = 0;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>
      functions_called_;                                       ///< First instruction and number of them, by call.
  std::map<std::vector<Operation>, std::uint32_t> functions_;  ///< Place of the first instruction, by what they are.
};

}  // namespace

void lay_out(Program& program) {
  Layout(program).run();
}

}  // namespace lockstep::machine
