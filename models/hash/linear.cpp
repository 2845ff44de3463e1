#include "models/hash/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/error.hpp"
#include "models/hash/fold.hpp"

namespace lockstep::hash {

namespace {

/// The hash function's null space is listed to find rows with few bits when there are no more of them than this.
constexpr std::uint32_t most_listed_bits = 16;

std::uint64_t below(std::uint32_t word_bits) {
  return word_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << word_bits) - 1;
}

bool parity(std::uint64_t bits) {
  return (std::popcount(bits) & 1) != 0;
}

/// Brings the vectors into reduced row echelon form: highest bits differ and fall, no highest bit is set in another
/// vector, and zero vectors are gone.
void reduce(std::vector<std::uint64_t>& vectors) {
  std::size_t done = 0;
  for (int bit = 63; bit >= 0 && done < vectors.size(); --bit) {
    const std::uint64_t pivot = std::uint64_t{1} << bit;
    const auto found = std::find_if(vectors.begin() + static_cast<std::ptrdiff_t>(done), vectors.end(),
                                    [&](std::uint64_t vector) { return (vector & pivot) != 0; });
    if (found == vectors.end()) continue;
    std::swap(vectors[done], *found);
    for (std::size_t i = 0; i < vectors.size(); ++i)
      if (i != done && (vectors[i] & pivot) != 0) vectors[i] ^= vectors[done];
    ++done;
  }
  vectors.resize(done);
}

/// All addresses below 2^word_bits whose common bits with every vector are even in number: a basis of them, in reduced
/// row echelon form. `vectors` is in that form.
std::vector<std::uint64_t> orthogonal(const std::vector<std::uint64_t>& vectors, std::uint32_t word_bits) {
  std::uint64_t pivots = 0;
  for (const std::uint64_t vector : vectors) pivots |= std::bit_floor(vector);
  std::vector<std::uint64_t> basis;
  for (std::uint32_t bit = 0; bit < word_bits; ++bit) {
    const std::uint64_t free = std::uint64_t{1} << bit;
    if ((pivots & free) != 0) continue;
    std::uint64_t one = free;
    for (const std::uint64_t vector : vectors)
      if ((vector & free) != 0) one |= std::bit_floor(vector);
    basis.push_back(one);
  }
  reduce(basis);
  return basis;
}

/// Adds the vector unless it depends on those of `echelon`, whose highest bits differ.
bool add_independent(std::vector<std::uint64_t>& echelon, std::uint64_t vector) {
  for (const std::uint64_t other : echelon) vector = std::min(vector, vector ^ other);
  if (vector == 0) return false;
  echelon.insert(std::upper_bound(echelon.begin(), echelon.end(), vector, std::greater<>()), vector);
  return true;
}

bool fewer_bits(std::uint64_t a, std::uint64_t b) {
  const int in_a = std::popcount(a), in_b = std::popcount(b);
  return in_a != in_b ? in_a < in_b : a < b;
}

/// A basis of the same space with the fewest bits in all: of all its vectors, fewest bits first, each that does
/// not depend on those before it (greedy choice is optimal for independent sets of vectors). A space that is too large
/// to list keeps its basis, every vector made shorter by XOR with another while that helps.
std::vector<std::uint64_t> shortest_basis(std::vector<std::uint64_t> basis) {
  if (basis.size() > most_listed_bits) {
    for (bool shorter = true; shorter;) {
      shorter = false;
      for (std::uint64_t& one : basis)
        for (const std::uint64_t& other : basis) {
          if (&one == &other || std::popcount(one ^ other) >= std::popcount(one)) continue;
          one ^= other;
          shorter = true;
        }
    }
    return basis;
  }
  std::vector<std::uint64_t> all(std::size_t{1} << basis.size(), 0);
  for (std::size_t i = 1; i < all.size(); ++i)
    all[i] = all[i & (i - 1)] ^ basis[static_cast<std::size_t>(std::countr_zero(i))];
  std::sort(all.begin(), all.end(), fewer_bits);
  std::vector<std::uint64_t> chosen, echelon;
  for (std::size_t i = 1; i < all.size() && chosen.size() < basis.size(); ++i)
    if (add_independent(echelon, all[i])) chosen.push_back(all[i]);
  return chosen;
}

}  // namespace

