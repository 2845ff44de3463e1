#include "isa/analysis/access_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lockstep::analysis {

namespace {

/// A thread index with the divisors that cut it, each a multiple of the one before.
struct CutIndex {
  ExpressionId whole = no_expression;  ///< Coefficient of the index itself.
  /// Divisors and the coefficients of the quotients by them.
  std::vector<std::pair<ExpressionId, ExpressionId>> quotients;
};

class FormMaker {
 public:
  FormMaker(Algebra& algebra, ExpressionId varying) : algebra_(algebra), varying_(varying) {}

  /// False when some term is not a multiple of a single index.
  bool collect() {
    const Expression terms = algebra_[varying_];
    for (const Term& term : terms) {
      std::vector<AtomId> moving;
      Term coefficient{{}, term.coefficient};
      for (const AtomId atom : term.atoms)
        (algebra_.is_varying_atom(atom) ? moving : coefficient.atoms).push_back(atom);
      if (moving.size() != 1) return false;
      if (!is_index(moving[0])) return false;
      const ExpressionId found = algebra_.intern({coefficient});
      const auto [place, is_new] = coefficients_.try_emplace(moving[0], found);
      if (!is_new) place->second = algebra_.add(place->second, found);
    }
    return true;
  }

  /// Afterwards in_fields() tells whether every term is of an index or of a field of one.
  std::vector<IndexTerm> terms() {
    std::map<AtomId, CutIndex> cut;
    std::vector<IndexTerm> others;
    for (const auto& [id, coefficient] : coefficients_) {
      const Atom atom = algebra_.atom_at(id);
      if (atom.kind != Atom::Kind::quotient) {
        cut[id].whole = coefficient;
        continue;
      }
      const Expression& dividend = algebra_[atom.a];
      const bool of_index = dividend.size() == 1 && dividend[0].coefficient == 1 && dividend[0].atoms.size() == 1;
      const AtomId index = of_index ? dividend[0].atoms[0] : 0;
      if (!of_index || algebra_.atom_at(index).kind == Atom::Kind::quotient) {
        others.push_back({atom.name, coefficient, algebra_.constant_value(coefficient)});
        continue;
      }
      cut[index].quotients.emplace_back(atom.b, coefficient);
    }
    std::vector<IndexTerm> result;
    for (auto& [id, index] : cut) append(id, index, result);
    result.insert(result.end(), others.begin(), others.end());
    in_fields_ = in_fields_ && others.empty();
    return result;
  }
  bool in_fields() const { return in_fields_; }

 private:
  /// A thread index, or a quotient of a sum of multiples of such.
  bool is_index(AtomId id) const {
    const Atom& atom = algebra_.atom_at(id);
    if (atom.kind == Atom::Kind::thread || atom.kind == Atom::Kind::lane) return true;
    if (atom.kind != Atom::Kind::quotient || algebra_.is_varying(atom.b)) return false;
    for (const Term& term : algebra_[atom.a]) {
      std::uint32_t moving = 0;
      for (const AtomId inner : term.atoms) {
        if (!algebra_.is_varying_atom(inner)) continue;
        if (++moving > 1 || !is_index(inner)) return false;
      }
    }
    return true;
  }

  void append(AtomId id, CutIndex& index, std::vector<IndexTerm>& result) {
    const std::string name = algebra_.atom_at(id).name;
    const ExpressionId one = algebra_.constant(1);
    const ExpressionId whole = index.whole == no_expression ? algebra_.constant(0) : index.whole;
    std::sort(index.quotients.begin(), index.quotients.end(), [&](const auto& x, const auto& y) {
      const auto p = algebra_.constant_value(x.first), q = algebra_.constant_value(y.first);
      return p && q ? *p < *q : x.first < y.first;
    });
    // Coefficient of a field: that of the index times the field's weight, and of every quotient that holds the field,
    // times its weight there.
    std::vector<ExpressionId> weights{one};
    for (const auto& [divisor, coefficient] : index.quotients) weights.push_back(divisor);
    std::vector<IndexTerm> fields;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      ExpressionId total = algebra_.multiply(whole, weights[k]);
      for (std::size_t j = 1; j <= k && total != no_expression; ++j) {
        const ExpressionId ratio = ratio_of(weights[k], weights[j]);
        if (ratio == no_expression) {
          total = no_expression;
          break;
        }
        const ExpressionId part = algebra_.multiply(ratio, index.quotients[j - 1].second);
        total = part == no_expression ? no_expression : algebra_.add(total, part);
      }
      std::string field = name;
      if (k > 0) field += fmt::format("/{}", shown(weights[k]));
      if (k + 1 < weights.size()) {
        const ExpressionId size = ratio_of(weights[k + 1], weights[k]);
        if (size == no_expression) total = no_expression;
        if (size != no_expression) field += fmt::format("%{}", shown(size));
      }
      if (total == no_expression) {
        append_uncut(name, index, result);
        return;
      }
      if (algebra_[total].empty() && k + 1 == weights.size() && k > 0) continue;
      fields.push_back({field, total, algebra_.constant_value(total)});
    }
    result.insert(result.end(), fields.begin(), fields.end());
  }

