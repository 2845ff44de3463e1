// Which SMs are given the first thread blocks.
#include <catch2/catch.hpp>

#include "sim/gpu/dispatch_order.hpp"

using namespace lockstep;
using namespace lockstep::gpu;
using Catch::Matchers::Contains;

namespace {

/// The next SMs.
std::vector<std::uint32_t> first(DispatchOrder& order, std::size_t count) {
  std::vector<std::uint32_t> sms;
  while (sms.size() < count) sms.push_back(order.next());
  return sms;
}

}  // namespace

TEST_CASE("without GPCs each SM has a turn") {
  DispatchOrder order({}, 3);
  CHECK(first(order, 7) == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0});
}

TEST_CASE("GPCs have turns, in which each of their SMs is given a thread block") {
  DispatchOrder order({"2 1 3", 0}, 6);
  CHECK(first(order, 13) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0});
}

// As block_placement.cu has it on an H200, whose smids 124 to 131 are the first GPC here, 0, 1, 16, 17, 32, 33, 48, 49 the second
// and so on: 8 8 16 16 16 16 8 16 18 18 8 16 16 8 16 16 16 18 18 8 8 16 ... blocks.
TEST_CASE("the first of an H200's GPCs has a turn behind five of the others, then behind every six of them") {
  const std::vector<std::uint32_t> sizes = {8, 8, 16, 16, 16, 16, 16, 18, 18};
  std::vector<std::uint32_t> begins, expected;
  std::uint32_t sms = 0;
  for (const std::uint32_t size : sizes) {
    begins.push_back(sms);
    sms += size;
  }
  REQUIRE(sms == 132);
  for (const int gpc : {0, 1, 2, 3, 4, 5, 0, 6, 7, 8, 1, 2, 3, 0, 4, 5, 6, 7, 8, 1, 0, 2, 3, 4, 5, 6, 7, 0, 8})
    for (std::uint32_t sm = 0; sm < sizes[gpc]; ++sm) expected.push_back(begins[gpc] + sm);
  DispatchOrder order({"8 8 16 16 16 16 16 18 18", 6}, 132);
  CHECK(first(order, expected.size()) == expected);
}

TEST_CASE("SMs of which no GPC speaks are in the last, and GPCs that a small GPU lacks have no turn") {
  DispatchOrder more({"2 1", 0}, 5);
  CHECK(first(more, 6) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 0});
  DispatchOrder fewer({"2 2 2", 4}, 3);
  CHECK(first(fewer, 7) == std::vector<std::uint32_t>{0, 1, 2, 2, 2, 0, 1});
  DispatchOrder one({"8 8", 4}, 3);
  CHECK(first(one, 4) == std::vector<std::uint32_t>{0, 1, 2, 0});
}

TEST_CASE("a text that has no numbers of SMs is an error") {
  CHECK(parse_gpcs("").empty());
  CHECK(parse_gpcs(" 4  18 ") == std::vector<std::uint32_t>{4, 18});
  for (const char* wrong : {"0", "4,5", "-1", "16 x", "99999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(parse_gpcs(wrong), Contains("is no number of SMs") && Contains("'16 16 18'"));
  }
}
