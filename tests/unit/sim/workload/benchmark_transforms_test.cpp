// The transforms, filters, products and particles among the benchmarks of Table 6.5 (van den Braak's thesis): their results
// at their own and at awkward sizes, words and degrees by hand, and the published hash configurations.
#include "sim/workload/workload.hpp"
#include "tests/unit/sim/gpu/sm/scratchpad_accesses.hpp"
#include "tests/unit/sim/workload/test_files.hpp"

namespace lockstep::benchmark_transforms_test {

using namespace lockstep::test;
using program::AccessKind;
using Degrees = std::vector<std::size_t>;
using Words = std::vector<std::uint64_t>;
using Arguments = workload::ArgumentOverrides;

namespace {

void run(const std::string& name, const Arguments& arguments = {}) {
  std::string shown = name;
  for (const auto& [argument, value] : arguments) shown += " " + argument + "=" + value;
  CAPTURE(shown);
  const workload::Workload workload = workload::Workload::load(name);
  exec::Machine machine(workload.build(arguments));
  machine.finish();
  const workload::CheckResult result = workload.check(arguments, machine);
  CHECK(result.checked);
  CHECK(result.message == "");
}

/// A PGM of 12-bit grey whose pixels all differ from their neighbours.
std::string picture(const test::TemporaryFolder& folder, unsigned width, unsigned height) {
  std::string bytes = "P5 " + std::to_string(width) + " " + std::to_string(height) + " 4095\n";
  for (unsigned i = 0; i < width * height; ++i) {
    const unsigned level = (i * 2654435761u) >> 20;
    bytes += static_cast<char>(level >> 8);
    bytes += static_cast<char>(level & 255);
  }
  return folder.write("picture.pgm", bytes);
}

Words joined(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// The bits of the word address in which lanes of the access differ.
std::uint64_t bits_of(const ScratchpadAccess& access) {
  std::uint64_t bits = 0;
  for (const std::uint64_t word : access.words) bits |= word ^ access.words.front();
  return bits;
}
constexpr std::uint64_t bits(std::initializer_list<unsigned> list) {
  std::uint64_t all = 0;
  for (const unsigned bit : list) all |= std::uint64_t{1} << bit;
  return all;
}

/// Accesses of a warp in the order of execution.
std::vector<ScratchpadAccess> of_warp(const std::vector<ScratchpadAccess>& accesses, std::uint32_t warp,
                                      AccessKind kind) {
  std::vector<ScratchpadAccess> result;
  std::copy_if(accesses.begin(), accesses.end(), std::back_inserter(result),
               [&](const ScratchpadAccess& a) { return a.warp == warp && a.kind == kind; });
  return result;
}

}  // namespace

TEST_CASE("filters, transforms, products and particles leave what their references say", "[long]") {
  for (const char* name : {"conv_1", "conv_2", "dct8x8_1", "dct8x8_2", "dwtHaar1D", "FFT_1", "FFT_2", "FWT", "hist64",
                           "hist256", "lavaMD", "scalar_product", "matrix_multiply"}) {
    run(name);
  }
}

TEST_CASE("the passes of the convolution are right at every edge of one tile, and with weights of their own") {
  const test::TemporaryFolder folder;
  const Arguments weights{{"outer", "-0.75"}, {"inner", "1.5"}, {"centre", "0.1"}};
  for (const auto& [width, height] : {std::pair{128u, 64u}, std::pair{256u, 192u}}) {
    Arguments arguments = weights;
    arguments.emplace_back("image", picture(folder, width, height));
    run("conv_1", arguments);
    run("conv_2", arguments);
    arguments.emplace_back("padding", "1");
    run("conv_2", arguments);
  }
  CHECK_THROWS_WITH(run("conv_1", {{"image", picture(folder, 64, 64)}}), Catch::Contains("multiple of 128"));
  CHECK_THROWS_WITH(run("conv_2", {{"image", picture(folder, 128, 32)}}), Catch::Contains("multiple of 64"));
}

TEST_CASE("the transforms are right at their smallest and at odd sizes, with and without padding") {
  const test::TemporaryFolder folder;
  for (const char* padding : {"0", "1"}) {
    for (const auto& [width, height] : {std::pair{32u, 16u}, std::pair{96u, 80u}}) {
      run("dct8x8_1", {{"image", picture(folder, width, height)}, {"padding", padding}});
      run("dct8x8_2", {{"width", std::to_string(width)}, {"height", std::to_string(height)}, {"padding", padding}});
    }
    for (const char* length : {"2048", "4096", "1 << 20"}) {
      run("dwtHaar1D", {{"length", length}, {"padding", padding}, {"seed", "5"}});
    }
  }
  CHECK_THROWS_WITH(run("dwtHaar1D", {{"length", "3072"}}), Catch::Contains("power of two"));
  for (unsigned log2_length = 2; log2_length <= 12; ++log2_length) {
    run("FWT", {{"log2_length", std::to_string(log2_length)}, {"batch", "3"}});
  }
  run("FFT_1", {{"batch", "1"}, {"seed", "9"}});
  run("FFT_2", {{"batch", "1"}, {"seed", "9"}});
}

TEST_CASE("the products and the particles are right at awkward sizes") {
  run("scalar_product", {{"vectors", "1"}, {"length", "1"}});
  run("scalar_product", {{"vectors", "7"}, {"length", "1500"}, {"blocks", "3"}, {"threads", "96"}});
  run("scalar_product", {{"vectors", "3"}, {"length", "5000"}, {"blocks", "9"}, {"threads", "1024"}});
  run("matrix_multiply", {{"rows", "16"}, {"columns", "128"}, {"inner", "8"}});
  run("matrix_multiply", {{"rows", "48"}, {"columns", "256"}, {"inner", "40"}});
  for (const char* numbers : {"double-words", "double", "single"}) {
    for (const char* particles : {"1", "33", "100"}) {
      run("lavaMD",
          {{"numbers", numbers}, {"particles", particles}, {"boxes_x", "3"}, {"boxes_y", "2"}, {"alpha", "0.7"}});
    }
    run("lavaMD", {{"numbers", numbers}, {"particles", "9"}, {"boxes_x", "2"}, {"boxes_y", "3"}, {"boxes_z", "4"}});
  }
}

TEST_CASE("a warp of the convolution along rows has two rows of 160 words") {
  const auto accesses = scratchpad_accesses("conv_1");
  // Ten stores and forty loads of each of the two warps, as 640 and 2560 in section 6.1.
  CHECK(of_warp(accesses, 0, AccessKind::store).size() == 10);
  const auto loads = of_warp(accesses, 1, AccessKind::load);
  REQUIRE(loads.size() == 40);
  // Eight results 16 words apart, from the second block of 16 words on, with taps at -2 to 2; warp 1 has rows 2 and 3.
  std::set<Words> expected, found;
  for (std::int64_t result = 1; result <= 8; ++result) {
    for (std::int64_t tap = -2; tap <= 2; ++tap) {
      const std::int64_t first = 2 * 160 + 16 * result + tap;
      expected.insert(joined(strided(first, 1, 16), strided(first + 160, 1, 16)));
    }
  }
  for (const ScratchpadAccess& load : loads) found.insert(load.words);
  CHECK(found == expected);
  for (const ScratchpadAccess& access : accesses) CHECK(degree(access) == 2);
}

TEST_CASE("a warp of the convolution along columns has 16 columns of 80 words") {
  const auto accesses = scratchpad_accesses("conv_2");
  const auto loads = of_warp(accesses, 3, AccessKind::load);
  REQUIRE(loads.size() == 40);
  std::set<Words> expected, found;
  for (std::int64_t result = 1; result <= 8; ++result) {
    for (std::int64_t tap = -2; tap <= 2; ++tap) {
      const std::int64_t first = 6 + 8 * result + tap;  // Warp 3 begins with thread row 6.
      expected.insert(joined(strided(first, 80, 16), strided(first + 1, 80, 16)));
    }
  }
  for (const ScratchpadAccess& load : loads) found.insert(load.words);
  CHECK(found == expected);
  // A column begins in bank 0 or 16: eight of each.
  for (const ScratchpadAccess& access : accesses) CHECK(degree(access) == 8);
  // With 81 words only the first lane meets the last: 15 * 81 + 1 = 38 * 32.
  for (const ScratchpadAccess& access : scratchpad_accesses("conv_2", {{"padding", "1"}})) CHECK(degree(access) == 2);
}

TEST_CASE("eight lanes of the cosine transform stand in eight rows of 32 words") {
  for (const char* name : {"dct8x8_1", "dct8x8_2"}) {
    CAPTURE(name);
    const auto accesses = scratchpad_accesses(name);
    std::size_t rows = 0;
    for (const ScratchpadAccess& access : accesses) {
      // Warp w has rows 8 w to 8 w + 7; element n of the row of a lane, or row n of all columns.
      const std::uint64_t own = 8 * 32 * access.warp;
      Words row, column = strided(static_cast<std::int64_t>(access.words[0]), 1, 32);
      for (std::uint64_t lane = 0; lane < 32; ++lane) row.push_back(access.words[0] + 32 * (lane % 8) + lane / 8 * 8);
      if (access.words == row) {
        CHECK(access.words[0] - own < 8);
        CHECK(degree(access) == 8);
        ++rows;
      } else {
        CHECK(access.words == column);
        CHECK((access.words[0] - own) % 32 == 0);
        CHECK(degree(access) == 1);
      }
    }
    CHECK(rows == 2 * (8 + 8));  // Loads and stores of two warps.
    for (const ScratchpadAccess& access : scratchpad_accesses(name, {{"padding", "1"}})) CHECK(degree(access) == 1);
  }
}

TEST_CASE("the Haar tree doubles its stride and halves its threads") {
  const auto accesses = scratchpad_accesses("dwtHaar1D");
  const std::uint32_t left = line_of("haar.cu", "left = shared[first]");
  const auto loads = chosen(accesses, left, AccessKind::load);
  REQUIRE(loads.size() == 9);
  // 256, 128, 64, 32 threads fill the first warp.
  const std::size_t lanes[] = {32, 32, 32, 32, 16, 8, 4, 2, 1};
  for (std::size_t level = 0; level < 9; ++level) CHECK(loads[level].words == strided(0, 2 << level, lanes[level]));
  CHECK(degrees(loads) == Degrees{2, 4, 8, 16, 16, 8, 4, 2, 1});
  const auto pairs = chosen(accesses, line_of("haar.cu", "float left = "), AccessKind::load, 15);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[0].words == strided(960, 2, 32));
  CHECK(degrees(pairs) == Degrees{2, 2});
  for (const ScratchpadAccess& access : scratchpad_accesses("dwtHaar1D", {{"padding", "1"}})) {
    CHECK(degree(access) == 1);
  }
}

TEST_CASE("the Walsh transform accesses what section 6.2.2 lists") {
  const auto loads = of_warp(scratchpad_accesses("FWT"), 0, AccessKind::load);
  // Four words in each of five stages, two pairs of neighbours, and four words to write out.
  REQUIRE(loads.size() == 4 * 5 + 2 * 2 + 4);
  const auto first_of = [&](std::size_t stage) { return loads[4 * stage]; };
  for (std::size_t stage = 0; stage < 3; ++stage) CHECK(first_of(stage).words == strided(0, 1, 32));
  // Stride 8: 0 to 7, 32 to 39, 64 to 71, 96 to 103, a 4-way conflict.
  Words printed;
  for (const std::int64_t first : {0, 32, 64, 96}) printed = joined(printed, strided(first, 1, 8));
  CHECK(first_of(3).words == printed);
  CHECK(degree(first_of(3)) == 4);
  Words of_stride_2;
  for (std::int64_t group = 0; group < 16; ++group) of_stride_2 = joined(of_stride_2, strided(8 * group, 1, 2));
  CHECK(first_of(4).words == of_stride_2);
  CHECK(degree(first_of(4)) == 4);
  CHECK(loads[20].words == strided(0, 2, 32));
  CHECK(degree(loads[20]) == 2);
}

TEST_CASE("the exchanges of the Fourier transforms differ in the bits of the published hashes") {
  // The four words of a thread's two points lie alike. Butterflies of points 2^4 to 2^0 apart: bit 10 in the place of the
  // butterfly's own bit, which is one higher in words.
  const std::uint64_t of_span[] = {bits({2, 3, 4, 5, 10}), bits({1, 3, 4, 5, 10}), bits({1, 2, 4, 5, 10}),
                                   bits({1, 2, 3, 5, 10}), bits({1, 2, 3, 4, 10})};
  const std::size_t degree_of_span[] = {4, 4, 4, 4, 2};
  const auto accesses = scratchpad_accesses("FFT_1");
  for (const std::uint32_t warp : {0u, 11u}) {
    const auto stores = of_warp(accesses, warp, AccessKind::store), loads = of_warp(accesses, warp, AccessKind::load);
    REQUIRE(stores.size() == 16);
    REQUIRE(loads.size() == 16);
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t written = 4 - i / 4, read = 3 - i / 4;
      CHECK(bits_of(stores[i]) == of_span[written]);
      CHECK(degree(stores[i]) == degree_of_span[written]);
      CHECK(bits_of(loads[i]) == of_span[read]);
      CHECK(degree(loads[i]) == degree_of_span[read]);
    }
  }
  for (const ScratchpadAccess& access : scratchpad_accesses("FFT_2")) {
    CHECK(bits_of(access) == bits({1, 2, 3, 4, 5}));
    CHECK(degree(access) == 2);
  }
}

