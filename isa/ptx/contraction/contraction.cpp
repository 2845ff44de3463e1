#include "isa/ptx/contraction/contraction.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "isa/program/data_flow.hpp"
#include "isa/ptx/mnemonic.hpp"

namespace lockstep::ptx {

namespace {

using program::Control;
using program::DataFlow;
using program::SourceOperand;
using program::StaticInstruction;

/// A product, sum or negation that may lose the rounding between it and another one; or a copy.
enum class Kind : std::uint8_t { other, product, sum, negation, copy };

struct Form {
  Kind kind = Kind::other;
  bool subtracts = false, flushes = false, saturates = false;
  Type type = Type::none;
};

/// Instructions after which ptxas begins another basic block, though the program does not: a subroutine computes them.
bool needs_subroutine(const Mnemonic& w, const StaticInstruction& s) {
  if (!w.opcode) return false;
  switch (*w.opcode) {
    case Opcode::div:
    case Opcode::rem:
      if (w.ends({"f32", "f64"})) return !w.has("approx") && !w.has("full");
      if (w.ends({"u32"})) return false;
      return !w.ends({"s32"}) || !s.has_immediate;
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt: return w.ends({"f64"}) ? !w.has("ftz") : !w.has("approx");
    default: return false;
  }
}

Form form_of(const Mnemonic& w, const StaticInstruction& s) {
  Form form;
  if (!w.opcode || s.destinations.size() != 1) return form;
  if (w.opcode == Opcode::mov) {
    if (s.operands.size() == 1 && s.operands[0].kind == SourceOperand::Kind::reg) form.kind = Kind::copy;
    return form;
  }
  if (!w.ends({"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"})) return form;
  form.type = type_named(w.parts.back());
  form.flushes = w.has("ftz");
  form.saturates = w.has("sat");
  const bool rounds = w.has("rn") || w.has("rz") || w.has("rm") || w.has("rp");
  const std::size_t inputs = s.operands.size();
  if (w.opcode == Opcode::neg && inputs == 1) {
    form.kind = Kind::negation;
  } else if (w.opcode == Opcode::mul && inputs == 2 && !rounds && !form.saturates) {
    form.kind = Kind::product;
  } else if ((w.opcode == Opcode::add || w.opcode == Opcode::sub) && inputs == 2 && !rounds) {
    form.kind = Kind::sum;
    form.subtracts = w.opcode == Opcode::sub;
  }
  return form;
}

class Contracting {
 public:
  explicit Contracting(const program::Kernel& kernel)
      : kernel_(kernel), flow_(kernel), forms_(kernel.instructions.size()), taken_(kernel.instructions.size()) {
    find_forms();
  }

  std::vector<Contraction> run() {
    for (std::uint32_t i = 0; i < forms_.size(); ++i)
      if (forms_[i].kind == Kind::product) sums_[i] = sums_of(i);
    for (const bool alone : {true, false})
      for (std::uint32_t j = 0; j < forms_.size(); ++j)
        if (forms_[j].kind == Kind::sum && !taken_[j]) choose(j, alone);
    std::vector<Contraction> all;
    for (const std::optional<Contraction>& one : taken_)
      if (one) all.push_back(*one);
    return all;
  }

 private:
  void find_forms() {
    sums_.resize(forms_.size());
    stretches_.resize(forms_.size());
    blocks_.resize(forms_.size());
    std::vector<unsigned> entries(kernel_.blocks.size());
    for (const program::StaticBlock& block : kernel_.blocks)
      for (const std::uint32_t next : block.successors) ++entries[next];
    std::uint32_t stretch = 0;
    bool joins = false;  // The block before this one leads to this one alone.
    for (std::uint32_t b = 0; b < kernel_.blocks.size(); ++b) {
      const program::StaticBlock& block = kernel_.blocks[b];
      if (!joins || entries[b] != 1) ++stretch;
      for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
        const StaticInstruction& s = kernel_.instructions[i];
        const Mnemonic w(kernel_.strings[s.mnemonic]);
        blocks_[i] = b;
        stretches_[i] = stretch;
        forms_[i] = form_of(w, s);
        if (ends_stretch(w, s)) ++stretch;
      }
      joins = block.successors.size() == 1 && block.successors[0] == b + 1;
    }
  }

