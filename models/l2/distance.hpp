#pragma once
// An L2 cache in parts, each with some SMs near to it. A request of a far SM takes longer; what it has read stays in a copy
// near to it until it is written or evicted, so that the next reads from that side take no longer than near ones.

#include <cstdint>

#include "models/clock/ticks.hpp"
#include "models/l2/spec.hpp"

namespace lockstep::l2 {

/// Where a slice lies among the slices of the GPU and how many SMs there are, which says who is far.
struct Place {
  std::uint32_t slice = 0, slices = 1, sms = 1;
};

/// Of one slice. Copies are lines of the part that they are for. Here they take room in the slice whose lines they copy, in
/// place of the room that copies of other slices' lines take there: as much where all parts have the same traffic.
class Distance {
 public:
  Distance(const Spec& spec, const Place& place)
      : parts_(spec.parts),
        own_(place.slice * spec.parts / place.slices),
        sms_(place.sms),
        far_(clock::to_ticks(spec.far_latency)) {}

  bool is_far(std::uint32_t sm) const { return far_ != 0 && part_of(sm) != own_; }
  /// What a request of this SM takes longer that needs the slice itself.
  clock::Ticks of(std::uint32_t sm) const { return is_far(sm) ? far_ : 0; }
  /// The number under which the cache has the copy of a line for the part of a far SM.
  std::uint64_t copy_for(std::uint32_t sm, std::uint64_t line) const { return copy_in(part_of(sm), line); }
  /// Calls f(number) for every copy that there may be of a line.
  template <class F>
  void for_each_copy(std::uint64_t line, F&& f) const {
    if (far_ == 0) return;
    for (std::uint32_t part = 0; part < parts_; ++part)
      if (part != own_) f(copy_in(part, line));
  }

 private:
  std::uint32_t part_of(std::uint32_t sm) const { return sm * parts_ / sms_; }
  /// Lines have less than 58 bits: addresses have 64, lines at least 64 bytes.
  static std::uint64_t copy_in(std::uint32_t part, std::uint64_t line) {
    return line | (std::uint64_t{part} + 1) << 58;
  }

  std::uint32_t parts_, own_, sms_;
  clock::Ticks far_;
};

}  // namespace lockstep::l2
