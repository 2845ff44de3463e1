#include "tests/differential/print_instruction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/differential/forms.hpp"
#include "tests/differential/types.hpp"

namespace lockstep::differential {

namespace {

using ptx::Opcode;

/// One value of an access: a register, or a list of them for a vector.
std::string printed_value(const std::vector<std::string>& elements) {
  return elements.size() == 1 ? elements[0] : fmt::format("{{{}}}", fmt::join(elements, ", "));
}

std::string hint_of(const Instruction& instruction) {
  return instruction.has("L2::cache_hint") ? ", %a10" : "";
}

/// 128 bits lie in two registers, and are packed around the instruction.
std::string printed_access_128(const Instruction& instruction, const std::string& address) {
  std::string before, after, values;
  for (std::size_t i = 0; i + 1 < instruction.reads.size(); i += 2) {
    before += fmt::format("mov.b128 %q{}, {{{}, {}}}; ", i / 2 + 1, printed(instruction.reads[i]),
                          printed(instruction.reads[i + 1]));
    values += fmt::format(", %q{}", i / 2 + 1);
  }
  if (!instruction.writes.empty()) {
    after = fmt::format(" mov.b128 {{{}, {}}}, %q0;", name_of(instruction.writes[0]), name_of(instruction.writes[1]));
  }
  return fmt::format("{}{} {}{}{}{};{}", before, form_text(instruction), instruction.writes.empty() ? "" : "%q0, ",
                     address, values, hint_of(instruction), after);
}

}  // namespace

std::string name_of(Register reg) {
  return fmt::format("%{}{}", reg.bits == 1 ? 'p' : reg.bits == 16 ? 'h' : reg.bits == 32 ? 'r' : 'd', reg.number);
}

std::string printed(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::reg: return (operand.negated ? "!" : "") + name_of(operand.reg);
    case Operand::Kind::integer: return fmt::format("{:#x}", operand.value);
    case Operand::Kind::special: return fmt::format("%{}", operand.special);
    default:
      return operand.reg.bits == 32 ? fmt::format("0f{:08X}", operand.value) : fmt::format("0d{:016X}", operand.value);
  }
}

std::string form_text(const Instruction& instruction) {
  const std::string name = name_of_form(instruction.opcode, instruction.modifiers);
  return instruction.guard ? fmt::format("@{} {}", printed(*instruction.guard), name) : name;
}

std::string printed(const Instruction& instruction) {
  std::vector<std::string> operands, writes;
  for (const Register reg : instruction.writes) writes.push_back(name_of(reg));
  operands.push_back(fmt::format("{}", fmt::join(writes, "|")));
  for (const Operand& operand : instruction.reads) operands.push_back(printed(operand));
  return fmt::format("{} {};", form_text(instruction), fmt::join(operands, ", "));
}

std::string printed_access(const Instruction& instruction, const std::string& address) {
  const Opcode opcode = instruction.opcode;
  const std::string inner = address.substr(1, address.size() - 2);
  if (opcode == Opcode::isspacep) {
    return fmt::format("{} {}, {};", form_text(instruction), name_of(instruction.writes[0]), inner);
  }
  if (opcode == Opcode::prefetch || opcode == Opcode::prefetchu) {
    return fmt::format("{} {};", form_text(instruction), address);
  }
  if (opcode == Opcode::applypriority) return fmt::format("{} {}, 128;", form_text(instruction), address);
  if (instruction.has("b128")) return printed_access_128(instruction, address);
  std::vector<std::string> written, all;
  for (const Register reg : instruction.writes) written.push_back(name_of(reg));
  if (opcode == Opcode::atom && written.empty()) written.emplace_back("_");
  if (!written.empty()) all.push_back(printed_value(written));
  all.push_back(address);
  const std::size_t values = instruction.has("cas") ? 2 : 1, each = instruction.reads.size() / values;
  for (std::size_t v = 0; v < values && each > 0; ++v) {
    std::vector<std::string> elements;
    for (std::size_t i = 0; i < each; ++i) elements.push_back(printed(instruction.reads[v * each + i]));
    all.push_back(printed_value(elements));
  }
  return fmt::format("{} {}{};", form_text(instruction), fmt::join(all, ", "), hint_of(instruction));
}

unsigned moved_bytes(const Instruction& instruction) {
  const std::size_t elements = std::max(instruction.writes.size(), instruction.reads.size());
  return static_cast<unsigned>(elements) * width_of(types_of(instruction.modifiers).back()) / 8;
}

bool is_query(Opcode opcode) {
  return opcode == Opcode::txq || opcode == Opcode::suq;
}

