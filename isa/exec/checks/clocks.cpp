#include "isa/exec/checks/clocks.hpp"

#include <algorithm>

namespace lockstep::exec {

namespace {

bool within(const Times& a, const Times& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](std::uint32_t x, std::uint32_t y) { return x <= y; });
}

/// Whether `into` has all that `others` has.
bool has_all(const std::map<std::uint64_t, Times>& into, const std::map<std::uint64_t, Times>& others) {
  auto at = into.begin();
  for (const auto& [block, times] : others) {
    while (at != into.end() && at->first < block) ++at;
    if (at == into.end() || at->first != block || !within(times, at->second)) return false;
  }
  return true;
}

}  // namespace

void join(Times& into, const Times& times) {
  if (into.size() < times.size()) into.resize(times.size());
  for (std::size_t w = 0; w < times.size(); ++w) into[w] = std::max(into[w], times[w]);
}

void join(LaneTimes& into, const LaneTimes& times) {
  for (unsigned lane = 0; lane < lanes; ++lane) into[lane] = std::max(into[lane], times[lane]);
}

void join(OtherTimes& into, const OtherTimes& others) {
  if (others == nullptr || into == others) return;
  if (into == nullptr || (into->size() <= others->size() && has_all(*others, *into))) {
    into = others;
    return;
  }
  if (has_all(*into, *others)) return;
  auto joined = std::make_shared<std::map<std::uint64_t, Times>>(*into);
  for (const auto& [block, times] : *others) join((*joined)[block], times);
  into = std::move(joined);
}

void WarpClock::meet(LaneMask mask) {
  ++time;
  together = mask;
  std::uint32_t joint[lanes] = {};
  for (unsigned lane = 0; lane < lanes; ++lane) {
    if ((mask >> lane & 1) == 0) continue;
    for (unsigned other = 0; other < lanes; ++other) joint[other] = std::max(joint[other], known[lane][other]);
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    if ((mask >> lane & 1) != 0) joint[lane] = time;
  for (unsigned lane = 0; lane < lanes; ++lane)
    if ((mask >> lane & 1) != 0) std::copy_n(joint, lanes, known[lane].begin());
}

void WarpClock::fence_lanes() {
  fenced_lanes.resize(lanes);
  for (unsigned lane = 0; lane < lanes; ++lane)
    if ((together >> lane & 1) != 0) fenced_lanes[lane] = known[lane];
}

void WarpClock::see(unsigned lane, const LaneTimes& released) {
  seen_lanes.resize(lanes);
  if ((saw >> lane & 1) == 0) seen_lanes[lane] = {};
  saw |= LaneMask{1} << lane;
  join(seen_lanes[lane], released);
}

void WarpClock::acquire_lanes() {
  for (unsigned lane = 0; lane < lanes; ++lane)
    if ((together & saw) >> lane & 1) join(known[lane], seen_lanes[lane]);
  saw &= ~together;
}

void Released::write(std::uint64_t address, std::uint64_t block, const std::optional<Clock>& fenced,
                     const std::optional<Clock>& wide) {
  if (!fenced && !wide) return;
  Word& word = at_[address];
  if (fenced) join(word.in_block[block], *fenced);
  if (!wide) return;
  join(word.wide, wide->others);
  auto own = std::make_shared<std::map<std::uint64_t, Times>>();
  own->emplace(block, wide->own);
  join(word.wide, own);
}

void Released::write_lane(std::uint64_t address, std::uint32_t warp, const LaneTimes& fenced) {
  join(at_[address].of_lanes[warp], fenced);
}

const LaneTimes* Released::read_lanes(std::uint64_t address, std::uint32_t warp) const {
  const auto found = at_.find(address);
  if (found == at_.end()) return nullptr;
  const auto lanes_of_warp = found->second.of_lanes.find(warp);
  return lanes_of_warp == found->second.of_lanes.end() ? nullptr : &lanes_of_warp->second;
}

void Released::read(std::uint64_t address, std::uint64_t block, std::optional<Clock>& seen, std::size_t warps) const {
  const auto found = at_.find(address);
  if (found == at_.end()) return;
  if (!seen) seen = Clock{Times(warps), nullptr};
  const auto mine = found->second.in_block.find(block);
  if (mine != found->second.in_block.end()) join(*seen, mine->second);
  join(seen->others, found->second.wide);
}

}  // namespace lockstep::exec