TEST_CASE("a lane of the histograms stays in its own sub-histogram") {
  for (const auto& [name, bins] : {std::pair{"hist64", 64u}, std::pair{"hist256", 256u}}) {
    CAPTURE(name);
    std::size_t votes = 0;
    for (const ScratchpadAccess& access : scratchpad_accesses(name, {{"image", "raccoon-small"}, {"blocks", "2"}})) {
      if (access.kind != AccessKind::atomic && access.kind != AccessKind::reduction) continue;
      for (std::uint32_t lane = 0; lane < 32; ++lane) CHECK(access.words.at(lane) / bins == lane);
      votes += access.words.size();
    }
    CHECK(votes == 96 * 64 / 2);
  }
}

TEST_CASE("the particles lie eight words apart, and all lanes read the same one") {
  const auto accesses = scratchpad_accesses("lavaMD", {{"boxes_x", "2"}});
  std::map<std::uint64_t, std::size_t> strides;
  for (const ScratchpadAccess& access : accesses) {
    if (access.warp != 1) continue;
    const std::uint64_t stride = access.words[1] - access.words[0];
    CHECK(access.words == strided(static_cast<std::int64_t>(access.words[0]), static_cast<std::int64_t>(stride), 32));
    CHECK(degree(access) == (stride == 8 ? 8 : stride == 2 ? 2 : 1));
    ++strides[stride];
  }
  // Two boxes: four numbers of own particles stored once and loaded twice, those of the other's stored twice; their charges
  // stored twice; in the loop four numbers and a charge of 100 particles in each. Two words each.
  CHECK(strides ==
        std::map<std::uint64_t, std::size_t>{{8, 2 * (4 + 2 * 4 + 2 * 4)}, {2, 2 * 2}, {0, 2 * 2 * 5 * 100}});
}

