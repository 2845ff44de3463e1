#include "isa/program/data_flow.hpp"

#include <algorithm>

namespace lockstep::program {

DataFlow::DataFlow(const Kernel& kernel)
    : kernel_(kernel),
      writes_(kernel.register_bits.size()),
      writer_(kernel.register_bits.size(), none),
      block_(kernel.instructions.size(), none),
      readers_(kernel.register_bits.size()) {
  for (std::uint32_t i = 0; i < kernel.instructions.size(); ++i) {
    const StaticInstruction& s = kernel.instructions[i];
    for (const std::uint32_t d : s.destinations) {
      writes_[d] = static_cast<std::uint8_t>(std::min(2, writes_[d] + 1));
      writer_[d] = i;
    }
    for (const std::uint32_t r : s.sources)
      if (readers_[r].empty() || readers_[r].back() != i) readers_[r].push_back(i);
  }
  for (std::uint32_t b = 0; b < kernel.blocks.size(); ++b)
    for (std::uint32_t n = 0; n < kernel.blocks[b].count; ++n) block_[kernel.blocks[b].first + n] = b;
}

bool DataFlow::unchanged(std::uint32_t from, std::uint32_t to) const {
  const auto& sources = kernel_.instructions[from].sources;
  if (std::all_of(sources.begin(), sources.end(), [&](std::uint32_t r) { return writes_[r] <= 1; })) return true;
  if (!in_one_block(from, to) || from > to) return false;
  for (std::uint32_t i = from + 1; i < to; ++i)
    for (const std::uint32_t d : kernel_.instructions[i].destinations)
      if (std::find(sources.begin(), sources.end(), d) != sources.end()) return false;
  return true;
}

}  // namespace lockstep::program
