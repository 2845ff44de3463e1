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
  return {
      one.address()->index, accesses_.array_of[instruction],
      access_kind(one).treatment == AccessKind::Treatment::generic ? PlaceKey::Kind::generic : PlaceKey::Kind::address};
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
  return (key.kind == PlaceKey::Kind::offset ? 0 : 1) + layouts_[key.array].steps().size();
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

std::optional<AddressPlan::Base> AddressPlan::base_of(const PlaceKey& key, std::uint32_t n, const Operand& operand,
                                                      PlaceKey::Kind kind) const {
  const PlaceKey start{no_index, key.array, kind};
  if (operand.kind == Operand::Kind::integer && kind == PlaceKey::Kind::offset)
    return Base{start, 0, static_cast<std::uint32_t>(operand.bits)};
  const bool is_symbol = operand.kind == Operand::Kind::symbol;
  if (!is_symbol && operand.kind != Operand::Kind::reg) return std::nullopt;
  const analysis::KnownValue value = bits_.before(n, operand);
  const bool is_offset = kind == PlaceKey::Kind::offset;
  const ptx::Variable* const base = is_offset ? nullptr : accesses_.arrays[key.array].variable;
  if (value.mixed || value.unset || value.base != base || value.generic != (kind == PlaceKey::Kind::generic))
    return std::nullopt;
  const auto ones = static_cast<std::uint32_t>(value.ones);
  // The array's own address needs no register, unless it is a generic one.
  if (is_symbol) return Base{start, 0, static_cast<std::uint32_t>(operand.offset)};
  if (ones == 0 && kind != PlaceKey::Kind::generic) return Base{start, 0, 0};
  return Base{{operand.index, key.array, kind}, ones, 0};
}

void AddressPlan::add_sums(const PlaceKey& key, std::uint32_t n, const Base& base, const Operand& term,
                           std::vector<Derivation>& found) const {
  using Kind = Derivation::Kind;
  const ArrayLayout& layout = layouts_[key.array];
  const bool at_start = base.key.reg == no_index;
  if (term.kind == Operand::Kind::integer) {
    const auto distance = static_cast<std::uint32_t>(term.bits);
    if (at_start) {
      found.push_back({Kind::constant, base.key, {0, layout.place(base.constant + distance)}, no_index, 0, {}});
    } else if (const auto by = layout.displacement(base.ones, distance)) {
      found.push_back({Kind::displaced, base.key, *by, no_index, 0, {}});
    }
    return;
  }
  if (term.kind != Operand::Kind::reg || base.constant != 0) return;
  const analysis::KnownValue value = bits_.before(n, term);
  if (value.mixed || value.unset || value.base != nullptr) return;
  const auto ones = static_cast<std::uint32_t>(value.ones);
  const bool is_long = ptx::bits_of(function_.registers[term.index].type) == 64;
  const auto made = product(n, term.index);
  if (const auto sum = layout.sum(base.ones, ones)) {
    const bool adds = *sum == ArrayLayout::Sum::add;
    if (!adds && at_start) return;
    // A product of 64 bits is made anew in 32, so that the long one need not be.
    if (made && is_long) {
      found.push_back({adds ? Kind::scaled : Kind::exclusive_or, base.key, {}, made->first, made->second, {}});
    } else {
      found.push_back({adds ? Kind::added : Kind::exclusive_or, base.key, {}, term.index, 0, {}});
    }
    return;
  }
  if (made && made->second % layout.period() == 0)
    found.push_back(
        {Kind::scaled, base.key, {}, made->first, made->second / layout.period() * layout.period_places(), {}});
  // Whole periods, and whatever is added to nothing, have places that add up.
  if (at_start || (ones & (layout.period() - 1)) == 0)
    found.push_back({Kind::offset, base.key, {}, no_index, 0, {term.index, key.array, PlaceKey::Kind::offset}});
}

std::vector<Derivation> AddressPlan::derivations(const PlaceKey& key, std::uint32_t n) const {
  const ptx::Instruction& i = function_.instructions[n];
  const ArrayLayout& layout = layouts_[key.array];
  std::vector<Derivation> found;
  if (i.guard != no_index || ptx::register_use(i).destinations.size() != 1 || i.operands.size() < 2) return found;
  Operand nothing;
  nothing.kind = Operand::Kind::integer;
  const auto copy = [&](PlaceKey::Kind kind) {
    if (const auto base = base_of(key, n, i.operands[1], kind)) add_sums(key, n, *base, nothing, found);
  };
  const auto sum = [&](std::size_t base, std::size_t term) {
    if (const auto own = base_of(key, n, i.operands[base], key.kind)) add_sums(key, n, *own, i.operands[term], found);
  };
  const bool is_offset = key.kind == PlaceKey::Kind::offset;
  const PlaceKey start{no_index, key.array, key.kind};
  switch (i.opcode) {
    case Opcode::mov:
    case Opcode::cvt: copy(key.kind); break;
    case Opcode::cvta:
      if (!is_offset) copy(key.kind == PlaceKey::Kind::generic ? PlaceKey::Kind::address : PlaceKey::Kind::generic);
      break;
    case Opcode::add:
      sum(1, 2);
      sum(2, 1);
      break;
    case Opcode::sub:
      if (const auto base = base_of(key, n, i.operands[1], key.kind);
          base && i.operands[2].kind == Operand::Kind::integer) {
        nothing.bits = -i.operands[2].bits;
        add_sums(key, n, *base, nothing, found);
      }
      break;
    case Opcode::shl:
    case Opcode::mul:
    case Opcode::mad: {
      const bool multiplies = i.opcode == Opcode::shl || i.has("lo") || i.has("wide");
      const bool scaled = multiplies && i.operands[1].kind == Operand::Kind::reg &&
                          i.operands[2].kind == Operand::Kind::integer && ptx::bits_of(i.last_type()) >= 32 &&
                          i.operands[2].bits < (i.opcode == Opcode::shl ? 24u : 1u << 24);
      if (!scaled) break;
      const std::uint64_t by = i.opcode == Opcode::shl ? std::uint64_t{1} << i.operands[2].bits : i.operands[2].bits;
      std::optional<Base> base = i.opcode == Opcode::mad ? base_of(key, n, i.operands[3], key.kind)
                                 : is_offset             ? std::optional(Base{start, 0, 0})
                                                         : std::nullopt;
      if (!base || base->constant != 0 || by % layout.period() != 0) break;
      const auto factor = static_cast<std::uint32_t>(by / layout.period() * layout.period_places());
      found.push_back({Derivation::Kind::scaled, base->key, {}, narrow(i.operands[1].index, n), factor, {}});
      break;
    }
    default: break;
  }
  // What has just been written is not what it was made from; only its own place register still is.
  std::erase_if(found, [&](const Derivation& one) {
    return one.term == key.reg || one.offset.reg == key.reg || (one.from.reg == key.reg && one.from != key);
  });
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
      std::vector<PlaceKey> needed;
      if (one.kind != Kind::constant && one.from.reg != no_index) needed.push_back(one.from);
      if (one.kind == Kind::offset) needed.push_back(one.offset);
      if (!needed.empty() && depth == longest_chain) continue;
      const std::uint64_t own = one.kind == Kind::displaced  ? cost_of(one.displacement)
                                : one.kind == Kind::constant ? 0
                                                             : 1;
      Plans tried = plans;
      std::uint64_t cost = own * executed(n);
      for (const PlaceKey& other : needed) cost += price(other, tried, depth + 1);
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