TEST_CASE("the scalar product and the matrix product have no conflicts") {
  for (const char* name : {"scalar_product", "matrix_multiply"}) {
    CAPTURE(name);
    const auto accesses = scratchpad_accesses(name);
    CHECK(accesses.size() > 100);
    for (const ScratchpadAccess& access : accesses) CHECK(degree(access) == 1);
  }
}

TEST_CASE("the published hash configurations free filters, transforms and particles of conflicts") {
  // Table 6.5: the bit-vector XOR, and the bitwise XOR of the Minimum Imbalance Heuristic.
  struct Published {
    const char* name;
    unsigned k1, k2, mask;
    std::vector<std::vector<unsigned>> bits;
    bool vector_frees = true, bits_free = true;
  };
  for (const Published& published : {
           Published{"conv_1", 0, 1, 16, {{0}, {1}, {2}, {3}, {5}}},
           Published{"conv_2", 0, 4, 14, {{0}, {4}, {5}, {6}, {7}}},
           Published{"dct8x8_1", 0, 5, 7, {{3}, {4}, {0, 5}, {1, 6}, {2, 7}}},
           Published{"dct8x8_2", 0, 5, 7, {{3}, {4}, {0, 5}, {1, 6}, {2, 7}}},
           Published{"dwtHaar1D", 0, 5, 15, {{3, 8}, {2, 7}, {1, 6}, {0, 5}, {4}}},
           // One of the bits 1 to 5 with bit 10 serves one of five stages.
           Published{"FFT_1", 1, 10, 1, {{1, 2}, {1, 3}, {1, 4}, {1, 5}, {1, 10}}, false},
           Published{"FFT_2", 1, 0, 0, {{1}, {2}, {3}, {4}, {5}}},
           // The first leaves the last stage, of neighbours, as it is; the second halves what stride 8 has.
           Published{"FWT", 0, 2, 31, {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 6}}, false, false},
           Published{"lavaMD", 1, 6, 3, {{3}, {4}, {5}, {1, 6}, {2, 7}}},
       }) {
    CAPTURE(published.name);
    std::size_t before = 0, after_vector = 0, after_bits = 0;
    for (const ScratchpadAccess& access : scratchpad_accesses(published.name)) {
      before += degree(access) - 1;
      after_vector += degree(access, bitvector_xor(published.k1, published.k2, published.mask)) - 1;
      after_bits += degree(access, bitwise_xor(published.bits)) - 1;
    }
    CHECK(before > 0);
    CHECK((after_vector == 0) == published.vector_frees);
    CHECK((after_bits == 0) == published.bits_free);
    CHECK(after_vector < before / 3);
    CHECK(after_bits < before / 3);
  }
}

}  // namespace lockstep::benchmark_transforms_test
