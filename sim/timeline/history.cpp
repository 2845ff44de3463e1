#include "sim/timeline/history.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep::timeline {

History history_of(const trace::Header& header, const gpu::Result& result, const Events& events, Cycle slot_interval) {
  History history;
  Cycle at = 0;
  for (std::size_t n = 0; n < result.launches.size(); ++n) {
    history.begins.push_back(at);
    at += result.launches[n].cycles;
    history.warps_of_block = std::max<std::uint64_t>(history.warps_of_block, header.launches[n].warps_per_block());
  }

  // By launch and thread block.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> shown_blocks;
  for (const gpu::BlockRun& block : events.blocks) {
    const Cycle begin = history.begins[block.launch], from = begin + block.start, to = begin + block.end;
    if (to <= events.window.from || from >= events.window.to) continue;
    shown_blocks[{block.launch, block.thread_block}] = history.blocks.size();
    history.blocks.push_back({{block.sm, block.slot}, block.launch, block.thread_block, from, to});
  }

  std::map<std::tuple<Place, std::uint32_t>, Cycle> since;  // By warp of a place: described up to there.
  for (const gpu::Issue& issue : events.issues) {
    const auto found = shown_blocks.find({issue.launch, issue.thread_block});
    if (found == shown_blocks.end()) continue;
    const BlockStretch& block = history.blocks[found->second];
    const Cycle begin = history.begins[issue.launch], now = begin + issue.cycle;
    Cycle& shown = since[{block.place, issue.warp}];
    // A new thread block's warp, or one that issued before the window, waits from its start on.
    shown = std::max({shown, block.from, events.window.from});
    const auto add = [&](WarpStretch::Kind kind, Cycle from, Cycle to) {
      to = std::min(to, events.window.to);
      if (to > from) history.warps.push_back({block.place, issue.warp, kind, issue.waited_for, from, to, &issue});
    };
    const Cycle ready = std::clamp(begin + issue.ready, shown, std::max(shown, now));
    add(WarpStretch::Kind::waits, shown, ready);
    add(WarpStretch::Kind::ready, ready, now);
    const Cycle end = now + slot_interval;
    if (now >= shown) add(WarpStretch::Kind::issues, now, end);  // Of two that issue in a slot, the first is shown.
    shown = std::max(shown, end);
  }
  return history;
}

}  // namespace lockstep::timeline