std::uint32_t LinearHash::target_of(std::uint64_t word) const {
  std::uint32_t target = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) target |= std::uint32_t{parity(word & rows[i])} << i;
  return target;
}

bool LinearHash::reaches_all() const {
  std::vector<std::uint64_t> echelon;
  return std::all_of(rows.begin(), rows.end(), [&](std::uint64_t row) { return add_independent(echelon, row); });
}

std::vector<std::uint64_t> LinearHash::null_space(std::uint32_t word_bits) const {
  std::vector<std::uint64_t> echelon = rows;
  for (std::uint64_t& row : echelon) row &= below(word_bits);
  reduce(echelon);
  return orthogonal(echelon, word_bits);
}

std::uint32_t LinearHash::xor_gates() const {
  std::uint32_t gates = 0;
  for (const std::uint64_t row : rows)
    if (row != 0) gates += static_cast<std::uint32_t>(std::popcount(row)) - 1;
  return gates;
}

std::string LinearHash::spec() const {
  const auto bits = static_cast<std::uint32_t>(rows.size());
  if (rows == low_rows(bits)) return "mod";
  if (rows == fold_rows(bits, default_fold_width(bits))) return "xor";
  int most = 0, fewest = 64;
  for (const std::uint64_t row : rows) {
    most = std::max(most, std::popcount(row));
    fewest = std::min(fewest, std::popcount(row));
  }
  std::vector<std::string> texts;
  for (const std::uint64_t row : rows) {
    const int first = std::countr_zero(row);
    if (fewest < 1 || most > 2) {
      texts.push_back(fmt::format("{:x}", row));
    } else if (std::has_single_bit(row)) {
      texts.push_back(fmt::format("{}", first));
    } else {
      texts.push_back(fmt::format("{}^{}", first, std::bit_width(row) - 1));
    }
  }
  const char* const family = fewest < 1 || most > 2 ? "matrix" : most == 2 ? "bits-xor" : "bits";
  return fmt::format("{}:{}", family, fmt::join(texts, ","));
}

LinearHash hash_with_null_space(const std::vector<std::uint64_t>& null_space, std::uint32_t word_bits) {
  std::vector<std::uint64_t> echelon = null_space;
  reduce(echelon);
  if (echelon.size() != null_space.size() || (!echelon.empty() && echelon[0] > below(word_bits)))
    throw Bug(fmt::format("a null space of {} vectors, {} of them independent, in addresses of {} bits",
                          null_space.size(), echelon.size(), word_bits));
  LinearHash hash{shortest_basis(orthogonal(echelon, word_bits))};
  std::sort(hash.rows.begin(), hash.rows.end(), [](std::uint64_t a, std::uint64_t b) {
    const int first_a = std::countr_zero(a), first_b = std::countr_zero(b);
    return first_a != first_b ? first_a < first_b : a < b;
  });
  return hash;
}

AddressMap make_address_map(const LinearHash& hash, std::uint32_t word_bits) {
  // The table repeats itself after the highest bit that a row looks at.
  std::uint64_t used = 0;
  for (const std::uint64_t row : hash.rows) used |= row & below(word_bits);
  std::vector<std::uint16_t> table(std::size_t{1} << std::bit_width(used), 0);
  for (std::size_t word = 1; word < table.size(); ++word) {
    const std::size_t highest = std::bit_floor(word);
    table[word] = word == highest ? static_cast<std::uint16_t>(hash.target_of(word))
                                  : static_cast<std::uint16_t>(table[highest] ^ table[word ^ highest]);
  }
  return AddressMap(std::move(table), std::uint32_t{1} << hash.rows.size());
}

}  // namespace lockstep::hash
