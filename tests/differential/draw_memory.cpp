#include <algorithm>
#include <array>

#include "isa/ptx/opcode_syntax.hpp"
#include "tests/differential/draw.hpp"
#include "tests/differential/print_instruction.hpp"
#include "tests/differential/types.hpp"
#include "tests/differential/values.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

bool has(const Modifiers& modifiers, std::string_view name) {
  return std::find(modifiers.begin(), modifiers.end(), name) != modifiers.end();
}

bool names_space(std::string_view modifier) {
  return modifier == "const" || modifier == "global" || modifier == "local" || modifier.starts_with("shared") ||
         modifier.starts_with("param");
}

bool is_global(Area area) {
  return plain_space_of(area) == "global";
}

/// Whether the form reaches the area. A generic form reaches other memory than global only without what is for global
/// memory alone.
bool reaches(Opcode opcode, const Modifiers& modifiers, Area area) {
  if (has(modifiers, "nc") || opcode == Opcode::ldu) {
    if (area != Area::input) return false;
  }
  if (opcode == Opcode::isspacep) return true;
  if (has(modifiers, "param::func") || (opcode == Opcode::st && has(modifiers, "param"))) return false;  // Of calls.
  const std::string_view space = plain_space_of(area);
  bool is_generic = true, is_plain = true;
  for (const std::string_view modifier : modifiers) {
    if (names_space(modifier)) {
      is_generic = false;
      if (modifier.substr(0, modifier.find(':')) != space) return false;
    } else if (width_of(modifier) == 0 && modifier != "v2" && modifier != "v4" && modifier != "weak") {
      is_plain = false;
    }
  }
  if (!is_generic || is_global(area)) return true;
  if (opcode == Opcode::atom || opcode == Opcode::red) {
    const bool of_global = has(modifiers, "L2::cache_hint") || elements_of(modifiers) > 1 || has(modifiers, "noftz");
    return space == "shared" && !of_global && !(has(modifiers, "b128"));
  }
  return is_plain;
}

bool has_address_only(Opcode opcode) {
  return opcode == Opcode::prefetch || opcode == Opcode::prefetchu || opcode == Opcode::applypriority;
}

}  // namespace

unsigned elements_of(const Modifiers& modifiers) {
  for (const std::string_view modifier : modifiers) {
    if (modifier == "v2" || modifier == "v4" || modifier == "v8") return static_cast<unsigned>(modifier[1] - '0');
  }
  return 1;
}

Block cuts_of(const Instruction& store) {
  Block result;
  const unsigned width = width_of(types_of(store.modifiers).back());
  for (const Operand& operand : store.reads) {
    const std::string_view type = operand.reg.bits == 16 ? "b16" : operand.reg.bits == 32 ? "b32" : "b64";
    if (operand.reg.bits <= width || width == 128) continue;
    const Operand mask{Operand::Kind::integer, {32, 0}, false, (1u << width) - 1, {}};
    result.push_back({Compute{{{Opcode::and_, {type}, {operand.reg}, {operand, mask}, {}}}}});
  }
  return result;
}

Modifiers Draw::form_of(Opcode opcode) {
  const std::uint64_t count = ptx::form_count(opcode);
  while (true) {
    Modifiers modifiers = ptx::form(opcode, random_.next() % count);
    if (why_never(opcode, modifiers).empty()) return modifiers;
  }
}

Access Draw::access_of(Opcode opcode, Area area, const Context& context) {
  Access result;
  Instruction& one = result.instruction;
  one.opcode = opcode;
  do {
    one.modifiers = form_of(opcode);
  } while (!reaches(opcode, one.modifiers, area));
  result.place.area = area;
  result.place.first = below(256);
  if (area != Area::parameters && chance(2)) result.place.index = reg(32, context);
  if (opcode == Opcode::isspacep || has_address_only(opcode)) {
    if (opcode == Opcode::isspacep) {
      one.writes = {reg(1, context)};
    }
    result.place.bytes = opcode == Opcode::applypriority ? 128 : 4;
    return result;
  }
  const std::string_view type = types_of(one.modifiers).back();
  const unsigned width = width_of(type), count = elements_of(one.modifiers);
  result.place.bytes = width / 8 * count;
  // 128 bits are two registers; integers of less than 32 may lie in wider ones.
  const bool may_widen = (opcode == Opcode::ld || opcode == Opcode::st) && width < 32 && chance(3);
  const unsigned bits = may_widen ? (chance(2) ? 32 : 64) : std::clamp(width, 16u, 64u);
  const unsigned each = width == 128 ? 2 : count;
  const bool loads = opcode == Opcode::ld || opcode == Opcode::ldu || opcode == Opcode::atom;
  if (loads) {
    const unsigned registers = context.registers->of(bits), start = below(registers);
    for (unsigned i = 0; i < each; ++i) one.writes.push_back({bits, (start + i) % registers});
  }
  unsigned values = opcode == Opcode::ld || opcode == Opcode::ldu ? 0 : one.has("cas") ? 2 : 1;
  for (unsigned i = 0; i < values * each; ++i)
    one.reads.push_back({Operand::Kind::reg, reg(bits, context), false, 0, {}});
  return result;
}

