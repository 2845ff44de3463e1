#include "isa/accelsim/warp_lines.hpp"

#include <fmt/format.h>

#include <bit>

namespace lockstep::accelsim {

namespace {

using program::AccessKind;
using program::MemorySpace;

/// The lanes whose address counts: a matrix of 8 rows takes those of 8 lanes.
std::uint32_t addressing_lanes(const CodeInstruction& i, std::uint32_t mask) {
  if (!i.row->matrix_rows) return mask;
  const std::uint32_t lanes = 8 * sass::Mnemonic(i.mnemonic).matrices();
  return lanes == 32 ? mask : mask & ((1u << lanes) - 1);
}

/// Memory of which a tracer has no addresses: constants and textures.
bool needs_no_addresses(const CodeInstruction& i) {
  return i.row->space == MemorySpace::constant || i.row->space == MemorySpace::texture;
}

}  // namespace

void WarpLines::read_line(std::uint32_t& instruction, std::uint32_t& mask, LaneAddresses& access) {
  InstructionLine line;
  file_.next_instruction(line);
  const TextFile& text = file_.text();
  std::size_t length = 0;
  instruction = code_.find(before_, line.pc, line.rest, length, text);
  mask = line.mask;
  CodeInstruction& i = code_[instruction];
  i.source_line = i.source_line == 0 ? line.source_line : i.source_line;
  access.mask = 0;
  if (i.has_addresses) {
    Tokens tokens(line.rest);
    tokens.skip(length);
    read_addresses(text, tokens, mask, access);
    if (i.access() != AccessKind::none && i.row->space == MemorySpace::shared) access.mask = addressing_lanes(i, mask);
  } else if (i.access() != AccessKind::none && mask != 0) {
    if (!needs_no_addresses(i))
      text.fail(line.rest,
                fmt::format("expected addresses behind {}: the bytes of an access, a mode and numbers", i.mnemonic));
    access.mask = mask;
    for (std::uint64_t& address : access.address) address = 0;
  }
}

bool WarpLines::next(Step& step) {
  if (left_ == 0) return false;
  --left_;
  step.is_pair = false;
  read_line(step.instruction, step.mask, step.access);
  if (is_copy(step.instruction)) read_other_side(step);
  before_ = step.instruction;
  return true;
}

/// The second line of a copy, where there is one. The side below the window's size, or in the scratchpad's window, is the one
/// that is written.
void WarpLines::read_other_side(Step& step) {
  if (left_ == 0) return;
  std::uint32_t instruction = 0, mask = 0;
  InstructionLine line;
  file_.next_instruction(line);
  file_.text().unread();
  if (line.pc != code_[step.instruction].pc) return;
  read_line(instruction, mask, other_);
  if (!is_copy(instruction) || mask != step.mask) return file_.text().unread();
  --left_;
  step.is_pair = true;
  const auto on_scratchpad = [&](const LaneAddresses& side) {
    if (side.mask == 0) return false;
    const std::uint64_t address = side.address[std::countr_zero(side.mask)];
    return spaces_.shared_byte(address) < AddressSpaces::window_bytes;
  };
  const bool second_reads = on_scratchpad(step.access) || !on_scratchpad(other_);
  step.written = second_reads ? step.access : other_;
  if (second_reads) step.access = other_;
}

}  // namespace lockstep::accelsim
