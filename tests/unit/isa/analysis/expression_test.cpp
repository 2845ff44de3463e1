#include "isa/analysis/expression.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace lockstep::analysis;

TEST_CASE("Fields of an index that are taken apart and put together again are the index", "[analysis]") {
  Algebra a({{256, 1, 1}});
  const ExpressionId tx = a.thread(0);
  const ExpressionId low = a.bit_and(tx, a.constant(7)), high = a.quotient(tx, a.constant(8));
  CHECK(a.add(a.multiply(high, a.constant(8)), low) == tx);
  CHECK(a.bit_or(a.multiply(high, a.constant(8)), low) == tx);
  CHECK(a.quotient(low, a.constant(8)) == a.constant(0));
  CHECK(a.bit_and(tx, a.constant(-8)) == a.multiply(high, a.constant(8)));
  CHECK(a.quotient(high, a.constant(4)) == a.quotient(tx, a.constant(32)));
  CHECK(a.bit_and(tx, a.constant(255)) == tx);
  CHECK(a.bit_and(tx, a.constant(127)) != tx);
  CHECK(a.text(a.add(a.multiply(tx, a.constant(-4)), a.constant(3))) == "-4*tx + 3");
}

TEST_CASE("A remainder by a power of two that only the kernel knows completes its quotient", "[analysis]") {
  Algebra a(std::nullopt);
  const AtomId stride = a.atom(Atom::Kind::opaque, 1, 0, [] { return "s"; });
  const ExpressionId s = a.of(stride), tx = a.thread(0), mask = a.subtract(s, a.constant(1));
  CHECK(a.bit_and(tx, mask) == no_expression);  // Nothing says that s is a power of two.
  a.set_power_of_two(stride, true);
  const ExpressionId low = a.bit_and(tx, mask);
  REQUIRE(low != no_expression);
  CHECK(a.add(low, a.multiply(s, a.quotient(tx, s))) == tx);
  CHECK(a.bit_and(tx, a.multiply(s, a.constant(-1))) == a.subtract(tx, low));
}

TEST_CASE("Division by multiplication with a reciprocal is seen as division", "[analysis]") {
  Algebra a({{1024, 1, 1}});
  const ExpressionId tx = a.thread(0);
  const auto by_three = a.quotient(a.multiply(tx, a.constant(0xAAAAAAAB)), a.constant(std::int64_t{1} << 33));
  CHECK(by_three == a.quotient(tx, a.constant(3)));
  // By seven, whose reciprocal has a bit too many: the mean of a first quotient and the number, by four.
  const auto first = a.quotient(a.multiply(tx, a.constant(613566757)), a.constant(std::int64_t{1} << 32));
  const auto half = a.quotient(a.subtract(tx, first), a.constant(2));
  CHECK(a.quotient(a.add(half, first), a.constant(4)) == a.quotient(tx, a.constant(7)));
}

// The same arithmetic on numbers, thread by thread, is the reference.
TEST_CASE("Expressions of random index arithmetic have the values that the arithmetic gives", "[analysis]") {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
  std::uint32_t expressed = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const lockstep::program::Dim3 block = {1u << below(7), static_cast<std::uint32_t>(1 + below(8)), 1};
    Algebra a(block);
    struct Value {
      ExpressionId id;
      std::vector<std::int64_t> of_thread;
    };
    const auto threads = static_cast<std::uint32_t>(lockstep::program::volume(block));
    std::vector<Value> values;
    for (std::uint32_t d = 0; d < 2; ++d) {
      Value one{a.thread(d), {}};
      for (std::uint32_t t = 0; t < threads; ++t) one.of_thread.push_back(thread_place(block, t / 32, t % 32).index[d]);
      values.push_back(one);
    }
    for (int step = 0; step < 6; ++step) {
      const Value x = values[static_cast<std::size_t>(below(static_cast<std::uint32_t>(values.size())))];
      const Value y = values[static_cast<std::size_t>(below(static_cast<std::uint32_t>(values.size())))];
      const std::int64_t c = below(3) == 0 ? -(1 << below(5)) : below(40), k = below(4), n = 1 + below(20);
      const auto operation = below(9);
      ExpressionId id = no_expression;
      switch (operation) {
        case 0: id = a.add(x.id, y.id); break;
        case 1: id = a.subtract(x.id, a.constant(c)); break;
        case 2: id = a.multiply(x.id, a.constant(n)); break;
        case 3: id = a.bit_and(x.id, a.constant(c)); break;
        case 4: id = a.bit_or(x.id, a.constant(c)); break;
        case 5: id = a.bit_xor(x.id, a.constant(c)); break;
        case 6: id = a.quotient(x.id, a.constant(1 << k)); break;
        case 7: id = a.remainder(x.id, a.constant(n)); break;
        case 8: id = a.bit_or(x.id, y.id); break;
      }
      if (id == no_expression) continue;
      Value result{id, {}};
      for (std::uint32_t t = 0; t < threads; ++t) {
        const std::int64_t p = x.of_thread[t], q = y.of_thread[t];
        const std::int64_t rest = ((p % n) + n) % n;
        const std::int64_t expected[] = {p + q, p - c, p * n, p & c, p | c, p ^ c, p >> k, rest, p | q};
        result.of_thread.push_back(expected[operation]);
        const auto value = a.evaluate(id, thread_place(block, t / 32, t % 32));
        REQUIRE(value);
        REQUIRE(*value == expected[operation]);
        const Range range = a.range(id);
        REQUIRE((!range.low || *range.low <= *value));
        REQUIRE((!range.high || *range.high >= *value));
      }
      ++expressed;
      values.push_back(std::move(result));
    }
  }
  CHECK(expressed > 10000);
}
