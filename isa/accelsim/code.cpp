#include "isa/accelsim/code.hpp"

#include <fmt/format.h>

#include "isa/accelsim/tokens.hpp"

namespace lockstep::accelsim {

namespace {

using program::AccessKind;
using program::Control;

constexpr std::uint32_t none = CodeInstruction::none;
constexpr std::uint64_t most_operands = 16, most_register = 1023, most_width = 1024;
constexpr std::size_t most_calls = 64;
constexpr std::uint32_t zero_register = 255;

/// A number of registers, then as many.
void read_registers(Tokens& tokens, const TextFile& place, const char* what, std::vector<std::uint32_t>& to) {
  const std::string_view size_word = tokens.next();
  const auto size = count(size_word, most_operands);
  if (!size) place.fail(size_word, fmt::format("expected the number of {} registers", what));
  for (std::uint64_t n = 0; n < *size; ++n) {
    const std::string_view word = tokens.next();
    const auto number = word.starts_with('R') ? count(word.substr(1), most_register) : std::nullopt;
    if (!number) place.fail(word, fmt::format("expected a {} register (R0 to R{})", what, most_register));
    if (*number != zero_register) to.push_back(static_cast<std::uint32_t>(*number));
  }
}

}  // namespace

std::uint32_t Code::find(std::uint32_t hint, std::uint32_t pc, std::string_view rest, std::size_t& length,
                         const TextFile& place) {
  std::uint32_t n = hint == none ? none : instructions_[hint].next;
  if (n == none || !matches(instructions_[n], pc, rest)) {
    const auto found = by_pc_.find(pc);
    n = found == by_pc_.end() ? none : found->second;
    while (n != none && !matches(instructions_[n], pc, rest)) n = instructions_[n].same_pc;
    if (n == none) n = add(pc, rest, place);
  }
  length = instructions_[n].text.size();
  return n;
}

std::uint32_t Code::add(std::uint32_t pc, std::string_view rest, const TextFile& place) {
  CodeInstruction i;
  i.pc = pc;
  Tokens tokens(rest);
  read_registers(tokens, place, "destination", i.destinations);
  const std::string_view mnemonic = tokens.next();
  if (mnemonic.empty() || mnemonic[0] < 'A' || mnemonic[0] > 'Z') place.fail(mnemonic, "expected an opcode of SASS");
  i.mnemonic = mnemonic;
  i.row = sass::find_opcode(sass::Mnemonic(mnemonic).opcode());
  read_registers(tokens, place, "source", i.sources);
  const std::string_view width = tokens.next();
  const auto bytes = count(width, most_width);
  if (!bytes) place.fail(width, "expected the bytes that each lane accesses, 0 for no access");
  i.has_addresses = *bytes != 0;
  i.text = rest.substr(0, static_cast<std::size_t>(width.data() + width.size() - rest.data()));
  const auto number = size();
  const auto [entry, first] = by_pc_.try_emplace(pc, number);
  if (!first) {
    i.same_pc = entry->second;
    entry->second = number;
  }
  instructions_.push_back(std::move(i));
  return number;
}

void WarpPath::step(std::uint32_t n, std::uint32_t mask) {
  CodeInstruction& i = code_[n];
  note_function(n);
  follow(n);
  note_guard(n, mask);
  note_lanes(n, mask);
  ++i.executions;
  before_ = n;
}

/// A called function has addresses of its own. Which one a new instruction is in decides only where it stands in the program.
void WarpPath::note_function(std::uint32_t n) {
  if (before_ == none) {
    callers_.clear();
    return;
  }
  CodeInstruction& i = code_[n];
  const CodeInstruction& before = code_[before_];
  std::uint32_t function = before.function;
  if (before.control() == Control::call) {
    if (callers_.size() < most_calls) callers_.push_back(function);
    if (i.executions == 0) function = code_.new_function();
  } else if (before.control() == Control::ret && !callers_.empty()) {
    function = callers_.back();
    callers_.pop_back();
  }
  if (i.executions == 0) i.function = function;
}

void WarpPath::follow(std::uint32_t n) {
  CodeInstruction& i = code_[n];
  if (before_ == none) {
    i.begins = true;
    return;
  }
  CodeInstruction& before = code_[before_];
  if (before.next == none) {
    before.next = n;
    if (i.previous == none) {
      i.previous = before_;
    } else if (i.previous != before_) {
      i.begins = true;
    }
  } else if (before.next != n) {
    i.begins = true;
    code_[before.next].begins = true;
  } else if (i.previous != before_) {
    i.begins = true;
  }
}

/// Fewer lanes than around it, but not behind a branch: a predicate holds in the others no more.
void WarpPath::note_guard(std::uint32_t n, std::uint32_t mask) {
  const bool behind_branch = before_ == none || code_[before_].control() != Control::none;
  if (behind_branch || (mask & ~lanes_) != 0) {
    lanes_ = mask;
  } else if (mask != lanes_) {
    code_[n].guarded = true;
  }
}

/// A basic block has one mask, of which its accesses may leave lanes out; other instructions may not.
void WarpPath::note_lanes(std::uint32_t n, std::uint32_t mask) {
  CodeInstruction& i = code_[n];
  const bool accesses = i.access() != AccessKind::none;
  if (!code_.begins_block(before_, n)) {
    if (accesses) {
      if (!block_lanes_known_ || (mask & ~block_lanes_) == 0) {
        access_lanes_ |= mask;
        return;
      }
    } else if (block_lanes_known_ ? mask == block_lanes_ : (access_lanes_ & ~mask) == 0) {
      block_lanes_known_ = true;
      block_lanes_ = mask;
      return;
    }
    i.begins = true;
  }
  block_lanes_known_ = !accesses;
  block_lanes_ = accesses ? 0 : mask;
  access_lanes_ = accesses ? mask : 0;
}

void WarpPath::end() {
  if (before_ != none) code_[before_].ends = true;
  before_ = none;
}

}  // namespace lockstep::accelsim
