// lockstep compare

#include "tests/system/program.hpp"

namespace lockstep::compare_test {

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

const std::vector<std::string> small = {"-s", "args.width=128", "-s", "args.height=128"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::int64_t sum_of(const Json& parts) {
  std::int64_t sum = 0;
  for (const auto& [key, part] : parts) sum += value<std::int64_t>(part, "change");
  return sum;
}

}  // namespace

TEST_CASE("compare divides what a padding, a hash and another GPU change by reasons and lines that add up") {
  const std::vector<std::vector<std::string>> differences = {
      {"--with", "args.variant=padded"}, {"--with", "sm.scratchpad.bank_hash=xor"}, {"--with-gpu", "h200"}};
  for (const auto& options : differences) {
    CAPTURE(options[1]);
    const Outcome outcome = run(
        with(with({"compare", "transpose", "--gpu", "gtx580", "--json", "-s", "args.variant=tiled"}, small), options));
    REQUIRE(outcome.code == 0);
    const Json result = parse_json(outcome.out);
    CHECK(value(result, "schema") == "lockstep.compare/1");
    const Json& pair = at(result, "pairs").front().second;
    const auto change = value<std::int64_t>(pair, "change");
    CHECK(change < 0);
    CHECK(sum_of(at(pair, "reasons")) == change);
    CHECK(sum_of(at(pair, "lines")) == change);
    CHECK(value(pair, "unit") == (options[1] == "h200" ? "ns" : "cycles"));
  }
}

TEST_CASE("compare matches the points of results folders, and one point of each in full") {
  TemporaryFolder folder;
  const std::string a = folder / "a", b = folder / "b";
  REQUIRE(run(with({"run", "transpose", "-o", a, "-s", "args.variant=tiled"}, small)).code == 0);
  REQUIRE(run(with({"run", "transpose", "-o", b, "-s", "args.variant=padded"}, small)).code == 0);
  const Outcome text = run({"compare", a, b});
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("speed-up"));
  CHECK_THAT(text.out, Contains("sm.scratchpad.bank_conflicts"));
  CHECK_THAT(text.out, !Contains("By source line"));  // Stored results have no lines;
  const Outcome lines = run({"compare", a, b, "--point", "", "--with-gpu", "gtx580"});
  CHECK(lines.code == 2);
}

TEST_CASE("compare says what is missing") {
  const Outcome same = run({"compare", "transpose", "--gpu", "gtx580"});
  CHECK(same.code == 2);
  CHECK_THAT(same.err, Contains("both sides are the same"));
  CHECK_THAT(run({"compare", "transpose", "--with-gpu", "h200"}).err, Contains("--gpu NAME says on which GPU"));
  CHECK_THAT(run({"compare", "transpose", "--gpu", "gtx580", "--with", "gpu=h200"}).err,
             Contains("--with gpu=h200") && Contains("--with-gpu h200"));
  CHECK_THAT(run({"compare", "transpose", "--gpu", "gtx580", "--wiht", "a=b"}).err, Contains("did you mean '--with'"));
}

}  // namespace lockstep::compare_test
