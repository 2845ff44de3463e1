#include "models/rgpu/sweep.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "models/rgpu/item_set.hpp"
#include "models/rgpu/state_table.hpp"

namespace lockstep::rgpu {
namespace {

using namespace item_set;
constexpr std::uint32_t no_item = ~std::uint32_t{0};

/// Partial placements after one decision: what stands at a load-store unit or core. A state has the items that are placed,
/// then the values that are on a lane: those that are written and not yet read by all, and of wrapped ones those that come
/// round and have not ended.
struct Layer {
  std::uint32_t slot = 0;
  std::vector<Word> bits;             ///< Two sets per state.
  std::vector<std::uint32_t> parent;  ///< State of the layer before.
  std::vector<std::uint32_t> item;    ///< That was placed, or no_item.

  std::uint32_t size() const { return static_cast<std::uint32_t>(parent.size()); }
};

class Search {
 public:
  Search(const Problem& problem, const SweepQuestion& question, std::uint64_t limit);
  SweepAnswer run();

 private:
  const Word* placed(const Layer& layer, std::uint32_t state) const { return &layer.bits[state * 2 * words_]; }
  const Word* live(const Layer& layer, std::uint32_t state) const { return placed(layer, state) + words_; }
  void find_twins();
  void decide_unit();
  void decide_core();
  void end_slot(Layer& to, std::uint32_t parent, std::uint32_t item);
  void add_state(Layer& to, std::uint32_t parent, std::uint32_t item);
  void make_key();
  void load(const Layer& from, std::uint32_t state);
  bool allowed(std::uint32_t item) const;
  void thin_out(Layer& layer) const;
  std::optional<Placement> complete(const Layer& layer) const;
  bool ended() const { return answer_.steps > limit_; }

  const Problem& problem_;
  const SweepQuestion& question_;
  const std::uint64_t limit_;
  const std::size_t words_;
  const std::uint32_t lanes_;

  std::vector<Set> sources_, receivers_;
  std::vector<std::uint32_t> twin_;  ///< An item before it that is the same in every respect, or no_item.
  Set memory_, cores_, wrapped_, all_;
  bool by_copy_;  ///< States that differ in the order of copies are the same.
  std::vector<Layer> layers_;
  /// Behind the decision being made.
  std::uint32_t units_left_ = 0, cores_left_ = 0;
  std::uint32_t least_live_ = 0;

