#pragma once
// The order in which requests of warps that execute at a time reach the memory, where no time says it.

#include <cstddef>
#include <deque>
#include <vector>

#include "sim/gpu/memory/memory_system.hpp"

namespace lockstep::gpu::sampled {

/// As many warps as are resident send a request each by turns; one that has sent all of its own makes room for the next. They begin
/// one after the other, so that at any time warps stand everywhere between their beginning and their end.
class Interleaving {
 public:
  explicit Interleaving(std::size_t warps) : places_(warps) {}

  /// The next warp's requests.
  void add(std::vector<UntimedRequest>&& requests) {
    if (!requests.empty()) waiting_.push_back(std::move(requests));
  }
  /// Appends requests while further warps are there to take the places of those that end; `last`: all that are left.
  void take(std::vector<UntimedRequest>& to, bool last);

 private:
  struct Warp {
    std::vector<UntimedRequest> requests;
    std::size_t sent = 0;
  };
  std::size_t places_;
  std::vector<Warp> resident_;
  std::deque<std::vector<UntimedRequest>> waiting_;
  double begun_ = 0;  ///< Warps that may have begun: all places are taken when one could have sent all its requests.
};

}  // namespace lockstep::gpu::sampled
