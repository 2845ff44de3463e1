#include "isa/machine/selection.hpp"

#include <algorithm>
#include <bit>

#include "isa/machine/data_flow.hpp"
#include "isa/machine/mnemonic.hpp"

namespace lockstep::machine {

namespace {

using program::AccessKind;
using program::Control;
using program::MemorySpace;
using program::SourceOperand;
using program::StaticInstruction;
using ptx::Opcode;
using Kind = SourceOperand::Kind;

constexpr std::uint32_t none = ~0u;

class Selector {
 public:
  Selector(const program::Kernel& kernel, const Rules& rules) : kernel_(kernel), rules_(rules), flow_(kernel) {
    const std::size_t registers = kernel.register_bits.size();
    selection_.names.resize(registers);
    selection_.literals.resize(registers);
    selection_.read.resize(registers);
    for (std::uint32_t r = 0; r < registers; ++r) {
      selection_.names[r] = {r};
      selection_.read[r] = !flow_.readers(r).empty();
    }
    for (const StaticInstruction& s : kernel.instructions) {
      Selected& one = selection_.instructions.emplace_back();
      one.mnemonic = kernel.strings[s.mnemonic];
      one.sources = s.sources;
    }
    taken_.resize(kernel.instructions.size());
    aliases_.resize(registers);
    fixed_.resize(registers);
  }

  Selection run() {
    narrow();
    for (std::uint32_t i = 0; i < count(); ++i) widen_index(i);
    for (std::uint32_t i = 0; i < count(); ++i) rename(i);
    for (std::uint32_t i = 0; i < count(); ++i) constant(i);
    for (std::uint32_t i = count(); i-- > 0;) fold_address(i);
    for (std::uint32_t i = 0; i < count(); ++i) fuse_wide(i);
    for (std::uint32_t i = 0; i < count(); ++i) fuse(i);
    for (std::uint32_t i = 0; i < count(); ++i) fuse_comparison(i);
    for (std::uint32_t i = 0; i < count(); ++i) strength(i);
    for (std::uint32_t r = 0; r < aliases_.size(); ++r) resolve(r);
    remove_unread();
    return std::move(selection_);
  }

 private:
  std::uint32_t count() const { return static_cast<std::uint32_t>(kernel_.instructions.size()); }
  const StaticInstruction& at(std::uint32_t i) const { return kernel_.instructions[i]; }
  Selected& chosen(std::uint32_t i) { return selection_.instructions[i]; }
  Mnemonic words(std::uint32_t i) const { return Mnemonic(selection_.instructions[i].mnemonic); }

  /// Neither accesses memory nor steers the program.
  static bool only_computes(const StaticInstruction& s) {
    return s.access == AccessKind::none && s.control == Control::none && !s.reads_clock;
  }
  /// Computes one register that nothing else writes, in all lanes of its warp.
  bool defines_one(std::uint32_t i) const {
    const StaticInstruction& s = at(i);
    return only_computes(s) && s.destinations.size() == 1 && s.guard == program::no_register &&
           flow_.writes(s.destinations[0]) == 1;
  }

  /// A literal operand, or a register that holds one.
  std::optional<std::uint64_t> literal(const SourceOperand& operand) const {
    if (operand.kind == Kind::literal) return operand.value;
    if (operand.kind != Kind::reg) return {};
    const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(operand.value));
    if (by == none || words(by).opcode != Opcode::mov || at(by).guard != program::no_register) return {};
    const auto& from = at(by).operands;
    if (from.size() != 1 || from[0].kind != Kind::literal) return {};
    return from[0].value;
  }
  std::optional<unsigned> power_of_two(const SourceOperand& operand) const {
    const auto value = literal(operand);
    if (!value || *value < 2 || !std::has_single_bit(*value)) return {};
    return static_cast<unsigned>(std::countr_zero(*value));
  }
  /// The shift distance of a multiplication by a power of two or of a shift left by a literal; the factor is `of`.
  std::optional<unsigned> scaling(std::uint32_t i, bool wide, SourceOperand& of) const {
    const auto& o = at(i).operands;
    if (o.size() != 2) return {};
    const Mnemonic w = words(i);
    if (!wide && is_plain(w, Opcode::shl, 32)) {
      const auto distance = literal(o[1]);
      if (!distance || *distance > 31 || *distance == 0) return {};
      of = o[0];
      return static_cast<unsigned>(*distance);
    }
    if (wide ? !is_wide(i) : !is_plain(w, Opcode::mul, 32)) return {};
    for (const std::size_t n : {1, 0}) {
      if (const auto power = power_of_two(o[n])) {
        of = o[1 - n];
        return power;
      }
    }
    return {};
  }
  bool is_wide(std::uint32_t i) const {
    const Mnemonic w = words(i);
    return w.opcode == Opcode::mul && w.has("wide") && w.ends({"u32", "s32"});
  }

