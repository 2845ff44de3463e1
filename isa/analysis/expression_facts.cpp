// What is known of expressions: who shares a value, bounds, values for a thread, text.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/analysis/bounds.hpp"
#include "isa/analysis/expression.hpp"

namespace lockstep::analysis {

bool Algebra::is_varying_atom(AtomId id) const {
  const Atom& one = atoms_[id];
  if (one.kind == Atom::Kind::power_of_two) return is_varying(one.a);
  if (one.kind != Atom::Kind::quotient) return facts_[id].varying;
  if (!is_varying(one.a) && !is_varying(one.b)) return false;
  if (!block_) return true;
  // Threads of one warp may share a quotient of their indices.
  const auto warps = static_cast<std::uint32_t>((program::volume(*block_) + 31) / 32);
  for (std::uint32_t warp = 0; warp < warps; ++warp) {
    const auto first = evaluate_atom(id, thread_place(*block_, warp, 0));
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      if (warp * 32 + lane >= program::volume(*block_)) break;
      const auto other = evaluate_atom(id, thread_place(*block_, warp, lane));
      if (!first || !other || *first != *other) return true;
    }
  }
  return false;
}

bool Algebra::is_varying(ExpressionId id) const {
  for (const Term& term : *expressions_[id]) {
    for (const AtomId atom : term.atoms) {
      if (is_varying_atom(atom)) return true;
    }
  }
  return false;
}

void Algebra::set_varying(AtomId id) {
  if (facts_[id].varying) return;
  facts_[id].varying = true;
  ++changes_;
}

void Algebra::set_power_of_two(AtomId id, bool value) {
  if (facts_[id].power_of_two == value) return;
  facts_[id].power_of_two = value;
  ++changes_;
}

bool Algebra::is_power_of_two(ExpressionId id) const {
  const Expression& terms = *expressions_[id];
  if (terms.size() != 1) return false;
  if (terms[0].coefficient <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(terms[0].coefficient))) return false;
  return std::all_of(terms[0].atoms.begin(), terms[0].atoms.end(), [&](AtomId atom) {
    const Atom& one = atoms_[atom];
    if (one.kind == Atom::Kind::power_of_two) return true;
    // Halved often enough it is 0, of which x & (p - 1) is not the remainder; such a p ends loops and divides nothing.
    if (one.kind == Atom::Kind::quotient) return is_power_of_two(one.a) && is_power_of_two(one.b);
    return facts_[atom].power_of_two;
  });
}

Range Algebra::atom_range(AtomId id) const {
  const Atom& one = atoms_[id];
  if (one.kind == Atom::Kind::power_of_two) return {1, std::nullopt};
  if (one.kind == Atom::Kind::counter) return {0, std::nullopt};
  if (one.kind == Atom::Kind::opaque && facts_[id].power_of_two) return {0, std::nullopt};
  if (one.kind != Atom::Kind::quotient) return facts_[id].range;
  const Range dividend = range(one.a);
  if (const auto by = constant_value(one.b)) {
    const auto divided = [&](const std::optional<std::int64_t>& bound) -> std::optional<std::int64_t> {
      if (!bound) return std::nullopt;
      return floor_quotient(*bound, *by);
    };
    return {divided(dividend.low), divided(dividend.high)};
  }
  if (dividend.low && *dividend.low >= 0) return {0, dividend.high};
  return {};
}

