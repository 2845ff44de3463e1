#include "isa/exec/dataflow/input.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::dataflow {

Input::Input(const Operand& operand, const OperandValues& values, std::vector<std::uint32_t> initial, bool voids,
             bool self)
    : source_(operand.source), reuse_(values.reuse), initial_(std::move(initial)) {
  switch (operand.kind) {
    case Operand::Kind::constant:
      if (values.period == 0 || values.tail == 0) {
        values_.assign(batch, values.value);
        return;
      }
      form_ = Form::alternating;
      value_ = values.value;
      tail_value_ = values.tail_value;
      period_ = values.period;
      tail_of_period_ = values.tail;
      gathered_.resize(batch);
      return;
    case Operand::Kind::ring:
      form_ = Form::ring;
      values_ = initial_;
      gathered_.resize(batch);
      return;
    case Operand::Kind::edge: break;
  }
  restart_ = values.restart / values.reuse;
  if (self) {
    form_ = Form::self;
    values_ = initial_;
    values_.resize(initial_.size() + batch);
    return;
  }
  form_ = reuse_ == 1 && restart_ == 0 ? Form::fifo : Form::repeating;
  const std::uint64_t capacity = std::bit_ceil(std::max<std::uint64_t>(batch, initial_.size() + 1));
  values_.resize(capacity);
  std::copy(initial_.begin(), initial_.end(), values_.begin());
  mask_ = capacity - 1;
  tail_ = initial_.size();
  if (voids) voids_.resize(capacity);
  if (form_ == Form::repeating) {
    gathered_.resize(batch);
    if (voids) gathered_voids_.resize(batch);
  }
}

std::uint64_t Input::ready_otherwise(std::uint64_t fired, std::uint64_t limit) const {
  if (form_ != Form::repeating) return limit;
  const std::uint64_t there = tail_ - head_;
  if (there > (limit + fired % reuse_) / reuse_) return limit;
  return std::min(limit, there * reuse_ - (there == 0 ? 0 : fired % reuse_));
}

Values Input::read_otherwise(std::uint64_t fired, std::uint32_t count) {
  std::uint32_t* const to = gathered_.data();
  switch (form_) {
    case Form::alternating: {
      std::uint64_t at = fired % period_;
      for (std::uint32_t i = 0; i < count; ++i) {
        to[i] = at >= period_ - tail_of_period_ ? tail_value_ : value_;
        if (++at == period_) at = 0;
      }
      return {to, nullptr};
    }
    case Form::ring: {
      std::uint64_t used = fired % reuse_, at = fired / reuse_ % values_.size();
      for (std::uint32_t i = 0; i < count; ++i) {
        to[i] = values_[at];
        if (++used < reuse_) continue;
        used = 0;
        if (++at == values_.size()) at = 0;
      }
      return {to, nullptr};
    }
    default: break;
  }
  const std::uint64_t initial = restart_ == 0 ? 0 : initial_.size();
  std::uint64_t used = fired % reuse_, at = head_, place = restart_ == 0 ? 0 : head_ % restart_;
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool restarts = place < initial;
    to[i] = restarts ? initial_[place] : values_[at & mask_];
    if (!voids_.empty()) gathered_voids_[i] = restarts ? 0 : voids_[at & mask_];
    if (++used < reuse_) continue;
    used = 0;
    ++at;
    if (restart_ != 0 && ++place == restart_) place = 0;
  }
  return {to, voids_.empty() ? nullptr : gathered_voids_.data()};
}

void Input::push(const std::uint32_t* values, const std::uint8_t* voids, std::uint32_t count) {
  const std::uint64_t at = tail_ & mask_;
  const std::uint64_t first = std::min<std::uint64_t>(count, mask_ + 1 - at);
  std::memcpy(values_.data() + at, values, first * sizeof *values);
  if (first < count) std::memcpy(values_.data(), values + first, (count - first) * sizeof *values);
  if (!voids_.empty()) {
    for (std::uint32_t i = 0; i < count; ++i) voids_[(tail_ + i) & mask_] = voids == nullptr ? 0 : voids[i];
  }
  tail_ += count;
}

void Input::grow() {
  const std::uint64_t capacity = 2 * (mask_ + 1);
  std::vector<std::uint32_t> larger(capacity);
  std::vector<std::uint8_t> larger_voids(voids_.empty() ? 0 : capacity);
  for (std::uint64_t at = head_; at != tail_; ++at) {
    larger[at & (capacity - 1)] = values_[at & mask_];
    if (!voids_.empty()) larger_voids[at & (capacity - 1)] = voids_[at & mask_];
  }
  values_ = std::move(larger);
  voids_ = std::move(larger_voids);
  mask_ = capacity - 1;
}

std::uint64_t Input::self_limit(std::uint64_t fired) const {
  return restart_ == 0 ? batch : restart_ - fired % restart_;
}

std::uint32_t* Input::self_operands(std::uint64_t fired) {
  if (restart_ != 0) {
    const std::uint64_t place = fired % restart_;
    for (std::uint64_t i = place; i < initial_.size(); ++i) values_[i - place] = initial_[i];
  }
  return values_.data();
}

void Input::self_advance(std::uint32_t count) {
  std::memmove(values_.data(), values_.data() + count, initial_.size() * sizeof(std::uint32_t));
}

Input::Left Input::left(std::uint64_t fired, std::uint32_t count) const {
  Left result;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (form_ == Form::ring) {
      result.values.push_back(values_[(fired / reuse_ + i) % values_.size()]);
    } else if (form_ == Form::self) {
      result.values.push_back(values_[i]);
    } else {
      result.values.push_back(values_[(head_ + i) & mask_]);
      if (!voids_.empty() && voids_[(head_ + i) & mask_] != 0) result.has_void = true;
    }
  }
  return result;
}

}  // namespace lockstep::dataflow
