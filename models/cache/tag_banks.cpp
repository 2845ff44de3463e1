#include "models/cache/tag_banks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "models/hash/linear.hpp"

namespace lockstep::cache {

namespace {

constexpr std::uint32_t line_bits = 32;  // Of a line's number: half a terabyte.

}  // namespace

TagBanks::TagBanks(std::uint32_t banks, std::string_view hash) : banks_(banks) {
  if (hash.empty()) return;
  if (!std::has_single_bit(banks) || banks > most_banks)
    throw InputError(fmt::format("a hash chooses among a power of two of banks, up to {}, not {}", most_banks, banks));
  const auto linear = hash::linear_hash(hash, banks, line_bits);
  if (!linear) throw InputError(fmt::format("'{}' is not linear: no XOR of address bits", hash));
  rows_ = linear->rows;
}

std::uint8_t TagBanks::bank_of(std::uint64_t line) const {
  std::uint32_t bank = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row)
    bank |= static_cast<std::uint32_t>(std::popcount(line & rows_[row]) & 1) << row;
  return static_cast<std::uint8_t>(bank);
}

std::span<const TagBanks::Lookup> TagBanks::lookups() {
  if (rows_.empty()) {
    for (std::uint32_t n = 0; n < count_; ++n)
      lookups_[n] = {static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(n / banks_)};
    return {lookups_.data(), count_};
  }
  if (count_ == 1) {
    lookups_[0] = {0, 0};
    return {lookups_.data(), 1};
  }
  std::array<std::uint16_t, most_banks> used{}, last;  // The lines of a bank are a list, by `earlier`.
  std::array<std::uint16_t, most_lines> earlier, turn;
  std::array<std::uint16_t, most_lines> begin;  // Of each turn, among the lookups; first how many it has.
  std::fill_n(begin.begin(), count_, std::uint16_t{0});
  std::uint32_t turns = 0;
  for (std::uint32_t n = 0; n < count_; ++n) {
    const std::uint8_t bank = bank_of(line_[n]);
    std::uint32_t left = used[bank], same = last[bank];
    while (left != 0 && line_[same] != line_[n]) same = --left == 0 ? same : earlier[same];
    if (left != 0) {
      turn[n] = turn[same];
    } else {
      turn[n] = used[bank]++;
      earlier[n] = last[bank];
      last[bank] = static_cast<std::uint16_t>(n);
    }
    ++begin[turn[n]];
    if (turn[n] >= turns) turns = turn[n] + 1u;
  }
  for (std::uint32_t t = 0, before = 0; t < turns; ++t) {
    const std::uint32_t here = begin[t];
    begin[t] = static_cast<std::uint16_t>(before);
    before += here;
  }
  for (std::uint32_t n = 0; n < count_; ++n) lookups_[begin[turn[n]]++] = {static_cast<std::uint16_t>(n), turn[n]};
  return {lookups_.data(), count_};
}

}  // namespace lockstep::cache
