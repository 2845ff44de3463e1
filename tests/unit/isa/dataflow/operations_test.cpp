#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/unit/isa/dataflow/graph.hpp"

using namespace lockstep;
using namespace lockstep::dataflow;
using namespace lockstep::dataflow::test;

namespace {

/// What one firing of a core's operation gives.
std::uint32_t value_of(Opcode op, std::vector<In> inputs) {
  Bench bench;
  const auto out = bench.buffer<std::uint32_t>("out", {0xdead});
  Sketch g;
  const auto node = g.add("node", op, std::move(inputs), 1);
  g.store("out", out, 0, edge(node), 1);
  bench.run(g);
  return bench.contents<std::uint32_t>(out)[0];
}

}  // namespace

TEST_CASE("integer operations give the low 32 bits and keep to their signs") {
  constexpr std::uint32_t least = 0x80000000;
  CHECK(value_of(Opcode::move, {42}) == 42);
  CHECK(value_of(Opcode::add, {0xffffffffu, 2}) == 1);
  CHECK(value_of(Opcode::sub, {1, 2}) == 0xffffffff);
  CHECK(value_of(Opcode::mul, {0x10001, 0x10001}) == 0x20001);
  CHECK(value_of(Opcode::mul_hi_s32, {-2, 3}) == 0xffffffff);
  CHECK(value_of(Opcode::mul_hi_u32, {-2, 3}) == 2);
  CHECK(value_of(Opcode::mad, {3, -5, 1}) == static_cast<std::uint32_t>(-14));
  CHECK(value_of(Opcode::sad_s32, {-5, 3, 10}) == 18);
  CHECK(value_of(Opcode::sad_u32, {-5, 3, 10}) == 0xfffffff8 + 10);
  CHECK(value_of(Opcode::min_s32, {-1, 1}) == 0xffffffff);
  CHECK(value_of(Opcode::min_u32, {-1, 1}) == 1);
  CHECK(value_of(Opcode::max_s32, {-1, 1}) == 1);
  CHECK(value_of(Opcode::max_u32, {-1, 1}) == 0xffffffff);
  CHECK(value_of(Opcode::abs_s32, {-7}) == 7);
  CHECK(value_of(Opcode::abs_s32, {least}) == least);
  CHECK(value_of(Opcode::neg_s32, {7}) == static_cast<std::uint32_t>(-7));
  CHECK(value_of(Opcode::bit_and, {12, 10}) == 8);
  CHECK(value_of(Opcode::bit_or, {12, 10}) == 14);
  CHECK(value_of(Opcode::bit_xor, {12, 10}) == 6);
  CHECK(value_of(Opcode::bit_not, {5}) == 0xfffffffa);
  CHECK(value_of(Opcode::shift_left, {3, 31}) == least);
  CHECK(value_of(Opcode::shift_left, {3, 32}) == 0);
  CHECK(value_of(Opcode::shift_right_s32, {least, 31}) == 0xffffffff);
  CHECK(value_of(Opcode::shift_right_s32, {least, 99}) == 0xffffffff);
  CHECK(value_of(Opcode::shift_right_u32, {least, 31}) == 1);
  CHECK(value_of(Opcode::shift_right_u32, {least, 32}) == 0);
  CHECK(value_of(Opcode::select, {2, 10, 20}) == 10);
  CHECK(value_of(Opcode::select, {0, 10, 20}) == 20);
}