Range Algebra::range(ExpressionId id) const {
  Range total{0, 0};
  for (const Term& term : *expressions_[id]) {
    Range one{term.coefficient, term.coefficient};
    for (const AtomId atom : term.atoms) one = times(one, atom_range(atom));
    total = plus(total, one);
  }
  // x - d * [x / d] lies in [0, d): the sum above loses that the two terms move together.
  const Expression& terms = *expressions_[id];
  for (const Term& term : terms) {
    if (term.coefficient >= 0 || term.atoms.empty()) continue;
    for (const AtomId atom : term.atoms) {
      const Atom& one = atoms_[atom];
      if (one.kind != Atom::Kind::quotient || term.atoms.size() != 1) continue;
      const auto by = constant_value(one.b);
      if (!by || term.coefficient % *by != 0) continue;
      const std::int64_t scale = -(term.coefficient / *by);
      // The rest must be scale * dividend plus terms of their own, which are bounded apart.
      Expression others;
      std::size_t matched = 0;
      const Expression& dividend = *expressions_[one.a];
      for (const Term& other : terms) {
        if (&other == &term) continue;
        const auto same = std::find_if(dividend.begin(), dividend.end(), [&](const Term& t) {
          return t.atoms == other.atoms && product(t.coefficient, scale) == other.coefficient;
        });
        if (same != dividend.end()) {
          ++matched;
        } else {
          others.push_back(other);
        }
      }
      if (matched != dividend.size()) continue;
      Range apart{0, product(scale, *by - 1)};
      for (const Term& other : others) {
        Range part{other.coefficient, other.coefficient};
        for (const AtomId a : other.atoms) part = times(part, atom_range(a));
        apart = plus(apart, part);
      }
      if (apart.low && (!total.low || *apart.low > *total.low)) total.low = apart.low;
      if (apart.high && (!total.high || *apart.high < *total.high)) total.high = apart.high;
    }
  }
  return total;
}

std::pair<ExpressionId, ExpressionId> Algebra::split_varying(ExpressionId id) {
  Expression varying, uniform;
  for (const Term& term : *expressions_[id]) {
    const bool moves =
        std::any_of(term.atoms.begin(), term.atoms.end(), [&](AtomId atom) { return is_varying_atom(atom); });
    (moves ? varying : uniform).push_back(term);
  }
  const ExpressionId first = intern(std::move(varying));
  return {first, intern(std::move(uniform))};
}

bool Algebra::mentions(ExpressionId id, const std::function<bool(const Atom&)>& test) const {
  for (const Term& term : *expressions_[id]) {
    for (const AtomId atom : term.atoms) {
      const Atom& one = atoms_[atom];
      if (test(one)) return true;
      if (one.kind == Atom::Kind::quotient && (mentions(one.a, test) || mentions(one.b, test))) return true;
      if (one.kind == Atom::Kind::power_of_two && mentions(one.a, test)) return true;
    }
  }
  return false;
}

std::optional<std::int64_t> Algebra::evaluate_atom(AtomId id, const ThreadPlace& place) const {
  const Atom& one = atoms_[id];
  switch (one.kind) {
    case Atom::Kind::thread: return place.index[one.a];
    case Atom::Kind::lane: return place.lane;
    case Atom::Kind::quotient: {
      const auto x = evaluate(one.a, place), by = evaluate(one.b, place);
      if (!x || !by || *by <= 0) return std::nullopt;
      return floor_quotient(*x, *by);
    }
    case Atom::Kind::power_of_two: {
      const auto exponent = evaluate(one.a, place);
      if (!exponent || *exponent < 0 || *exponent > 62) return std::nullopt;
      return std::int64_t{1} << *exponent;
    }
    default: return std::nullopt;
  }
}

std::optional<std::int64_t> Algebra::evaluate(ExpressionId id, const ThreadPlace& place) const {
  std::int64_t total = 0;
  for (const Term& term : *expressions_[id]) {
    std::int64_t one = term.coefficient;
    for (const AtomId atom : term.atoms) {
      const auto value = evaluate_atom(atom, place);
      if (!value) return std::nullopt;
      one = product(one, *value);
    }
    total = sum(total, one);
  }
  return total;
}

std::string Algebra::text_of(const Term& term) const {
  std::string result;
  const std::uint64_t magnitude = term.coefficient < 0 ? -static_cast<std::uint64_t>(term.coefficient)
                                                       : static_cast<std::uint64_t>(term.coefficient);
  if (magnitude != 1 || term.atoms.empty()) result = fmt::format("{}", magnitude);
  for (const AtomId atom : term.atoms) result += (result.empty() ? "" : "*") + atoms_[atom].name;
  return result;
}

std::string Algebra::text(ExpressionId id) const {
  std::string result;
  // The constant term comes first in the order of terms and is written last.
  const Expression& terms = *expressions_[id];
  const bool has_constant = !terms.empty() && terms[0].atoms.empty();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term& term = terms[has_constant ? (i + 1) % terms.size() : i];
    const bool negative = term.coefficient < 0;
    result += result.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    result += text_of(term);
  }
  return result.empty() ? "0" : result;
}

}  // namespace lockstep::analysis
