#include "sim/gpu/sampled/interleaving.hpp"

#include <algorithm>

namespace lockstep::gpu::sampled {

void Interleaving::take(std::vector<UntimedRequest>& to, bool last) {
  while (!resident_.empty() || !waiting_.empty()) {
    if (!waiting_.empty() && begun_ < static_cast<double>(places_))
      begun_ += static_cast<double>(places_) / static_cast<double>(waiting_.front().size());
    const auto places = std::min(places_, static_cast<std::size_t>(begun_) + 1);
    while (resident_.size() < places && !waiting_.empty()) {
      resident_.push_back({std::move(waiting_.front()), 0});
      waiting_.pop_front();
    }
    if (waiting_.empty() && !last) return;
    for (Warp& warp : resident_) {
      to.push_back(warp.requests[warp.sent++]);
      if (warp.sent < warp.requests.size() || waiting_.empty()) continue;
      warp = {std::move(waiting_.front()), 0};
      waiting_.pop_front();
    }
    std::erase_if(resident_, [](const Warp& warp) { return warp.sent == warp.requests.size(); });
  }
}

}  // namespace lockstep::gpu::sampled
