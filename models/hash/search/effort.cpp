#include "models/hash/search/effort.hpp"

#include <algorithm>

namespace lockstep::hash {

void Effort::look() {
  constexpr std::uint64_t between_looks = 1 << 20;  // Some milliseconds.
  next_look_ = std::min(limit_, spent_ + between_looks);
  if (spent_ >= limit_) over_ = true;
  double fraction = static_cast<double>(spent_) / static_cast<double>(std::max<std::uint64_t>(1, limit_));
  if (seconds_ > 0) {
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    if (passed >= seconds_) over_ = by_clock_ = true;
    fraction = std::max(fraction, passed / seconds_);
  }
  if (progress_) progress_(std::min(1.0, fraction));
}

}  // namespace lockstep::hash
