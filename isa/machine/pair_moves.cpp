#include "isa/machine/pair_moves.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

constexpr unsigned most_names = 64;  ///< One after another that are followed.

class PairMoves {
 public:
  PairMoves(const program::Kernel& kernel, const Selection& selection, const program::DataFlow& flow)
      : kernel_(kernel), selection_(selection), flow_(flow), last_reads_(kernel.register_bits.size()) {}

  std::vector<std::vector<PairMove>> find() {
    std::vector<std::vector<PairMove>> moves(kernel_.instructions.size());
    for (const program::StaticBlock& block : kernel_.blocks) {
      homes_.clear();
      for (std::uint32_t n = block.first; n < block.first + block.count; ++n)
        if (joins(n)) moves[n] = halves(n, block.first + block.count);
    }
    return moves;
  }

 private:
  Mnemonic words(std::uint32_t n) const { return Mnemonic(kernel_.strings[kernel_.instructions[n].mnemonic]); }

  /// Names two 32-bit values as one of 64 bits.
  bool joins(std::uint32_t n) const {
    const StaticInstruction& s = kernel_.instructions[n];
    if (!selection_.instructions[n].removed || s.operands.size() != 2 || s.destinations.size() != 1) return false;
    const Mnemonic w = words(n);
    return w.opcode == Opcode::mov && w.ends({"b64"}) && flow_.writer(s.destinations[0]) == n;
  }

  std::vector<PairMove> halves(std::uint32_t n, std::uint32_t end) {
    const StaticInstruction& s = kernel_.instructions[n];
    const std::optional<std::uint32_t> last = last_read(s.destinations[0]);
    std::vector<PairMove> moves;
    if (!last) return moves;
    std::optional<std::uint32_t> pair;
    for (const bool upper : {false, true}) {
      const SourceOperand& half = s.operands[upper];
      if (const auto value = literal(half)) {
        const auto bits = static_cast<std::uint32_t>(*value);
        if (!is_in_place({upper, bits}, n, *last < end ? *last : never)) moves.push_back({upper, bits});
      } else if (const auto from = pair_of(half)) {
        const auto read_again = last_read(*from);
        if ((read_again && *read_again > n) || (pair && pair != from)) moves.push_back({upper, 0, *from});
        pair = from;
      }
    }
    return moves;
  }

  /// A register has the half already, of a pair that is read no more; else the literal gets one. From then on it is that of a pair
  /// that is read until `last`.
  bool is_in_place(std::pair<bool, std::uint32_t> half, std::uint32_t n, std::uint32_t last) {
    std::vector<std::uint32_t>& read_until = homes_[half];
    const auto home =
        std::find_if(read_until.begin(), read_until.end(), [&](std::uint32_t until) { return until < n; });
    if (home == read_until.end()) return read_until.push_back(last), false;
    *home = last;
    return true;
  }

  std::optional<std::uint64_t> literal(const SourceOperand& o) const {
    if (o.kind == Kind::literal) return o.value;
    return o.kind == Kind::reg ? selection_.literals[o.value] : std::nullopt;
  }

  /// The 64-bit register of which the operand is a half.
  std::optional<std::uint32_t> pair_of(const SourceOperand& o) const {
    if (o.kind != Kind::reg) return {};
    const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(o.value));
    if (by == program::DataFlow::none) return {};
    const StaticInstruction& s = kernel_.instructions[by];
    if (words(by).opcode != Opcode::mov || s.destinations.size() != 2 || s.operands.size() != 1) return {};
    if (s.operands[0].kind != Kind::reg) return {};
    return static_cast<std::uint32_t>(s.operands[0].value);
  }

  /// The last instruction, in the order of the program, that reads the register as a pair, seen through other names of it.
  std::optional<std::uint32_t> last_read(std::uint32_t reg) {
    std::optional<std::optional<std::uint32_t>>& known = last_reads_[reg];
    if (!known) known = find_last_read(reg, 0);
    return *known;
  }
  std::optional<std::uint32_t> find_last_read(std::uint32_t reg, unsigned depth) const {
    std::optional<std::uint32_t> last;
    if (depth > most_names) return last;
    for (const std::uint32_t n : flow_.readers(reg)) {
      const StaticInstruction& s = kernel_.instructions[n];
      const bool names = selection_.instructions[n].removed && s.destinations.size() == 1 &&
                         kernel_.register_bits[s.destinations[0]] == 64 && !joins(n);
      std::optional<std::uint32_t> read;
      if (names)
        read = find_last_read(s.destinations[0], depth + 1);
      else if (reads_pair(n, reg))
        read = n;
      if (read) last = std::max(last.value_or(0), *read);
    }
    return last;
  }

  bool reads_pair(std::uint32_t n, std::uint32_t reg) const {
    const StaticInstruction& s = kernel_.instructions[n];
    if (selection_.instructions[n].removed) return false;
    const Mnemonic w = words(n);
    if (s.access == AccessKind::store) return s.address_register != reg && w.ends({"f64", "b64", "u64", "s64"});
    return s.access == AccessKind::none && w.ends({"f64"}) && w.opcode != Opcode::selp && w.opcode != Opcode::mov;
  }

  static constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();  ///< It is read elsewhere, too.
  const program::Kernel& kernel_;
  const Selection& selection_;
  const program::DataFlow& flow_;
  std::vector<std::optional<std::optional<std::uint32_t>>> last_reads_;  ///< By register, once asked for.
  /// Of a basic block: upper or lower half and its literal -> for each register that has it, the last instruction that reads its pair.
  std::map<std::pair<bool, std::uint32_t>, std::vector<std::uint32_t>> homes_;
};

}  // namespace

std::vector<std::vector<PairMove>> pair_moves(const program::Kernel& kernel, const Selection& selection,
                                              const program::DataFlow& flow) {
  return PairMoves(kernel, selection, flow).find();
}

}  // namespace lockstep::machine
