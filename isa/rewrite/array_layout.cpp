#include "isa/rewrite/array_layout.hpp"

#include <fmt/format.h>

#include <bit>

#include "isa/error.hpp"

namespace lockstep::rewrite {

namespace {

/// More offsets than these are not tried; then nothing is proved.
constexpr std::uint64_t most_trials = std::uint64_t{1} << 18;

std::uint32_t log2_of(std::uint32_t power) {
  return static_cast<std::uint32_t>(std::countr_zero(power));
}

/// Calls of(x) for every number without ones outside `ones` until that is false; whether it never was.
template <class Of>
bool for_all_within(std::uint32_t ones, Of&& of) {
  std::uint32_t x = 0;
  do {
    if (!of(x)) return false;
    x = (x - ones) & ones;
  } while (x != 0);
  return true;
}

}  // namespace

ArrayLayout::ArrayLayout(Form form, std::uint32_t row_bytes, std::uint32_t step_bytes)
    : form_(form), row_(row_bytes), step_(step_bytes) {
  finish();
}

ArrayLayout ArrayLayout::padding(std::uint32_t row_bytes, std::uint32_t unused_bytes) {
  return {Form::padding, row_bytes, unused_bytes};
}

ArrayLayout ArrayLayout::exclusive_or(std::vector<Fold> folds) {
  ArrayLayout layout;
  layout.form_ = Form::exclusive_or;
  layout.folds_ = std::move(folds);
  layout.finish();
  return layout;
}

ArrayLayout ArrayLayout::rotation(std::uint32_t row_bytes, std::uint32_t step_bytes) {
  return {Form::rotation, row_bytes, step_bytes};
}

void ArrayLayout::finish() {
  if (form_ == Form::exclusive_or) {
    std::uint32_t targets = 0, sources = 0;
    for (const Fold& fold : folds_) {
      targets |= fold.mask;
      sources |= fold.distance >= 0 ? fold.mask << fold.distance : fold.mask >> -fold.distance;
    }
    if (targets == 0 || (targets & sources) != 0 || (targets & 3) != 0)
      throw Bug("a layout whose bits depend on each other");
    row_ = std::bit_floor(targets) << 1;
    period_ = std::max(std::bit_floor(sources) << 1, row_);
    period_places_ = period_;
  } else if (form_ == Form::padding) {
    period_ = row_;
    period_places_ = row_ + step_;
  } else {
    period_ = row_ * (row_ >> std::min(log2_of(row_), log2_of(step_)));
    period_places_ = period_;
  }
  for (const std::uint32_t together : {8u, 16u}) {
    bool kept = true;
    for (std::uint32_t x = 0; kept && x < std::max(period_, together); x += together) {
      kept = place(x) % together == 0;
      for (std::uint32_t byte = 4; kept && byte < together; byte += 4) kept = place(x + byte) == place(x) + byte;
    }
    // Where a period ends within, the next one goes on elsewhere.
    if (!kept || (period_places_ % together != 0)) {
      contiguous_ = together / 2;
      return;
    }
  }
  contiguous_ = 16;
}

std::uint32_t ArrayLayout::place(std::uint32_t x) const {
  switch (form_) {
    case Form::unchanged: return x;
    case Form::padding: {
      const auto row = static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> log2_of(row_));
      return x + row * step_;
    }
    case Form::exclusive_or: {
      std::uint32_t result = x;
      for (const Fold& fold : folds_)
        result ^= (fold.distance >= 0 ? x >> fold.distance : x << -fold.distance) & fold.mask;
      return result;
    }
    case Form::rotation: return (x & ~(row_ - 1)) | ((x + (x >> log2_of(row_)) * step_) & (row_ - 1));
  }
  throw Bug("a layout of no known form");
}

std::uint64_t ArrayLayout::bytes_needed(std::uint64_t bytes) const {
  if (bytes == 0 || is_unchanged()) return bytes;
  if (form_ == Form::padding) return bytes + (bytes - 1) / row_ * step_;
  return (bytes + row_ - 1) / row_ * row_;
}

std::uint32_t ArrayLayout::alignment() const {
  if (is_unchanged()) return 1;
  return form_ == Form::padding ? contiguous_ : row_;
}