Statement Draw::store(Area area, const Context& context) {
  Access one = access_of(Opcode::st, area, context);
  Block result = cuts_of(one.instruction);
  result.push_back({one});
  return {Group{std::move(result)}};
}

Statement Draw::access(const Context& context) {
  constexpr auto readable =
      std::to_array({Area::input, Area::own, Area::constants, Area::parameters, Area::scratchpad, Area::stack});
  constexpr auto writable = std::to_array({Area::own, Area::scratchpad, Area::stack});
  switch (below(12)) {
    case 0: return {access_of(Opcode::ldu, Area::input, context)};
    case 1:
    case 2:
    case 3:
    case 4: return {access_of(Opcode::ld, readable[below(readable.size())], context)};
    case 5:
    case 6: return store(writable[below(writable.size())], context);
    case 7:
    case 8: return {access_of(Opcode::atom, writable[below(2)], context)};
    case 9: return {access_of(Opcode::red, writable[below(2)], context)};
    case 10: return {access_of(Opcode::isspacep, readable[below(readable.size())], context)};
    default: break;
  }
  const Opcode opcode = chance(3) ? Opcode::prefetch : chance(2) ? Opcode::prefetchu : Opcode::applypriority;
  return {access_of(opcode, opcode == Opcode::prefetch && chance(3) ? Area::stack : Area::input, context)};
}

Statement Draw::load_input(Register into) {
  Access load;
  load.instruction = {Opcode::ld,
                      {"global", into.bits == 16   ? "b16"
                                 : into.bits == 32 ? "b32"
                                                   : "b64"},
                      {into},
                      {},
                      {}};
  load.place = {Area::input, Register{32, below(kernel_registers.words)}, below(256), into.bits / 8, 0};
  return {load};
}

std::optional<Access> Draw::counting(Area area, unsigned slot, const Context& context) {
  Access one;
  const Opcode opcode = chance(2) ? Opcode::atom : Opcode::red;
  // Vectors and halves take no literals.
  do {
    one = access_of(opcode, area, context);
  } while (elements_of(one.instruction.modifiers) > 1 || one.place.bytes < 4 || one.place.bytes > 8 ||
           is_pair(types_of(one.instruction.modifiers).back()));
  Instruction& instruction = one.instruction;
  instruction.writes.clear();
  one.place.index.reset();
  one.place.first = slot * (8 / one.place.bytes);
  const std::string_view type = types_of(instruction.modifiers).back();
  const bool commutes = !is_float(type) && (has(instruction.modifiers, "add") || has(instruction.modifiers, "min") ||
                                            has(instruction.modifiers, "max") || has(instruction.modifiers, "and") ||
                                            has(instruction.modifiers, "or") || has(instruction.modifiers, "xor"));
  if (commutes && chance(2)) return one;
  for (Operand& operand : instruction.reads) {  // The same for all threads.
    operand.kind = is_float(type) ? Operand::Kind::real : Operand::Kind::integer;
    operand.value = draw_value(random_, operand.reg.bits);
  }
  return one;
}

std::optional<Statement> Draw::count(const Context& context) {
  const bool shared = context.is_uniform && chance(2);
  const Area area = shared ? Area::shared_counters : Area::counters;
  unsigned& used = shared ? shared_counters_ : counters_;
  if (used * 8 >= bytes_of(area)) return std::nullopt;
  const auto atomic = counting(area, used++, context);
  if (!shared) return Statement{*atomic};
  Access load;
  const bool wide = atomic->place.bytes == 8;
  load.instruction = {Opcode::ld, {"shared", wide ? "b64" : "b32"}, {reg(wide ? 64 : 32, context)}, {}, {}};
  load.place = atomic->place;
  return Statement{Group{{Statement{*atomic}, barrier_here(context), Statement{load}, barrier_here(context)}}};
}

Statement Draw::neighbour(const Context& context) {
  const Statement stored = store(Area::scratchpad, context);
  Access load = access_of(Opcode::ld, Area::scratchpad, context);
  load.place.neighbour = below(kernel_.threads_per_block());
  return {Group{{stored, barrier_here(context), Statement{load}, barrier_here(context)}}};
}

std::optional<Statement> Draw::copy(const Context& context) {
  Copy result;
  result.instruction.opcode = Opcode::cp;
  do {
    result.instruction.modifiers = form_of(Opcode::cp);
  } while (!has(result.instruction.modifiers, "global"));
  const unsigned bytes = has(result.instruction.modifiers, "cg") ? 16 : 4u << below(3);
  result.from = {Area::input, reg(32, context), below(256), bytes, 0};
  result.to = {Area::scratchpad, std::nullopt, below(8), bytes, 0};
  result.grouped = chance(2);
  return Statement{result};
}

}  // namespace lockstep::differential
