#include <catch2/catch.hpp>

#include "sim/swizzle/cuda_source.hpp"

using lockstep::rewrite::ArrayLayout;
using namespace lockstep::swizzle;

namespace {

const ArrayShape tile{"tile", 4096, 4, {4, 128}};

}  // namespace

TEST_CASE("rows of the array that are rows of the layout become an index in row y and column x") {
  const CudaSource padded = cuda_source(tile, ArrayLayout::padding(128, 4));
  CHECK(padded.declaration == "tile[32][33]");
  CHECK(padded.index == "tile[y][x]");
  CHECK(padded.function.empty());
  CHECK(cuda_source(tile, ArrayLayout::rotation(128, 4)).index == "tile[y][(x + y) & 31]");
  CHECK(cuda_source(tile, ArrayLayout::rotation(128, 12)).index == "tile[y][(x + 3 * y) & 31]");
  CHECK(cuda_source(tile, ArrayLayout::exclusive_or({{5, 124}})).index == "tile[y][x ^ (y & 31)]");
  CHECK(cuda_source(tile, ArrayLayout::exclusive_or({{4, 0x30}, {7, 4}})).index ==
        "tile[y][x ^ ((y << 1) & 12) ^ ((y >> 2) & 1)]");
}

TEST_CASE("columns count in elements, whatever their size") {
  const ArrayShape doubles{"d", 4096, 8, {8, 256}}, bytes{"b", 1024, 1, {1, 128}};
  CHECK(cuda_source(doubles, ArrayLayout::exclusive_or({{5, 0xf8}})).index == "d[y][x ^ (y & 31)]");
  CHECK(cuda_source(doubles, ArrayLayout::padding(256, 8)).declaration == "d[16][33]");
  CHECK(cuda_source(bytes, ArrayLayout::padding(128, 4)).declaration == "b[8][132]");
}

TEST_CASE("other layouts become a function of the element's number") {
  const CudaSource padded = cuda_source({"list", 4000, 4, {4}}, ArrayLayout::padding(128, 4));
  CHECK(padded.index == "list[swizzle_list(i)]");
  CHECK(padded.function == "__device__ unsigned swizzle_list(unsigned i) { return i + (i >> 5) * 1; }");
  CHECK(padded.declaration == "list[1031]");
  // A row of the array is two of the layout's: the column takes part.
  const CudaSource folded = cuda_source({"tile", 4096, 4, {4, 256}}, ArrayLayout::exclusive_or({{5, 124}}));
  CHECK(folded.function == "__device__ unsigned swizzle_tile(unsigned i) { return i ^ ((i >> 5) & 31); }");
  CHECK(cuda_source({"r", 1024, 4, {4}}, ArrayLayout::rotation(64, 8)).function ==
        "__device__ unsigned swizzle_r(unsigned i) { return (i & ~15) | ((i + (i >> 4) * 2) & 15); }");
  CHECK(cuda_source(tile, {}).index.empty());
}
