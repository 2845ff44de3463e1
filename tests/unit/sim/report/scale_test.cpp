#include <catch2/catch.hpp>
#include <cmath>

#include "isa/error.hpp"
#include "sim/report/scale.hpp"

namespace lockstep::scale_test {

using namespace lockstep::report;

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

TEST_CASE("Steps are 1, 2 or 5 times a power of ten, the smallest that fits often enough at most") {
  struct Case {
    double span;
    int most;
    double step;
  };
  for (const Case& c : {Case{10, 10, 1},
                        {11, 10, 2},
                        {20, 10, 2},
                        {21, 10, 5},
                        {50, 10, 5},
                        {51, 10, 10},
                        {0.3, 6, 0.05},
                        {1e9, 6, 2e8},
                        {1e-7, 5, 2e-8}}) {
    INFO(c.span << " in at most " << c.most);
    CHECK(round_step(c.span, c.most) == Approx(c.step));
  }
}

TEST_CASE("Ticks are round, in order, and within the axis") {
  CHECK(round_ticks(0, 10, 5) == Numbers{0, 2, 4, 6, 8, 10});
  CHECK(round_ticks(3, 17, 5) == Numbers{5, 10, 15});
  CHECK(round_ticks(-10, 10, 4) == Numbers{-10, -5, 0, 5, 10});
  CHECK(round_ticks(7, 7, 5) == Numbers{7});
  CHECK(round_ticks(1000, 1003, 5) == Numbers{1000, 1001, 1002, 1003});
  const Numbers tenths = round_ticks(0, 0.3, 3);  // 3 * 0.1 is a little more than 0.3
  REQUIRE(tenths.size() == 4);
  CHECK(tenths.back() == Approx(0.3));
}

TEST_CASE("There are few ticks whatever the range") {
  for (const double low : {0.0, -1e12, 1e-9, 123456.0}) {
    for (double span = 1e-6; span < 1e15; span *= 3.7) {
      if (low + span == low) continue;
      const Numbers ticks = round_ticks(low, low + span, 6);
      INFO(low << " and " << span << " more");
      CHECK(ticks.size() <= 7);
      if (std::abs(low) < 1e6 * span) CHECK(ticks.size() >= 2);
    }
  }
}

TEST_CASE("Logarithmic ticks are 1, 2, 5 over few decades, and powers of ten over many") {
  CHECK(logarithmic_ticks(1, 100, 8) == Numbers{1, 2, 5, 10, 20, 50, 100});
  CHECK(logarithmic_ticks(3, 60, 8) == Numbers{5, 10, 20, 50});
  CHECK(logarithmic_ticks(0.5, 20000, 8) == Numbers{1, 10, 100, 1000, 10000});
  CHECK(logarithmic_ticks(1, 1e12, 8) == Numbers{1, 100, 1e4, 1e6, 1e8, 1e10, 1e12});
  CHECK(logarithmic_ticks(21, 49, 8) == Numbers{21, 49});  // no round number between
}

TEST_CASE("A linear scale is a straight line, a logarithmic one puts equal factors at equal distances") {
  const Scale linear(ScaleKind::linear, 10, 20, 100, 300);
  CHECK(linear.position(10) == 100);
  CHECK(linear.position(12.5) == 150);
  CHECK(linear.position(20) == 300);
  const Scale up(ScaleKind::linear, 0, 4, 200, 0);  // y of a picture grows downwards
  CHECK(up.position(1) == 150);
  const Scale powers(ScaleKind::log2, 1, 32, 0, 50);
  for (int exponent = 0; exponent <= 5; ++exponent) CHECK(powers.position(1 << exponent) == Approx(10 * exponent));
  const Scale decades(ScaleKind::log10, 0.01, 100, 0, 40);
  CHECK(decades.position(0.1) == Approx(10));
  CHECK(decades.position(1) == Approx(20));
}

TEST_CASE("An axis of a single value has it in the middle, and logarithms need positive values") {
  CHECK(Scale(ScaleKind::linear, 5, 5, 0, 100).position(5) == 50);
  CHECK(Scale(ScaleKind::log2, 8, 8, 0, 100).position(8) == 50);
  CHECK_THROWS_AS(Scale(ScaleKind::log10, 0, 5, 0, 100), Bug);
  CHECK_THROWS_AS(Scale(ScaleKind::log2, -1, 5, 0, 100), Bug);
}

TEST_CASE("The scale follows from the values") {
  CHECK(suitable_scale({1, 2, 4, 8, 32}) == ScaleKind::log2);
  CHECK(suitable_scale({32, 0.5}) == ScaleKind::log2);
  CHECK(suitable_scale({0, 1, 2, 4}) == ScaleKind::linear);
  CHECK(suitable_scale({-1, 1, 1000}) == ScaleKind::linear);
  CHECK(suitable_scale({1, 2, 3}) == ScaleKind::linear);
  CHECK(suitable_scale({10, 999}) == ScaleKind::linear);
  CHECK(suitable_scale({1000, 10}) == ScaleKind::log10);
  CHECK(suitable_scale({1000, 1500, 5000, 20000}) == ScaleKind::log10);  // gaps from 500 to 15000
  CHECK(suitable_scale({1, 3, 6, 9, 12}) == ScaleKind::linear);
  CHECK(suitable_scale({}) == ScaleKind::linear);
  CHECK(suitable_scale({4}) == ScaleKind::linear);
  CHECK(suitable_scale({4, 4}) == ScaleKind::linear);
}

TEST_CASE("The labels of an axis have the same decimals and short forms of long numbers") {
  CHECK(tick_labels({0, 5000, 10000}) == Texts{"0", "5,000", "10,000"});
  CHECK(tick_labels({0, 0.5, 1}) == Texts{"0", "0.5", "1.0"});
  CHECK(tick_labels({0.25, 0.3}) == Texts{"0.25", "0.30"});
  CHECK(tick_labels({0, 500'000}) == Texts{"0", "500 k"});
  CHECK(tick_labels({500'000, 1'500'000}) == Texts{"0.5 M", "1.5 M"});
  CHECK(tick_labels({2e9, 4e9}) == Texts{"2 G", "4 G"});
  CHECK(tick_labels({-1000, 1000}) == Texts{"-1,000", "1,000"});
  CHECK(tick_labels({1e-9}) == Texts{"1e-09"});
  CHECK(tick_labels({1e18}) == Texts{"1e+09 G"});
  CHECK(tick_labels({}).empty());
}

TEST_CASE("A single number keeps its leading digits") {
  CHECK(number_label(0) == "0");
  CHECK(number_label(1234567) == "1,234,567");
  CHECK(number_label(1.23456) == "1.235");
  CHECK(number_label(0.00123456) == "0.001235");
  CHECK(number_label(2.5) == "2.5");
  CHECK(number_label(123.456, 6) == "123.456");
  CHECK(number_label(100) == "100");
  CHECK(number_label(1e-9) == "1e-09");
  CHECK(number_label(1e300) == "1e+300");
}

}  // namespace lockstep::scale_test
