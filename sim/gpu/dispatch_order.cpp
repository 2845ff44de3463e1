#include "sim/gpu/dispatch_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "isa/error.hpp"

namespace lockstep::gpu {

std::vector<std::uint32_t> parse_gpcs(const std::string& text) {
  std::vector<std::uint32_t> gpcs;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::uint32_t sms = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), sms);
    if (error != std::errc() || end != word.data() + word.size() || sms == 0)
      throw InputError(fmt::format("'{}' is no number of SMs; expected those of each GPC, such as '16 16 18'", word));
    gpcs.push_back(sms);
  }
  return gpcs;
}

DispatchOrder::DispatchOrder(const DispatchSpec& spec, std::uint32_t sms) {
  std::uint32_t begin = 0;
  for (const std::uint32_t size : parse_gpcs(spec.gpcs)) {
    if (begin == sms) break;
    gpcs_.push_back({begin, begin + std::min(size, sms - begin)});
    begin = gpcs_.back().end;
  }
  if (gpcs_.empty()) gpcs_.push_back({0, sms});
  gpcs_.back().end = sms;
  turns_ = gpcs_.size() == 1 ? 0 : spec.first_gpc_turns;
  left_ = turns_ == 0 ? 0 : turns_ - 1;
}

std::uint32_t DispatchOrder::next() {
  if (sm_ == gpcs_[gpc_].end) end_turn();
  return sm_++;
}

void DispatchOrder::end_turn() {
  const std::size_t first = turns_ == 0 ? 0 : 1;  // Of those that have turns one after the other.
  if (turns_ != 0 && left_ == 0) {
    gpc_ = 0;
    left_ = turns_;
  } else {
    gpc_ = last_ = last_ + 1 == gpcs_.size() ? first : last_ + 1;
    if (turns_ != 0) --left_;
  }
  sm_ = gpcs_[gpc_].begin;
}

}  // namespace lockstep::gpu