  Set placed_, live_;  ///< Of the state being made.
  std::vector<std::uint32_t> may_end_;
  std::vector<Word> key_;
  std::vector<std::array<Word, 3>> pieces_;
  StateTable seen_;
  SweepAnswer answer_;
};

Search::Search(const Problem& problem, const SweepQuestion& question, std::uint64_t limit)
    : problem_(problem),
      question_(question),
      limit_(limit),
      words_(words_for(problem.size())),
      lanes_(question.lanes - std::min(question.lanes, question.reserved)),
      sources_(problem.size(), Set(words_)),
      receivers_(problem.size(), Set(words_)),
      twin_(problem.size(), no_item),
      memory_(words_),
      cores_(words_),
      wrapped_(words_),
      all_(words_),
      by_copy_(problem.copies > 1 && problem.size() / problem.copies <= 64),
      placed_(words_),
      live_(words_),
      seen_(by_copy_ ? 3 * problem.copies : 2 * words_) {
  for (std::uint32_t i = 0; i < problem.size(); ++i) {
    const Problem::Item& item = problem.items[i];
    for (const std::uint32_t source : item.sources) add(sources_[i].data(), source);
    for (const std::uint32_t receiver : item.receivers) add(receivers_[i].data(), receiver);
    add((item.memory ? memory_ : cores_).data(), i);
    add(all_.data(), i);
  }
  for (const std::uint32_t item : question.wrapped) add(wrapped_.data(), item);
  find_twins();
}

void Search::find_twins() {
  for (std::uint32_t i = 0; i < problem_.size(); ++i) {
    const Problem::Item& item = problem_.items[i];
    if (has(wrapped_.data(), i)) continue;
    for (std::uint32_t other = i; other-- > 0;) {
      const Problem::Item& before = problem_.items[other];
      if (before.memory == item.memory && before.sources == item.sources && before.receivers == item.receivers &&
          !has(wrapped_.data(), other)) {
        twin_[i] = other;
        break;
      }
    }
  }
}

void Search::load(const Layer& from, std::uint32_t state) {
  std::copy_n(placed(from, state), words_, placed_.begin());
  std::copy_n(live(from, state), words_, live_.begin());
}

bool Search::allowed(std::uint32_t item) const {
  return within(sources_[item], live_.data()) && (twin_[item] == no_item || has(placed_.data(), twin_[item])) &&
         // A value that wraps around the ring has a receiver before its source, otherwise it would not be wrapped.
         (!has(wrapped_.data(), item) || meets(receivers_[item], placed_.data()));
}

void Search::make_key() {
  key_.clear();
  if (!by_copy_) {
    key_.insert(key_.end(), placed_.begin(), placed_.end());
    key_.insert(key_.end(), live_.begin(), live_.end());
    return;
  }
  const std::uint32_t length = problem_.size() / problem_.copies;
  pieces_.clear();
  for (std::uint32_t first = 0; first < problem_.size(); first += length) {
    pieces_.push_back({piece(placed_.data(), words_, first, length), piece(live_.data(), words_, first, length),
                       piece(wrapped_.data(), words_, first, length)});
  }
  std::sort(pieces_.begin(), pieces_.end());
  for (const auto& one : pieces_) key_.insert(key_.end(), one.begin(), one.end());
}

void Search::add_state(Layer& to, std::uint32_t parent, std::uint32_t item) {
  ++answer_.steps;
  const std::uint32_t values = count(live_.data(), words_);
  if (values > lanes_ || values < least_live_ || count_missing(memory_, placed_.data()) > units_left_ ||
      count_missing(cores_, placed_.data()) > cores_left_) {
    return;
  }
  make_key();
  if (!seen_.insert(key_)) return;
  to.bits.insert(to.bits.end(), placed_.begin(), placed_.end());
  to.bits.insert(to.bits.end(), live_.begin(), live_.end());
  to.parent.push_back(parent);
  to.item.push_back(item);
}

/// Values whose last receiver stands at this slot end here. One that wraps around may end before it has reached all: the
/// others then stand behind its source.
void Search::end_slot(Layer& to, std::uint32_t parent, std::uint32_t item) {
  may_end_.clear();
  const Set before = live_;
  each(before.data(), words_, [&](std::uint32_t value) {
    const bool comes_round = has(wrapped_.data(), value) && value != item;
    if (comes_round && has(placed_.data(), value)) return;
    if (value == item) {
      remove(live_.data(), value);
    } else if (within(receivers_[value], placed_.data())) {
      remove(live_.data(), value);
    } else if (comes_round && meets(receivers_[value], placed_.data())) {
      may_end_.push_back(value);
    }
  });
  if (item != no_item && problem_.items[item].sends()) add(live_.data(), item);
  const Set kept = live_;
  for (std::uint32_t choice = 0; choice < std::uint32_t{1} << may_end_.size(); ++choice) {
    live_ = kept;
    for (std::size_t i = 0; i < may_end_.size(); ++i) {
      if (choice >> i & 1) remove(live_.data(), may_end_[i]);
    }
    add_state(to, parent, item);
  }
}

void Search::decide_unit() {
  const Layer& from = layers_[layers_.size() - 2];
  Layer& to = layers_.back();
  seen_.clear();
  for (std::uint32_t state = 0; state < from.size() && !ended(); ++state) {
    load(from, state);
    add_state(to, state, no_item);
    for (std::uint32_t item = 0; item < problem_.size(); ++item) {
      if (!has(memory_.data(), item) || has(placed_.data(), item) || !allowed(item)) continue;
      add(placed_.data(), item);
      if (problem_.items[item].sends()) add(live_.data(), item);
      add_state(to, state, item);
      load(from, state);
    }
  }
}

void Search::decide_core() {
  const Layer& from = layers_[layers_.size() - 2];
  Layer& to = layers_.back();
  seen_.clear();
  for (std::uint32_t state = 0; state < from.size() && !ended(); ++state) {
    load(from, state);
    end_slot(to, state, no_item);
    load(from, state);
    for (std::uint32_t item = 0; item < problem_.size(); ++item) {
      if (!has(cores_.data(), item) || has(placed_.data(), item) || !allowed(item)) continue;
      add(placed_.data(), item);
      end_slot(to, state, item);
      load(from, state);
    }
  }
}

/// Keeps the states that have placed most and have the fewest values on the lanes.
void Search::thin_out(Layer& layer) const {
  if (layer.size() <= question_.width) return;
  std::vector<std::pair<std::int64_t, std::uint32_t>> order(layer.size());
  for (std::uint32_t state = 0; state < layer.size(); ++state) {
    const std::int64_t score = 2 * static_cast<std::int64_t>(count(placed(layer, state), words_)) -
                               static_cast<std::int64_t>(count(live(layer, state), words_));
    order[state] = {-score, state};
  }
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(question_.width), order.end());
  order.resize(question_.width);
  std::sort(order.begin(), order.end());
  Layer kept;
  kept.slot = layer.slot;
  for (const auto& [score, state] : order) {
    kept.bits.insert(kept.bits.end(), placed(layer, state), placed(layer, state) + 2 * words_);
    kept.parent.push_back(layer.parent[state]);
    kept.item.push_back(layer.item[state]);
  }
  layer = std::move(kept);
}

std::optional<Placement> Search::complete(const Layer& layer) const {
  for (std::uint32_t last = 0; last < layer.size(); ++last) {
    if (!std::equal(all_.begin(), all_.end(), placed(layer, last)) || !within(live(layer, last), wrapped_)) continue;
    Placement placement(problem_.size());
    std::uint32_t state = last;
    for (std::size_t i = layers_.size() - 1; i > 0; --i) {
      if (layers_[i].item[state] != no_item) placement[layers_[i].item[state]] = layers_[i].slot;
      state = layers_[i].parent[state];
    }
    return placement;
  }
  return std::nullopt;
}

SweepAnswer Search::run() {
  const auto slot_of = [&](std::uint32_t i) { return (question_.first_slot + i) % problem_.slots; };
  for (std::uint32_t i = 0; i < question_.length; ++i) units_left_ += problem_.units_at[slot_of(i)];
  cores_left_ = question_.length;
  layers_.emplace_back();
  live_ = wrapped_;
  add_state(layers_.back(), no_item, no_item);
  for (std::uint32_t i = 0; i < question_.length; ++i) {
    const std::uint32_t slot = slot_of(i);
    const std::uint32_t here = problem_.memory_needed ? problem_.units_at[slot] : 0;
    for (std::uint32_t unit = 0; unit < here; ++unit) {
      --units_left_;
      layers_.emplace_back().slot = slot;
      decide_unit();
    }
    if (!problem_.memory_needed) units_left_ -= problem_.units_at[slot];
    --cores_left_;
    layers_.emplace_back().slot = slot;
    least_live_ = (i + 1) % problem_.period ? 0 : question_.least_crossing;
    decide_core();
    least_live_ = 0;
    answer_.placement = complete(layers_.back());
    if (answer_.placement) return answer_;
    if (ended()) {
      answer_.exhaustive = false;
      return answer_;
    }
    if (layers_.back().size() == 0) return answer_;
    if (layers_.back().size() > question_.width) {
      answer_.exhaustive = false;
      thin_out(layers_.back());
    }
  }
  return answer_;
}

}  // namespace

SweepAnswer sweep(const Problem& problem, const SweepQuestion& question, std::uint64_t limit) {
  return Search(problem, question, limit).run();
}

}  // namespace lockstep::rgpu
