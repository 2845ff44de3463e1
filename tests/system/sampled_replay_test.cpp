// lockstep replay --sample

#include "tests/system/program.hpp"

namespace lockstep::sampled_replay_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

TEST_CASE("A long launch is replayed in part with --sample, and says so in text and JSON") {
  const TemporaryFolder folder;
  const std::string file = folder / "v.trace";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=1000000", "-s", "args.blocks=3907", "-o", file}).code == 0);
  const Json whole = parse_json(run({"replay", file, "--gpu", "gtx750ti", "--json"}).out);
  CHECK(whole.count("sampling") == 0);

  const std::vector<std::string> words{"replay", file, "--gpu", "gtx750ti", "--sample", "--sample-error", "5"};
  std::vector<std::string> with_json = words;
  with_json.insert(with_json.end(), {"--json", "-j", "1"});
  const Outcome sampled = run(with_json);
  INFO(sampled.err);
  REQUIRE(sampled.code == 0);
  const Json point = parse_json(sampled.out);
  const Json& sampling = at(point, "sampling");
  CHECK(value(sampling, "sampled") == "true");
  CHECK(value<double>(sampling, "wanted_error_pct") == Approx(5));
  CHECK(value<double>(sampling, "replayed_pct") < 70);
  const double error = 100 * (value<double>(point, "cycles") / value<double>(whole, "cycles") - 1);
  CHECK(std::abs(error) <= value<double>(sampling, "error_pct"));
  CHECK(value(point, "warp_instructions") == value(whole, "warp_instructions"));
  CHECK_THAT(sampled.err, Contains("sampled: "));

  with_json.back() = "3";
  const Json threads = parse_json(run(with_json).out);
  CHECK(value(threads, "cycles") == value(point, "cycles"));
  CHECK(at(threads, "stats") == at(point, "stats"));
  CHECK_THAT(run(words).out, Contains("Sampled: ") && Contains("95 % confidence"));
}

TEST_CASE("A short launch is replayed whole with --sample, to the very cycles, and says why") {
  const TemporaryFolder folder;
  const std::string file = folder / "v.trace";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=100000", "-o", file}).code == 0);
  const Json whole = parse_json(run({"replay", file, "--gpu", "gtx580", "--json"}).out);
  const Outcome sampled = run({"replay", file, "--gpu", "gtx580", "--json", "--sample"});
  const Json point = parse_json(sampled.out);
  CHECK(value(point, "cycles") == value(whole, "cycles"));
  CHECK(at(point, "stats") == at(whole, "stats"));
  CHECK(value(at(point, "sampling"), "sampled") == "false");
  CHECK_THAT(sampled.err, Contains("replayed whole: vector_add: it has 2 waves of thread blocks, fewer than 12"));
}

TEST_CASE("What shows single thread blocks cannot be combined with --sample; nor is an error given without it") {
  const Outcome both = run({"replay", "any.trace", "--gpu", "gtx580", "--sample", "--per-instruction"});
  CHECK(both.code == 2);
  CHECK_THAT(both.err, Contains("--per-instruction shows every thread block") && Contains("leave one of them out"));
  const Outcome alone = run({"replay", "any.trace", "--gpu", "gtx580", "--sample-error", "3"});
  CHECK(alone.code == 2);
  CHECK_THAT(alone.err, Contains("--sample"));
  CHECK(run({"replay", "any.trace", "--gpu", "gtx580", "--sample", "--sample-error", "0"}).code == 2);
}

}  // namespace lockstep::sampled_replay_test
