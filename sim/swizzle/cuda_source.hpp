#pragma once
// A layout of an array as CUDA source: what to write in place of an index.

#include <cstdint>
#include <set>
#include <string>

#include "isa/rewrite/array_layout.hpp"

namespace lockstep::swizzle {

/// What is known of the array beside its layout.
struct ArrayShape {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 4;
  /// Distances, in bytes, by which addresses change with an index: those of rows among them.
  std::set<std::uint64_t> pitches;
};

struct CudaSource {
  std::string declaration;  ///< "tile[32][33]", where the array needs another size; else "".
  std::string index;        ///< "tile[y][x ^ (y & 31)]", "tile[swizzle_tile(i)]".
  std::string function;     ///< Of the device function that `index` calls, or "".
};

/// Where a row of the layout is one of the array's, in row y and column x; else as a function of the element number. Bug
/// when the expression does not have the layout's value for every element: each is evaluated.
CudaSource cuda_source(const ArrayShape& shape, const rewrite::ArrayLayout& layout);

}  // namespace lockstep::swizzle
