#include "isa/machine/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

Emitter::Emitter(const program::Kernel& kernel, const Selection& selection, const Addresses& addresses,
                 Program& program, bool of_machine_code)
    : kernel_(kernel),
      selection_(selection),
      addresses_(addresses),
      program_(program),
      of_machine_code_(of_machine_code) {
  program_.kernel = &kernel;
  program_.register_bits = kernel.register_bits;
  program_.register_bits.resize(kernel.register_bits.size() + temporary_count, 32);
}

bool Emitter::has(std::string_view modifier) const {
  const Mnemonic m(mnemonic());
  if (!of_machine_code_) return m.has(modifier);
  const auto in_small_letters = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::any_of(m.parts.begin(), m.parts.end(), [&](std::string_view part) {
    return std::equal(part.begin(), part.end(), modifier.begin(), modifier.end(),
                      [&](char a, char b) { return in_small_letters(a) == b; });
  });
}

bool Emitter::has_read_result() const {
  const auto& destinations = current().destinations;
  if (of_machine_code_) return !destinations.empty();
  return std::any_of(destinations.begin(), destinations.end(), [&](std::uint32_t d) { return selection_.read[d]; });
}

std::optional<std::uint64_t> Emitter::literal(const program::SourceOperand& operand) const {
  if (operand.kind == program::SourceOperand::Kind::literal) return operand.value;
  if (operand.kind == program::SourceOperand::Kind::reg) return selection_.literals[operand.value];
  return {};
}

InputError Emitter::refusal(std::string_view why) const {
  const program::StaticInstruction& s = current();
  return InputError(SourceLocation{kernel_.strings[s.source_file], static_cast<int>(s.source_line), 0},
                    fmt::format("kernel {}: {}", kernel_.name, why));
}

std::uint16_t Emitter::temporary() {
  return static_cast<std::uint16_t>(kernel_.register_bits.size() + next_temporary_++ % temporary_count);
}

/// As an H200's counter of scratchpad wavefronts counts them in kernels of a few instructions: S2R of a thread's or lane's number
/// and SHFL once (rows of the lowering tables say it of opcodes), MEMBAR twice; votes, matches, reductions, clocks and what
/// is the same in a thread block never.
std::uint8_t Emitter::data_stage_uses(Operation operation) const {
  const program::StaticInstruction& s = current();
  switch (operation) {
    case Operation::fence: return 2;
    case Operation::special_register: {
      if (s.access != program::AccessKind::none) return 1;  // The lane's number, for an atomic of a whole warp.
      if (!s.reads_special_register) return 0;
      const bool of_block = !s.operands.empty() && s.operands[0].kind != program::SourceOperand::Kind::other;
      return s.reads_clock || of_block ? 0 : 1;
    }
    default: return 0;
  }
}

Instruction Emitter::make(Operation operation) const {
  Instruction i;
  i.operation = operation;
  i.static_index = current_;
  i.data_stage_uses = data_stage_uses(operation);
  return i;
}

Instruction Emitter::access(Operation operation) const {
  const program::StaticInstruction& s = current();
  Instruction i = make(operation);
  i.takes_access = true;
  i.cache_operator = cache_operator();
  i.space = s.space;
  i.element_bytes = s.element_bytes;
  i.vector_elements = s.vector_elements;
  i.matrix_rows = reaches_matrix_rows();
  const Addresses::Address address = addresses_.of(current_);
  if (std::abs(address.offset) < std::numeric_limits<std::int32_t>::max() / 2) {
    i.address_root = address.root;
    i.address_offset = static_cast<std::int32_t>(address.offset);
  }
  return i;
}

bool Emitter::reaches_matrix_rows() const {
  const std::optional<ptx::Opcode> opcode = of_machine_code_ ? std::nullopt : Mnemonic(mnemonic()).opcode;
  if (!opcode) return false;
  const ptx::OpcodeRow& row = ptx::row_of(*opcode);
  return row.subject == ptx::OpcodeClass::matrix && row.traits.access != program::AccessKind::none;
}

/// The caching that the modifiers of a load or store ask for.
CacheOperator Emitter::cache_operator() const {
  if (of_machine_code_) return cache_operator_of_machine_code();
  const Mnemonic m(mnemonic());
  if (m.has("nc")) return m.has("L1::no_allocate") ? CacheOperator::no_allocate : CacheOperator::read_only;
  if (m.has("cv") || m.has("wt") || m.has("volatile") || m.has("mmio")) return CacheOperator::refetch;
  if (m.has("cg")) return CacheOperator::second_level;
  const bool ordered = m.has("relaxed") || m.has("acquire") || m.has("release");
  if (ordered && !m.has("cta")) return CacheOperator::second_level;
  if (m.has("lu")) return CacheOperator::last_use;
  if (m.has("cs") || m.has("L1::evict_first")) return CacheOperator::streaming;
  if (m.has("L1::no_allocate")) return CacheOperator::no_allocate;
  return CacheOperator::normal;
}

/// The same in SASS: .CONSTANT and .CI are ld.nc, .STRONG.GPU and .STRONG.SYS are ordered beyond the thread block, .BYPASS
/// is cp.async.cg.
CacheOperator Emitter::cache_operator_of_machine_code() const {
  if (has("constant") || has("ci")) return has("na") ? CacheOperator::no_allocate : CacheOperator::read_only;
  if (has("cv") || has("wt")) return CacheOperator::refetch;
  if (has("cg") || has("bypass") || (has("strong") && !has("sm") && !has("cta"))) return CacheOperator::second_level;
  if (has("lu")) return CacheOperator::last_use;
  if (has("cs") || has("ef")) return CacheOperator::streaming;
  return has("na") ? CacheOperator::no_allocate : CacheOperator::normal;
}

void Emitter::read(Instruction& i, std::uint32_t reg) const {
  for (const std::uint32_t name : selection_.names[reg]) {
    const std::uint16_t *first = i.sources, *end = first + i.source_count;
    if (i.source_count == max_sources || std::find(first, end, name) != end) continue;
    i.sources[i.source_count++] = static_cast<std::uint16_t>(name);
  }
}

void Emitter::read_all(Instruction& i) const {
  for (const std::uint32_t reg : selected().sources) read(i, reg);
}

void Emitter::write_all(Instruction& i) const {
  for (const std::uint32_t reg : current().destinations)
    if (i.destination_count < max_destinations) write(i, static_cast<std::uint16_t>(reg));
}

void Emitter::link(Instruction& i, std::uint16_t result) {
  if (i.source_count == max_sources) throw Bug("lowering: an operation has more sources than a machine instruction");
  i.sources[i.source_count++] = result;
}

void Emitter::write(Instruction& i, std::uint16_t entry) {
  i.destinations[i.destination_count++] = entry;
}

/// The guard is that of the first operation of a chain: the others wait for its result. A predicate has one name, or none
/// when it is constant.
void Emitter::emit_bare(Operation operation, std::uint32_t count) {
  for (; count > 0; --count) emit(make(operation));
}

void Emitter::emit(Instruction i) {
  const std::uint32_t guard = kernel_.instructions[i.static_index].guard;
  if (guard != program::no_register)
    for (const std::uint32_t name : selection_.names[guard])
      if (std::find(i.sources, i.sources + i.source_count, name) != i.sources + i.source_count)
        i.guard = static_cast<std::uint16_t>(name);
  program_.instructions.push_back(i);
}

}  // namespace lockstep::machine
