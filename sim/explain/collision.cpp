#include "sim/explain/collision.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "models/scratchpad/requests.hpp"

namespace lockstep::explain {

std::uint64_t Collision::stride() const {
  std::uint64_t distance = 0;
  for (const std::uint64_t word : words)
    distance = std::gcd(distance, word > words.front() ? word - words.front() : words.front() - word);
  return distance;
}

namespace {

/// The lanes of an access that touch a word.
std::vector<std::uint32_t> lanes_on(const gpu::AccessExample& example, std::uint64_t word, std::uint32_t shift) {
  std::vector<std::uint32_t> lanes;
  for (std::uint32_t rest = example.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint64_t first = example.address[lane];
    const std::uint64_t last = first + std::max(1u, example.bytes_per_lane) - 1;
    if (first >> shift <= word && word <= last >> shift) lanes.push_back(lane);
  }
  return lanes;
}

}  // namespace

std::optional<Collision> collision_of(const gpu::AccessExample& example, const scratchpad::Spec& spec,
                                      const scratchpad::Maps& maps) {
  if (!example.scratchpad || example.lanes == 0) return std::nullopt;
  const scratchpad::RequestShape shape{spec.banks, spec.bank_bytes, spec.request_lanes, spec.neighbours_share};
  Collision result;
  result.degree = 0;
  const auto look = [&](const std::uint64_t* words, std::uint32_t items, std::uint32_t shift) {
    std::map<std::uint32_t, std::vector<std::uint64_t>> banks;
    for (std::uint32_t rest = items; rest != 0; rest &= rest - 1) {
      const std::uint64_t word = words[std::countr_zero(rest)] >> shift;
      std::vector<std::uint64_t>& in_bank = banks[maps.banks[word]];
      if (std::find(in_bank.begin(), in_bank.end(), word) == in_bank.end()) in_bank.push_back(word);
    }
    for (const auto& [bank, in_bank] : banks) {
      if (in_bank.size() <= result.degree) continue;
      result.degree = static_cast<std::uint32_t>(in_bank.size());
      result.bank = bank;
      result.words = in_bank;
    }
  };
  scratchpad::for_each_request(shape, example.address.data(), example.lanes, example.bytes_per_lane, example.loads,
                               look);
  const std::uint32_t shift = shape.bank_shift();
  for (const std::uint64_t word : result.words)
    for (const std::uint32_t lane : lanes_on(example, word, shift)) result.lanes.push_back(lane);
  std::sort(result.lanes.begin(), result.lanes.end());
  result.lanes.erase(std::unique(result.lanes.begin(), result.lanes.end()), result.lanes.end());
  for (std::uint32_t rest = example.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = example.address[std::countr_zero(rest)] >> shift;
    std::vector<std::uint32_t> lanes = lanes_on(example, word, shift);
    if (lanes.size() <= result.shared_lanes.size()) continue;
    result.shared_word = word;
    result.shared_lanes = std::move(lanes);
  }
  return result;
}

}  // namespace lockstep::explain
