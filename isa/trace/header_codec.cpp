#include "isa/trace/header_codec.hpp"

namespace lockstep::trace {

namespace {

/// From which on a header has the control flow of its kernels and the offsets of addresses.
constexpr std::uint32_t first_version_with_flow = 4;
/// From which on it says which loops are not to be unrolled.
constexpr std::uint32_t first_version_with_nounroll = 5;
/// From which on it says where functions were inlined.
constexpr std::uint32_t first_version_with_calls = 6;
/// Which instructions have rare operands.
constexpr std::uint32_t first_version_with_rare_operands = 7;
/// What calls call.
constexpr std::uint32_t first_version_with_callees = 8;

void encode_numbers(const std::vector<std::uint32_t>& numbers, ByteWriter& out) {
  out.varint(numbers.size());
  for (const std::uint32_t number : numbers) out.u32(number);
}

std::vector<std::uint32_t> decode_numbers(ByteReader& in) {
  std::vector<std::uint32_t> numbers(in.count(4));
  for (std::uint32_t& number : numbers) number = in.u32();
  return numbers;
}

constexpr std::size_t operand_bytes = 1 + 8;

void encode_operands(const std::vector<program::SourceOperand>& operands, ByteWriter& out) {
  out.varint(operands.size());
  for (const program::SourceOperand& operand : operands) {
    out.u8(static_cast<std::uint8_t>(operand.kind));
    out.u64(operand.value);
    if (operand.kind == program::SourceOperand::Kind::variable) out.u64(operand.offset);
  }
}

std::vector<program::SourceOperand> decode_operands(ByteReader& in, std::uint32_t version) {
  std::vector<program::SourceOperand> operands(in.count(operand_bytes));
  for (program::SourceOperand& operand : operands) {
    operand.kind = static_cast<program::SourceOperand::Kind>(in.u8());
    operand.value = in.u64();
    if (version >= first_version_with_flow && operand.kind == program::SourceOperand::Kind::variable)
      operand.offset = in.u64();
  }
  return operands;
}

// Flags of an instruction.
constexpr std::uint8_t flag_special_register = 1, flag_clock = 2, flag_immediate = 4, flag_inlined = 8, flag_rare = 16,
                       flag_callees = 32;

void encode_instruction(const program::StaticInstruction& i, ByteWriter& out) {
  out.u32(i.mnemonic);
  out.u8(static_cast<std::uint8_t>(i.control));
  out.u8(static_cast<std::uint8_t>(i.access));
  out.u8(static_cast<std::uint8_t>(i.space));
  out.u8(i.element_bytes);
  out.u8(i.vector_elements);
  out.u8(static_cast<std::uint8_t>((i.reads_special_register ? flag_special_register : 0) |
                                   (i.reads_clock ? flag_clock : 0) | (i.has_immediate ? flag_immediate : 0) |
                                   (i.has_rare_operands ? flag_rare : 0) | (i.call_line != 0 ? flag_inlined : 0) |
                                   (i.callees.empty() ? 0 : flag_callees)));
  out.u8(i.barrier);
  out.u8(i.barrier_arrives_only ? 1 : 0);
  out.u32(i.barrier_threads);
  out.u32(i.guard);
  encode_numbers(i.destinations, out);
  encode_numbers(i.sources, out);
  encode_operands(i.operands, out);
  out.u32(i.address_register);
  out.u64(static_cast<std::uint64_t>(i.address_offset));
  out.u32(i.source_file);
  out.u32(i.source_line);
  if (i.call_line != 0) {
    out.u32(i.call_file);
    out.u32(i.call_line);
  }
  if (!i.callees.empty()) encode_numbers(i.callees, out);
}

/// Without the offset of its address, which files before version 4 do not have.
constexpr std::size_t min_instruction_bytes = 4 + 6 + 6 + 4 + 1 + 1 + 1 + 12;

program::StaticInstruction decode_instruction(ByteReader& in, std::uint32_t version) {
  program::StaticInstruction i;
  i.mnemonic = in.u32();
  i.control = static_cast<program::Control>(in.u8());
  i.access = static_cast<program::AccessKind>(in.u8());
  i.space = static_cast<program::MemorySpace>(in.u8());
  i.element_bytes = in.u8();
  i.vector_elements = in.u8();
  const std::uint8_t flags = in.u8();
  const std::uint8_t known_flags = flag_special_register | flag_clock | flag_immediate |
                                   (version >= first_version_with_calls ? flag_inlined : 0) |
                                   (version >= first_version_with_rare_operands ? flag_rare : 0) |
                                   (version >= first_version_with_callees ? flag_callees : 0);
  if ((flags & ~known_flags) != 0) throw MalformedBytes{"unknown instruction flags"};
  i.reads_special_register = (flags & flag_special_register) != 0;
  i.reads_clock = (flags & flag_clock) != 0;
  i.has_immediate = (flags & flag_immediate) != 0;
  i.has_rare_operands = (flags & flag_rare) != 0;
  i.barrier = in.u8();
  i.barrier_arrives_only = in.u8() != 0;
  i.barrier_threads = static_cast<std::uint16_t>(in.u32());
  i.guard = in.u32();
  i.destinations = decode_numbers(in);
  i.sources = decode_numbers(in);
  i.operands = decode_operands(in, version);
  i.address_register = in.u32();
  if (version >= first_version_with_flow) i.address_offset = static_cast<std::int64_t>(in.u64());
  i.source_file = in.u32();
  i.source_line = in.u32();
  if ((flags & flag_inlined) != 0) {
    i.call_file = in.u32();
    i.call_line = in.u32();
  }
  if ((flags & flag_callees) != 0) i.callees = decode_numbers(in);
  return i;
}

void encode_kernel(const program::Kernel& kernel, ByteWriter& out) {
  out.text(kernel.name);
  out.text(kernel.instruction_set);
  out.varint(kernel.strings.size());
  for (const std::string& string : kernel.strings) out.text(string);
  out.varint(kernel.instructions.size());
  for (const program::StaticInstruction& instruction : kernel.instructions) encode_instruction(instruction, out);
  out.varint(kernel.blocks.size());
  for (const program::StaticBlock& block : kernel.blocks) {
    out.u32(block.first);
    out.u32(block.count);
    encode_numbers(block.successors, out);
    out.u32(block.reconvergence);
    out.u8(block.nounroll ? 1 : 0);
  }
  out.varint(kernel.register_bits.size());
  for (const std::uint8_t bits : kernel.register_bits) out.u8(bits);
  out.u32(kernel.live_registers);
  out.u32(kernel.static_shared_bytes);
  out.u32(kernel.local_bytes);
}

program::Kernel decode_kernel(ByteReader& in, std::uint32_t version) {
  program::Kernel kernel;
  kernel.name = in.text();
  kernel.instruction_set = in.text();
  kernel.strings.resize(in.count(1));
  for (std::string& string : kernel.strings) string = in.text();
  kernel.instructions.resize(in.count(min_instruction_bytes));
  for (program::StaticInstruction& instruction : kernel.instructions) instruction = decode_instruction(in, version);
  kernel.blocks.resize(in.count(8));
  for (program::StaticBlock& block : kernel.blocks) {
    block.first = in.u32();
    block.count = in.u32();
    if (version < first_version_with_flow) continue;
    block.successors = decode_numbers(in);
    block.reconvergence = in.u32();
    if (version >= first_version_with_nounroll) block.nounroll = in.u8() != 0;
  }
  kernel.register_bits.resize(in.count(1));
  for (std::uint8_t& bits : kernel.register_bits) bits = in.u8();
  kernel.live_registers = in.u32();
  kernel.static_shared_bytes = in.u32();
  kernel.local_bytes = in.u32();
  return kernel;
}

constexpr std::size_t min_kernel_bytes = 6 + 3 * 4;

void encode_launch(const Launch& launch, ByteWriter& out) {
  out.u32(launch.kernel);
  for (const std::uint32_t extent : launch.grid) out.u32(extent);
  for (const std::uint32_t extent : launch.block) out.u32(extent);
  out.u32(launch.dynamic_shared_bytes);
  out.u32(launch.registers_per_thread);
}

Launch decode_launch(ByteReader& in) {
  Launch launch;
  launch.kernel = in.u32();
  for (std::uint32_t& extent : launch.grid) extent = in.u32();
  for (std::uint32_t& extent : launch.block) extent = in.u32();
  launch.dynamic_shared_bytes = in.u32();
  launch.registers_per_thread = in.u32();
  return launch;
}

constexpr std::size_t launch_bytes = 9 * 4;

}  // namespace

void encode_header(const Header& header, ByteWriter& out) {
  out.text(header.workload);
  out.text(header.origin);
  out.varint(header.arguments.size());
  for (const auto& [name, value] : header.arguments) {
    out.text(name);
    out.text(value);
  }
  out.u64(header.windows.shared_base);
  out.u64(header.windows.shared_size);
  out.u64(header.windows.local_base);
  out.u64(header.windows.local_size);
  out.varint(header.kernels.size());
  for (const program::Kernel& kernel : header.kernels) encode_kernel(kernel, out);
  out.varint(header.launches.size());
  for (const Launch& launch : header.launches) encode_launch(launch, out);
}

Header decode_header(std::span<const std::byte> bytes, std::uint32_t version) {
  ByteReader in(bytes);
  Header header;
  header.workload = in.text();
  header.origin = in.text();
  header.arguments.resize(in.count(2));
  for (auto& [name, value] : header.arguments) {
    name = in.text();
    value = in.text();
  }
  header.windows.shared_base = in.u64();
  header.windows.shared_size = in.u64();
  header.windows.local_base = in.u64();
  header.windows.local_size = in.u64();
  header.kernels.resize(in.count(min_kernel_bytes));
  for (program::Kernel& kernel : header.kernels) kernel = decode_kernel(in, version);
  header.launches.resize(in.count(launch_bytes));
  for (Launch& launch : header.launches) launch = decode_launch(in);
  in.expect_end();
  return header;
}

void encode_order_dependences(const std::vector<OrderDependence>& dependences, ByteWriter& out) {
  out.varint(dependences.size());
  for (const OrderDependence& dependence : dependences) {
    out.u32(dependence.kernel);
    out.u32(dependence.branches);
    out.u32(dependence.addresses);
    out.u32(dependence.first);
  }
}

std::vector<OrderDependence> decode_order_dependences(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  std::vector<OrderDependence> dependences(in.count(4 * 4));
  for (OrderDependence& dependence : dependences) {
    dependence.kernel = in.u32();
    dependence.branches = in.u32();
    dependence.addresses = in.u32();
    dependence.first = in.u32();
  }
  in.expect_end();
  return dependences;
}

}  // namespace lockstep::trace
