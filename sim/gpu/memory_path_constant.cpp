// Constant loads: two levels of caches; lanes that read one word are served together.

#include <algorithm>
#include <bit>

#include "sim/gpu/memory_path.hpp"

namespace lockstep::gpu {

namespace {

constexpr std::uint64_t sectors_of_a_line = 32;  ///< At most.

}  // namespace

MemoryPath::Outcome MemoryPath::constant(const Access& access, Cycle now, std::uint32_t token) {
  port_.advance(now);
  const std::uint32_t open = open_access(token);
  std::uint64_t seen[32];
  std::uint32_t words = 0;
  for (std::uint32_t rest = access.global_lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = access.address[std::countr_zero(rest)] / 4 * 4;
    if (std::find(seen, seen + words, word) != seen + words) continue;
    seen[words] = word;
    const ConstantPart part{word, open, now + words * spec_.constant.interval};
    ++words;
    ++counters_.constant_words;
    ++opens_[open].parts;
    if (!constant_waiting_.empty() || !serve_constant(part)) constant_waiting_.push_back(part);
  }
  if (words == 0)
    opens_[open].ready = now + spec_.constant.latency;  // No lane reads: the instruction passes all the same.
  return close(open, spec_.address_interval + (std::max(words, 1u) - 1) * spec_.constant.interval);
}

/// What a line of the first level is fetched as: by the second level, or as it is when there is none.
const cache::Spec& MemoryPath::behind_constant() const {
  return spec_.constant.l15.bytes != 0 ? spec_.constant.l15 : spec_.constant.l1;
}

/// False when it must wait for an MSHR.
bool MemoryPath::serve_constant(const ConstantPart& part) {
  const cache::Spec &l1 = spec_.constant.l1, &l15 = behind_constant();
  const std::uint32_t sector1_bytes = l1.sector_bytes;
  const std::uint64_t line = part.word / l1.line_bytes;
  const auto sector_number = static_cast<std::uint32_t>(part.word % l1.line_bytes / sector1_bytes);
  const std::uint32_t sector = 1u << sector_number;
  if (constant_tags_.lookup(line) & sector) {
    ++counters_.constant_hit;
    const Cycle there = constant_there_[constant_tags_.find(line)];
    done(part.open, std::max(part.at + spec_.constant.latency, there));
    return true;
  }
  using Refusal = cache::Mshrs<std::uint32_t>::Refusal;
  const std::uint64_t sector_address = line * l1.line_bytes + std::uint64_t{sector_number} * sector1_bytes;
  const std::uint64_t line15 = sector_address / l15.line_bytes;
  const std::uint32_t sector15_bytes = l15.sector_bytes;
  std::uint32_t sectors15 = 0;
  for (std::uint64_t at = sector_address; at < sector_address + sector1_bytes; at += sector15_bytes)
    sectors15 |= 1u << at % l15.line_bytes / sector15_bytes;
  if (constant_mshrs_.pending(line) == 0 && (sectors15 & ~constant15_tags_.lookup(line15)) == 0) {
    ++counters_.constant_l15_hit;
    const Cycle ready = part.at + spec_.constant.l15_latency;
    if (constant_tags_.capacity() != 0) {
      constant_tags_.fill(line, sector);
      constant_there_[constant_tags_.find(line)] = ready;
    }
    done(part.open, ready);
    return true;
  }
  const auto refused = [&](auto refusal) {
    if (static_cast<int>(refusal) == static_cast<int>(Refusal::none)) return false;
    ++(static_cast<int>(refusal) == static_cast<int>(Refusal::full) ? counters_.mshr_full_stalls
                                                                    : counters_.mshr_merge_stalls);
    return true;
  };
  const bool first = (constant_mshrs_.pending(line) & sector) == 0;
  if (refused(constant_mshrs_.refusal(line))) return false;
  if (first && refused(constant15_mshrs_.refusal(line15))) return false;
  ++counters_.constant_miss;
  opens_[part.open].ready = std::max(opens_[part.open].ready, part.at + spec_.constant.latency);
  constant_mshrs_.wait(line, sector, part.open);
  if (!first) return true;
  const std::uint32_t missing = sectors15 & ~constant15_tags_.lookup(line15);
  const std::uint32_t ask_for =
      constant15_mshrs_.wait(line15, missing != 0 ? missing : sectors15, line * sectors_of_a_line + sector_number);
  if (ask_for == 0) return true;
  Flight flight;
  flight.purpose = Purpose::constant_fill;
  ask(l15, line15, ask_for, noc::RequestKind::read, flight, part.at);
  return true;
}

void MemoryPath::fill_constant(const Flight& flight, Cycle now) {
  if (constant15_tags_.capacity() != 0) constant15_tags_.fill(flight.line, flight.sectors);
  constant15_mshrs_.arrive(flight.line, flight.sectors, [&](std::uint64_t waiter) {
    const std::uint64_t line = waiter / sectors_of_a_line;
    const std::uint32_t sector = 1u << waiter % sectors_of_a_line;
    if (constant_tags_.capacity() != 0) {
      constant_tags_.fill(line, sector);
      constant_there_[constant_tags_.find(line)] = now;
    }
    constant_mshrs_.arrive(line, sector, [&](std::uint32_t open) { done(open, now); });
  });
}

}  // namespace lockstep::gpu
