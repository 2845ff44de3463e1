#include "models/hash_search/effort.hpp"

#include <algorithm>

namespace lockstep::hash {

void Effort::look() {
  constexpr std::uint64_t between_looks = 1 << 18;  // Some dozen milliseconds.
  next_look_ = std::min(part_limit_, spent_ + between_looks);
  over_ = spent_ >= part_limit_;
  double fraction = static_cast<double>(spent_) / static_cast<double>(std::max<std::uint64_t>(1, limit_));
  if (seconds_ > 0) {
    const double now = passed();
    if (now >= part_seconds_) over_ = by_clock_ = true;
    fraction = std::max(fraction, now / seconds_);
  }
  standing_.fraction = std::min(1.0, fraction);
  if (progress_) progress_(standing_);
}

void Effort::begin_part(double share) {
  if (spent_ < limit_) part_limit_ = spent_ + static_cast<std::uint64_t>(share * static_cast<double>(limit_ - spent_));
  if (seconds_ > 0) {
    const double now = passed();
    part_seconds_ = now + share * std::max(0.0, seconds_ - now);
  }
  look();
}

void Effort::end_part() {
  part_limit_ = limit_;
  part_seconds_ = seconds_;
  look();
}

}  // namespace lockstep::hash
