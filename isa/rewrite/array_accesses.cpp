#include "isa/rewrite/array_accesses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/analysis/address_base.hpp"
#include "isa/analysis/possible_bits.hpp"
#include "isa/ptx/shared_layout.hpp"
#include "isa/rewrite/access_kind.hpp"
#include "isa/rewrite/generic_accesses.hpp"

namespace lockstep::rewrite {

namespace {

using Treatment = AccessKind::Treatment;

std::string place_of(const ptx::Program& program, const ptx::Instruction& instruction) {
  const std::string& file = program.module->source_files[instruction.source_file];
  if (instruction.source_line != 0) return fmt::format("{}:{}", file, instruction.source_line);
  return fmt::format("{}:{}", program.module->file, instruction.line);
}

class Finder {
 public:
  explicit Finder(const ptx::Program& program)

      : program_(program), bases_(program), bits_(program, 0, std::nullopt), generic_(find_generic_accesses(program)) {
    const ptx::VariableLayout layout = ptx::shared_layout(program);
    for (const auto& place : layout.places) found_.arrays.push_back({place.variable, place.offset, 4, 0, {}});
    found_.array_of.assign(program.instruction_count, ptx::no_index);
  }

  ArrayAccesses run() {
    for (std::uint32_t n = 0; n < program_.instruction_count; ++n) look_at(n);
    const auto is_dynamic = [](const ArrayAccesses::Array& array) { return array.variable->is_extern; };
    if (std::count_if(found_.arrays.begin(), found_.arrays.end(), is_dynamic) > 1) {
      for (ArrayAccesses::Array& array : found_.arrays)
        if (is_dynamic(array)) fix(array, "dynamic memory has several names");
    }
    return std::move(found_);
  }

 private:
  static void fix(ArrayAccesses::Array& array, const std::string& reason) {
    if (array.fixed.empty()) array.fixed = reason;
  }
  void fix_all(const std::string& reason) {
    for (ArrayAccesses::Array& array : found_.arrays) fix(array, reason);
  }

  void look_at(std::uint32_t n) {
    const ptx::Instruction& instruction = program_.instruction(n);
    look_for_sizes(instruction);
    const AccessKind kind = access_kind(instruction);
    if (kind.treatment == Treatment::none) return;
    const std::string what = fmt::format("{} at {}", instruction.mnemonic(), place_of(program_, instruction));
    ArrayAccesses::Array* const array = array_at(n);
    if (kind.treatment == Treatment::refused || !kind.reason.empty()) {
      const auto addresses = std::count_if(instruction.operands.begin(), instruction.operands.end(),
                                           [](const auto& o) { return o.kind == ptx::Operand::Kind::address; });
      const std::string reason = fmt::format("{}: {}", what, kind.reason);
      return array != nullptr && addresses == 1 ? fix(*array, reason) : fix_all(reason);
    }
    if (kind.treatment == Treatment::generic && array == nullptr) {
      if (generic_[n] != GenericAccess::elsewhere) fix_all(fmt::format("{} may lead to any array", what));
      return;
    }
    if (array == nullptr) return fix_all(fmt::format("{} accesses an array that is not known", what));
    if (program_.function_of(n) != 0) return fix(*array, fmt::format("{} is in a separate device function", what));
    found_.array_of[n] = static_cast<std::uint32_t>(array - found_.arrays.data());
    array->widest_access = std::max(array->widest_access, kind.bytes());
    array->element_bytes =
        array->element_bytes == 0 ? kind.element_bytes : std::min(array->element_bytes, kind.element_bytes);
  }

  /// Of the first address operand.
  ArrayAccesses::Array* array_at(std::uint32_t n) {
    const ptx::Instruction& instruction = program_.instruction(n);
    const ptx::Operand* const address = instruction.address();
    if (address == nullptr) return nullptr;
    const auto operand = static_cast<std::uint32_t>(address - instruction.operands.data());
    const ptx::Variable* base = bases_.of(n, operand);
    // A number that a launch gives may be part of an index there, and counts as a base of its own.
    if (base == nullptr && address->index != ptx::no_index && program_.function_of(n) == 0) {
      const analysis::KnownValue value = bits_.before(n, address->index);
      if (!value.mixed && !value.unset) base = value.base;
    }
    const auto found = std::find_if(found_.arrays.begin(), found_.arrays.end(),
                                    [&](const ArrayAccesses::Array& array) { return array.variable == base; });
    return base == nullptr || found == found_.arrays.end() ? nullptr : &*found;
  }

  void look_for_sizes(const ptx::Instruction& instruction) {
    using ptx::SpecialRegister;
    for (const ptx::Operand& operand : instruction.operands) {
      if (operand.kind != ptx::Operand::Kind::special) continue;
      if (operand.special == SpecialRegister::total_smem_size || operand.special == SpecialRegister::dynamic_smem_size)
        fix_all(fmt::format("{} reads the size of the scratchpad memory", place_of(program_, instruction)));
    }
  }

  const ptx::Program& program_;
  analysis::AddressBases bases_;
  analysis::PossibleBits bits_;
  std::vector<GenericAccess> generic_;
  ArrayAccesses found_;
};

}  // namespace

ArrayAccesses find_array_accesses(const ptx::Program& program) {
  return Finder(program).run();
}

}  // namespace lockstep::rewrite
