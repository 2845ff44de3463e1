#include "isa/machine/call_convention.hpp"

#include <algorithm>
#include <boost/dynamic_bitset.hpp>

namespace lockstep::machine {

namespace {

using program::Control;
using program::StaticInstruction;
using Registers = boost::dynamic_bitset<>;

constexpr std::uint32_t return_address_words = 2;
constexpr std::uint32_t no_function = ~std::uint32_t{0}, several_functions = no_function - 1;

const StaticInstruction& last_of(const program::Kernel& kernel, const program::StaticBlock& block) {
  return kernel.instructions[block.first + block.count - 1];
}

/// The callees of a call through a register, whose operand that is, follow the convention.
bool is_indirect(const StaticInstruction& call) {
  return !call.operands.empty();
}

/// By register: the one function that names it. Registers in which functions pass values to each other are named by several.
std::vector<std::uint32_t> functions_by_register(const program::Kernel& kernel,
                                                 const std::vector<std::uint32_t>& begins) {
  std::vector<std::uint32_t> functions(kernel.register_bits.size(), no_function);
  for (std::uint32_t f = 0; f + 1 < begins.size(); ++f) {
    const auto name = [&](std::uint32_t reg) {
      functions[reg] = functions[reg] == no_function || functions[reg] == f ? f : several_functions;
    };
    for (std::uint32_t b = begins[f]; b < begins[f + 1]; ++b)
      for (std::uint32_t i = 0; i < kernel.blocks[b].count; ++i) {
        const StaticInstruction& s = kernel.instructions[kernel.blocks[b].first + i];
        std::for_each(s.sources.begin(), s.sources.end(), name);
        std::for_each(s.destinations.begin(), s.destinations.end(), name);
      }
  }
  return functions;
}

/// Registers that are live behind each basic block of [first, end).
std::vector<Registers> live_behind(const program::Kernel& kernel, std::uint32_t first, std::uint32_t end) {
  std::vector<Registers> behind(end - first, Registers(kernel.register_bits.size()));
  std::vector<Registers> before = behind;
  for (bool changes = true; changes;) {
    changes = false;
    for (std::uint32_t b = end; b-- > first;) {
      const program::StaticBlock& block = kernel.blocks[b];
      Registers live(kernel.register_bits.size());
      for (const std::uint32_t next : block.successors)
        if (next >= first && next < end) live |= before[next - first];
      behind[b - first] = live;
      for (std::uint32_t n = block.count; n-- > 0;) {
        const StaticInstruction& s = kernel.instructions[block.first + n];
        if (s.guard == program::no_register)
          for (const std::uint32_t reg : s.destinations) live.reset(reg);
        for (const std::uint32_t reg : s.sources) live.set(reg);
      }
      if (live == before[b - first]) continue;
      before[b - first] = std::move(live);
      changes = true;
    }
  }
  return behind;
}

}  // namespace

CallConvention::CallConvention(const program::Kernel& kernel) {
  for (const StaticInstruction& s : kernel.instructions)
    begins_.insert(begins_.end(), s.callees.begin(), s.callees.end());
  if (begins_.empty()) return;
  begins_.push_back(0);
  begins_.push_back(static_cast<std::uint32_t>(kernel.blocks.size()));
  std::sort(begins_.begin(), begins_.end());
  begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
  frames_.resize(begins_.size() - 1);
  follows_ = following_convention(kernel);
  across_.resize(kernel.register_bits.size());
  const std::vector<std::uint32_t> functions = functions_by_register(kernel, begins_);
  for (std::uint32_t f = 0; f < frames_.size(); ++f) frames_[f] = frame_of(kernel, f, functions);
}

bool CallConvention::begins_function(std::uint32_t block) const {
  return block > 0 && !begins_.empty() && std::binary_search(begins_.begin(), begins_.end() - 1, block) &&
         follows_[function_of(block)];
}

const StackFrame* CallConvention::frame_at(std::uint32_t block) const {
  if (begins_.empty()) return nullptr;
  const std::uint32_t function = function_of(block);
  return function > 0 && follows_[function] && frames_[function].words > 0 ? &frames_[function] : nullptr;
}

std::uint32_t CallConvention::function_of(std::uint32_t block) const {
  return static_cast<std::uint32_t>(std::upper_bound(begins_.begin(), begins_.end(), block) - begins_.begin()) - 1;
}

std::vector<bool> CallConvention::following_convention(const program::Kernel& kernel) const {
  const std::size_t count = frames_.size();
  std::vector<bool> follows(count);
  std::vector<Registers> reaches(count, Registers(count));  // By calls, in the end through any others.
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b) {
    if (kernel.blocks[b].count == 0) continue;
    const StaticInstruction& call = last_of(kernel, kernel.blocks[b]);
    for (const std::uint32_t callee : call.callees) {
      reaches[function_of(b)].set(function_of(callee));
      if (is_indirect(call)) follows[function_of(callee)] = true;
    }
  }
  for (std::size_t via = 0; via < count; ++via)
    for (std::size_t from = 0; from < count; ++from)
      if (reaches[from].test(via)) reaches[from] |= reaches[via];
  for (std::size_t f = 0; f < count; ++f)
    if (reaches[f].test(f)) follows[f] = true;
  return follows;
}

StackFrame CallConvention::frame_of(const program::Kernel& kernel, std::uint32_t function,
                                    const std::vector<std::uint32_t>& functions_of_registers) {
  const std::uint32_t first = begins_[function], end = begins_[function + 1];
  const std::vector<Registers> behind = live_behind(kernel, first, end);
  Registers across(kernel.register_bits.size());
  StackFrame frame;
  bool calls = false, has_pairs = false;
  for (std::uint32_t b = first; b < end; ++b) {
    const program::StaticBlock& block = kernel.blocks[b];
    for (std::uint32_t n = 0; n < block.count; ++n)
      for (const std::uint32_t reg : kernel.instructions[block.first + n].destinations)
        has_pairs = has_pairs || kernel.register_bits[reg] > 32;
    if (block.count == 0 || last_of(kernel, block).control != Control::call) continue;
    calls = true;
    Registers live = behind[b - first];
    for (const std::uint32_t reg : last_of(kernel, block).destinations) live.reset(reg);
    across |= live;
    // Lanes that wait behind the call for others: of branches in front of it that meet behind it.
    std::uint32_t waiting = 0;
    for (std::uint32_t branch = first; branch < b; ++branch) {
      const program::StaticBlock& before = kernel.blocks[branch];
      const bool parts =
          before.count > 0 && before.successors.size() > 1 && last_of(kernel, before).control == Control::branch;
      waiting += parts && before.reconvergence != program::no_block && before.reconvergence > b;
    }
    frame.barriers = std::max(frame.barriers, waiting);
  }
  std::uint32_t words = frame.barriers;
  for (std::size_t reg = across.find_first(); reg != Registers::npos; reg = across.find_next(reg)) {
    if (functions_of_registers[reg] != function || kernel.register_bits[reg] == 1) continue;
    words += (kernel.register_bits[reg] + 31u) / 32;
    across_[reg] = true;
  }
  // The lowest pair of registers begins with one of the caller's.
  if (has_pairs) words = std::max(words, 1u);
  frame.words = words + (calls ? return_address_words : 0);
  return frame;
}

}  // namespace lockstep::machine