  /// Divisors that do not divide each other: the terms as they stand.
  void append_uncut(const std::string& name, const CutIndex& index, std::vector<IndexTerm>& result) {
    in_fields_ = false;
    if (index.whole != no_expression) result.push_back({name, index.whole, algebra_.constant_value(index.whole)});
    for (const auto& [divisor, coefficient] : index.quotients) {
      result.push_back(
          {fmt::format("[{}/{}]", name, shown(divisor)), coefficient, algebra_.constant_value(coefficient)});
    }
  }

  ExpressionId ratio_of(ExpressionId larger, ExpressionId smaller) {
    const ExpressionId ratio = algebra_.quotient(larger, smaller);
    if (ratio == no_expression || algebra_.multiply(ratio, smaller) != larger) return no_expression;
    return ratio;
  }
  std::string shown(ExpressionId id) const {
    const std::string text = algebra_.text(id);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  }

  Algebra& algebra_;
  ExpressionId varying_;
  std::map<AtomId, ExpressionId> coefficients_;
  bool in_fields_ = true;
};

/// The class of what the warps of a thread block access; nothing when some distance is not a number.
std::optional<PatternClass> class_of_warps(const Algebra& algebra, ExpressionId varying, std::uint32_t bytes_per_lane,
                                           const program::Dim3& block) {
  const auto threads = static_cast<std::uint32_t>(program::volume(block));
  PatternClass kind = PatternClass::linear;
  for (std::uint32_t warp = 0; warp * 32 < threads; ++warp) {
    std::uint64_t address[32] = {};
    const std::uint32_t lanes = std::min(32u, threads - warp * 32);
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const auto value = algebra.evaluate(varying, thread_place(block, warp, lane));
      if (!value) return std::nullopt;
      address[lane] = static_cast<std::uint64_t>(*value);
    }
    const auto pattern = fit_lanes(address, lanes == 32 ? ~0u : (1u << lanes) - 1, bytes_per_lane, {block, warp});
    if (pattern) kind = std::max(kind, pattern->kind);
  }
  return kind;
}

}  // namespace

AccessForm access_form(Algebra& algebra, ExpressionId address, std::uint32_t bytes_per_lane,
                       const std::optional<program::Dim3>& block) {
  AccessForm form;
  const auto [varying, uniform] = algebra.split_varying(address);
  form.varying = varying;
  form.offset = uniform;
  FormMaker maker(algebra, varying);
  form.affine = maker.collect();
  if (form.affine) form.terms = maker.terms();
  if (block) {
    if (const auto kind = class_of_warps(algebra, varying, bytes_per_lane, *block)) {
      form.exact = true;
      // Fields whose sizes are no powers of two are a block all the same; what wraps around in between is none.
      form.kind = form.affine && maker.in_fields() ? std::min(*kind, PatternClass::block) : *kind;
      return form;
    }
  }
  form.affine = form.affine && maker.in_fields();
  if (!form.affine) {
    form.terms.clear();
    return form;
  }
  const bool one_row = form.terms.size() == 1 && (form.terms[0].index == "tx" || form.terms[0].index == "lane") &&
                       (!block || (*block)[0] % 32 == 0);
  if (!one_row) {
    form.kind = PatternClass::block;
  } else {
    form.kind = form.terms[0].value == std::int64_t{bytes_per_lane} ? PatternClass::linear : PatternClass::stride;
  }
  return form;
}

}  // namespace lockstep::analysis