  static bool ends_stretch(const Mnemonic& w, const StaticInstruction& s) {
    const bool guarded = s.guard != program::no_register;
    if (s.control == Control::branch) return guarded;
    if (s.control == Control::barrier) return guarded;
    if (s.control != Control::none || needs_subroutine(w, s)) return true;
    const bool exchanges = w.opcode && is_one_of(*w.opcode, {Opcode::shfl, Opcode::vote, Opcode::match, Opcode::redux});
    return guarded && (s.access != program::AccessKind::none || exchanges);
  }

  /// Copies and negations behind which a register is the product `i`, if it is.
  struct Reached {
    std::uint32_t product = 0;
    bool negated = false;
  };
  std::optional<Reached> product_of(const SourceOperand& operand, std::uint32_t sum) const {
    if (operand.kind != SourceOperand::Kind::reg) return {};
    Reached found;
    auto reg = static_cast<std::uint32_t>(operand.value);
    for (unsigned depth = 0; depth < longest_way; ++depth) {
      const std::uint32_t i = flow_.writer(reg);
      if (i == DataFlow::none || i >= sum || !is_plain(i)) return {};
      const Form& form = forms_[i];
      if (form.kind == Kind::product) {
        if (!fit(form, forms_[sum]) || !may_meet(i, sum)) return {};
        found.product = i;
        return found;
      }
      if (form.kind == Kind::negation && fit(form, forms_[sum])) {
        found.negated = !found.negated;
      } else if (form.kind != Kind::copy) {
        return {};
      }
      reg = static_cast<std::uint32_t>(kernel_.instructions[i].operands[0].value);
    }
    return {};
  }

  /// A product with a constant is computed wherever it is used; others stay in their stretch.
  bool may_meet(std::uint32_t product, std::uint32_t sum) const {
    return stretches_[product] == stretches_[sum] || has_constant(product);
  }

  /// A factor is a literal, a parameter or a word of constant memory at a fixed address.
  bool has_constant(std::uint32_t product) const {
    const auto& operands = kernel_.instructions[product].operands;
    return std::any_of(operands.begin(), operands.end(), [&](const SourceOperand& o) {
      if (o.kind == SourceOperand::Kind::literal) return true;
      if (o.kind != SourceOperand::Kind::reg) return false;
      const std::uint32_t by = flow_.writer(static_cast<std::uint32_t>(o.value));
      if (by == DataFlow::none || kernel_.instructions[by].guard != program::no_register) return false;
      const StaticInstruction& s = kernel_.instructions[by];
      if (s.access == program::AccessKind::load)
        return s.address_register == program::no_register &&
               (s.space == program::MemorySpace::param || s.space == program::MemorySpace::constant);
      return s.operands.size() == 1 && s.operands[0].kind == SourceOperand::Kind::literal &&
             Mnemonic(kernel_.strings[s.mnemonic]).opcode == Opcode::mov;
    });
  }

  static bool fit(const Form& a, const Form& b) { return a.type == b.type && a.flushes == b.flushes; }

  /// Every lane executes it, and nothing else writes its result.
  bool is_plain(std::uint32_t i) const {
    const StaticInstruction& s = kernel_.instructions[i];
    return s.guard == program::no_register && flow_.writes(s.destinations[0]) == 1;
  }

  /// The sums that read the product `i`; none if something else does, or if one of them could not compute it.
  std::vector<std::uint32_t> sums_of(std::uint32_t i) const {
    if (!is_plain(i)) return {};
    std::vector<std::uint32_t> sums, open = {kernel_.instructions[i].destinations[0]};
    for (std::size_t n = 0; n < open.size(); ++n) {
      if (n == longest_way || flow_.readers(open[n]).empty()) return {};
      for (const std::uint32_t j : flow_.readers(open[n])) {
        const StaticInstruction& s = kernel_.instructions[j];
        if (j < i || s.guard == open[n]) return {};
        const Form& form = forms_[j];
        if (form.kind == Kind::copy || (form.kind == Kind::negation && fit(form, forms_[i]))) {
          if (!is_plain(j)) return {};
          open.push_back(s.destinations[0]);
          continue;
        }
        if (form.kind != Kind::sum) return {};
        const auto a = product_of(s.operands[0], j), b = product_of(s.operands[1], j);
        const bool first = a && a->product == i, second = b && b->product == i;
        if (first == second || !unchanged(i, j)) return {};
        sums.push_back(j);
      }
    }
    return sums;
  }

