#include "isa/analysis/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/functional/hash.hpp>
#include <numeric>

#include "isa/analysis/bounds.hpp"

namespace lockstep::analysis {

namespace {

constexpr std::size_t most_terms = 64, most_factors = 6;

bool below(const Range& range, std::int64_t limit) {
  return range.low && range.high && *range.low >= 0 && *range.high < limit;
}

/// The largest power of two that divides every coefficient.
std::uint64_t alignment(const Expression& terms) {
  std::uint64_t bits = 0;
  for (const Term& term : terms) bits |= static_cast<std::uint64_t>(term.coefficient);
  return bits == 0 ? std::uint64_t{1} << 62 : bits & -bits;
}

}  // namespace

ThreadPlace thread_place(const program::Dim3& block, std::uint32_t warp, std::uint32_t lane) {
  const std::uint32_t number = warp * 32 + lane;
  return {lane, {number % block[0], number / block[0] % block[1], number / block[0] / block[1]}};
}

Algebra::Algebra(std::optional<program::Dim3> block) : block_(block) {}

std::size_t Algebra::Hash::operator()(const Expression& terms) const {
  std::size_t hash = terms.size();
  for (const Term& term : terms) {
    boost::hash_combine(hash, term.coefficient);
    boost::hash_range(hash, term.atoms.begin(), term.atoms.end());
  }
  return hash;
}

ExpressionId Algebra::intern(Expression terms) {
  std::sort(terms.begin(), terms.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    Term total = std::move(terms[i]);
    for (++i; i < terms.size() && terms[i].atoms == total.atoms; ++i)
      total.coefficient = sum(total.coefficient, terms[i].coefficient);
    if (total.coefficient != 0) terms[kept++] = std::move(total);
  }
  terms.resize(kept);
  const auto [found, is_new] = numbers_.try_emplace(std::move(terms), static_cast<ExpressionId>(expressions_.size()));
  if (is_new) expressions_.push_back(&found->first);
  return found->second;
}

ExpressionId Algebra::constant(std::int64_t value) {
  return intern({{{}, value}});
}

ExpressionId Algebra::of(AtomId id) {
  return intern({{{id}, 1}});
}

AtomId Algebra::atom(Atom::Kind kind, std::uint32_t a, std::uint32_t b, const std::function<std::string()>& name) {
  const auto [found, is_new] = atom_numbers_.try_emplace({kind, {a, b}}, static_cast<AtomId>(atoms_.size()));
  if (is_new) {
    atoms_.push_back({kind, a, b, name()});
    facts_.emplace_back();
  }
  return found->second;
}

ExpressionId Algebra::thread(std::uint32_t dimension) {
  if (block_ && (*block_)[dimension] == 1) return constant(0);
  const AtomId id = atom(Atom::Kind::thread, dimension, 0, [&] { return fmt::format("t{}", "xyz"[dimension]); });
  constexpr std::int64_t most[] = {1024, 1024, 64};
  facts_[id].range = {0, (block_ ? std::int64_t{(*block_)[dimension]} : most[dimension]) - 1};
  // Rows that fill whole warps leave a warp only one y and z.
  facts_[id].varying = dimension == 0 || !block_ || (*block_)[0] % 32 != 0;
  if (dimension == 2 && block_ && (*block_)[0] * (*block_)[1] % 32 == 0) facts_[id].varying = false;
  return of(id);
}

ExpressionId Algebra::lane() {
  if (block_ && (*block_)[1] == 1 && (*block_)[2] == 1) return remainder(thread(0), constant(32));
  const AtomId id = atom(Atom::Kind::lane, 0, 0, [] { return "lane"; });
  facts_[id].range = {0, 31};
  facts_[id].varying = true;
  return of(id);
}

ExpressionId Algebra::add(ExpressionId x, ExpressionId y) {
  if (x == no_expression || y == no_expression) return no_expression;
  Expression terms = *expressions_[x];
  terms.insert(terms.end(), expressions_[y]->begin(), expressions_[y]->end());
  return bounded(std::move(terms));
}

ExpressionId Algebra::bounded(Expression terms) {
  const ExpressionId result = intern(std::move(terms));
  return expressions_[result]->size() > most_terms ? no_expression : result;
}

ExpressionId Algebra::subtract(ExpressionId x, ExpressionId y) {
  if (x == no_expression || y == no_expression) return no_expression;
  const ExpressionId negative = multiply(y, constant(-1));
  return add(x, negative);
}

ExpressionId Algebra::multiply(ExpressionId x, ExpressionId y) {
  if (x == no_expression || y == no_expression) return no_expression;
  Expression terms;
  if (expressions_[x]->size() * expressions_[y]->size() > most_terms) return no_expression;
  for (const Term& p : *expressions_[x]) {
    for (const Term& q : *expressions_[y]) {
      Term term{{}, product(p.coefficient, q.coefficient)};
      std::merge(p.atoms.begin(), p.atoms.end(), q.atoms.begin(), q.atoms.end(), std::back_inserter(term.atoms));
      if (term.atoms.size() > most_factors) return no_expression;
      terms.push_back(std::move(term));
    }
  }
  return intern(std::move(terms));
}

std::optional<std::int64_t> Algebra::constant_value(ExpressionId id) const {
  const Expression& terms = *expressions_[id];
  if (terms.empty()) return 0;
  if (terms.size() > 1 || !terms[0].atoms.empty()) return std::nullopt;
  return terms[0].coefficient;
}

Expression Algebra::divide_terms(const Expression& terms, const Term& divisor, Expression& rest) const {
  Expression divided;
  for (const Term& term : terms) {
    const bool divides =
        term.coefficient % divisor.coefficient == 0 &&
        std::includes(term.atoms.begin(), term.atoms.end(), divisor.atoms.begin(), divisor.atoms.end());
    if (!divides) {
      rest.push_back(term);
      continue;
    }
    Term one{{}, term.coefficient / divisor.coefficient};
    std::set_difference(term.atoms.begin(), term.atoms.end(), divisor.atoms.begin(), divisor.atoms.end(),
                        std::back_inserter(one.atoms));
    divided.push_back(std::move(one));
  }
  return divided;
}

ExpressionId Algebra::quotient(ExpressionId x, ExpressionId divisor) {
  if (x == no_expression || divisor == no_expression) return no_expression;
  const Expression& by = *expressions_[divisor];
  if (by.empty()) return no_expression;
  const std::optional<std::int64_t> number = constant_value(divisor);
  if (number && *number <= 0) return no_expression;
  if (number && *number == 1) return x;
  Expression rest;
  Expression divided;
  if (by.size() == 1) {
    if (by[0].coefficient <= 0) return no_expression;
    divided = divide_terms(*expressions_[x], by[0], rest);
  } else if (x == divisor) {
    return constant(1);
  } else {
    rest = *expressions_[x];
  }
  const ExpressionId whole = intern(std::move(divided)), left = intern(std::move(rest));
  if (expressions_[left]->empty()) return whole;
  if (number) {
    if (const auto value = constant_value(left)) return add(whole, constant(floor_quotient(*value, *number)));
    if (below(range(left), *number)) return whole;
    // floor((g * high + low) / (g * n)) = floor(high / n) when 0 <= low < g.
    std::vector<std::int64_t> factors;
    for (const Term& term : *expressions_[left]) factors.push_back(std::gcd(term.coefficient, *number));
    std::sort(factors.begin(), factors.end());
    for (const std::int64_t g : factors) {
      if (g <= 1) continue;
      Expression low;
      Expression high = divide_terms(*expressions_[left], {{}, g}, low);
      if (high.empty() || !below(range(intern(std::move(low))), g)) continue;
      const ExpressionId further = quotient(intern(std::move(high)), constant(*number / g));
      return add(whole, further);
    }
    if (const auto by_constant = undo_division(left, *number)) {
      const ExpressionId further = quotient(by_constant->first, constant(by_constant->second));
      return add(whole, further);
    }
    // floor((a + floor(b / c)) / n) = floor((c a + b) / (c n)). The quotient that was made last may hold the others.
    std::optional<AtomId> nested;
    for (const Term& term : *expressions_[left]) {
      if (term.coefficient != 1 || term.atoms.size() != 1) continue;
      const Atom& one = atoms_[term.atoms[0]];
      if (one.kind == Atom::Kind::quotient && constant_value(one.b)) nested = std::max(nested, {term.atoms[0]});
    }
    if (nested) {
      const Atom inner = atoms_[*nested];
      const ExpressionId others = multiply(subtract(left, of(*nested)), inner.b);
      const ExpressionId further = quotient(add(others, inner.a), multiply(inner.b, divisor));
      if (further != no_expression) return add(whole, further);
    }
  }
  const AtomId id = atom(Atom::Kind::quotient, left, divisor, [&] {
    const auto shown = [&](ExpressionId e) {
      return expressions_[e]->size() == 1 &&
                     (*expressions_[e])[0].atoms.size() + ((*expressions_[e])[0].coefficient != 1) <= 1
                 ? text(e)
                 : "(" + text(e) + ")";
    };
    return fmt::format("[{}/{}]", shown(left), shown(divisor));
  });
  return add(whole, of(id));
}

std::optional<std::pair<ExpressionId, std::int64_t>> Algebra::undo_division(ExpressionId x, std::int64_t power) {
  std::int64_t factor = 0;
  for (const Term& term : *expressions_[x]) factor = std::gcd(factor, term.coefficient);
  if (factor <= 2 || power < (std::int64_t{1} << 16) || factor >= power) return std::nullopt;
  const std::int64_t divisor = (power + factor - 1) / factor;
  Expression rest;
  const ExpressionId dividend = intern(divide_terms(*expressions_[x], {{}, factor}, rest));
  const Range bounds = range(dividend);
  const Bound error = bound_sum(bound_product(factor, divisor), -power);
  const Bound largest = bound_product(error, bounds.high);
  if (!bounds.low || *bounds.low < 0 || !largest || *largest >= power) return std::nullopt;
  return std::pair(dividend, divisor);
}

ExpressionId Algebra::remainder(ExpressionId x, ExpressionId divisor) {
  return subtract(x, multiply(quotient(x, divisor), divisor));
}

ExpressionId Algebra::power_of_two(ExpressionId exponent) {
  if (const auto value = constant_value(exponent)) {
    return *value >= 0 && *value < 63 ? constant(std::int64_t{1} << *value) : no_expression;
  }
  const AtomId id = atom(Atom::Kind::power_of_two, exponent, 0, [&] { return fmt::format("2^({})", text(exponent)); });
  return of(id);
}

ExpressionId Algebra::and_mask(ExpressionId x, std::uint64_t mask) {
  ExpressionId result = constant(0);
  while (mask != 0) {
    const int low = std::countr_zero(mask), ones = std::countr_one(mask >> low), high = low + ones;
    const ExpressionId from = quotient(x, constant(std::int64_t{1} << low));
    if (from == no_expression) return no_expression;
    const ExpressionId to = high >= 62 ? constant(0) : quotient(x, constant(std::int64_t{1} << high));
    if (to == no_expression) return no_expression;
    if (high >= 62 && !range(x).low) return no_expression;
    const ExpressionId field = subtract(multiply(from, constant(std::int64_t{1} << low)),
                                        high >= 62 ? to : multiply(to, constant(std::int64_t{1} << high)));
    if (field == no_expression) return no_expression;
    result = add(result, field);
    if (result == no_expression) return no_expression;
    mask = high >= 64 ? 0 : mask >> high << high;
  }
  return result;
}

ExpressionId Algebra::bit_and(ExpressionId x, ExpressionId y) {
  if (constant_value(x)) std::swap(x, y);
  if (const auto mask = constant_value(y)) {
    if (*mask >= 0) return and_mask(x, static_cast<std::uint64_t>(*mask));
    const ExpressionId cleared = and_mask(x, ~static_cast<std::uint64_t>(*mask));
    return subtract(x, cleared);
  }
  if (x == y) return x;
  // x & (p - 1) and x & -p for a power of two p.
  for (int turn = 0; turn < 2; ++turn, std::swap(x, y)) {
    const ExpressionId next = add(y, constant(1));
    if (next != no_expression && is_power_of_two(next)) return remainder(x, next);
    const ExpressionId negative = multiply(y, constant(-1));
    if (negative != no_expression && is_power_of_two(negative)) {
      const ExpressionId low = remainder(x, negative);
      return subtract(x, low);
    }
  }
  return no_expression;
}

ExpressionId Algebra::bit_or(ExpressionId x, ExpressionId y) {
  for (int turn = 0; turn < 2; ++turn, std::swap(x, y)) {
    const auto unit = static_cast<std::int64_t>(std::min(alignment(*expressions_[y]), std::uint64_t{1} << 62));
    if (below(range(x), unit)) return add(x, y);
  }
  const ExpressionId common = bit_and(x, y);
  return subtract(add(x, y), common);
}

ExpressionId Algebra::bit_xor(ExpressionId x, ExpressionId y) {
  for (int turn = 0; turn < 2; ++turn, std::swap(x, y)) {
    const auto unit = static_cast<std::int64_t>(std::min(alignment(*expressions_[y]), std::uint64_t{1} << 62));
    if (below(range(x), unit)) return add(x, y);
  }
  const ExpressionId common = bit_and(x, y);
  return subtract(add(x, y), multiply(common, constant(2)));
}

ExpressionId Algebra::replace(ExpressionId id, const std::function<ExpressionId(AtomId)>& other) {
  const Expression terms = *expressions_[id];
  Expression replaced;
  for (const Term& term : terms) {
    ExpressionId one = constant(term.coefficient);
    for (const AtomId atom : term.atoms) {
      one = multiply(one, other(atom));
      if (one == no_expression) return no_expression;
    }
    replaced.insert(replaced.end(), expressions_[one]->begin(), expressions_[one]->end());
  }
  return bounded(std::move(replaced));
}

}  // namespace lockstep::analysis
