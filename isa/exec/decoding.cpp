#include "isa/exec/decoding.hpp"
#include "isa/exec/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "isa/error.hpp"

namespace lockstep::exec {

namespace {

using Kind = ptx::Operand::Kind;

std::uint64_t address_of_symbol(const void* owner, const std::string& symbol) {
  return static_cast<const Decoding*>(owner)->place(symbol).address;
}

}  // namespace

Decoding::Decoding(Kernel& to, const VariablePlaces& variable_places, std::uint32_t function_index)
    : kernel(to),
      places(variable_places),
      function_number(function_index),
      function(*to.program.functions[function_index]),
      layout(to.functions[function_index].layout) {}

void Decoding::begin(const ptx::Instruction& next, std::uint32_t next_number) {
  instruction = &next;
  number = next_number;
  op = Op{};
  op.instruction = number;
  op.guard = layout.of_constant(1, 1);
  if (next.guard != ptx::no_index) {
    if (register_width(next.guard) != 1)
      fail(fmt::format("the guard {} is not a predicate", function.registers[next.guard].name));
    op.guard = layout.of_register(next.guard);
    op.guard_flip = next.guard_negated ? ~LaneMask{0} : 0;
  }
}

void Decoding::fail(const std::string& message) const {
  throw InputError({kernel.module->file, instruction->line, instruction->column},
                   fmt::format("{}: {}", instruction->mnemonic(), message));
}

void Decoding::expect_operands(std::size_t least, std::size_t most) const {
  const std::size_t found = instruction->operands.size();
  if (found >= least && found <= most) return;
  fail(least == most ? fmt::format("takes {} operands, not {}", least, found)
                     : fmt::format("takes {} to {} operands, not {}", least, most, found));
}

unsigned Decoding::register_width(ptx::RegisterId id) const {
  return ptx::bits_of(function.registers[id].type);
}

std::uint64_t Decoding::literal_bits(const ptx::Operand& operand, unsigned width) const {
  if (operand.kind == Kind::integer) return operand.bits;
  if (width == 64) return operand.bits;
  if (width != 32) fail(fmt::format("a floating-point literal cannot be a value of {} bits", width));
  double wide;
  std::memcpy(&wide, &operand.bits, sizeof wide);
  const auto narrow = static_cast<float>(wide);
  std::uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  return bits;
}

PlaneOffset Decoding::source(const ptx::Operand& operand, unsigned width, bool any_width) {
  switch (operand.kind) {
    case Kind::reg: {
      const unsigned found = register_width(operand.index);
      if (operand.negated)
        fail(fmt::format("'!' before {} is only for predicates", function.registers[operand.index].name));
      if (found != width && !(any_width && found > width) && !(found <= 16 && width <= 16 && found > 1)) {
        fail(fmt::format("the register {} has {} bits, but {} are needed", function.registers[operand.index].name,
                         found, width));
      }
      return layout.of_register(operand.index);
    }
    case Kind::integer:
    case Kind::real: return layout.of_constant(literal_bits(operand, width), width);
    case Kind::special: {
      if (operand.special == ptx::SpecialRegister::unmodelled) {
        fail(fmt::format("the special register %{} is not supported", operand.symbol));
      }
      const bool wide =
          operand.special == ptx::SpecialRegister::clock64 || operand.special == ptx::SpecialRegister::globaltimer;
      if (width != (wide ? 64u : 32u)) {
        fail(fmt::format("%{} has {} bits, but {} are needed", ptx::name_of(operand.special), wide ? 64 : 32, width));
      }
      return layout.of_special(operand.special);
    }
    case Kind::symbol:
      return layout.of_constant(place(operand.symbol).address + static_cast<std::uint64_t>(operand.offset), width);
    default: fail("this kind of operand cannot be a source here");
  }
}

PlaneOffset Decoding::destination(const ptx::Operand& operand, unsigned width, bool may_be_sink) {
  if (operand.kind == Kind::sink && may_be_sink) return no_plane;
  if (operand.kind != Kind::reg) fail("the destination must be a register");
  const unsigned found = register_width(operand.index);
  if (found != width && !(found <= 16 && width <= 16 && found > 1)) {
    fail(fmt::format("the destination {} has {} bits, but {} are needed", function.registers[operand.index].name, found,
                     width));
  }
  return layout.of_register(operand.index);
}

PlaneOffset Decoding::predicate_source(const ptx::Operand& operand, LaneMask& flip) {
  flip = 0;
  if (operand.kind == Kind::integer) return layout.of_constant(operand.bits != 0 ? 1 : 0, 1);
  if (operand.kind != Kind::reg || register_width(operand.index) != 1) fail("a predicate is needed here");
  if (operand.negated) flip = ~LaneMask{0};
  return layout.of_register(operand.index);
}

Place Decoding::place(const std::string& symbol) const {
  const auto& mine = places.of_function[function_number];
  if (const auto at = mine.find(symbol); at != mine.end()) return at->second;
  if (const auto at = places.of_module.find(symbol); at != places.of_module.end()) return at->second;
  if (const ptx::Variable* variable = kernel.module->find_variable(symbol); variable != nullptr) {
    if (variable->is_extern) fail(fmt::format("the variable '{}' is extern and defined nowhere", symbol));
  }
  if (kernel.module->find_function(symbol) != nullptr)
    fail(fmt::format("the address of the function '{}' is not supported", symbol));
  fail(fmt::format("there is no variable '{}'", symbol));
}

void Decoding::address(const ptx::Operand& operand, MemoryAccess& access) {
  if (operand.kind != Kind::address) fail("an address in [ ] is needed here");
  if (!operand.elements.empty()) fail("an address of several parts is not supported here");
  access.offset = static_cast<std::uint64_t>(operand.offset);
  if (operand.index != ptx::no_index) {
    access.base_width = static_cast<std::uint8_t>(register_width(operand.index));
    if (access.base_width != 32 && access.base_width != 64) {
      fail(fmt::format("the address register {} must have 32 or 64 bits", function.registers[operand.index].name));
    }
    access.base = layout.of_register(operand.index);
  }
  if (operand.symbol.empty()) {
    // A param address in a register, in a device function, is that of one of its own param variables.
    if (access.space == ptx::Space::param && !function.is_entry) access.space = ptx::Space::local;
    return;
  }
  const Place found = place(operand.symbol);
  access.offset += found.address;
  if (access.space == found.space) return;
  if (access.space == ptx::Space::param && found.space == ptx::Space::local) {
    access.space = ptx::Space::local;
    return;
  }
  // A variable named in a generic access stands for its address in its own space (PTX ISA 6.4.1).
  if (access.space == ptx::Space::generic) {
    access.space = found.space;
    return;
  }
  fail(fmt::format("the variable '{}' is in the {} space, the instruction names the {} space", operand.symbol,
                   ptx::name_of(found.space), ptx::name_of(access.space)));
}

Modifiers::Modifiers(const Decoding& decoding)
    : decoding_(decoding), left_(decoding.instruction->modifiers.begin(), decoding.instruction->modifiers.end()) {}

bool Modifiers::take(std::string_view name) {
  const auto at = std::find(left_.begin(), left_.end(), name);
  if (at == left_.end()) return false;
  left_.erase(at);
  return true;
}

std::string_view Modifiers::take_any(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (take(name)) return name;
  }
  return {};
}

