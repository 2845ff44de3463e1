#include "tests/differential/forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "isa/ptx/opcode_syntax.hpp"
#include "tests/differential/types.hpp"
#include "tests/unit/isa/exec/form_operands.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;
using ptx::OpcodeClass;

constexpr std::string_view needs_sm_100 = "needs sm_100";

bool has(const Modifiers& modifiers, std::initializer_list<std::string_view> any) {
  return std::any_of(modifiers.begin(), modifiers.end(),
                     [&](std::string_view m) { return std::find(any.begin(), any.end(), m) != any.end(); });
}

std::string_view why_never_arithmetic(Opcode opcode, const Modifiers& m) {
  const auto types = types_of(m);
  switch (opcode) {
    case Opcode::cvt:
      if (has(m, {"bf16"}) && has(m, {"u8", "s8"})) return "needs registers of 8 bits";
      if (has(m, {"tf32"}) && has(m, {"satfinite"}) && !has(m, {"rna"})) return needs_sm_100;
      return {};
    case Opcode::mad:
      if (types.back()[0] == 'f' && !has(m, {"rn", "rz", "rm", "rp"})) return "needs sm_1x, or PTX before 1.4";
      return {};
    case Opcode::min:
    case Opcode::max: return has(m, {"abs"}) && !has(m, {"xorsign"}) ? needs_sm_100 : std::string_view();
    case Opcode::tanh: return "the functional machine has not the bits of a GPU";
    case Opcode::mov: return has(m, {"b128"}) ? "moves of 128 bits pack and unpack only" : std::string_view();
    default: return {};
  }
}

std::string_view why_never_in_memory(Opcode opcode, const Modifiers& m) {
  const bool is_plain = m.size() == 2 && has(m, {"b32", "b64"});  // How printed calls pass values.
  if (has(m, {"param::func"}) && !is_plain) return "of calls, which pass words";
  if (opcode == Opcode::st && has(m, {"param"}) && !is_plain) return "of calls, which pass words";
  if (has(m, {"v8"}) && has(m, {"b32", "u32", "s32", "f32"})) return needs_sm_100;
  if (has(m, {"v4"}) && has(m, {"b64", "u64", "s64", "f64"})) return needs_sm_100;
  return {};
}

std::string_view why_never_of_texture(const Modifiers& m) {
  if (has(m, {"num_samples"})) return "of textures with several samples";
  if (has(m, {"force_unnormalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2"}))
    return "of samplers, which objects are not";
  return has(m, {"num_mipmap_levels", "memory_layout"}) ? "not of objects" : std::string_view();
}

}  // namespace

std::string_view why_never(Opcode opcode, const Modifiers& m) {
  const ptx::OpcodeRow& row = ptx::row_of(opcode);
  switch (row.subject) {
    case OpcodeClass::arithmetic: return why_never_arithmetic(opcode, m);
    case OpcodeClass::load_store:
    case OpcodeClass::atomic: return why_never_in_memory(opcode, m);
    case OpcodeClass::texture: return why_never_of_texture(m);
    default: break;
  }
  switch (opcode) {
    case Opcode::cvta: return has(m, {"u32"}) ? "addresses have 64 bits" : std::string_view();
    case Opcode::isspacep: return {};
    case Opcode::discard: return "leaves memory undefined";
    case Opcode::prefetch: return has(m, {"tensormap"}) ? "needs a tensor map" : std::string_view();
    case Opcode::mbarrier: return "needs an object at which other threads arrive";
    case Opcode::cp:
      if (has(m, {"mbarrier"})) return "needs an object at which other threads arrive";
      return has(m, {"async"}) && has(m, {"L2::cache_hint"}) ? "ptxas 13.0 may encode an illegal instruction"
                                                             : std::string_view();
    case Opcode::activemask: return "which lanes execute together is not defined";
    case Opcode::shfl:
    case Opcode::vote: return has(m, {"sync"}) ? std::string_view() : "not for sm_70 and later";
    case Opcode::redux: return has(m, {"f32"}) ? needs_sm_100 : std::string_view();
    case Opcode::trap:
    case Opcode::brkpt: return "ends the program";
    case Opcode::setmaxnreg: return "needs sm_90a and groups of four warps";
    case Opcode::fence: return has(m, {"tensormap::generic"}) ? "needs a tensor map" : std::string_view();
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::mma:
    case Opcode::wmma: return "needs whole warps; tools/capture/matrix_products.cu draws their operands";
    default: return {};
  }
}

std::string name_of_form(Opcode opcode, const Modifiers& modifiers) {
  std::string text(ptx::name_of(opcode));
  for (const std::string_view modifier : modifiers) text.append(".").append(modifier);
  return text;
}

Instruction instruction_of_form(Opcode opcode, const Modifiers& modifiers) {
  const ptx::OpcodeRow& row = ptx::row_of(opcode);
  Instruction result;
  result.opcode = opcode;
  result.modifiers = modifiers;
  const std::string text = exec::test::instruction_of(row.name, modifiers);
  bool writes = row.writes_first();
  for (std::size_t at = text.find(' '); at < text.size(); ++at) {
    const char c = text[at];
    if (c == ',') writes = false;
    if (c == '%') {
      const char letter = text[++at];
      const unsigned bits = letter == 'p' ? 1 : letter == 'h' ? 16 : letter == 'r' ? 32 : letter == 'd' ? 64 : 0;
      if (bits == 0) throw std::runtime_error(fmt::format("{}: no register %{}", text, letter));
      if (writes) {
        result.writes.push_back({bits, 0});
      } else {
        result.reads.push_back({Operand::Kind::reg, {bits, 0}, text[at - 2] == '!', 0, {}});
      }
      while (at + 1 < text.size() && std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0) ++at;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      result.reads.push_back({Operand::Kind::integer, {32, 0}, false, 5, {}});
    }
  }
  return result;
}

bool is_approximate(const Instruction& instruction) {
  return instruction.has("approx") || instruction.has("full");
}

const ArithmeticForms& arithmetic_forms() {
  static const ArithmeticForms forms = [] {
    ArithmeticForms all;
    for (const ptx::OpcodeRow& row : ptx::opcode_table) {
      if (row.subject != OpcodeClass::arithmetic) continue;
      for (std::uint64_t n = 0; n < ptx::form_count(row.opcode); ++n) {
        const Modifiers modifiers = ptx::form(row.opcode, n);
        if (!why_never(row.opcode, modifiers).empty()) continue;
        Instruction one = instruction_of_form(row.opcode, modifiers);
        (is_approximate(one) ? all.other : all.exact).push_back(std::move(one));
      }
    }
    return all;
  }();
  return forms;
}

std::string_view type_of_read(const Instruction& instruction, std::size_t number) {
  const auto types = types_of(instruction.modifiers);
  if (types.empty()) return "b32";
  const unsigned bits = instruction.reads[number].reg.bits;
  if (bits == 1) return "pred";
  std::string_view type = types.back();
  if (instruction.opcode == Opcode::slct && number < 2) type = types.front();
  // Amounts of shifts and fields have 32 bits, sums of .wide twice those of the factors.
  const unsigned width = width_of(type);
  return bits == std::max(width, 16u) ? type : bits == 32 ? "u32" : type[0] == 's' ? "s64" : "u64";
}

}  // namespace lockstep::differential