TEST_CASE("comparisons give 1 or 0") {
  struct Case {
    Opcode op;
    bool less, equal, greater, less_unsigned;  ///< Of (1, 2), (2, 2), (2, 1), (-1, 2).
  };
  const Case cases[] = {
      {Opcode::set_eq, false, true, false, false},     {Opcode::set_ne, true, false, true, true},
      {Opcode::set_lt_s32, true, false, false, true},  {Opcode::set_le_s32, true, true, false, true},
      {Opcode::set_gt_s32, false, false, true, false}, {Opcode::set_ge_s32, false, true, true, false},
      {Opcode::set_lt_u32, true, false, false, false}, {Opcode::set_le_u32, true, true, false, false},
      {Opcode::set_gt_u32, false, false, true, true},  {Opcode::set_ge_u32, false, true, true, true},
  };
  for (const Case& c : cases) {
    INFO(facts(c.op).name);
    CHECK(value_of(c.op, {1, 2}) == (c.less ? 1 : 0));
    CHECK(value_of(c.op, {2, 2}) == (c.equal ? 1 : 0));
    CHECK(value_of(c.op, {2, 1}) == (c.greater ? 1 : 0));
    CHECK(value_of(c.op, {-1, 2}) == (c.less_unsigned ? 1 : 0));
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::pair<Opcode, std::array<bool, 4>> floats[] = {
      {Opcode::set_eq_f32, {false, true, false, false}}, {Opcode::set_ne_f32, {true, false, true, false}},
      {Opcode::set_lt_f32, {true, false, false, false}}, {Opcode::set_le_f32, {true, true, false, false}},
      {Opcode::set_gt_f32, {false, false, true, false}}, {Opcode::set_ge_f32, {false, true, true, false}},
  };
  for (const auto& [op, expected] : floats) {
    INFO(facts(op).name);
    CHECK(value_of(op, {1.0f, 2.0f}) == (expected[0] ? 1 : 0));
    CHECK(value_of(op, {-0.0f, 0.0f}) == (expected[1] ? 1 : 0));
    CHECK(value_of(op, {2.0f, -1.0f}) == (expected[2] ? 1 : 0));
    CHECK(value_of(op, {nan, 1.0f}) == (expected[3] ? 1 : 0));
  }
}

TEST_CASE("single precision rounds once and has one NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  constexpr std::uint32_t nan = 0x7fffffff;
  CHECK(value_of(Opcode::add_f32, {1.0f, 0x1p-24f}) == bits(1.0f));
  CHECK(value_of(Opcode::add_f32, {infinity, -infinity}) == nan);
  CHECK(value_of(Opcode::sub_f32, {1.5f, 0.25f}) == bits(1.25f));
  CHECK(value_of(Opcode::mul_f32, {0x1p-100f, 0x1p-40f}) == bits(0x1p-140f));
  CHECK(value_of(Opcode::mul_f32, {0.0f, infinity}) == nan);
  // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: the product alone loses its last bit.
  CHECK(value_of(Opcode::fma_f32, {1.0f + 0x1p-12f, 1.0f + 0x1p-12f, -1.0f}) == bits(0x1p-11f + 0x1p-24f));
  CHECK(value_of(Opcode::min_f32, {-0.0f, 0.0f}) == bits(-0.0f));
  CHECK(value_of(Opcode::max_f32, {-0.0f, 0.0f}) == bits(0.0f));
  CHECK(value_of(Opcode::min_f32, {In(0x7fc00001u), 3.0f}) == bits(3.0f));
  CHECK(value_of(Opcode::max_f32, {3.0f, In(0xffc00001u)}) == bits(3.0f));
  CHECK(value_of(Opcode::max_f32, {In(0x7fc00001u), In(0xffc00001u)}) == nan);
  CHECK(value_of(Opcode::min_f32, {1.0f, -2.0f}) == bits(-2.0f));
  CHECK(value_of(Opcode::abs_f32, {-2.5f}) == bits(2.5f));
  CHECK(value_of(Opcode::neg_f32, {2.5f}) == bits(-2.5f));
  CHECK(value_of(Opcode::s32_to_f32, {-3}) == bits(-3.0f));
  CHECK(value_of(Opcode::s32_to_f32, {0x01000001}) == bits(16777216.0f));
  CHECK(value_of(Opcode::u32_to_f32, {0xffffffffu}) == bits(4294967296.0f));
  CHECK(value_of(Opcode::f32_to_s32, {-2.9f}) == static_cast<std::uint32_t>(-2));
  CHECK(value_of(Opcode::f32_to_s32, {3e9f}) == 0x7fffffff);
  CHECK(value_of(Opcode::f32_to_s32, {-infinity}) == 0x80000000);
  CHECK(value_of(Opcode::f32_to_s32, {In(nan)}) == 0);
  CHECK(value_of(Opcode::f32_to_u32, {3e9f}) == 3000000000u);
  CHECK(value_of(Opcode::f32_to_u32, {-1.0f}) == 0);
  CHECK(value_of(Opcode::f32_to_u32, {infinity}) == 0xffffffff);
  CHECK(value_of(Opcode::reciprocal, {3.0f}) == bits(1.0f / 3.0f));
  CHECK(value_of(Opcode::square_root, {2.0f}) == bits(std::sqrt(2.0f)));
  CHECK(value_of(Opcode::square_root, {-2.0f}) == nan);
  CHECK(value_of(Opcode::reciprocal_square_root, {4.0f}) == bits(0.5f));
  CHECK(value_of(Opcode::sine, {0.5f}) == 0x3ef57740);  // As an H200 has it,
  CHECK(value_of(Opcode::cosine, {0.5f}) == bits(0.87758255f));
  CHECK(value_of(Opcode::exponential_2, {-3.0f}) == bits(0.125f));
  CHECK(value_of(Opcode::logarithm_2, {0.125f}) == 0xc03fffff);  // and this.
}

TEST_CASE("a predicate passes the first operand of every operation on") {
  for (std::size_t number = 0; number < static_cast<std::size_t>(Opcode::load); ++number) {
    const auto op = static_cast<Opcode>(number);
    INFO(facts(op).name);
    Bench bench;
    const auto out = bench.buffer<std::uint32_t>("out", {1, 1});
    Sketch g;
    std::vector<In> inputs = {bits(1.5f), 3, 7};
    inputs.resize(facts(op).operands, 0);
    inputs.emplace_back(ring({0}));
    const auto node = g.add("node", op, inputs, 2);
    g.node(node).predicated = true;
    g.store("out", out, edge(g.increment("to", 4, 2)), edge(node), 2);
    bench.run(g);
    CHECK(bench.contents<std::uint32_t>(out) == std::vector<std::uint32_t>{bits(1.5f), bits(1.5f)});
  }
}