std::string printed_image_access(const ImageAccess& access, const Image& image) {
  const Instruction& one = access.instruction;
  const std::string name = fmt::format("{}", form_text(one));
  if (is_query(one.opcode)) {
    return fmt::format("{} {}, [%i{}]{};", name, name_of(one.writes[0]), access.image, one.has("level") ? ", %x3" : "");
  }
  const unsigned dimensions = image.texture.dimensions();
  const auto vector = [](std::vector<std::string> elements) {
    if (elements.size() == 3) elements.push_back(elements.back());
    return fmt::format("{{{}}}", fmt::join(elements, ", "));
  };
  std::vector<std::string> coordinates;
  if (image.texture.layers != 0) coordinates.emplace_back("%x2");
  for (unsigned d = 0; d < dimensions; ++d) coordinates.push_back(fmt::format("%x{}", d));
  const std::string place = fmt::format("[%i{}, {}]", access.image, vector(coordinates));
  std::vector<std::string> values;
  for (const Register reg : one.writes) values.push_back(name_of(reg));
  for (const Operand& operand : one.reads) values.push_back(printed(operand));
  if (one.opcode == Opcode::sust) return fmt::format("{} {}, {{{}}};", name, place, fmt::join(values, ", "));
  if (one.opcode == Opcode::suld) return fmt::format("{} {{{}}}, {};", name, fmt::join(values, ", "), place);
  std::string tail;
  if (one.has("level")) tail += ", %x3";
  if (one.has("grad")) {
    const std::string gradient = vector(std::vector<std::string>(dimensions, "%x3"));
    tail += fmt::format(", {0}, {0}", gradient);
  }
  if (access.offset) {
    std::vector<std::string> texels;
    for (unsigned d = 0; d < dimensions; ++d) texels.push_back(std::to_string((*access.offset)[d]));
    tail += ", " + vector(texels);
  }
  const std::string resident = values.size() > 4 ? "|" + values[4] : "";
  values.resize(4);
  return fmt::format("{} {{{}}}{}, {}{};", name, fmt::join(values, ", "), resident, place, tail);
}

std::string printed_exchange(const Exchange& exchange, std::string_view lane) {
  const Instruction& one = exchange.instruction;
  std::vector<std::string> writes, all;
  for (const Register reg : one.writes) writes.push_back(name_of(reg));
  all.push_back(fmt::format("{}", fmt::join(writes, "|")));
  for (std::size_t i = 0; i < one.reads.size(); ++i) {
    all.push_back(i == 1 && !lane.empty() ? std::string(lane) : printed(one.reads[i]));
  }
  all.push_back(fmt::format("%m{}", exchange.mask));
  return fmt::format("{} {};", form_text(one), fmt::join(all, ", "));
}

std::string printed_barrier(const Barrier& barrier, unsigned threads) {
  const Instruction& one = barrier.instruction;
  if (one.has("warp")) return fmt::format("{} %m{};", form_text(one), barrier.mask);
  std::vector<std::string> all;
  for (const Register reg : one.writes) all.push_back(name_of(reg));
  all.push_back(std::to_string(barrier.number));
  if (barrier.counted) all.push_back(std::to_string(threads));
  for (const Operand& operand : one.reads) all.push_back(printed(operand));
  return fmt::format("{} {};", form_text(one), fmt::join(all, ", "));
}

std::string printed_no_effect(const NoEffect& statement) {
  const Instruction& one = statement.instruction;
  const std::string text = form_text(one);
  switch (one.opcode) {
    case Opcode::createpolicy:
      // CUDA's access property "normal".
      if (one.has("cvt")) return "mov.b64 %a9, 0x10f0000000000000; " + text + " %a9, %a9;";
      return text + (one.has("range") ? " %a9, [%a0], 64, 128;" : " %a9, 0f3F000000;");
    case Opcode::nanosleep: return text + " 20;";
    case Opcode::pmevent: return text + " 1;";
    default: return text + ";";
  }
}

std::string_view plain_space_of(Area area) {
  switch (area) {
    case Area::constants: return "const";
    case Area::parameters: return "param";
    case Area::scratchpad:
    case Area::shared_counters: return "shared";
    case Area::stack: return "local";
    default: return "global";
  }
}

std::string space_of(const Instruction& instruction, Area area) {
  if (instruction.opcode == Opcode::cp) return std::string(plain_space_of(area));
  if (instruction.opcode == Opcode::isspacep) return "";  // It looks at a generic address.
  const std::string_view plain = plain_space_of(area);
  for (const std::string_view modifier : instruction.modifiers) {
    if (modifier == plain || (modifier.starts_with(plain) && modifier.substr(plain.size()).starts_with("::"))) {
      return std::string(modifier);
    }
  }
  return "";
}

std::string base_of(Area area) {
  switch (area) {
    case Area::input: return "%a0";
    case Area::own: return "%a1";
    case Area::results: return "%a2";
    case Area::counters: return "%a3";
    case Area::constants: return "%a4";
    case Area::scratchpad: return "%a5";
    case Area::shared_counters: return "%a6";
    default: return "%a7";
  }
}

}  // namespace lockstep::differential