ptx::Type Modifiers::take_type() {
  for (auto at = left_.end(); at != left_.begin();) {
    --at;
    const ptx::Type type = ptx::type_named(*at);
    if (type == ptx::Type::none) continue;
    left_.erase(at);
    return type;
  }
  return ptx::Type::none;
}

void Modifiers::skip_ordering_and_cache() {
  static constexpr std::string_view names[] = {
      "weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "cta", "cluster", "gpu",
      "sys",  "ca",       "cg",      "cs",      "lu",      "cv",      "wb", "wt",   "nc",  "unified"};
  const auto skipped = [](std::string_view modifier) {
    return std::find(std::begin(names), std::end(names), modifier) != std::end(names) ||
           modifier.rfind("L1::", 0) == 0 || modifier.rfind("L2::", 0) == 0;
  };
  left_.erase(std::remove_if(left_.begin(), left_.end(), skipped), left_.end());
}

ptx::Space Modifiers::take_space() {
  if (!take_any({"shared", "shared::cta", "shared::cluster"}).empty()) return ptx::Space::shared;
  if (take("global")) return ptx::Space::global;
  if (!take_any({"param", "param::entry", "param::func"}).empty()) return ptx::Space::param;
  if (take("local")) return ptx::Space::local;
  for (auto at = left_.begin(); at != left_.end(); ++at) {
    if (*at == "const" || at->rfind("const[", 0) == 0) {
      left_.erase(at);
      return ptx::Space::constant;
    }
  }
  return ptx::Space::generic;
}