AddressSteps ArrayLayout::steps() const {
  using Operation = AddressStep::Operation;
  AddressSteps steps;
  // Values 0 and 1 are given, so step i makes value i + 2.
  const auto push = [&](Operation operation, std::uint32_t x, std::uint32_t y, std::uint32_t immediate) {
    steps.push_back({operation, x, y, immediate});
    return static_cast<std::uint32_t>(steps.size() + 1);
  };
  switch (form_) {
    case Form::unchanged: break;
    case Form::padding: {
      const std::uint32_t row = push(Operation::shift_right_signed, 0, 0, log2_of(row_));
      push(Operation::multiply_add, row, 1, step_);
      break;
    }
    case Form::exclusive_or: {
      std::uint32_t sum = 1;
      for (const Fold& fold : folds_) {
        const bool right = fold.distance >= 0;
        const std::uint32_t moved = push(right ? Operation::shift_right : Operation::shift_left, 0, 0,
                                         static_cast<std::uint32_t>(right ? fold.distance : -fold.distance));
        sum = push(Operation::bit_xor, sum, push(Operation::bit_and, moved, 0, fold.mask), 0);
      }
      break;
    }
    case Form::rotation: {
      const std::uint32_t row = push(Operation::shift_right, 0, 0, log2_of(row_));
      const std::uint32_t moved = push(Operation::multiply_add, row, 0, step_);
      push(Operation::insert_low, moved, 1, log2_of(row_));
      break;
    }
  }
  return steps;
}

std::optional<Displacement> ArrayLayout::displacement(std::uint32_t ones, std::uint32_t distance) const {
  // Offsets are periods and a rest; whole periods add up, whatever they are.
  const std::uint32_t rest = ones & (period_ - 1), distance_rest = distance & (period_ - 1);
  if (std::uint64_t{1} << std::popcount(rest) > most_trials) return std::nullopt;
  const auto periods = static_cast<std::uint32_t>(static_cast<std::int32_t>(distance - distance_rest) /
                                                  static_cast<std::int32_t>(period_));
  const std::uint32_t whole = periods * period_places_;
  const std::uint32_t least = place(distance_rest), row = alignment();
  const std::uint32_t changed = form_ == Form::padding ? 0 : least & (row - 1);
  for (const Displacement& one : {Displacement{0, least}, Displacement{changed, least - changed}}) {
    const bool holds = for_all_within(
        rest, [&](std::uint32_t x) { return place(x + distance_rest) == (place(x) ^ one.exclusive_or) + one.add; });
    if (holds) return Displacement{one.exclusive_or, one.add + whole};
  }
  return std::nullopt;
}

std::optional<ArrayLayout::Sum> ArrayLayout::sum(std::uint32_t ones, std::uint32_t ones_added) const {
  const std::uint32_t rest = ones & (period_ - 1), added_rest = ones_added & (period_ - 1);
  // Periods that are added stay what they are only where places have the same.
  if (added_rest != ones_added && period_places_ != period_) return std::nullopt;
  if (std::uint64_t{1} << (std::popcount(rest) + std::popcount(added_rest)) > most_trials) return std::nullopt;
  const auto holds = [&](Sum sum) {
    return for_all_within(added_rest, [&](std::uint32_t y) {
      return for_all_within(
          rest, [&](std::uint32_t x) { return place(x + y) == (sum == Sum::add ? place(x) + y : place(x) ^ y); });
    });
  };
  if (holds(Sum::add)) return Sum::add;
  // What is above the row would have to be XORed with the array's address.
  if (form_ != Form::padding && ones_added < alignment() && holds(Sum::exclusive_or)) return Sum::exclusive_or;
  return std::nullopt;
}

std::string ArrayLayout::name() const {
  switch (form_) {
    case Form::unchanged: return "-";
    case Form::padding: return fmt::format("pad:{}+{}", row_ / 4, step_ / 4);
    case Form::rotation: return fmt::format("rotate:{}*{}", row_ / 4, step_ / 4);
    case Form::exclusive_or: break;
  }
  std::string text;
  for (const Fold& fold : folds_)
    text += fmt::format("{}{}{}&{}", text.empty() ? "xor:" : ",", fold.distance >= 0 ? ">>" : "<<",
                        std::abs(fold.distance), fold.mask / 4);
  return text;
}

}  // namespace lockstep::rewrite
