#include "sim/gpu/sm/warps/read_ahead.hpp"

#include <algorithm>

namespace lockstep::gpu {

std::uint32_t ReadAhead::follow(trace::StreamCursor& cursor, std::span<const machine::Code> blocks,
                                const machine::Path& path) {
  const auto accesses = [&](std::uint32_t block) { return blocks[block].access_entries; };
  const auto reach = [&](std::uint32_t number) {
    while (waiting() <= number) {
      read_accesses(cursor, accesses(last().block.block));
      if (!read_block(cursor)) return false;
    }
    return true;
  };
  const trace::BlockEntry begin = first().block;
  places_.clear();
  std::uint32_t next = 1;
  for (const machine::Hammock& hammock : path.hammocks) {
    const std::size_t sides = places_.size();
    places_.resize(sides + hammock.sides.size());
    for (;;) {
      if (!reach(next)) return 0;
      const trace::BlockEntry& entry = waiting(next).block;
      if (entry.block == hammock.join) {
        if (entry.mask != begin.mask) return 0;
        break;
      }
      const auto side = std::find(hammock.sides.begin(), hammock.sides.end(), entry.block);
      if (side == hammock.sides.end()) return 0;
      std::uint32_t& place = places_[sides + static_cast<std::size_t>(side - hammock.sides.begin())];
      // Lanes may come to a side in parts. Where it accesses memory that would take several entries for one access.
      if (place != 0 && accesses(entry.block) != 0) return 0;
      if (place == 0) place = next;
      ++next;
    }
    places_.push_back(next++);
  }
  if (waiting() == next) read_accesses(cursor, accesses(last().block.block));
  choice_.clear();
  choose(first(), accesses(begin.block));
  std::size_t place = 0;
  const auto choose_of = [&](std::uint32_t block) {
    const std::uint32_t number = places_[place++];
    if (number == 0) return choose_none(accesses(block));
    choose(waiting(number), accesses(block));
  };
  for (const machine::Hammock& hammock : path.hammocks) {
    for (const std::uint32_t side : hammock.sides) choose_of(side);
    choose_of(hammock.join);
  }
  return next;
}

}  // namespace lockstep::gpu
