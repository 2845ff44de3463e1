#include "sim/gpu/clock_times.hpp"

#include <algorithm>

namespace lockstep::gpu {

ClockTimes clock_times(std::span<const ClockRead> reads) {
  ClockTimes times;
  Cycle start = never, end = 0;
  for (std::size_t i = 0; i < reads.size();) {
    std::size_t behind = i;
    while (behind < reads.size() && reads[behind].thread_block == reads[i].thread_block &&
           reads[behind].warp == reads[i].warp)
      ++behind;
    std::uint64_t own = 0;
    for (std::size_t read = i; read + 1 < behind; read += 2) {
      own += reads[read + 1].cycle - reads[read].cycle;
      end = std::max(end, reads[read + 1].cycle);
    }
    if (behind - i > 1) {
      start = std::min(start, reads[i].cycle);
      times.least = times.warps == 0 ? own : std::min(times.least, own);
      times.most = std::max(times.most, own);
      times.first += reads[i + 1].cycle - reads[i].cycle;
      times.cycles += own;
      if (reads[i].thread_block == 0 && reads[i].warp == 0) times.first_warp = own;
      ++times.warps;
    }
    i = behind;
  }
  if (times.warps > 0) times.span = end - start;
  return times;
}

}  // namespace lockstep::gpu
