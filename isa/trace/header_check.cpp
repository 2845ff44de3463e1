#include <fmt/format.h>

#include <algorithm>

#include "isa/trace/header_codec.hpp"

namespace lockstep::trace {

namespace {

constexpr std::uint32_t barriers = 16;

bool is_one_of(std::uint32_t value, std::initializer_list<std::uint32_t> allowed) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

std::string access_problem(const program::StaticInstruction& i) {
  if (i.space > program::MemorySpace::texture)
    return fmt::format("has unknown memory space {}", static_cast<int>(i.space));
  if (i.access == program::AccessKind::barrier && i.control != program::Control::barrier)
    return "has the operands of a barrier, but is not one";
  using program::AccessKind;
  if (i.access == AccessKind::none || i.access == AccessKind::barrier || i.access == AccessKind::mbarrier) return {};
  if (i.space == program::MemorySpace::none) return "accesses memory, but no memory space";
  if (!is_one_of(i.vector_elements, {1, 2, 4, 8}))
    return fmt::format("accesses {} elements per lane", i.vector_elements);
  const bool without_data = i.access == program::AccessKind::prefetch && i.element_bytes == 0;
  if (!without_data && !is_one_of(i.element_bytes, {1, 2, 4, 8, 16})) {
    return fmt::format("accesses elements of {} bytes", i.element_bytes);
  }
  return {};
}

std::string instruction_problem(const program::StaticInstruction& i, const program::Kernel& kernel) {
  const std::size_t registers = kernel.register_bits.size(), strings = kernel.strings.size();
  if (i.mnemonic >= strings) return fmt::format("names string {} of {}", i.mnemonic, strings);
  if (i.source_file >= strings) return fmt::format("names string {} of {}", i.source_file, strings);
  if (i.call_file >= strings) return fmt::format("names string {} of {}", i.call_file, strings);
  if (i.control > program::Control::trap) return fmt::format("has unknown control {}", static_cast<int>(i.control));
  if (i.has_rare_operands && i.access != program::AccessKind::none) return "has rare operands, but is an access";
  if (i.access > program::AccessKind::mbarrier) return fmt::format("has unknown access {}", static_cast<int>(i.access));
  for (const std::uint32_t number : {i.guard, i.address_register}) {
    if (number != program::no_register && number >= registers)
      return fmt::format("names register {} of {}", number, registers);
  }
  for (const auto* list : {&i.destinations, &i.sources}) {
    for (const std::uint32_t number : *list) {
      if (number >= registers) return fmt::format("names register {} of {}", number, registers);
    }
  }
  for (const program::SourceOperand& operand : i.operands) {
    if (operand.kind > program::SourceOperand::Kind::block_constant)
      return fmt::format("has an operand of unknown kind {}", static_cast<int>(operand.kind));
    if (operand.kind == program::SourceOperand::Kind::reg && operand.value >= registers)
      return fmt::format("names register {} of {}", operand.value, registers);
  }
  if (!i.callees.empty() && i.control != program::Control::call) return "says what it calls, but is no call";
  for (const std::uint32_t block : i.callees)
    if (block >= kernel.blocks.size()) return fmt::format("calls basic block {} of {}", block, kernel.blocks.size());
  if (i.barrier >= barriers) return fmt::format("names barrier {} of {}", i.barrier, barriers);
  return access_problem(i);
}

std::string kernel_problem(const program::Kernel& kernel) {
  if (kernel.strings.empty() || !kernel.strings[0].empty()) return "its first string is not empty";
  if (kernel.register_bits.size() > max_registers)
    return fmt::format("it has {} registers", kernel.register_bits.size());
  for (const std::uint8_t bits : kernel.register_bits) {
    if (!is_one_of(bits, {1, 16, 32, 64, 128})) return fmt::format("a register has {} bits", bits);
  }
  for (std::size_t n = 0; n < kernel.instructions.size(); ++n) {
    const std::string problem = instruction_problem(kernel.instructions[n], kernel);
    if (!problem.empty()) return fmt::format("instruction {} {}", n, problem);
  }
  for (std::size_t n = 0; n < kernel.blocks.size(); ++n) {
    const program::StaticBlock& block = kernel.blocks[n];
    if (std::uint64_t{block.first} + block.count > kernel.instructions.size()) {
      return fmt::format("basic block {} holds instructions {} to {} of {}", n, block.first,
                         std::uint64_t{block.first} + block.count, kernel.instructions.size());
    }
    for (const std::uint32_t next : block.successors)
      if (next >= kernel.blocks.size())
        return fmt::format("basic block {} leads to block {} of {}", n, next, kernel.blocks.size());
    if (block.reconvergence != program::no_block && block.reconvergence >= kernel.blocks.size())
      return fmt::format("lanes of basic block {} meet in block {} of {}", n, block.reconvergence,
                         kernel.blocks.size());
  }
  if (kernel.live_registers > max_registers) return fmt::format("{} registers are live", kernel.live_registers);
  if (kernel.static_shared_bytes > max_memory_bytes) {
    return fmt::format("it has {} bytes of scratchpad memory", kernel.static_shared_bytes);
  }
  if (kernel.local_bytes > max_memory_bytes) return fmt::format("it has {} bytes of local memory", kernel.local_bytes);
  return {};
}

/// The product of the extents, or limit + 1 when it is 0 or more than the limit.
std::uint64_t bounded_volume(const program::Dim3& extents, std::uint64_t limit) {
  std::uint64_t product = 1;
  for (const std::uint32_t extent : extents) {
    if (extent == 0 || product > limit / extent) return limit + 1;
    product *= extent;
  }
  return product;
}

std::string launch_problem(const Launch& launch, std::size_t kernels) {
  if (launch.kernel >= kernels) return fmt::format("it names kernel {} of {}", launch.kernel, kernels);
  if (bounded_volume(launch.grid, max_thread_blocks) > max_thread_blocks) {
    return fmt::format("its grid is {} x {} x {}", launch.grid[0], launch.grid[1], launch.grid[2]);
  }
  if (bounded_volume(launch.block, max_threads_per_block) > max_threads_per_block) {
    return fmt::format("its thread blocks are {} x {} x {}", launch.block[0], launch.block[1], launch.block[2]);
  }
  if (launch.dynamic_shared_bytes > max_memory_bytes) {
    return fmt::format("it has {} bytes of dynamic scratchpad memory", launch.dynamic_shared_bytes);
  }
  if (launch.registers_per_thread > max_registers) {
    return fmt::format("it has {} registers per thread", launch.registers_per_thread);
  }
  return {};
}

}  // namespace

std::string header_problem(const Header& header) {
  const program::AddressWindows& w = header.windows;
  if (w.shared_base + w.shared_size < w.shared_base || w.local_base + w.local_size < w.local_base) {
    return "an address window ends beyond 2^64";
  }
  for (std::size_t n = 0; n < header.kernels.size(); ++n) {
    const std::string problem = kernel_problem(header.kernels[n]);
    if (!problem.empty()) return fmt::format("kernel {} (\"{}\"): {}", n, header.kernels[n].name, problem);
  }
  std::uint64_t thread_blocks = 0;
  for (std::size_t n = 0; n < header.launches.size(); ++n) {
    const std::string problem = launch_problem(header.launches[n], header.kernels.size());
    if (!problem.empty()) return fmt::format("launch {}: {}", n, problem);
    thread_blocks += header.launches[n].thread_blocks();
    if (thread_blocks > max_thread_blocks) return fmt::format("more than {} thread blocks", max_thread_blocks);
  }
  return {};
}

}  // namespace lockstep::trace
