// lockstep replay --timeline

#include <set>

#include "tests/system/program.hpp"

using namespace lockstep::system_test;
using Catch::Contains;

TEST_CASE("replay writes a timeline of chosen cycles and SMs, which changes no result") {
  TemporaryFolder folder;
  const std::string trace = folder / "t.trace", file = folder / "timeline.json", packed = folder / "timeline.json.gz";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=4096", "-o", trace}).code == 0);
  const std::vector<std::string> replay = {"replay", trace, "--gpu", "gtx580", "--json", "--quiet"};
  const auto with = [&replay](const std::vector<std::string>& more) {
    std::vector<std::string> words = replay;
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome timed = with({"--timeline", file, "--timeline-cycles", "300-900", "--timeline-sms", "1,2"});
  REQUIRE(timed.code == 0);
  CHECK(value(parse_json(timed.out), "cycles") == value(parse_json(with({}).out), "cycles"));
  std::set<int> processes;
  const Json json = parse_json(contents(file));
  for (const auto& [key, event] : at(json, "traceEvents"))
    if (value(event, "ph") == "X") processes.insert(value<int>(event, "pid"));
  CHECK(processes == std::set<int>{0, 2, 3});  // The kernels, SM 1 and SM 2.
  REQUIRE(with({"--timeline", packed}).code == 0);
  CHECK(contents(packed).substr(0, 2) == "\x1f\x8b");  // RFC 1952.

  CHECK_THAT(with({"--timeline", file, "--timeline-cycles", "9-3"}).err, Contains("expected FROM-TO"));
  CHECK_THAT(with({"--timeline", file, "--timeline-sms", "16"}).err, Contains("has SMs 0 to 15"));
  CHECK(with({"--timeline-sms", "1"}).code == 2);
}
