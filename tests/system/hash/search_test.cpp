// lockstep hash search through the real binary, compared with lockstep hash count.

#include <catch2/catch.hpp>

#include "tests/system/program.hpp"

namespace lockstep::hash_search_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// A small trace of a workload.
std::string trace(const TemporaryFolder& folder, const std::string& workload,
                  const std::vector<std::string>& settings = {}) {
  const std::string file = folder / (workload + ".trace");
  std::vector<std::string> words = {"trace", workload, "-o", file, "--quiet"};
  for (const std::string& setting : settings) words.insert(words.end(), {"-s", setting});
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return file;
}

Json search(std::vector<std::string> words) {
  words.insert(words.begin(), {"hash", "search"});
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return parse_json(outcome.out);
}

/// What `lockstep hash count` counts under the last of its hashes.
std::uint64_t counted(const std::vector<std::string>& traces, const std::string& unit, const std::string& hash) {
  std::vector<std::string> words = {"hash", "count"};
  words.insert(words.end(), traces.begin(), traces.end());
  words.insert(words.end(), {"--unit", unit, "--hash", "mod", hash, "--json"});
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = parse_json(outcome.out);
  return value<std::uint64_t>(at(json, "hashes").back().second, unit == "lock" ? "retries" : "conflicts");
}

const std::vector<std::string> small_histogram = {"args.bins=64", "args.blocks=2"};

}  // namespace

TEST_CASE("A hash search writes its result as lockstep.hash-search/1, and counts what hash count counts") {
  const TemporaryFolder folder;
  const std::string file = trace(folder, "NW_1");
  const Json json = search({file});
  CHECK(value(json, "schema") == "lockstep.hash-search/1");
  CHECK(value(json, "family") == "matrix");
  CHECK(value(json, "method") == "exact");
  CHECK(value(json, "optimal") == "true");
  CHECK(value<std::uint64_t>(json, "conflicts_before") == counted({file}, "bank", "mod"));
  CHECK(value<std::uint64_t>(json, "conflicts_after") == counted({file}, "bank", value(json, "hash")));
  CHECK(value<std::uint64_t>(json, "lower_bound") == value<std::uint64_t>(json, "conflicts_after"));

  const Json bits = search({file, "--family", "bits", "--method", "givargis"});
  CHECK(value<std::uint64_t>(bits, "found_conflicts") == counted({file}, "bank", value(bits, "found")));
}

TEST_CASE("Locks are searched for the fewest retries") {
  const TemporaryFolder folder;
  const std::string file = trace(folder, "histogram", small_histogram);
  const Json json = search({file, "--unit", "lock", "--family", "bits"});
  CHECK(value<std::uint64_t>(json, "conflicts_before") == counted({file}, "lock", "mod"));
  CHECK(value<std::uint64_t>(json, "conflicts_after") == counted({file}, "lock", value(json, "hash")));
  CHECK(value(json, "optimal") == "true");

  const Json joint = search({file, "--unit", "joint", "--family", "xor"});
  CHECK(value<std::uint64_t>(at(joint, "after"), "cycles") <= value<std::uint64_t>(at(joint, "separate"), "cycles"));
  CHECK(value<std::uint64_t>(at(joint, "before"), "retries") == counted({file}, "lock", "mod"));
}

TEST_CASE("Each kernel can have its own hash, written as the GPU's parameter takes it") {
  const TemporaryFolder folder;
  const std::vector<std::string> files = {trace(folder, "NW_1"), trace(folder, "MRI-grid_1")};
  const Json json = search({files[0], files[1], "--per-kernel"});
  CHECK_THAT(value(json, "hash"), Contains("nw_upper_left=") && Contains("scan_block="));
  CHECK(at(json, "kernels").size() == 2);
  CHECK(value<std::uint64_t>(json, "conflicts_after") == counted(files, "bank", value(json, "hash")));
}

TEST_CASE("What one trace taught is reported for others") {
  const TemporaryFolder folder;
  const std::string train = trace(folder, "NW_1"), other = trace(folder, "MRI-grid_1");
  const Json json = search({train, "--family", "bitvector", "--report", other, "--regret"});
  const Json& traces = at(json, "traces");
  REQUIRE(traces.size() == 2);
  const Json& reported = traces.back().second;
  CHECK(value(reported, "trace") == other);
  CHECK(value(reported, "searched") == "false");
  CHECK(value<std::uint64_t>(reported, "conflicts_after") == counted({other}, "bank", value(json, "hash")));
  CHECK(value<std::uint64_t>(reported, "regret") ==
        value<std::uint64_t>(reported, "conflicts_after") - value<std::uint64_t>(reported, "alone"));
}

TEST_CASE("A hash search says what cannot be searched") {
  const TemporaryFolder folder;
  const std::string file = trace(folder, "NW_1");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& reason) {
    std::vector<std::string> all = {"hash", "search", file};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run(all);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(reason));
  };
  refused({"--family", "matirx"}, "there are: mod, xor");
  refused({"--family", "bits", "--method", "pruned"}, "givargis, mih, climb");
  refused({"--unit", "lock"}, "no atomic that acquires a lock");
  refused({"--unit", "lock", "--gpu", "m60"}, "has no locks");
  refused({"--kernel", "nw"}, "it has: nw_upper_left");
  refused({"-s", "args.n=1"}, "fixed in a trace");
  for (const char* limit : {"--seconds", "--steps"})
    for (const char* value : {"0", "-1", "nan", "inf", "soon"})
      refused({limit, value}, std::string("expected a number above 0, found ") + value);
  refused({"--report", trace(folder, "vector-add", {"args.length=1000"})},
          "no access to scratchpad memory: nothing to report");
  refused({"--per-kernel", "--report", trace(folder, "MRI-grid_1")}, "by a kernel for which a hash is searched");
}

TEST_CASE("A hash for all kernels is compared with their present one, which must be the same") {
  const TemporaryFolder folder;
  const std::string first = trace(folder, "NW_1"), second = trace(folder, "MRI-grid_1");
  const std::string own = "sm.scratchpad.bank_hash=nw_upper_left=xor";
  const Json json = search({first, "--family", "bitvector", "-s", own});
  CHECK(value<std::uint64_t>(json, "conflicts_before") == counted({first}, "bank", "xor"));
  CHECK(value<std::uint64_t>(json, "conflicts_before") != counted({first}, "bank", "mod"));
  const Outcome both = run({"hash", "search", first, second, "-s", own});
  CHECK(both.code == 2);
  CHECK_THAT(both.err, Contains("kernel nw_upper_left has xor") && Contains("--per-kernel"));
  const Json each = search({first, second, "--family", "bitvector", "--per-kernel", "-s", own});
  CHECK(value<std::uint64_t>(each, "conflicts_before") ==
        counted({first}, "bank", "xor") + counted({second}, "bank", "mod"));
}

}  // namespace lockstep::hash_search_test
