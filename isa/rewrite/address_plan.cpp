#include "isa/rewrite/address_plan.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "isa/ptx/register_use.hpp"
#include "isa/rewrite/access_kind.hpp"

namespace lockstep::rewrite {

using ptx::no_index;
using ptx::Opcode;
using ptx::Operand;

namespace {

/// Place registers that are made from each other one after the other.
constexpr std::uint32_t longest_chain = 8;

std::uint64_t cost_of(const Displacement& displacement) {
  return (displacement.exclusive_or != 0 ? 1u : 0u) + (displacement.add != 0 ? 1u : 0u);
}

}  // namespace

AddressPlan::AddressPlan(const ptx::Program& program, const ArrayAccesses& accesses,
                         const std::vector<ArrayLayout>& layouts, const std::vector<std::uint64_t>& executions,
                         const std::optional<program::Dim3>& block)
    : program_(program),
      function_(*program.functions[0]),
      accesses_(accesses),
      layouts_(layouts),
      executions_(executions),
      bits_(program, 0, block),
      flow_(program, 0),
      writers_(function_.registers.size()) {
  for (std::uint32_t n = 0; n < function_.instructions.size(); ++n)
    for (const ptx::RegisterId reg : ptx::register_use(function_.instructions[n]).destinations)
      writers_[reg].push_back(n);
  for (std::uint32_t n = 0; n < function_.instructions.size(); ++n) {
    const std::uint32_t array = accesses_.array_of[n];
    const Operand* const address = function_.instructions[n].address();
    if (array == no_index || layouts_[array].is_unchanged() || address->index == no_index) continue;
    displacements_[n] = layouts_[array].displacement(ones_of(key_of(n), bits_.before(n, address->index)),
                                                     static_cast<std::uint32_t>(address->offset));
  }
  choose();
}

PlaceKey AddressPlan::key_of(std::uint32_t instruction) const {
  const ptx::Instruction& one = function_.instructions[instruction];
  return {one.address()->index, accesses_.array_of[instruction],
          access_kind(one).treatment == AccessKind::Treatment::generic};
}

std::optional<Displacement> AddressPlan::displacement_of(std::uint32_t instruction) const {
  return displacements_.at(instruction);
}

std::uint32_t AddressPlan::ones_of(const PlaceKey& key, const analysis::KnownValue& value) const {
  const bool known = !value.mixed && !value.unset && value.base == accesses_.arrays[key.array].variable;
  return known ? static_cast<std::uint32_t>(value.ones) : ~std::uint32_t{0};
}

std::uint64_t AddressPlan::executed(std::uint32_t instruction) const {
  return executions_.empty() ? 1 : executions_[program_.block_at(instruction)];
}

std::uint64_t AddressPlan::whole_cost(const PlaceKey& key) const {
  // The offset in the array comes first.
  return 1 + layouts_[key.array].steps().size();
}

bool AddressPlan::comes_first(std::uint32_t first, std::uint32_t then) const {
  const std::uint32_t a = program_.block_at(first), b = program_.block_at(then);
  if (a == b) return first < then;
  return flow_.dominator[b - flow_.first] != no_index && flow_.dominates(a - flow_.first, b - flow_.first);
}

ptx::RegisterId AddressPlan::narrow(ptx::RegisterId index, std::uint32_t instruction) const {
  if (ptx::bits_of(function_.registers[index].type) != 64 || writers_[index].size() != 1) return index;
  const std::uint32_t writer = writers_[index][0];
  const ptx::Instruction& made = function_.instructions[writer];
  if (made.opcode != Opcode::cvt || made.guard != no_index || made.operands[1].kind != Operand::Kind::reg) return index;
  const ptx::RegisterId from = made.operands[1].index;
  const bool same = ptx::bits_of(made.last_type()) == 32 && writers_[from].size() == 1 &&
                    comes_first(writers_[from][0], writer) && comes_first(writer, instruction);
  return same ? from : index;
}

std::optional<std::pair<ptx::RegisterId, std::uint32_t>> AddressPlan::product(std::uint32_t instruction,
                                                                              ptx::RegisterId term) const {
  const auto last_before = [&](ptx::RegisterId reg) {
    std::uint32_t last = no_index;
    for (const std::uint32_t writer : writers_[reg])
      if (writer < instruction) last = writer;
    return last;
  };
  const std::uint32_t writer = last_before(term);
  if (writer == no_index) return std::nullopt;
  const ptx::Instruction& made = function_.instructions[writer];
  if (made.guard != no_index || made.operands.size() < 3) return std::nullopt;
  if (made.operands[1].kind != Operand::Kind::reg || made.operands[2].kind != Operand::Kind::integer)
    return std::nullopt;
  const ptx::RegisterId index = made.operands[1].index;
  // What the instruction read must still be there: nothing of it is written twice, or all stands in one basic block.
  const bool written_once = writers_[term].size() == 1 && writers_[index].size() == 1 &&
                            comes_first(writers_[index][0], writer) && comes_first(writer, instruction);
  const bool in_block = program_.block_at(writer) == program_.block_at(instruction) &&
                        std::none_of(writers_[index].begin(), writers_[index].end(),
                                     [&](std::uint32_t n) { return n >= writer && n < instruction; });
  if (!written_once && !in_block) return std::nullopt;
  const bool multiplies = made.opcode == Opcode::mul && (made.has("lo") || made.has("wide"));
  const std::uint64_t by = made.operands[2].bits;
  if (ptx::bits_of(made.last_type()) < 32) return std::nullopt;
  if (multiplies && by < 1u << 24) return std::pair(narrow(index, writer), static_cast<std::uint32_t>(by));
  if (made.opcode == Opcode::shl && by < 24) return std::pair(narrow(index, writer), std::uint32_t{1} << by);
  return std::nullopt;
}

std::vector<Derivation> AddressPlan::derivations(const PlaceKey& key, std::uint32_t n) const {
  const ptx::Instruction& i = function_.instructions[n];
  const ArrayLayout& layout = layouts_[key.array];
  const ptx::Variable* const variable = accesses_.arrays[key.array].variable;
  std::vector<Derivation> found;
  if (i.guard != no_index || ptx::register_use(i).destinations.size() != 1) return found;
  // A register or symbol that points into the array: what it is the place of.
  struct Base {
    const Operand* operand;
    std::uint32_t ones;
    bool is_symbol;
  };
  const auto base_at = [&](std::size_t operand, bool generic) -> std::optional<Base> {
    if (operand >= i.operands.size()) return std::nullopt;
    const Operand& one = i.operands[operand];
    const bool is_symbol = one.kind == Operand::Kind::symbol;
    if (!is_symbol && one.kind != Operand::Kind::reg) return std::nullopt;
    const analysis::KnownValue value = bits_.before(n, one);
    if (value.mixed || value.unset || value.base != variable || value.generic != generic) return std::nullopt;
    return Base{&one, static_cast<std::uint32_t>(value.ones), is_symbol};
  };
  const auto displaced = [&](const Base& base, bool generic, std::int64_t distance) {
    if (base.is_symbol) {
      if (generic) return;  // The address of the variable itself is none.
      const auto offset = static_cast<std::uint32_t>(base.operand->offset + distance);
      found.push_back({Derivation::Kind::constant, {}, {0, layout.place(offset)}, no_index, 0});
    } else if (const auto by = layout.displacement(base.ones, static_cast<std::uint32_t>(distance))) {
      found.push_back({Derivation::Kind::displaced, {base.operand->index, key.array, generic}, *by, no_index, 0});
    }
  };
  const auto summed = [&](std::size_t at, const Operand& term) {
    const auto base = base_at(at, key.generic);
    if (!base || base->is_symbol) return;
    const PlaceKey from{base->operand->index, key.array, key.generic};
    if (term.kind == Operand::Kind::integer) return displaced(*base, key.generic, static_cast<std::int64_t>(term.bits));
    if (term.kind != Operand::Kind::reg) return;
    const analysis::KnownValue value = bits_.before(n, term);
    if (value.mixed || value.unset || value.base != nullptr) return;
    if (const auto sum = layout.sum(base->ones, static_cast<std::uint32_t>(value.ones))) {
      const bool adds = *sum == ArrayLayout::Sum::add;
      // A product of 64 bits is made anew in 32, so that the long one need not be.
      const bool is_long = ptx::bits_of(function_.registers[term.index].type) == 64;
      if (const auto made = product(n, term.index); made && is_long) {
        found.push_back(
            {adds ? Derivation::Kind::scaled : Derivation::Kind::exclusive_or, from, {}, made->first, made->second});
      } else {
        found.push_back({adds ? Derivation::Kind::added : Derivation::Kind::exclusive_or, from, {}, term.index, 0});
      }
    } else if (const auto made = product(n, term.index); made && made->second % layout.period() == 0) {
      found.push_back(
          {Derivation::Kind::scaled, from, {}, made->first, made->second / layout.period() * layout.period_places()});
    }
  };
  switch (i.opcode) {
    case Opcode::mov:
    case Opcode::cvt:
      if (const auto base = base_at(1, key.generic)) displaced(*base, key.generic, 0);
      break;
    case Opcode::cvta:
      if (const auto base = base_at(1, !key.generic)) displaced(*base, !key.generic, 0);
      break;
    case Opcode::add:
      summed(1, i.operands[2]);
      summed(2, i.operands[1]);
      break;
    case Opcode::sub:
      if (const auto base = base_at(1, key.generic);
          base && !base->is_symbol && i.operands[2].kind == Operand::Kind::integer)
        displaced(*base, key.generic, -static_cast<std::int64_t>(i.operands[2].bits));
      break;
    case Opcode::mad: {
      const auto base = base_at(3, key.generic);
      const bool scaled = (i.has("lo") || i.has("wide")) && i.operands[1].kind == Operand::Kind::reg &&
                          i.operands[2].kind == Operand::Kind::integer && i.operands[2].bits % layout.period() == 0 &&
                          i.operands[2].bits < 1u << 24 && ptx::bits_of(i.last_type()) >= 32;
      if (!base || base->is_symbol || !scaled || i.operands[1].index == key.reg) break;
      found.push_back({Derivation::Kind::scaled,
                       {base->operand->index, key.array, key.generic},
                       {},
                       i.operands[1].index,
                       static_cast<std::uint32_t>(i.operands[2].bits) / layout.period() * layout.period_places()});
      break;
    }
    default: break;
  }
  // What has just been written is not what it was made from; a place register of itself is.
  std::erase_if(found, [&](const Derivation& one) { return one.term == key.reg; });
  return found;
}

std::uint64_t AddressPlan::price(const PlaceKey& key, Plans& plans, std::uint32_t depth) const {
  if (plans.contains(key)) return 0;
  plans[key] = {};
  std::uint64_t all = 0;
  for (const std::uint32_t n : writers_[key.reg]) {
    Priced best{{}, whole_cost(key) * executed(n)};
    for (const Derivation& one : derivations(key, n)) {
      using Kind = Derivation::Kind;
      const bool needs = one.kind != Kind::constant;
      if (needs && depth == longest_chain) continue;
      const std::uint64_t own = one.kind == Kind::displaced  ? cost_of(one.displacement)
                                : one.kind == Kind::constant ? 0
                                                             : 1;
      Plans tried = plans;
      const std::uint64_t cost = own * executed(n) + (needs ? price(one.from, tried, depth + 1) : 0);
      if (cost >= best.cost) continue;
      best = {one, cost};
      plans = std::move(tried);
    }
    plans[key][n] = best.derivation;
    all += best.cost;
  }
  return all;
}

void AddressPlan::choose() {
  // What each register would cost at its accesses: once in every block, and again when it is written in between.
  std::map<PlaceKey, std::uint64_t> at_accesses;
  std::set<PlaceKey> there;
  for (std::uint32_t n = 0; n < function_.instructions.size(); ++n) {
    if (program_.blocks[program_.block_at(n)].first == n) there.clear();
    const auto access = displacements_.find(n);
    if (access != displacements_.end()) {
      const PlaceKey key = key_of(n);
      if (there.insert(key).second) at_accesses[key] += whole_cost(key) * executed(n);
      // Where the distance is not proved, its place is computed from the address itself.
      cost_ += (access->second ? (access->second->exclusive_or != 0 ? 1 : 0) : 1 + whole_cost(key)) * executed(n);
    }
    for (const ptx::RegisterId reg : ptx::register_use(function_.instructions[n]).destinations)
      std::erase_if(there, [&](const PlaceKey& key) { return key.reg == reg; });
  }
  for (const auto& [key, cost] : at_accesses) {
    Plans tried = kept_;
    const std::uint64_t kept = price(key, tried, 0);
    if (kept < cost) kept_ = std::move(tried);
    cost_ += std::min(kept, cost);
  }
}

}  // namespace lockstep::rewrite
