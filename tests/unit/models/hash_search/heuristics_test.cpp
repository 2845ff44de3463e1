// Givargis' heuristic, the Minimum Imbalance Heuristic and the pruning by strides, against the worked examples of section
// 6.4 of Van den Braak (2015).

#include <catch2/catch.hpp>

#include "models/hash_search/heuristics.hpp"
#include "models/hash_search/strides.hpp"

using namespace lockstep::hash;

namespace {

using Words = std::vector<std::uint32_t>;

WeightedSequences sets(const std::vector<Words>& all) {
  WeightedSequences references;
  for (const Words& one : all) references.add(0, one, 1);
  return references;
}

/// What the 32 threads of a warp access with this stride.
Words stride(std::uint32_t step) {
  Words words;
  for (std::uint32_t thread = 0; thread < 32; ++thread) words.push_back(thread * step);
  return words;
}

/// The address bit of each row, in order; rows of two bits fail.
std::vector<int> bits(const LinearHash& hash) {
  std::vector<int> all;
  for (const std::uint64_t row : hash.rows) {
    CHECK(std::has_single_bit(row));
    all.push_back(std::countr_zero(row));
  }
  return all;
}

const Words figure_6_6 = {27, 12, 6, 19, 11, 4, 28, 3};

}  // namespace

TEST_CASE("the imbalance heuristic chooses bits 0, 3 and 4 for the references of figure 6.6") {
  CHECK(bits(minimum_imbalance(sets({figure_6_6}), candidate_rows(5, false), 3)) == std::vector<int>{0, 3, 4});
}

TEST_CASE("imbalances are those of figure 6.6, step by step") {
  const auto rows = candidate_rows(5, false);
  const std::vector<double> first = imbalances(figure_6_6, {}, rows);
  CHECK(first == std::vector<double>{0, 0.25, 0, 0, 0.25});
  const std::vector<double> second = imbalances(figure_6_6, {1}, rows);
  CHECK(std::vector<double>(second.begin() + 1, second.end()) == std::vector<double>{0.75, 1, 0, 0.25});
  const std::vector<double> third = imbalances(figure_6_6, {1, 8}, rows);
  CHECK(third[1] == 0.75);
  CHECK(third[2] == 1);
  CHECK(third[4] == 0.25);
}

TEST_CASE("Givargis' heuristic over two sets chooses the bits of the published examples") {
  const auto rows = candidate_rows(14, false);
  CHECK(bits(givargis(sets({stride(8), stride(45)}), rows, 5)) == std::vector<int>{3, 4, 5, 6, 7});
  CHECK(bits(givargis(sets({stride(8), stride(13)}), rows, 5)) == std::vector<int>{3, 4, 6, 5, 7});
}

TEST_CASE("pairs of bits are every XOR of two, once") {
  CHECK(candidate_rows(4, true).size() == 10);  // Table 6.2: n (n + 1) / 2.
  CHECK(candidate_rows(14, true).size() == 105);
}

TEST_CASE("heuristics never choose rows that depend on each other") {
  // A single word: everything is equally bad, and bit 0, bit 1 and their XOR all look alike.
  for (const bool pairs : {false, true}) {
    const WeightedSequences one = sets({{5}});
    CHECK(givargis(one, candidate_rows(8, pairs), 5).reaches_all());
    CHECK(minimum_imbalance(one, candidate_rows(8, pairs), 5).reaches_all());
  }
}

TEST_CASE("a set that occurs more often counts for more") {
  // Rows or columns of two bits: one address bit can serve only one of the two.
  WeightedSequences references;
  references.add(0, Words{0, 1}, 1);
  references.add(0, Words{0, 2}, 3);
  CHECK(bits(givargis(references, candidate_rows(4, false), 1)) == std::vector<int>{1});
  CHECK(bits(minimum_imbalance(references, candidate_rows(4, false), 1)) == std::vector<int>{1});
  references.add(0, Words{0, 1}, 4);
  CHECK(bits(givargis(references, candidate_rows(4, false), 1)) == std::vector<int>{0});
  CHECK(bits(minimum_imbalance(references, candidate_rows(4, false), 1)) == std::vector<int>{0});
}

TEST_CASE("strides 4 and 6 leave 188 of the 4480 bit-vector XOR hashes of a Fermi") {
  CHECK(all_bit_vector_xors(14, 5).size() == 4480);
  const auto strides = strides_of(sets({stride(4), stride(6)}));
  CHECK(strides == std::vector<StrideBits>{{1, 7}, {2, 6}});
  CHECK(pruned_bit_vector_xors(strides, 14, 5).size() == 188);
}

TEST_CASE("one lowest bit of all strides leaves one permutation") {
  const auto left = pruned_bit_vector_xors(strides_of(sets({stride(8), stride(24)})), 14, 5);
  REQUIRE(left.size() == 1);
  CHECK(left[0].spec() == "bitvector-xor:k1=3,k2=0,mask=0");
}

TEST_CASE("a block has the stride within its rows and that of its rows; random words have none") {
  Words block;
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) block.push_back(32 * y + x);
  CHECK(strides_of(sets({block})) == std::vector<StrideBits>{{0, 2}, {5, 6}});
  CHECK(strides_of(sets({{1, 2, 17, 40, 41}})).empty());
  CHECK(pruned_bit_vector_xors({}, 14, 5).size() == 4480);
}

TEST_CASE("bit-vector XOR hashes that lose a bank or look past the address are not usable") {
  CHECK(BitVectorXor{0, 5, 31}.usable(5, 10));
  CHECK_FALSE(BitVectorXor{0, 6, 31}.usable(5, 10));  // Bit 10 of ten.
  CHECK(BitVectorXor{0, 6, 15}.usable(5, 10));
  CHECK_FALSE(BitVectorXor{2, 2, 1}.usable(5, 10));  // Bit 0 of the bank is always 0.
}
