#pragma once
// An L2 cache in parts, each with the SMs that are near to it. A request of a far SM takes longer; what it has read stays in a copy
// near to it until it is written or evicted, so that the next reads from that side take no longer than near ones.

#include <cstdint>
#include <vector>

#include "models/clock/ticks.hpp"
#include "models/l2/spec.hpp"

namespace lockstep::l2 {

/// Where a slice lies among the slices of the GPU and how many SMs there are, which says who is far.
struct Place {
  std::uint32_t slice = 0, slices = 1, sms = 1;
};

/// Of one slice. Copies take no room of their own: they are kept as long as the slice keeps the line.
class Distance {
 public:
  Distance(const Spec& spec, const Place& place, std::uint32_t entries)
      : parts_(spec.parts),
        own_(place.slice * spec.parts / place.slices),
        sms_(place.sms),
        far_(clock::to_ticks(spec.far_latency)),
        copies_(far_ == 0 ? 0 : std::size_t{entries} * parts_) {}

  /// What a request of this SM takes longer that needs the slice itself.
  clock::Ticks of(std::uint32_t sm) const { return part_of(sm) == own_ ? 0 : far_; }
  /// What a read of sectors of a cache entry takes longer; they are copied.
  clock::Ticks of_read(std::uint32_t sm, std::uint32_t entry, std::uint32_t sectors) {
    const std::uint32_t part = part_of(sm);
    if (far_ == 0 || part == own_) return 0;
    std::uint32_t& copied = copies_[std::size_t{entry} * parts_ + part];
    const bool near = (sectors & ~copied) == 0;
    copied |= sectors;
    return near ? 0 : far_;
  }
  /// Copies of these sectors are not valid any more.
  void forget(std::uint32_t entry, std::uint32_t sectors) {
    if (far_ == 0) return;
    for (std::uint32_t part = 0; part < parts_; ++part) copies_[std::size_t{entry} * parts_ + part] &= ~sectors;
  }

 private:
  std::uint32_t part_of(std::uint32_t sm) const { return sm * parts_ / sms_; }

  std::uint32_t parts_, own_, sms_;
  clock::Ticks far_;
  std::vector<std::uint32_t> copies_;  ///< Sectors, by entry and part.
};

}  // namespace lockstep::l2