  /// No sum that reads the product has taken another one, of which it would be the addend.
  bool is_free(std::uint32_t product) const {
    const std::vector<std::uint32_t>& sums = sums_[product];
    return !sums.empty() && std::all_of(sums.begin(), sums.end(),
                                        [&](std::uint32_t j) { return !taken_[j] || taken_[j]->product == product; });
  }

  /// What the product reads has the same value at the sum.
  bool unchanged(std::uint32_t product, std::uint32_t sum) const {
    const auto& sources = kernel_.instructions[product].sources;
    return std::none_of(sources.begin(), sources.end(), [&](std::uint32_t r) {
      if (flow_.writes(r) == 0) return false;
      const std::uint32_t by = flow_.writer(r);
      if (stretches_[product] == stretches_[sum])
        return by == DataFlow::none ? is_written(r, product + 1, sum) : product < by && by < sum;
      return by == DataFlow::none || passes_by(by, product, sum);
    });
  }
  bool is_written(std::uint32_t reg, std::uint32_t first, std::uint32_t end) const {
    for (std::uint32_t i = first; i < end; ++i) {
      const auto& written = kernel_.instructions[i].destinations;
      if (std::find(written.begin(), written.end(), reg) != written.end()) return true;
    }
    return false;
  }

  /// Whether control can go from `from` to the sum without executing the product.
  bool passes_by(std::uint32_t from, std::uint32_t product, std::uint32_t sum) const {
    const std::uint32_t first = blocks_[from], avoided = blocks_[product], wanted = blocks_[sum];
    if (first == avoided && from < product) return false;
    if (first == wanted && from < sum) return true;
    std::vector<bool> seen(kernel_.blocks.size());
    std::vector<std::uint32_t> open = {first};
    while (!open.empty()) {
      const std::uint32_t block = open.back();
      open.pop_back();
      for (const std::uint32_t next : kernel_.blocks[block].successors) {
        if (next == avoided || seen[next]) continue;
        if (next == wanted) return true;
        seen[next] = true;
        open.push_back(next);
      }
    }
    return false;
  }

  /// The product that the sum `j` takes, if any; `alone`: only one that nothing else reads.
  void choose(std::uint32_t j, bool alone) {
    const auto& operands = kernel_.instructions[j].operands;
    std::optional<std::size_t> best;
    std::optional<Reached> chosen;
    for (const std::size_t n : {0, 1}) {
      const auto reached = product_of(operands[n], j);
      if (!reached || (alone && sums_[reached->product].size() != 1) || !is_free(reached->product)) continue;
      if (best && sums_[reached->product].size() >= sums_[chosen->product].size()) continue;
      best = n;
      chosen = reached;
    }
    if (!best) return;
    const Form& sum = forms_[j];
    Contraction one;
    one.product = chosen->product;
    one.sum = j;
    one.addend = static_cast<std::uint8_t>(1 - *best);
    one.negates_product = chosen->negated != (sum.subtracts && *best == 1);
    one.negates_addend = sum.subtracts && *best == 0;
    one.type = sum.type;
    one.flushes = sum.flushes;
    one.saturates = sum.saturates;
    taken_[j] = one;
  }

  static constexpr unsigned longest_way = 64;  ///< Copies and negations.

  const program::Kernel& kernel_;
  const DataFlow flow_;
  std::vector<Form> forms_;
  std::vector<std::uint32_t> blocks_, stretches_;  ///< By instruction.
  std::vector<std::vector<std::uint32_t>> sums_;   ///< By product: sums_of().
  std::vector<std::optional<Contraction>> taken_;  ///< By sum.
};

}  // namespace

std::vector<Contraction> find_contractions(const program::Kernel& kernel) {
  return Contracting(kernel).run();
}

}  // namespace lockstep::ptx
