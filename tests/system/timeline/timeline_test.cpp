// lockstep replay --timeline, --konata and --series

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
    if (value(event, "ph") == "X" && value(event, "name").rfind("thread block", 0) != 0)
      processes.insert(value<int>(event, "pid"));
  CHECK(processes == std::set<int>{0, 2, 3});  // The kernels, and warps of SM 1 and SM 2.
  REQUIRE(with({"--timeline", packed}).code == 0);
  CHECK(contents(packed).substr(0, 2) == "\x1f\x8b");  // RFC 1952.

  const Outcome nothing = run({"replay", trace, "--gpu", "gtx580", "--konata", folder / "k", "--warps", "9:9"});
  CHECK(nothing.code == 0);
  CHECK_THAT(nothing.err, Contains("no warp of --warps 9:9 issues on SM 0"));
  CHECK_THAT(with({"--timeline", file, "--timeline-cycles", "9-3"}).err, Contains("expected FROM-TO"));
  CHECK_THAT(with({"--timeline", file, "--timeline-sms", "16"}).err, Contains("has SMs 0 to 15"));
  CHECK(with({"--timeline-sms", "1"}).code == 2);
}

TEST_CASE("replay writes several pictures of time at once, which change no result") {
  TemporaryFolder folder;
  const std::string trace = folder / "t.trace";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=4096", "-o", trace}).code == 0);
  const auto replay = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"replay", trace, "--gpu", "gtx580", "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome plain = replay({});
  const Outcome all = replay({"--timeline", folder / "t.json", "--timeline", folder / "t.svg", "--konata",
                              folder / "k.gz", "--series", folder / "s.csv", "--every", "250", "--statistic",
                              "sm.issue.slots,sm.warp_instructions", "--statistic", "derived.ipc"});
  REQUIRE(all.code == 0);
  CHECK(at(parse_json(all.out), "stats") == at(parse_json(plain.out), "stats"));
  CHECK(contents(folder / "k.gz").substr(0, 2) == "\x1f\x8b");
  CHECK_THAT(contents(folder / "t.svg"), Contains("<svg ") && Contains("DRAM bus busy") && Contains("SM 0 place 0"));

  // The rows of the series cover the replay, and add up to its counts.
  std::istringstream csv(contents(folder / "s.csv"));
  std::string line;
  REQUIRE(std::getline(csv, line));
  CHECK(line == "from,to,sm.issue.slots,sm.warp_instructions,derived.ipc");
  long end = 0, slots = 0, instructions = 0;
  while (std::getline(csv, line)) {
    long from = 0, to = 0, more = 0, executed = 0;
    double ipc = 0;
    REQUIRE(std::sscanf(line.c_str(), "%ld,%ld,%ld,%ld,%lf", &from, &to, &more, &executed, &ipc) == 5);
    CHECK(from == end);
    CHECK((to - from == 250 || to == value<long>(parse_json(all.out), "cycles")));
    CHECK(ipc == Approx(static_cast<double>(executed) / static_cast<double>(to - from)));
    end = to;
    slots += more;
    instructions += executed;
  }
  const Json result = parse_json(all.out);
  CHECK(end == value<long>(result, "cycles"));
  CHECK(instructions == value<long>(result, "warp_instructions"));
  CHECK(slots == value<long>(at(result, "stats"), "sm.issue.slots"));
}

TEST_CASE("Options of pictures of time that lack another, or name what there is not, are errors") {
  TemporaryFolder folder;
  const std::string trace = folder / "t.trace", csv = folder / "s.csv", log = folder / "k.log";
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=256", "-o", trace}).code == 0);
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"replay", trace, "--gpu", "gtx580"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(error({"--series", csv}), Contains("--series needs --statistic"));
  CHECK_THAT(error({"--statistic", "derived.ipc"}), Contains("--statistic needs --series"));
  CHECK_THAT(error({"--cycles", "0-10"}), Contains("--cycles needs --timeline, --konata or --series"));
  CHECK_THAT(error({"--warps", "0"}), Contains("--warps needs --timeline or --konata"));
  CHECK_THAT(error({"--every", "10", "--konata", log}), Contains("--every needs --timeline or --series"));
  CHECK_THAT(error({"--konata", log, "--warps", "0:3-1"}), Contains("expected the number of a thread block"));
  CHECK_THAT(error({"--konata", log, "--cycles", "5"}), Contains("expected FROM-TO"));
  CHECK_THAT(error({"--series", csv, "--statistic", "sm.issue.isued"}), Contains("did you mean 'sm.issue.issued'"));
  CHECK_FALSE(std::filesystem::exists(csv));
  CHECK_FALSE(std::filesystem::exists(log));
}
