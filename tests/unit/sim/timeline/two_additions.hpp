#pragma once

#include "tests/unit/sim/gpu/fake_trace.hpp"

namespace lockstep::test {

/// One warp: an addition, and another that waits for its result.
inline FakeTrace two_dependent_additions() {
  FakeTrace fake;
  const std::uint32_t r = fake.reg();
  fake.add("add.s32", {r}, {});
  fake.add("add.s32", {fake.reg()}, {r});
  fake.control("exit", program::Control::exit);
  return fake;
}

}  // namespace lockstep::test