  // 64-bit registers of which every reader uses the low half only: addresses of the scratchpad, above all.
  void narrow() {
    narrow_.assign(kernel_.register_bits.size(), false);
    for (std::uint32_t r = 0; r < narrow_.size(); ++r)
      narrow_[r] = kernel_.register_bits[r] == 64 && !flow_.readers(r).empty();
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t r = 0; r < narrow_.size(); ++r) {
        if (!narrow_[r]) continue;
        const auto& readers = flow_.readers(r);
        if (std::all_of(readers.begin(), readers.end(), [&](std::uint32_t j) { return reads_low_half(j, r); }))
          continue;
        narrow_[r] = false;
        changed = true;
      }
    }
    for (std::uint32_t i = 0; i < count(); ++i) {
      const StaticInstruction& s = at(i);
      if (!only_computes(s) || s.destinations.size() != 1 || !narrow_[s.destinations[0]]) continue;
      const Mnemonic w = words(i);
      const bool product = w.opcode == Opcode::mul && w.has("wide") && !w.ends({"u16", "s16"});
      const bool conversion = w.opcode == Opcode::cvt && !w.has("f32") && !w.has("f64") && !w.has("sat");
      if (keeps_low_half(w) || product || conversion) chosen(i).mnemonic = narrowed(w);
    }
  }

  static std::string narrowed(const Mnemonic& w) {
    std::string text;
    for (const std::string_view part : w.parts) {
      if (!text.empty()) text += '.';
      if (part == "u64") {
        text += "u32";
      } else if (part == "s64") {
        text += "s32";
      } else if (part == "b64") {
        text += "b32";
      } else {
        text += part == "wide" ? "lo" : part;
      }
    }
    return text;
  }

  bool reads_low_half(std::uint32_t j, std::uint32_t r) const {
    const StaticInstruction& s = at(j);
    if (s.access != AccessKind::none) return s.space == MemorySpace::shared && is_address_only(s, r);
    if (!only_computes(s) || s.destinations.size() != 1 || s.operands.empty() || s.guard == r) return false;
    const Mnemonic w = words(j);
    if (w.opcode == Opcode::cvt && w.parts.size() == 3 && is_one_of(w.parts[2], {"u64", "s64"}))
      return is_one_of(w.parts[1], {"u32", "s32", "u16", "s16", "u8", "s8"});
    return keeps_low_half(w) && narrow_[s.destinations[0]];
  }

  /// The register is the base of the access and nothing else of it.
  static bool is_address_only(const StaticInstruction& s, std::uint32_t r) {
    return s.address_register == r && times(s, r) == 1 && s.guard != r;
  }
  static std::ptrdiff_t times(const StaticInstruction& s, std::uint32_t r) {
    return std::count(s.operands.begin(), s.operands.end(), SourceOperand{Kind::reg, r});
  }

  /// A 32-bit index that is widened, then shifted: one wide product.
  void widen_index(std::uint32_t i) {
    const auto& o = at(i).operands;
    if (!defines_one(i) || o.size() != 2 || o[0].kind != Kind::reg || !is_plain(words(i), Opcode::shl, 64)) return;
    const auto distance = literal(o[1]);
    const auto index = static_cast<std::uint32_t>(o[0].value);
    const std::uint32_t by = flow_.writer(index);
    if (!distance || *distance == 0 || *distance > 31 || by == none || !defines_one(by)) return;
    if (flow_.readers(index).size() != 1 || at(by).operands.size() != 1 || !flow_.unchanged(by, i)) return;
    const Mnemonic w = words(by);
    if (w.opcode != Opcode::cvt || w.parts.size() != 3 || !is_one_of(w.parts[1], {"u64", "s64"})) return;
    if (!is_one_of(w.parts[2], {"u32", "s32"})) return;
    chosen(i).mnemonic = "mul.wide." + std::string(w.parts[2]);
    powers_.push_back({i, static_cast<unsigned>(*distance)});
    alias(index, at(by).sources, by);
  }
  std::optional<unsigned> widened(std::uint32_t i) const {
    for (const auto& [instruction, distance] : powers_)
      if (instruction == i) return distance;
    return {};
  }

  void alias(std::uint32_t r, std::vector<std::uint32_t> to, std::uint32_t by) {
    aliases_[r] = std::move(to);
    fixed_[r] = true;
    chosen(by).removed = true;
  }

  /// Copies, and conversions that change no bit that is read.
  void rename(std::uint32_t i) {
    const StaticInstruction& s = at(i);
    if (chosen(i).removed || !only_computes(s) || s.guard != program::no_register || s.destinations.empty()) return;
    if (s.has_immediate || s.reads_special_register || s.sources.empty()) return;
    const Mnemonic w = words(i);
    if (w.has("cc") || (w.opcode && ptx::row_of(*w.opcode).traits.reads_carry)) return;
    const bool copies =
        w.opcode == Opcode::mov && s.operands.size() == s.sources.size() &&
        std::all_of(s.operands.begin(), s.operands.end(), [](const SourceOperand& o) { return o.kind == Kind::reg; });
    const Rule* rule = rules_.find(chosen(i).mnemonic);
    const bool free = rule != nullptr && rule->steps.empty() && s.sources.size() == 1 && s.destinations.size() == 1;
    if (!copies && !free) return;
    for (const std::uint32_t d : s.destinations)
      if (flow_.writes(d) != 1) return;
    for (const std::uint32_t r : s.sources)
      if (flow_.writes(r) > 1) return;
    for (const std::uint32_t d : s.destinations) alias(d, s.sources, i);
  }

  /// Literals, addresses of variables, launch constants and kernel parameters are operands, not registers, where every
  /// reader can take one.
  void constant(std::uint32_t i) {
    const StaticInstruction& s = at(i);
    if (chosen(i).removed || s.destinations.size() != 1 || s.guard != program::no_register) return;
    const std::uint32_t d = s.destinations[0];
    if (flow_.writes(d) != 1 || flow_.readers(d).empty()) return;
    const bool parameter = s.access == AccessKind::load && s.space == MemorySpace::param && s.vector_elements == 1 &&
                           std::all_of(s.sources.begin(), s.sources.end(),
                                       [&](std::uint32_t r) { return fixed_[r] && aliases_[r].empty(); });
    if (parameter && !rules_.constants_are_operands()) return;
    if (!parameter) {
      if (!only_computes(s) || words(i).opcode != Opcode::mov || s.operands.size() != 1) return;
      const SourceOperand& from = s.operands[0];
      if (from.kind == Kind::literal) selection_.literals[d] = from.value;
      if (from.kind == Kind::launch_constant && !rules_.constants_are_operands()) return;
      if (from.kind == Kind::reg || from.kind == Kind::other || from.kind == Kind::block_constant) return;
    }
    if (takes_constant(d, parameter ? nullptr : &s.operands[0], 0)) alias(d, {}, i);
  }

  bool takes_constant(std::uint32_t r, const SourceOperand* value, unsigned depth) const {
    if (depth > 64) return false;
    for (const std::uint32_t j : flow_.readers(r)) {
      const StaticInstruction& s = at(j);
      if (selection_.instructions[j].removed && only_computes(s)) {
        for (const std::uint32_t d : s.destinations)
          if (!takes_constant(d, value, depth + 1)) return false;
        continue;
      }
      if (s.guard == r) return false;
      if (s.access != AccessKind::none) {
        if (value == nullptr) return false;
        const bool zero = value->kind == Kind::literal && value->value == 0;
        const bool near = s.space == MemorySpace::shared || s.space == MemorySpace::constant ||
                          s.space == MemorySpace::param || s.space == MemorySpace::local;
        const bool address =
            near && is_address_only(s, r) && (value->kind == Kind::literal || value->kind == Kind::variable);
        if (!address && !(zero && s.access == AccessKind::store && s.address_register != r)) return false;
        continue;
      }
      if (!only_computes(s) || s.operands.empty()) return false;
      const Mnemonic w = words(j);
      if (!w.opcode || is_one_of(*w.opcode, {Opcode::shfl, Opcode::vote, Opcode::match, Opcode::redux, Opcode::bar,
                                             Opcode::cp, Opcode::ld, Opcode::st}))
        return false;
    }
    return true;
  }

  /// Who reads a register, seen through names that cost nothing.
  void true_readers(std::uint32_t r, std::vector<std::uint32_t>& all, unsigned depth = 0) const {
    for (const std::uint32_t j : flow_.readers(r)) {
      if (!selection_.instructions[j].removed || !only_computes(at(j)) || depth > 64) {
        all.push_back(j);
        continue;
      }
      for (const std::uint32_t d : at(j).destinations) true_readers(d, all, depth + 1);
    }
  }

  /// What an access does to its address on the way: adds an offset, scales an index.
  void fold_address(std::uint32_t i) {
    if (chosen(i).removed || !defines_one(i)) return;
    const std::uint32_t d = at(i).destinations[0];
    const bool offset = adds_offset(i);
    SourceOperand of;
    const auto scale = widened(i) ? std::nullopt : scaling(i, false, of);
    const bool scales = scale && *scale >= 2 && *scale <= 4;
    if (!offset && !scales) return;
    std::vector<std::uint32_t> readers;
    true_readers(d, readers);
    if (readers.empty()) return;
    for (const std::uint32_t j : readers) {
      const StaticInstruction& s = at(j);
      if (s.access == AccessKind::none || s.control != Control::none || !flow_.unchanged(i, j)) return;
      if (s.access == AccessKind::copy || s.address_register == program::no_register) return;
      if (times(s, s.address_register) != 1 || !reads_through(s.address_register, d)) return;
      const bool on_scratchpad = s.space == MemorySpace::shared;
      if (offset && rules_.fused(on_scratchpad ? Fusion::scratchpad_offset : Fusion::global_offset) == nullptr) return;
      if (offset && !on_scratchpad && !adds_literal(i)) return;
      if (scales && (!on_scratchpad || rules_.fused(Fusion::scratchpad_scaling) == nullptr)) return;
    }
    if (offset) of = at(i).operands[is_offset(at(i).operands[1]) ? 0 : 1];
    std::vector<std::uint32_t> to;
    if (of.kind == Kind::reg) to.push_back(static_cast<std::uint32_t>(of.value));
    alias(d, std::move(to), i);
  }

  bool reads_through(std::uint32_t r, std::uint32_t target) const {
    for (unsigned depth = 0; depth < 64; ++depth) {
      if (r == target) return true;
      if (!fixed_[r] || aliases_[r].size() != 1) return false;
      r = aliases_[r][0];
    }
    return false;
  }

  bool adds_literal(std::uint32_t i) const {
    const auto& o = at(i).operands;
    return literal(o[1]).has_value() || literal(o[0]).has_value();
  }

  bool adds_offset(std::uint32_t i) const {
    const Mnemonic w = words(i);
    const auto& o = at(i).operands;
    if (o.size() != 2) return false;
    const bool subtracts = is_plain(w, Opcode::sub, 32) || is_plain(w, Opcode::sub, 64);
    if (subtracts) return o[0].kind == Kind::reg && literal(o[1]).has_value();
    if (!is_plain(w, Opcode::add, 32) && !is_plain(w, Opcode::add, 64)) return false;
    return is_offset(o[1]) ? o[0].kind == Kind::reg : is_offset(o[0]) && o[1].kind == Kind::reg;
  }

  /// A literal, or the address of a variable outside global memory.
  bool is_offset(const SourceOperand& operand) const {
    if (literal(operand)) return true;
    SourceOperand o = operand;
    if (o.kind == Kind::reg) {
      const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(o.value));
      if (by == none || words(by).opcode != Opcode::mov || at(by).operands.size() != 1) return false;
      if (at(by).guard != program::no_register) return false;
      o = at(by).operands[0];
    }
    return o.kind == Kind::variable && o.value == static_cast<std::uint64_t>(MemorySpace::shared);
  }

  /// Wide products of which every reader is a 64-bit addition: each addition repeats the product, at no cost.
  void fuse_wide(std::uint32_t i) {
    if (chosen(i).removed || taken_[i] || !defines_one(i) || !is_wide(i)) return;
    SourceOperand of;
    const bool scaled = widened(i) || scaling(i, true, of);
    const auto* operations = rules_.fused(scaled ? Fusion::scaled_wide_add : Fusion::multiply_wide_add);
    if (operations == nullptr) return;
    const std::uint32_t d = at(i).destinations[0];
    const auto& readers = flow_.readers(d);
    if (readers.empty()) return;
    for (const std::uint32_t j : readers) {
      if (chosen(j).removed || taken_[j] || !only_computes(at(j)) || at(j).guard == d) return;
      if (!is_plain(words(j), Opcode::add, 64) || times(at(j), d) != 1 || !flow_.unchanged(i, j)) return;
    }
    for (const std::uint32_t j : readers) absorb(i, j, d, *operations);
  }

  void absorb(std::uint32_t i, std::uint32_t j, std::uint32_t d, const std::vector<Step>& operations) {
    auto& sources = chosen(j).sources;
    sources.erase(std::find(sources.begin(), sources.end(), d));
    for (const std::uint32_t r : chosen(i).sources)
      if (std::find(sources.begin(), sources.end(), r) == sources.end()) sources.insert(sources.begin(), r);
    chosen(j).operations = &operations;
    chosen(i).removed = true;
    taken_[i] = taken_[j] = true;
  }

  /// One operation for a pair of one basic block of which nothing else reads the link: what stands outside a loop stays
  /// there.
  void fuse(std::uint32_t j) {
    if (chosen(j).removed || taken_[j] || !only_computes(at(j)) || at(j).destinations.size() != 1) return;
    const Mnemonic w = words(j);
    const bool adds = is_plain(w, Opcode::add, 32), logic = is_logic(w);
    if ((!adds && !logic) || at(j).operands.size() != 2) return;
    struct Pair {
      std::uint32_t first;
      Fusion pattern;
    };
    std::vector<Pair> found;
    for (const SourceOperand& o : at(j).operands) {
      if (o.kind != Kind::reg) continue;
      const auto d = static_cast<std::uint32_t>(o.value);
      const std::uint32_t i = flow_.writer(d);
      if (i == none || chosen(i).removed || taken_[i] || !defines_one(i) || fixed_[d]) continue;
      if (!flow_.in_one_block(i, j)) continue;
      if (flow_.readers(d).size() != 1 || times(at(j), d) != 1 || at(j).guard == d || !flow_.unchanged(i, j)) continue;
      if (const auto pattern = adds ? sum_of(i, j) : logic_of(i, j)) found.push_back({i, *pattern});
    }
    std::stable_sort(found.begin(), found.end(), [](const Pair& a, const Pair& b) { return a.pattern < b.pattern; });
    for (const Pair& pair : found) {
      if (const auto* operations = rules_.fused(pair.pattern)) {
        absorb(pair.first, j, at(pair.first).destinations[0], *operations);
        return;
      }
    }
  }

  /// A comparison of which every reader combines its predicate with another one: each reader repeats it.
  void fuse_comparison(std::uint32_t i) {
    const auto* operations = rules_.fused(Fusion::compare_logic);
    if (operations == nullptr || chosen(i).removed || taken_[i] || !defines_one(i)) return;
    if (words(i).opcode != Opcode::setp || at(i).operands.size() != 2) return;
    const std::uint32_t d = at(i).destinations[0];
    const auto& readers = flow_.readers(d);
    if (readers.empty()) return;
    for (const std::uint32_t j : readers) {
      if (chosen(j).removed || taken_[j] || !only_computes(at(j)) || at(j).guard == d || at(j).operands.size() != 2)
        return;
      const Mnemonic w = words(j);
      if (!w.ends({"pred"}) || !w.opcode || !is_one_of(*w.opcode, {Opcode::and_, Opcode::or_, Opcode::xor_})) return;
      if (times(at(j), d) != 1 || !flow_.unchanged(i, j)) return;
    }
    for (const std::uint32_t j : readers) absorb(i, j, d, *operations);
  }

  std::optional<Fusion> sum_of(std::uint32_t i, std::uint32_t j) const {
    SourceOperand of;
    const Mnemonic w = words(i);
    if (!widened(i) && scaling(i, false, of)) return Fusion::scaled_add;
    if (is_plain(w, Opcode::mul, 32)) return Fusion::multiply_add;
    if (is_plain(w, Opcode::mul24, 32)) return Fusion::multiply24_add;
    // Of three inputs one may be a constant.
    const bool sums = is_plain(w, Opcode::add, 32) || is_plain(w, Opcode::sub, 32);
    if (sums && constants(i) + constants(j) <= 1) return Fusion::three_input_add;
    return {};
  }
  std::optional<Fusion> logic_of(std::uint32_t i, std::uint32_t j) const {
    const Mnemonic first = words(i), second = words(j);
    if (is_plain(first, Opcode::shr, 32) && is_plain(second, Opcode::and_, 32) && at(i).operands.size() == 2) {
      for (const SourceOperand& o : at(j).operands) {
        const auto mask = literal(o);
        if (mask && *mask != 0 && std::has_single_bit(*mask + 1) && literal(at(i).operands[1]))
          return Fusion::bit_field;
      }
    }
    if (is_logic(first) && constants(i) + constants(j) <= 1) return Fusion::three_input_logic;
    return {};
  }
  std::size_t constants(std::uint32_t i) const {
    return static_cast<std::size_t>(std::count_if(at(i).operands.begin(), at(i).operands.end(), [&](const auto& o) {
      return o.kind != Kind::reg || (fixed_[o.value] && aliases_[o.value].empty());
    }));
  }

  /// A product with a power of two is a shift.
  void strength(std::uint32_t i) {
    if (chosen(i).removed || taken_[i] || !only_computes(at(i))) return;
    SourceOperand of;
    if (scaling(i, false, of)) chosen(i).mnemonic = "shl.b32";
    if (is_wide(i) && (widened(i) || scaling(i, true, of))) chosen(i).operations = rules_.fused(Fusion::scaled_wide);
  }

  /// Follows names to registers that instructions write.
  void resolve(std::uint32_t r) {
    std::vector<std::uint32_t> found, open = {r}, seen;
    while (!open.empty()) {
      const std::uint32_t one = open.back();
      open.pop_back();
      if (std::find(seen.begin(), seen.end(), one) != seen.end()) continue;
      seen.push_back(one);
      if (!fixed_[one]) {
        found.push_back(one);
      } else {
        open.insert(open.end(), aliases_[one].begin(), aliases_[one].end());
      }
    }
    std::sort(found.begin(), found.end());
    selection_.names[r] = std::move(found);
  }

  /// What only instructions read that are gone. A result that the program itself never reads stays: its compiler has
  /// removed dead code, so somebody wants it computed.
  void remove_unread() {
    for (bool changed = true; changed;) {
      changed = false;
      std::vector<bool> used(selection_.names.size());
      for (std::uint32_t i = 0; i < count(); ++i) {
        if (chosen(i).removed) continue;
        for (const std::uint32_t r : chosen(i).sources)
          for (const std::uint32_t name : selection_.names[r]) used[name] = true;
      }
      for (std::uint32_t i = 0; i < count(); ++i) {
        const StaticInstruction& s = at(i);
        if (chosen(i).removed || !only_computes(s) || s.destinations.empty()) continue;
        if (std::any_of(s.destinations.begin(), s.destinations.end(),
                        [&](std::uint32_t d) { return used[d] || !selection_.read[d]; }))
          continue;
        chosen(i).removed = true;
        changed = true;
      }
    }
  }

  const program::Kernel& kernel_;
  const Rules& rules_;
  DataFlow flow_;
  Selection selection_;
  std::vector<bool> taken_;   ///< Part of a fused operation.
  std::vector<bool> narrow_;  ///< Register: 32 of its 64 bits are enough.
  std::vector<bool> fixed_;   ///< Register: `aliases_` says what it is another name of.
  std::vector<std::vector<std::uint32_t>> aliases_;
  std::vector<std::pair<std::uint32_t, unsigned>> powers_;  ///< Shifts that became wide products: by how many bits.
};

}  // namespace

Selection select(const program::Kernel& kernel, const Rules& rules) {
  return Selector(kernel, rules).run();
}

}  // namespace lockstep::machine
