// Requests that wait in a slice for a word (wait-for-hit; Van den Braak, section 7.2.1).

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/l2/slice.hpp"

namespace lockstep::l2 {

using clock::Ticks;

bool Slice::is_written(const noc::Request& request) const {
  const auto found = written_.find(request.address / noc::block_bytes);
  return found != written_.end() && (found->second & request.words) != 0;
}

/// A wait, when its word is written: a read of its sector, and of those behind it in the line in which words have been
/// written. `words` are all of these.
noc::Request Slice::as_read(const noc::Request& request) const {
  noc::Request read = request;
  read.kind = noc::RequestKind::read;
  const auto first = static_cast<std::uint32_t>(request.address % noc::block_bytes / noc::sector_bytes);
  const std::uint32_t line_left = (std::uint32_t{1} << line_shift_) -
                                  static_cast<std::uint32_t>(request.address % (std::uint64_t{1} << line_shift_));
  const std::uint32_t end =
      std::min(noc::block_bytes / noc::sector_bytes, first + std::max(1u, line_left / noc::sector_bytes));
  const std::uint32_t written = written_.find(request.address / noc::block_bytes)->second;
  read.sectors = read.words = 0;
  for (std::uint32_t sector = first; sector < end; ++sector) {
    const std::uint32_t words = written & ((1u << noc::words_per_sector) - 1) << sector * noc::words_per_sector;
    if (words == 0) continue;
    read.words |= words;
    read.sectors |= 1u << (sector - first);
  }
  read.bytes = static_cast<std::uint32_t>(std::popcount(read.sectors)) * noc::sector_bytes;
  return read;
}

/// A write has been accepted: requests that wait for one of its words are served at their next pass.
void Slice::mark_written(const noc::Request& request) {
  const std::uint64_t block = request.address / noc::block_bytes;
  written_[block] |= request.words;
  for (Circling& one : circling_)
    one.written =
        one.written || (one.request.address / noc::block_bytes == block && (one.request.words & request.words) != 0);
}

/// A request whose word has not been written takes a place, when there is one.
Slice::Stall Slice::go_round(Ticks time, const Input& input) {
  if (circling_.size() >= places_) return Stall::wait;
  ++counters_.wait_trips;
  circling_.push_back({time + trip_, false, input.sm, input.request});
  return Stall::none;
}

/// The next request whose word is written, or null.
const Slice::Circling* Slice::next_written() const {
  const auto found = std::find_if(circling_.begin(), circling_.end(), [](const Circling& one) { return one.written; });
  return found == circling_.end() ? nullptr : &*found;
}

/// Whether such a request goes before the input: who has been in the queue for longer does.
bool Slice::takes_written_first() const {
  const Circling* const one = next_written();
  if (one == nullptr) return false;
  return blocked_ || input_head_ == input_.size() || one->back < input_[input_head_].time;
}

/// All accesses of those whose word is not written, up to `time`, when one that has been there since `since` goes.
void Slice::circle(Ticks time, Ticks since) {
  skip_rounds(time);
  for (;;) {
    const auto one = std::find_if(circling_.begin(), circling_.end(), [](const Circling& c) { return !c.written; });
    if (one == circling_.end()) return;
    const Ticks turn = std::max(one->back, taken_until_);
    if (turn > time || (turn == time && one->back >= since)) return;
    ++counters_.wait_trips;
    taken_until_ = turn + request_interval_;
    one->back = turn + trip_;
    std::rotate(one, one + 1, circling_.end());
  }
}

/// Rounds without a blocked request are alike: all that end before `time` are counted at once.
void Slice::skip_rounds(Ticks time) {
  if (circling_.empty() || next_written() != nullptr) return;
  const Ticks last = circling_.back().back;
  if (time <= last || time - last < trip_) return;
  if (circling_.front().back < taken_until_ || last + request_interval_ > circling_.front().back + trip_) return;
  for (std::size_t n = 1; n < circling_.size(); ++n)
    if (circling_[n].back < circling_[n - 1].back + request_interval_) return;
  const std::uint64_t rounds = (time - last) / trip_;
  counters_.wait_trips += rounds * circling_.size();
  taken_until_ = last + (rounds - 1) * trip_ + request_interval_;
  for (Circling& one : circling_) one.back += rounds * trip_;
}

/// The next request whose word is written has its turn. When it cannot be accepted it recirculates again.
void Slice::take_written(Ticks time) {
  const auto at = circling_.begin() + (next_written() - circling_.data());
  const Stall stall = serve(time, at->sm, at->request);
  taken_until_ = time + request_interval_;
  if (stall != Stall::none) {
    at->back = time + trip_;
    std::rotate(at, at + 1, circling_.end());
    return;
  }
  circling_.erase(at);
  if (!blocked_ || stall_ != Stall::wait) return;
  blocked_ = false;
  retry_ = time;
}

std::string Slice::describe_waits() const {
  const auto word = [](const noc::Request& request) {
    return request.address / noc::block_bytes * noc::block_bytes +
           static_cast<unsigned>(std::countr_zero(request.words)) * noc::word_bytes;
  };
  std::string text;
  for (const Circling& one : circling_)
    text += fmt::format("\n  a load of sm {} waits for the word at {:#x}, which no store has written", one.sm,
                        word(one.request));
  if (blocked_ && stall_ == Stall::wait)
    text += fmt::format(
        "\n  they take all {} places of memory.l2.wait_queue: a load of sm {} for the word at {:#x} and {} requests "
        "behind it cannot be taken",
        places_, input_[input_head_].sm, word(input_[input_head_].request), input_.size() - input_head_ - 1);
  return text;
}

}  // namespace lockstep::l2