void Modifiers::finish() const {
  if (!left_.empty()) decoding_.fail(fmt::format("the modifier '.{}' is not supported here", left_.front()));
}

namespace {

bool reads_clock(const ptx::Operand& operand) {
  if (operand.kind == Kind::special) {
    switch (operand.special) {
      case ptx::SpecialRegister::clock:
      case ptx::SpecialRegister::clock_hi:
      case ptx::SpecialRegister::clock64:
      case ptx::SpecialRegister::globaltimer:
      case ptx::SpecialRegister::globaltimer_lo:
      case ptx::SpecialRegister::globaltimer_hi: return true;
      default: return false;
    }
  }
  return std::any_of(operand.elements.begin(), operand.elements.end(), reads_clock);
}

void decode_instruction(Decoding& decoding) {
  DecodeContext context{*decoding.kernel.module, decoding.function, decoding.layout, address_of_symbol, &decoding};
  if (decode_arithmetic(context, *decoding.instruction, decoding.op.arithmetic)) return;
  using Decode = bool (*)(Decoding&);
  static constexpr Decode subjects[] = {decode_load_store, decode_address, decode_texture,
                                        decode_surface,    decode_atomic,  decode_exchange,
                                        decode_barrier,    decode_control, decode_without_effect};
  for (const Decode subject : subjects) {
    if (subject(decoding)) return;
  }
  decoding.fail("this instruction is not supported");
}

}  // namespace

void decode_kernel(Kernel& kernel, const VariablePlaces& places, const std::vector<bool>& records) {
  const ptx::Program& program = kernel.program;
  for (const ptx::Function* function : program.functions) {
    kernel.functions.push_back({FrameLayout(*function), 0, 0});
    kernel.functions.back().register_bytes = kernel.functions.back().layout.bytes();
  }
  kernel.blocks.resize(program.blocks.size());
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const ptx::BasicBlock& from = program.blocks[b];
    Block& block = kernel.blocks[b];
    Decoding decoding(kernel, places, from.function);
    block.first_op = static_cast<std::uint32_t>(kernel.ops.size());
    block.first_instruction = from.first;
    block.instructions = from.count;
    block.reconvergence = from.reconvergence;
    for (std::uint32_t n = from.first; n < from.first + from.count; ++n) {
      const ptx::Instruction& instruction = program.instruction(n);
      decoding.begin(instruction, n);
      if (std::any_of(instruction.operands.begin(), instruction.operands.end(), reads_clock)) {
        Op refresh = decoding.op;
        refresh.step = refresh_clock;
        refresh.arithmetic.control = from.function;
        kernel.ops.push_back(refresh);
      }
      decoding.op.records = records[n];
      decode_instruction(decoding);
      const bool is_barrier = instruction.opcode == "bar" || instruction.opcode == "barrier";
      if (decoding.op.records && decoding.op.memory == nullptr && !is_barrier) {
        throw Bug(fmt::format("{} is a memory access in the trace, but not for the functional machine",
                              instruction.mnemonic()));
      }
      kernel.ops.push_back(decoding.op);
    }
    block.end_op = static_cast<std::uint32_t>(kernel.ops.size());
  }
  for (FunctionFrame& function : kernel.functions) {
    function.offset = kernel.frame_bytes;
    kernel.frame_bytes += function.layout.bytes();
  }
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    kernel.blocks[b].frame = kernel.functions[program.blocks[b].function].offset;
  }
}

}  // namespace lockstep::exec
