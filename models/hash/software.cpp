#include "models/hash/software.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "isa/error.hpp"
#include "models/hash/fold.hpp"
#include "models/hash/linear.hpp"
#include "models/hash/spec_text.hpp"

namespace lockstep::hash {

namespace {

using rewrite::AddressStep;
using Operation = AddressStep::Operation;

/// Bits of a word address that a hash may look at: more than any scratchpad has.
constexpr std::uint32_t widest_address = 20;

std::uint32_t bits_below(std::uint32_t count) {
  return static_cast<std::uint32_t>(std::bit_width(count - 1));
}

/// Columns in which the rows, reduced, have their leading bits, the lowest ones as far as they can be chosen.
std::vector<std::uint32_t> pivot_columns(std::vector<std::uint64_t> rows, std::uint32_t columns) {
  std::vector<std::uint32_t> pivots;
  for (std::uint32_t column = 0; column < columns; ++column) {
    const auto done = rows.begin() + static_cast<std::ptrdiff_t>(pivots.size());
    const auto found = std::find_if(done, rows.end(), [&](std::uint64_t row) { return (row >> column & 1) != 0; });
    if (found == rows.end()) continue;
    std::iter_swap(done, found);
    for (auto other = done + 1; other != rows.end(); ++other) {
      if ((*other >> column & 1) != 0) *other ^= *done;
    }
    pivots.push_back(column);
  }
  return pivots;
}

}  // namespace

SoftwareHash::SoftwareHash(std::string_view spec, std::uint32_t banks, std::uint64_t bytes)
    : spec_(spec), banks_(banks), bytes_(bytes) {
  if (banks == 0 || !std::has_single_bit(banks))
    throw InputError(fmt::format("a hash in software needs a power of two of banks; found {}", banks));
  const std::uint64_t words = std::max<std::uint64_t>((bytes + 3) / 4, banks);
  if (words > std::uint64_t{1} << widest_address)
    throw InputError(
        fmt::format("{} bytes of scratchpad memory per thread block are more than a hash in software can "
                    "serve: {} at most",
                    bytes, std::uint64_t{4} << widest_address));
  word_bits_ = static_cast<std::uint32_t>(std::bit_width(words - 1));
  const SpecText text(spec_);
  if (const auto linear = linear_hash(spec_, banks, widest_address)) {
    linear_ = true;
    make_linear(linear->rows);
  } else if (text.family() == "add") {
    const std::uint32_t bits = bits_below(banks);
    make_sum(text.arguments()
                 ? static_cast<std::uint32_t>(text.number(text.list(1, "add:W")[0], "the bits of a digit", 1, bits))
                 : default_fold_width(bits));
  } else if (text.family() == "modulus") {
    make_modulus(static_cast<std::uint32_t>(text.number(text.list(1, "modulus:P")[0], "the modulus", 1, banks)));
  } else {
    throw InputError(fmt::format("hash \"{}\" cannot be computed in software: {} is not arithmetic on address bits",
                                 spec_, text.family()));
  }
  for (const std::uint32_t together : {2u, 4u}) {
    bool kept = true;
    for (std::uint32_t word = 0; kept && word < std::uint32_t{1} << word_bits_; ++word) {
      const std::uint32_t first = word_at(word / together * together);
      kept = first % together == 0 && word_at(word) == first + word % together;
    }
    if (kept) contiguous_words_ = together;
  }
  check();
}

std::uint32_t SoftwareHash::word_at(std::uint64_t word) const {
  return rewrite::apply(steps_, static_cast<std::uint32_t>(word) * 4) / 4;
}

std::uint64_t SoftwareHash::bytes_needed(std::uint64_t bytes) const {
  if (bytes == 0 || is_identity()) return bytes;
  std::uint64_t most = 0;
  for (std::uint64_t word = 0; word < (bytes + 3) / 4; ++word) most = std::max<std::uint64_t>(most, word_at(word));
  return std::max(bytes, (most + 1) * 4);
}

rewrite::KernelRewrite SoftwareHash::rewrite_of(std::string kernel) const {
  return {std::move(kernel),
          fmt::format("hash \"{}\" in software", spec_),
          steps_,
          contiguous_words_,
          linear_,
          [copy = *this](std::uint64_t bytes) { return copy.bytes_needed(bytes); }};
}

void SoftwareHash::make_linear(const std::vector<std::uint64_t>& rows) {
  const auto bank_bits = static_cast<std::uint32_t>(rows.size());
  // Bits above those of the addresses are 0. A hash may need them to reach all banks nevertheless: then the permutation
  // is one of a larger memory.
  std::uint32_t bits = std::max(word_bits_, bank_bits);
  for (const std::uint64_t row : rows) bits = std::max(bits, static_cast<std::uint32_t>(std::bit_width(row)));
  const std::vector<std::uint32_t> pivots = pivot_columns(rows, bits);
  // Rows above the bank's: every address bit that is no pivot, at its own place where that is above the bank, else at the
  // place of a pivot there.
  std::vector<std::uint64_t> matrix = rows;
  std::vector<std::uint32_t> homeless;
  const auto is_pivot = [&](std::uint32_t column) {
    return std::find(pivots.begin(), pivots.end(), column) != pivots.end();
  };
  for (std::uint32_t column = 0; column < bank_bits; ++column) {
    if (!is_pivot(column)) homeless.push_back(column);
  }
  auto next = homeless.begin();
  for (std::uint32_t row = bank_bits; row < bits; ++row)
    matrix.push_back(std::uint64_t{1} << (is_pivot(row) ? *next++ : row));

  // Bits that move by the same distance move together.
  std::map<std::int32_t, std::uint32_t> groups;
  for (std::uint32_t row = 0; row < bits; ++row) {
    for (std::uint32_t column = 0; column < word_bits_; ++column) {
      if ((matrix[row] >> column & 1) == 0) continue;
      groups[static_cast<std::int32_t>(column) - static_cast<std::int32_t>(row)] |= std::uint32_t{1} << row;
    }
  }
  const std::uint32_t all = (std::uint32_t{1} << word_bits_) - 1;
  if (groups.size() == 1 && groups.contains(0) && groups[0] == all) return;
  const auto push = [&](Operation operation, std::uint32_t x, std::uint32_t y, std::uint32_t immediate) {
    steps_.push_back({operation, x, y, immediate});
    return static_cast<std::uint32_t>(steps_.size());
  };
  std::uint32_t sum = 0;
  if (groups[0] != all) sum = push(Operation::bit_and, 0, 0, groups[0] << 2 | 3);
  for (const auto& [distance, mask] : groups) {
    if (distance == 0) continue;
    const std::uint32_t moved = distance > 0 ? push(Operation::shift_right, 0, 0, static_cast<std::uint32_t>(distance))
                                             : push(Operation::shift_left, 0, 0, static_cast<std::uint32_t>(-distance));
    sum = push(Operation::bit_xor, sum, push(Operation::bit_and, moved, 0, mask << 2), 0);
  }
}

void SoftwareHash::make_sum(std::uint32_t width) {
  // Digit by digit, from the highest: what is carried out of a digit is in the part that stays as it was.
  const std::uint32_t bits = bits_below(banks_);
  steps_ = {{Operation::shift_right, 0, 0, width}};
  std::uint32_t sum = 0;
  for (std::uint32_t high = bits; high > 0;) {
    const std::uint32_t low = (high - 1) / width * width;
    const std::uint32_t digit = ((std::uint32_t{1} << (high - low)) - 1) << low;
    const auto last = static_cast<std::uint32_t>(steps_.size());
    steps_.push_back({Operation::bit_and, 1, 0, digit << 2});
    steps_.push_back({Operation::add, 0, last + 1, 0});
    steps_.push_back({Operation::insert_low, last + 2, sum, high + 2});
    sum = last + 3;
    high = low;
  }
}

void SoftwareHash::make_modulus(std::uint32_t modulus) {
  if (modulus == banks_) return;
  // The row is the quotient: a word moves on by the unused banks of all rows before its own.
  steps_ = {{Operation::shift_right, 0, 0, 2}};
  if (std::has_single_bit(modulus)) {
    steps_.push_back({Operation::shift_right, 1, 0, static_cast<std::uint32_t>(std::countr_zero(modulus))});
  } else {
    // Rounded up, the reciprocal errs by less than 1 / modulus for words below 2^32 / modulus.
    const auto reciprocal = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / modulus + 1);
    steps_.push_back({Operation::multiply_high, 1, 0, reciprocal});
  }
  steps_.push_back({Operation::multiply_add, 2, 0, (banks_ - modulus) * 4});
}

void SoftwareHash::check() const {
  const std::uint32_t words = std::uint32_t{1} << word_bits_;
  const AddressMap map = make_address_map(spec_, banks_, std::uint64_t{1} << widest_address);
  std::vector<std::uint32_t> places(words);
  for (std::uint32_t word = 0; word < words; ++word) {
    places[word] = word_at(word);
    if (places[word] % banks_ != map[word])
      throw Bug(fmt::format("hash \"{}\" in software moves word {} to {}, which is not in bank {}", spec_, word,
                            places[word], map[word]));
  }
  std::sort(places.begin(), places.end());
  if (std::adjacent_find(places.begin(), places.end()) != places.end())
    throw Bug(fmt::format("hash \"{}\" in software moves two words to one place", spec_));
}

}  // namespace lockstep::hash
