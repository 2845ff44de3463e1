#include "sim/probe/lane_pattern.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <optional>

#include "isa/error.hpp"

namespace lockstep::probe {

namespace {

constexpr std::uint32_t warp_lanes = 32;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

class Reader {
 public:
  Reader(std::string_view text, std::uint64_t words) : text_(text), words_(words) {}

  analytic::WarpAccess read() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      item(trimmed(text_.substr(begin, end - begin)), begin);
      begin = end + 1;
    }
    if (lanes_ > warp_lanes)
      diagnostics_.add(place(too_many_), fmt::format("{} lanes; a warp has {}", lanes_, warp_lanes));
    if (diagnostics_.empty() && access_.mask == 0) diagnostics_.add(place(0), "no lane is active; give a word address");
    diagnostics_.throw_if_any();
    return access_;
  }

 private:
  static SourceLocation place(std::size_t at) { return {"pattern", 1, static_cast<int>(at) + 1}; }
  std::size_t offset(std::string_view part, std::size_t otherwise) const {
    return part.empty() ? otherwise : static_cast<std::size_t>(part.data() - text_.data());
  }

  /// `begin` is where the item would start, should it be empty.
  void item(std::string_view text, std::size_t begin) {
    const std::size_t at = offset(text, begin);
    if (text == "x" || text == "X") return lane(std::nullopt, at);
    if (text.empty()) {
      diagnostics_.add(place(at), "a word address, a range such as 2-31, or x is missing here");
      return;
    }
    const std::size_t dash = text.find('-');
    if (dash == std::string_view::npos) {
      if (const auto word = number(text, at)) lane(*word, at);
      return;
    }
    const std::string_view left = trimmed(text.substr(0, dash)), right = trimmed(text.substr(dash + 1));
    const auto first = number(left, at);
    const auto last = number(right, offset(right, offset(text, begin) + text.size()));
    if (!first || !last) return;
    if (*last < *first) {
      diagnostics_.add(place(at),
                       fmt::format("the range {} descends; write the words one by one, or {}-{}", text, *last, *first));
      return;
    }
    for (std::uint64_t word = *first; word <= *last; ++word) lane(word, at);
  }

  std::optional<std::uint64_t> number(std::string_view text, std::size_t at) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument) {
      diagnostics_.add(place(at),
                       fmt::format("\"{}\" is not a word address; write a whole number, a range such as 2-31, "
                                   "or x for an inactive lane",
                                   text));
      return std::nullopt;
    }
    if (error == std::errc::result_out_of_range || value >= words_) {
      diagnostics_.add(place(at), fmt::format("word {} lies beyond the scratchpad memory of a thread block: it has {} "
                                              "words{}",
                                              text, words_, words_ == 0 ? "" : fmt::format(", 0 to {}", words_ - 1)));
      return std::nullopt;
    }
    return value;
  }

  void lane(std::optional<std::uint64_t> word, std::size_t at) {
    if (lanes_ < warp_lanes) {
      if (word) {
        access_.mask |= 1u << lanes_;
        access_.word[lanes_] = *word;
      }
    } else if (lanes_ == warp_lanes) {
      too_many_ = at;
    }
    ++lanes_;
  }

  std::string_view text_;
  std::uint64_t words_;
  analytic::WarpAccess access_;
  std::uint64_t lanes_ = 0;
  std::size_t too_many_ = 0;
  Diagnostics diagnostics_;
};

}  // namespace

analytic::WarpAccess parse_lane_pattern(std::string_view text, std::uint64_t words) {
  return Reader(text, words).read();
}

std::string to_text(const analytic::WarpAccess& access) {
  std::string text;
  const auto lanes = static_cast<std::uint32_t>(std::bit_width(access.mask));
  const auto active = [&](std::uint32_t lane) { return lane < lanes && (access.mask >> lane & 1) != 0; };
  for (std::uint32_t lane = 0; lane < lanes;) {
    if (lane > 0) text += ',';
    if (!active(lane)) {
      text += 'x';
      ++lane;
      continue;
    }
    std::uint32_t last = lane;
    while (active(last + 1) && access.word[last + 1] == access.word[last] + 1) ++last;
    text += last == lane ? fmt::format("{}", access.word[lane])
                         : fmt::format("{}-{}", access.word[lane], access.word[last]);
    lane = last + 1;
  }
  return text;
}

}  // namespace lockstep::probe
