#pragma once
// Requests modulo a growing part of the null space, as the exact search needs them: what one vector more would cost. First
// a bound, which comes from sets of requests, and then all of it, request by request.

#include <cstdint>
#include <vector>

#include "models/hash_search/quotient.hpp"

namespace lockstep::hash {

/// A level for each number of vectors chosen; classes are numbered as in Quotient.
///
/// A request whose words all count once and lie in different classes takes a pass more exactly when a vector is the
/// difference of two of its classes. Of those requests every vector has a set, a bit for each; choosing a vector unites
/// the sets of two classes, and what a vector adds is the weight of its set less the requests that conflict already. Only
/// these have to be looked at word by word.
class ConflictStack {
 public:
  /// Room for `levels` levels; the first one is `whole`, which must outlive this.
  ConflictStack(const Quotient& whole, std::uint32_t levels);

  std::size_t size(std::uint32_t level) const { return std::size_t{1} << (dimension_ - level); }
  /// Of all requests at this level: a lower bound of what every larger null space costs.
  std::uint64_t cost(std::uint32_t level) const { return levels_[level].cost; }

  /// Pieces in which a level's requests are looked at: one where there are few.
  std::uint32_t parts() const { return parts_; }

  /// Begins at the first level: a bound of what each vector adds.
  void begin(std::vector<std::uint64_t>& added);
  /// Makes the level behind `level`: one vector more, which adds `cost`. Leaves a bound of what each further vector adds
  /// to its cost; vectors in `excluded` are left out, and those join it whose bound is not below `limit`. Returns the
  /// effort, in requests looked at.
  std::uint64_t choose(std::uint32_t level, std::uint32_t vector, std::uint64_t cost, std::uint64_t limit,
                       std::vector<std::uint64_t>& added, std::vector<std::uint8_t>& excluded);
  /// Looks at a part of the requests that conflict: raises the bounds by what is due to them, all parts together to what
  /// vectors that are not excluded really add. Returns the effort.
  std::uint64_t look_at(std::uint32_t level, std::uint32_t part, std::vector<std::uint64_t>& added);

 private:
  using Word = std::uint64_t;
  struct Level {
    std::uint64_t cost = 0;
    std::vector<std::uint64_t> affine;    ///< As in Quotient.
    std::vector<Word> sets;               ///< Of each class, set_words_ words.
    std::vector<Word> conflicting;        ///< Requests to look at word by word: those that conflict, or have no set.
    std::vector<std::uint16_t> class_of;  ///< By word of the first level.
  };
  /// Requests of equal weight, by words of their bits.
  struct Run {
    std::uint32_t first = 0, last = 0;
    std::uint64_t weight = 0;
  };

  /// Of a request, with repetitions.
  struct Classes {
    std::uint16_t at[32];
    std::uint32_t count = 0;
  };

  void count_pairs(const Classes& heavy, const Classes& all, std::uint32_t largest, std::uint64_t weight,
                   std::uint32_t number, std::uint64_t* added);
  std::uint64_t weight_of_new(const Word* set, const Word* conflicting) const;

  const Quotient& whole_;
  std::uint32_t dimension_;
  std::vector<std::uint32_t> request_at_;  ///< By bit: a request of `whole_`.
  std::uint32_t words_ = 0, set_words_ = 0, parts_ = 1;
  std::vector<Run> runs_;
  std::vector<Level> levels_;
  // Of look_at, by class.
  std::vector<std::uint8_t> load_;
  std::vector<std::uint32_t> met_;  ///< Number of the last request that met the vector << 8 | what it adds.
};

}  // namespace lockstep::hash
