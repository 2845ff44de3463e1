#include "isa/exec/checks/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/program/demangled.hpp"
#include "isa/ptx/shared_layout.hpp"

namespace lockstep::exec {

namespace {

std::string text(const program::Dim3& d) {
  return fmt::format("({},{},{})", d[0], d[1], d[2]);
}

program::Dim3 coordinates(std::uint64_t number, const program::Dim3& size) {
  return {static_cast<std::uint32_t>(number % size[0]), static_cast<std::uint32_t>(number / size[0] % size[1]),
          static_cast<std::uint32_t>(number / size[0] / size[1])};
}

std::string text(const FindingPlace& place) {
  const std::string ptx = fmt::format("{} at {}", place.instruction, to_string(place.ptx));
  return fmt::format("{}, thread block {}, thread {}{}{}",
                     place.source.line == 0 ? ptx : fmt::format("{} ({})", to_string(place.source), ptx),
                     text(place.block), text(place.thread), place.target.empty() ? "" : ": ", place.target);
}

/// Where the address lies with respect to the variables of a space.
std::string name_in(const ptx::VariableLayout& layout, std::string_view space, std::uint64_t offset) {
  const ptx::VariableLayout::Place* before = nullptr;
  for (const auto& place : layout.places) {
    if (place.offset > offset) continue;
    const bool inside = place.variable->is_extern || offset - place.offset < place.variable->bytes;
    if (inside) return fmt::format("byte {} of {} array '{}'", offset - place.offset, space, place.variable->name);
    if (before == nullptr || place.offset >= before->offset) before = &place;
  }
  // An address before the beginning has gone round below zero.
  if (offset > ~std::uint64_t{0} / 2)
    return fmt::format("{} bytes before the beginning of the {} memory", -offset, space);
  if (before == nullptr) return fmt::format("byte {} of the {} memory", offset, space);
  return fmt::format("byte {} of the {} memory, {} bytes past the end of array '{}'", offset, space,
                     offset - before->offset - before->variable->bytes, before->variable->name);
}

}  // namespace

std::string describe(const Finding& finding) {
  std::string result = fmt::format(
      "{}: kernel '{}': {}{}\n  {}", name_of(finding.check), program::demangled(finding.kernel), finding.what,
      finding.count > 1 ? fmt::format(" ({} times)", finding.count) : "", text(finding.place));
  if (finding.other) result += "\n  " + text(*finding.other);
  return result + "\n  " + finding.remedy;
}

FindingPlace place_of(const Kernel& kernel, const program::Dim3& grid, const program::Dim3& block, const ThreadAt& at) {
  const ptx::Module& module = *kernel.module;
  const ptx::Instruction& instruction = kernel.program.instruction(at.instruction);
  FindingPlace place;
  place.instruction = instruction.mnemonic();
  if (instruction.source_line != 0 && instruction.source_file < module.source_files.size())
    place.source = {module.source_files[instruction.source_file], instruction.source_line, 0};
  place.ptx = {module.file, instruction.line, instruction.column};
  place.block = coordinates(at.block, grid);
  place.thread = coordinates(at.thread, block);
  return place;
}

std::string name_of_address(const Kernel& kernel, const DeviceMemory& memory, ptx::Space space, std::uint64_t address) {
  if (space == ptx::Space::shared) return name_in(ptx::shared_layout(kernel.program), "scratchpad", address);
  if (space == ptx::Space::local) return name_in(ptx::local_layout(kernel.program), "local", address);
  const Allocation* allocation = memory.find(address);
  if (allocation == nullptr) return fmt::format("address {:#x}; {}", address, memory.describe(address));
  return fmt::format("byte {} of {} '{}'", address - allocation->base,
                     allocation->kind == Allocation::Kind::buffer ? "buffer" : "variable", allocation->name);
}

bool Findings::count(Check check, std::uint8_t kind, const Kernel& kernel, std::uint32_t instruction,
                     std::uint32_t other) {
  const auto line_of = [&](std::uint32_t number) -> Line {
    if (number == ptx::no_index) return {ptx::no_index, 0};
    const ptx::Instruction& at = kernel.program.instruction(number);
    return at.source_line == 0 ? Line{ptx::no_index, at.line} : Line{at.source_file, at.source_line};
  };
  const auto [first, second] = std::minmax({line_of(instruction), line_of(other)});
  const auto [found, is_new] = places_.try_emplace({check, kind, &kernel, first, second}, list_.size());
  if (!is_new) ++list_[found->second].count;
  return is_new;
}

}  // namespace lockstep::exec
