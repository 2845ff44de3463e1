#include "models/hash_search/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "models/hash_search/strides.hpp"

namespace lockstep::hash {

namespace {

/// The numbers with `ones` of `bits` bits set, in order.
std::vector<std::uint64_t> choices(std::uint32_t bits, std::uint32_t ones) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t chosen = (std::uint64_t{1} << ones) - 1; chosen >> bits == 0;) {
    all.push_back(chosen);
    if (chosen == 0) break;
    // The next larger number with as many ones.
    const std::uint64_t lowest = chosen & (~chosen + 1), above = chosen + lowest;
    chosen = above | ((chosen ^ above) / lowest >> 2);
  }
  return all;
}

}  // namespace

std::optional<std::vector<Candidate>> all_candidates(const std::string& family, std::uint32_t targets,
                                                     std::uint32_t word_bits) {
  const auto m = static_cast<std::uint32_t>(std::bit_width(targets - 1));
  std::vector<Candidate> all;
  const auto add = [&](std::string spec) { all.push_back({spec, linear_hash(spec, targets, word_bits)}); };
  if (family == "mod") {
    add("mod");
  } else if (family == "xor" || family == "add") {
    for (std::uint32_t width = 1; width <= m && m + width <= word_bits; ++width)
      add(fmt::format("{}:{}", family, width));
  } else if (family == "bitvector") {
    for (std::uint32_t k = 0; k + m <= word_bits; ++k) add(fmt::format("bitvector:k={}", k));
  } else if (family == "bitvector-xor") {
    for (const BitVectorXor& one : all_bit_vector_xors(word_bits, m))
      if (one.usable(m, word_bits)) all.push_back({one.spec(), one.hash(m)});
  } else if (family == "bits") {
    for (const std::uint64_t chosen : choices(word_bits, m)) {
      Candidate one{"", LinearHash{}};
      for (std::uint64_t rest = chosen; rest != 0; rest &= rest - 1) one.linear->rows.push_back(rest & (~rest + 1));
      one.spec = one.linear->spec();
      all.push_back(std::move(one));
    }
  } else if (family == "ipoly") {
    for (std::uint32_t polynomial = 1u << m; polynomial >> (m + 1) == 0; ++polynomial)
      add(fmt::format("ipoly:{:x}", polynomial));
  } else if (family == "swizzle") {
    // Bits above those of the target do not matter; negative shifts only rename the targets.
    add("swizzle:0,0,0");
    for (std::uint32_t b = 1; b <= m; ++b)
      for (std::uint32_t base = 0; base + b <= m; ++base)
        for (std::uint32_t shift = b; base + shift + b <= word_bits; ++shift)
          if (base + shift + b > m) add(fmt::format("swizzle:{},{},{}", b, base, shift));
  } else if (family == "modulus") {
    for (std::uint32_t modulus = targets; modulus > 0; --modulus)
      all.push_back({fmt::format("modulus:{}", modulus), {}});
  } else {
    return std::nullopt;
  }
  return all;
}

}  // namespace lockstep::hash
