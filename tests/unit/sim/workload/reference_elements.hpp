#pragma once

#include <catch2/catch.hpp>
#include <vector>

#include "sim/workload/buffers.hpp"

namespace lockstep::test {

inline workload::Elements elements(workload::ElementType type, const std::vector<double>& values) {
  workload::Elements result(type, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    workload::is_floating(type) ? result.set(i, values[i]) : result.set(i, static_cast<std::int64_t>(values[i]));
  }
  return result;
}

/// The elements are these, to within rounding.
inline void check_elements(const workload::Elements& found, const std::vector<double>& expected) {
  REQUIRE(found.count() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(found.real(i) == Approx(expected[i]).margin(1e-12));
  }
}

}  // namespace lockstep::test
