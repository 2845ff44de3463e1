#pragma once
// Integer expressions of index arithmetic: polynomials with whole coefficients over thread indices, loop counters, launch
// constants, quotients of these, and values that nothing more is known of. Index arithmetic is taken as free of overflow,
// as C takes it for signed integers.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "isa/program/static_program.hpp"

namespace lockstep::analysis {

using AtomId = std::uint32_t;
using ExpressionId = std::uint32_t;
inline constexpr std::uint32_t no_expression = ~std::uint32_t{0};

/// What a polynomial is made of.
struct Atom {
  enum class Kind : std::uint8_t {
    thread,         ///< %tid: `a` is 0, 1 or 2 for x, y, z.
    lane,           ///< %laneid.
    constant,       ///< The same in all threads of a launch: %ctaid, %ntid, a kernel parameter; `a` and `b` tell which.
    shared_window,  ///< Where the scratchpad stands among the generic addresses.
    counter,        ///< Iteration of the loop with header block `a`, counted from 0.
    quotient,       ///< Expression `a` divided by expression `b`, rounded down.
    power_of_two,   ///< 2 to the expression `a`.
    opaque          ///< Something else: `a` and `b` tell where it comes from.
  };
  Kind kind = Kind::opaque;
  std::uint32_t a = 0, b = 0;
  std::string name;
};

struct Term {
  std::vector<AtomId> atoms;  ///< Their product, in increasing order; none: the constant term.
  std::int64_t coefficient = 0;
  friend auto operator<=>(const Term&, const Term&) = default;
};

/// A sum of terms in increasing order of their atoms, none with a coefficient of 0.
using Expression = std::vector<Term>;

/// Bounds of a value, both included; nothing: no bound.
struct Range {
  std::optional<std::int64_t> low, high;
};

/// The numbers of one launch, where they are known.
struct LaunchValues {
  std::optional<program::Dim3> block, grid;
  std::optional<std::uint32_t> dynamic_shared_bytes;
  /// Scalar kernel parameters by their byte offset.
  std::map<std::uint64_t, std::vector<std::uint8_t>> parameters;
};

/// The place of one thread in a warp.
struct ThreadPlace {
  std::uint32_t lane = 0;
  program::Dim3 index{};
};
/// Of a lane of a warp of a thread block of this size. A lane past the last thread gets the place that it would have.
ThreadPlace thread_place(const program::Dim3& block, std::uint32_t warp, std::uint32_t lane);

/// Makes expressions, each once: equal ones have equal numbers.
class Algebra {
 public:
  explicit Algebra(std::optional<program::Dim3> block);

  ExpressionId constant(std::int64_t value);
  ExpressionId of(AtomId atom);
  ExpressionId thread(std::uint32_t dimension);  ///< 0 where the thread block has only one.
  ExpressionId lane();

  /// The atom of this kind and origin. New ones are uniform and unbounded.
  AtomId atom(Atom::Kind kind, std::uint32_t a, std::uint32_t b, const std::function<std::string()>& name);

  // Arithmetic gives no_expression where an operand is that, or the result would have too many terms.
  ExpressionId add(ExpressionId x, ExpressionId y);
  ExpressionId subtract(ExpressionId x, ExpressionId y);
  ExpressionId multiply(ExpressionId x, ExpressionId y);
  ExpressionId quotient(ExpressionId x, ExpressionId divisor);   ///< Rounded down; the divisor is positive.
  ExpressionId remainder(ExpressionId x, ExpressionId divisor);  ///< x - divisor * quotient.
  ExpressionId power_of_two(ExpressionId exponent);
  /// Bitwise operations, in two's complement. no_expression where the result is no such expression.
  ExpressionId bit_and(ExpressionId x, ExpressionId y);
  ExpressionId bit_or(ExpressionId x, ExpressionId y);
  ExpressionId bit_xor(ExpressionId x, ExpressionId y);

  const Expression& operator[](ExpressionId id) const { return *expressions_[id]; }
  const Atom& atom_at(AtomId id) const { return atoms_[id]; }
  std::optional<std::int64_t> constant_value(ExpressionId id) const;

  /// Whether lanes of one warp may see different values. Only for opaque atoms it is set, never taken back.
  bool is_varying_atom(AtomId id) const;
  bool is_varying(ExpressionId id) const;
  void set_varying(AtomId id);
  /// An opaque atom known to be a power of two (or 0) until that is found wrong.
  void set_power_of_two(AtomId id, bool value);
  bool is_power_of_two(ExpressionId id) const;
  void set_range(AtomId id, Range range) { facts_[id].range = range; }
  Range range(ExpressionId id) const;
  /// Counts every change of what is known of an atom.
  std::uint64_t changes() const { return changes_; }

  /// The terms with a varying atom, and all others.
  std::pair<ExpressionId, ExpressionId> split_varying(ExpressionId id);
  /// The expression of terms in any order; equal products are added up.
  ExpressionId intern(Expression terms);
  /// The same; no_expression when there are more than most_terms.
  ExpressionId bounded(Expression terms);
  /// Whether some atom in it, or in what it is made of, is one for which the test holds.
  bool mentions(ExpressionId id, const std::function<bool(const Atom&)>& test) const;
  /// Every atom for which `other` returns another expression replaced by it.
  ExpressionId replace(ExpressionId id, const std::function<ExpressionId(AtomId)>& other);

  /// Its value for a thread; nothing when it needs more than thread indices.
  std::optional<std::int64_t> evaluate(ExpressionId id, const ThreadPlace& place) const;
  std::optional<std::int64_t> evaluate_atom(AtomId id, const ThreadPlace& place) const;

  /// "4*tx + 128*ty + 16".
  std::string text(ExpressionId id) const;

 private:
  struct Hash {
    std::size_t operator()(const Expression& terms) const;
  };
  struct Facts {
    bool varying = false, power_of_two = false;
    Range range;
  };
  ExpressionId and_mask(ExpressionId x, std::uint64_t mask);
  /// The terms that the divisor, a single term, divides, divided; the others in `rest`.
  Expression divide_terms(const Expression& terms, const Term& divisor, Expression& rest) const;
  Range atom_range(AtomId id) const;
  /// [f * y / power] = [y / d] when f is the reciprocal that compilers multiply by instead of dividing by d (Granlund and
  /// Montgomery, 1994): y and d.
  std::optional<std::pair<ExpressionId, std::int64_t>> undo_division(ExpressionId x, std::int64_t power);
  std::string text_of(const Term& term) const;

  std::optional<program::Dim3> block_;
  std::vector<Atom> atoms_;
  std::vector<Facts> facts_;
  std::map<std::pair<Atom::Kind, std::pair<std::uint32_t, std::uint32_t>>, AtomId> atom_numbers_;
  std::unordered_map<Expression, ExpressionId, Hash> numbers_;
  std::vector<const Expression*> expressions_;
  std::uint64_t changes_ = 0;
};

}  // namespace lockstep::analysis
