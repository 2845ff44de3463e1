#include "isa/accelsim/kernel.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace lockstep::accelsim {

namespace {

using program::AccessKind;
using program::Control;
using program::MemorySpace;
using program::StaticInstruction;

/// Predicates in turn: that one is used again matters to nobody by then.
constexpr std::uint32_t predicate_names = 64;

class KernelMaker {
 public:
  KernelMaker(const Code& code, const std::string& unknown) : code_(code), unknown_(unknown) {}

  ImportedKernel make(const std::string& name) {
    program::Kernel& kernel = made_.kernel;
    kernel.name = name;
    kernel.instruction_set = "sass";
    kernel.strings = {""};
    order();
    count_registers();
    std::uint32_t function = 0;
    for (const std::uint32_t n : order_) {
      if (code_[n].function != function) predicate_ = program::no_register;
      function = code_[n].function;
      kernel.instructions.push_back(instruction(code_[n]));
    }
    divide();
    return std::move(made_);
  }

 private:
  void order() {
    for (std::uint32_t n = 0; n < code_.size(); ++n)
      if (code_[n].executions != 0) order_.push_back(n);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(code_[a].function, code_[a].pc, a) < std::tuple(code_[b].function, code_[b].pc, b);
    });
    made_.place.assign(code_.size(), CodeInstruction::none);
    for (std::uint32_t p = 0; p < order_.size(); ++p) made_.place[order_[p]] = p;
  }

  void count_registers() {
    std::uint32_t registers = 0;
    for (const std::uint32_t n : order_) {
      const CodeInstruction& i = code_[n];
      each_destination(i, [&](std::uint32_t r) { registers = std::max(registers, r + 1); });
      each_source(i, [&](std::uint32_t r) { registers = std::max(registers, r + 1); });
    }
    first_predicate_ = registers;
    made_.kernel.register_bits.assign(registers, 32);
    made_.kernel.register_bits.resize(registers + predicate_names, 1);
  }

  template <class Each>
  static void each_destination(const CodeInstruction& i, Each&& each) {
    const std::uint32_t words = i.row == nullptr ? 1 : sass::Mnemonic(i.mnemonic).result_words(*i.row);
    for (const std::uint32_t r : i.destinations)
      for (std::uint32_t word = 0; word < words; ++word) each(r + word);
  }
  template <class Each>
  static void each_source(const CodeInstruction& i, Each&& each) {
    const sass::Mnemonic mnemonic(i.mnemonic);
    for (std::size_t n = 0; n < i.sources.size(); ++n) {
      const std::uint32_t words = i.row == nullptr ? 1 : mnemonic.source_words(*i.row, n, i.sources.size());
      for (std::uint32_t word = 0; word < words; ++word) each(i.sources[n] + word);
    }
  }

  StaticInstruction instruction(const CodeInstruction& i) {
    StaticInstruction s;
    const sass::Mnemonic mnemonic(i.mnemonic);
    s.mnemonic = string(i.row == nullptr ? unknown_ + "." + i.mnemonic : i.mnemonic);
    s.source_line = i.source_line;
    const auto add = [](std::vector<std::uint32_t>& to, std::uint32_t r) {
      if (std::find(to.begin(), to.end(), r) == to.end()) to.push_back(r);
    };
    each_destination(i, [&](std::uint32_t r) { add(s.destinations, r); });
    each_source(i, [&](std::uint32_t r) { add(s.sources, r); });
    s.control = i.control();
    if (i.access() != AccessKind::none) access(s, i, mnemonic);
    if (s.control == Control::barrier) {
      s.barrier_arrives_only = mnemonic.has("ARV");
      if (i.guarded) s.access = AccessKind::barrier;
    }
    if (predicate_ != program::no_register && (i.guarded || (i.row != nullptr && i.row->reads_predicate))) {
      s.sources.push_back(predicate_);
      if (i.guarded) s.guard = predicate_;
    }
    if (i.row != nullptr && i.row->sets_predicate) {
      predicate_ = first_predicate_ + setters_++ % predicate_names;
      s.destinations.push_back(predicate_);
    }
    return s;
  }

  static void access(StaticInstruction& s, const CodeInstruction& i, const sass::Mnemonic& mnemonic) {
    s.access = i.access();
    s.space = i.row->space;
    s.element_bytes = mnemonic.access_bytes(*i.row);
    if (!i.sources.empty()) s.address_register = i.sources[0];
    if (s.access == AccessKind::copy && !i.in_pairs) s.access = AccessKind::load;
    if (s.space != MemorySpace::generic) return;
    // Where all of its addresses lie in one space, it is an access to that space.
    const int spaces = i.on_shared + i.on_local + i.on_global;
    if (spaces > 1) return;
    s.space = i.on_shared ? MemorySpace::shared : i.on_local ? MemorySpace::local : MemorySpace::global;
  }

  std::uint32_t string(const std::string& text) {
    auto& strings = made_.kernel.strings;
    const auto [entry, is_new] = string_numbers_.try_emplace(text, static_cast<std::uint32_t>(strings.size()));
    if (is_new) strings.push_back(text);
    return entry->second;
  }

  void divide() {
    auto& blocks = made_.kernel.blocks;
    for (std::uint32_t p = 0; p < order_.size(); ++p) {
      const bool begins = p == 0 || code_.begins_block(order_[p - 1], order_[p]);
      if (begins) blocks.push_back({p, 0});
      ++blocks.back().count;
      made_.block_at.push_back(begins ? static_cast<std::uint32_t>(blocks.size() - 1) : program::no_block);
    }
  }

  const Code& code_;
  const std::string& unknown_;
  ImportedKernel made_;
  std::vector<std::uint32_t> order_;  ///< Of the kernel -> of the Code.
  std::map<std::string, std::uint32_t> string_numbers_;
  std::uint32_t first_predicate_ = 0, setters_ = 0;
  std::uint32_t predicate_ = program::no_register;  ///< That was set last.
};

}  // namespace

ImportedKernel make_kernel(const Code& code, const std::string& name, const std::string& unknown) {
  return KernelMaker(code, unknown).make(name);
}

}  // namespace lockstep::accelsim
