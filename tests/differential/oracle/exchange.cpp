// Instructions between the lanes of a warp (PTX ISA 9.7.9.6 and 9.7.14).

#include "tests/differential/oracle/exchange.hpp"

#include <algorithm>
#include <bit>

#include "tests/differential/oracle/integers.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;
using Values = std::vector<std::vector<std::uint64_t>>;

class Warp {
 public:
  Warp(const Exchange& exchange, const Threads& lanes, const Values& values)
      : one_(exchange.instruction), from_mask_(exchange.from_mask), lanes_(lanes), values_(values) {
    for (const Thread* lane : lanes_) mask_ |= 1u << lane->lane();
  }

  void run() {
    switch (one_.opcode) {
      case Opcode::shfl: return shuffle();
      case Opcode::vote: return vote();
      case Opcode::match: return match();
      case Opcode::redux: return reduce();
      default: return elect();
    }
  }

 private:
  void give(std::size_t lane, std::uint64_t value, bool predicate = false) {
    Registers& registers = lanes_[lane]->registers;
    registers[one_.writes[0]] = value;
    if (one_.writes.size() > 1) registers[one_.writes[1]] = predicate ? 1 : 0;
  }
  std::uint64_t value_of_lane(unsigned number) const {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (lanes_[i]->lane() == number) return values_[i][0];
    }
    return 0;  // Undefined: no kernel reads it.
  }

  void shuffle() {
    std::vector<std::pair<std::uint64_t, bool>> results;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const auto lane = static_cast<int>(lanes_[i]->lane());
      auto b = static_cast<int>(values_[i][1] & 31);
      if (from_mask_) {
        const std::uint32_t wanted = static_cast<std::uint32_t>(values_[i][1]) & mask_;
        b = 31 - std::countl_zero(wanted != 0 ? wanted : mask_);
      }
      const auto c = static_cast<int>(values_[i][2] & 31), segment = static_cast<int>(values_[i][2] >> 8 & 31);
      const int last = (lane & segment) | (c & ~segment), first = lane & segment;
      int from = (first | (b & ~segment)) & 31;
      if (one_.has("up")) from = lane - b;
      if (one_.has("down")) from = lane + b;
      if (one_.has("bfly")) from = lane ^ b;
      const bool inside = one_.has("up") ? from >= last : from <= last;
      results.emplace_back(value_of_lane(static_cast<unsigned>(inside ? from : lane)), inside);
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) give(i, results[i].first, results[i].second);
  }

  void vote() {
    std::uint32_t ballot = 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      if (values_[i][0] != 0) ballot |= 1u << lanes_[i]->lane();
    }
    std::uint64_t result = ballot;
    if (one_.has("all")) result = ballot == mask_ ? 1 : 0;
    if (one_.has("any")) result = ballot != 0 ? 1 : 0;
    if (one_.has("uni")) result = ballot == mask_ || ballot == 0 ? 1 : 0;
    for (std::size_t i = 0; i < lanes_.size(); ++i) give(i, result);
  }

  void match() {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      std::uint32_t same = 0;
      for (std::size_t j = 0; j < lanes_.size(); ++j) {
        if (values_[j][0] == values_[i][0]) same |= 1u << lanes_[j]->lane();
      }
      const bool all = same == mask_;
      give(i, one_.has("any") || all ? same : 0, all);
    }
  }

  void reduce() {
    const std::string_view type = one_.modifiers.back();
    SignedWide total = integer_of(values_[0][0], type);
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      const SignedWide value = integer_of(values_[i][0], type);
      if (one_.has("add")) total += value;
      if (one_.has("min")) total = std::min(total, value);
      if (one_.has("max")) total = std::max(total, value);
      if (one_.has("and")) total &= value;
      if (one_.has("or")) total |= value;
      if (one_.has("xor")) total ^= value;
    }
    for (std::size_t i = 0; i < lanes_.size(); ++i) give(i, bits_of_integer(total, 32));
  }

  void elect() {
    const auto leader = static_cast<unsigned>(std::countr_zero(mask_));
    for (std::size_t i = 0; i < lanes_.size(); ++i) give(i, leader, lanes_[i]->lane() == leader);
  }

  const Instruction& one_;
  const bool from_mask_;
  const Threads& lanes_;
  const Values& values_;
  std::uint32_t mask_ = 0;
};

}  // namespace

void exchange_within_warp(const Exchange& exchange, const Threads& lanes, const Values& values) {
  Warp(exchange, lanes, values).run();
}

}  // namespace lockstep::differential
