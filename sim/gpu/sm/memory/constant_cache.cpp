#include "sim/gpu/sm/memory/constant_cache.hpp"

#include <algorithm>
#include <bit>

namespace lockstep::gpu {

namespace {

constexpr std::uint64_t sectors_of_a_line = 32;  ///< At most.

}  // namespace

ConstantCache::ConstantCache(const ConstantSpec& spec, OpenAccesses& accesses, RequestPort& port,
                             MemoryUnitCounters& counters)
    : spec_(spec),
      tags_(spec.l1),
      tags15_(spec.l15),
      mshrs_(spec.l1),
      mshrs15_(spec.l15),
      there_(spec.l1.bytes / std::max(spec.l1.sector_bytes, 1u), 0),
      accesses_(accesses),
      port_(port),
      counters_(counters) {}

void ConstantCache::begin_launch() {
  tags_.clear();
  tags15_.clear();
  mshrs_.clear();
  mshrs15_.clear();
  std::fill(there_.begin(), there_.end(), 0);
  waiting_.clear();
}

std::uint32_t ConstantCache::load(const std::uint64_t* address, std::uint32_t lanes, std::uint32_t open, Cycle now) {
  std::uint64_t seen[32];
  std::uint32_t words = 0;
  const Cycle spacing = spec_.word_spacing != 0 ? spec_.word_spacing : spec_.interval;
  Cycle at = now;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t word = address[std::countr_zero(rest)];
    if (std::find(seen, seen + words, word) != seen + words) continue;
    seen[words] = word;
    const Part part{word, open, at};
    ++words;
    ++counters_.constant_words;
    accesses_.add_part(open);
    const std::uint64_t hits15 = counters_.constant_l15_hit;
    if (!waiting_.empty() || !serve(part, false)) waiting_.push_back(part);
    // The next word is looked up when one from the second level is there.
    if (counters_.constant_l15_hit != hits15) at += std::max(spec_.l15_latency, spec_.latency) - spec_.latency;
    at += spacing;
  }
  if (words == 0) accesses_.delay(open, now + spec_.latency);  // The instruction passes although no lane reads.
  return words;
}

/// What a line of the first level is fetched as: by the second level, or as it is when there is none.
const cache::Spec& ConstantCache::second_level() const {
  return spec_.l15.bytes != 0 ? spec_.l15 : spec_.l1;
}

template <class Refusal>
bool ConstantCache::refused(Refusal refusal, bool again) {
  if (refusal == Refusal::none) return false;
  if (!again) ++(refusal == Refusal::full ? counters_.mshr_full_stalls : counters_.mshr_merge_stalls);
  return true;
}

/// When a sector of a line that the first level holds is there.
Cycle& ConstantCache::there(std::uint64_t line, std::uint32_t sector_number) {
  const std::uint32_t sectors = spec_.l1.line_bytes / spec_.l1.sector_bytes;
  return there_[std::size_t{tags_.find(line)} * sectors + sector_number];
}

/// A sector that is there at `ready`.
void ConstantCache::fill_first_level(std::uint64_t line, std::uint32_t sector_number, Cycle ready) {
  if (tags_.capacity() == 0) return;
  tags_.fill(line, 1u << sector_number);
  there(line, sector_number) = ready;
}

/// False when it must wait for an MSHR. `again`: so it has before.
bool ConstantCache::serve(const Part& part, bool again) {
  const cache::Spec &l1 = spec_.l1, &l15 = second_level();
  const std::uint64_t line = part.word / l1.line_bytes;
  const auto sector_number = static_cast<std::uint32_t>(part.word % l1.line_bytes / l1.sector_bytes);
  const std::uint32_t sector = 1u << sector_number;
  if (tags_.lookup(line) & sector) {
    ++counters_.constant_hit;
    accesses_.part_done(part.open, std::max(part.at + spec_.latency, there(line, sector_number)));
    return true;
  }
  const std::uint64_t sector_address = line * l1.line_bytes + std::uint64_t{sector_number} * l1.sector_bytes;
  const std::uint64_t line15 = sector_address / l15.line_bytes;
  const bool first = (mshrs_.pending(line) & sector) == 0;
  std::uint32_t sectors15 = 0;
  for (std::uint64_t at = sector_address; at < sector_address + l1.sector_bytes; at += l15.sector_bytes)
    sectors15 |= 1u << at % l15.line_bytes / l15.sector_bytes;
  if (first && (sectors15 & ~tags15_.lookup(line15)) == 0) {
    ++counters_.constant_l15_hit;
    const Cycle ready = part.at + spec_.l15_latency;
    fill_first_level(line, sector_number, ready);
    accesses_.part_done(part.open, ready);
    return true;
  }
  if (refused(mshrs_.refusal(line), again)) return false;
  if (first && refused(mshrs15_.refusal(line15), again)) return false;
  ++counters_.constant_miss;
  accesses_.delay(part.open, part.at + spec_.latency);
  mshrs_.wait(line, sector, part.open);
  if (!first) return true;
  const std::uint32_t missing = sectors15 & ~tags15_.lookup(line15);
  const std::uint32_t ask_for = mshrs15_.wait(line15, missing, line * sectors_of_a_line + sector_number);
  if (ask_for == 0) return true;
  PendingRequest request;
  request.purpose = PendingRequest::Purpose::constant_fill;
  port_.send_line(l15, line15, ask_for, noc::RequestKind::read, request, part.at);
  return true;
}

void ConstantCache::retry(Cycle now) {
  std::size_t served = 0;
  for (; served < waiting_.size(); ++served) {
    Part part = waiting_[served];
    part.at = std::max(part.at, now);
    if (!serve(part, served == 0)) break;
    counters_.mshr_stall_cycles += part.at - waiting_[served].at;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(served));
}

void ConstantCache::fill(const PendingRequest& request, Cycle now) {
  if (tags15_.capacity() != 0) tags15_.fill(request.line, request.sectors);
  mshrs15_.arrive(request.line, request.sectors, [&](std::uint64_t waiter) {
    const std::uint64_t line = waiter / sectors_of_a_line;
    const auto sector_number = static_cast<std::uint32_t>(waiter % sectors_of_a_line);
    fill_first_level(line, sector_number, now);
    mshrs_.arrive(line, 1u << sector_number, [&](std::uint32_t open) { accesses_.part_done(open, now); });
  });
}

}  // namespace lockstep::gpu
