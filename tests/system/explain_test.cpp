// lockstep explain

#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "tests/system/program.hpp"

namespace lockstep::explain_test {

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

const std::vector<std::string> tiled = {"-s", "args.variant=tiled", "-s", "args.width=128", "-s", "args.height=128"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Json& remedy(const Json& result, const std::string& name) {
  for (const auto& [key, one] : at(result, "remedies"))
    if (value(one, "name") == name) return one;
  FAIL("no remedy " << name);
  return result;
}

}  // namespace

TEST_CASE("explain finds the conflicting line of an unpadded transpose, what it costs and what mends it") {
  const Outcome text = run(with({"explain", "transpose", "--gpu", "gtx580"}, tiled));
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("conflict degree 32"));
  CHECK_THAT(text.out, Contains("32 words of bank"));
  CHECK_THAT(text.out, Contains("pad the scratchpad array of transpose_tiled"));
  const Json result = parse_json(run(with({"explain", "transpose", "--gpu", "gtx580", "--json"}, tiled)).out);
  CHECK(value(result, "schema") == "lockstep.explain/1");
  const Json& hottest = at(result, "lines").front().second;
  // A column of 32 words in each of 16 tiles.
  CHECK(value<int>(at(hottest, "accesses"), "bank_conflicts") == 16 * 32 * 31);
  CHECK_THAT(value(hottest, "source"), Contains("tile[threadIdx.x]"));
  CHECK_THAT(value(hottest, "file"), Contains("transpose.cu"));
  // The workload has a padded kernel too, whose replay is the prediction but for its index arithmetic.
  const Json padded = parse_json(run({"explain", "transpose", "--gpu", "gtx580", "--json", "--lines-only", "-s",
                                      "args.width=128", "-s", "args.height=128"})
                                     .out);
  CHECK(value<double>(remedy(result, "pad:32+1"), "cycles") == Approx(value<double>(padded, "cycles")).epsilon(0.01));
  CHECK(at(padded, "remedies").empty());
}

TEST_CASE("explain shows whole sources, and takes traces and results folders") {
  TemporaryFolder folder;
  const std::string trace = folder / "t.trace", results = folder / "results";
  REQUIRE(run(with({"trace", "transpose", "-o", trace}, tiled)).code == 0);
  const Outcome whole = run({"explain", trace, "--gpu", "gtx580", "--whole", "--lines-only"});
  CHECK(whole.code == 0);
  CHECK_THAT(whole.out, Contains("__syncthreads();"));
  CHECK_THAT(whole.out, !Contains("its text was not found"));
  REQUIRE(run(with({"run", "transpose", "--gpu", "gtx580", "-o", results}, tiled)).code == 0);
  const Json of_trace = parse_json(run({"explain", trace, "--gpu", "gtx580", "--lines-only", "--json"}).out);
  const Json of_folder = parse_json(run({"explain", results, "--lines-only", "--json"}).out);
  CHECK(at(of_trace, "lines") == at(of_folder, "lines"));
}

TEST_CASE("run and report put the annotated source of a point into the report") {
  TemporaryFolder folder;
  const std::string results = folder / "results", page = results + "/report.html";
  REQUIRE(run(with({"run", "transpose", "--gpu", "gtx580", "-o", results}, tiled)).code == 0);
  CHECK_THAT(contents(page), !Contains("Issue slots by source line"));
  REQUIRE(run({"report", results, "--explain"}).code == 0);
  const std::string html = contents(page);
  CHECK_THAT(html, Contains("Issue slots by source line"));
  CHECK_THAT(html, Contains("__syncthreads();"));
  CHECK_THAT(html, Contains("pad the scratchpad array of transpose_tiled"));
  std::istringstream in(html);
  boost::property_tree::ptree tree;
  CHECK_NOTHROW(boost::property_tree::read_xml(in, tree));
  CHECK(run({"report", results, "--point", "x"}).code == 2);
}

TEST_CASE("explain says what is missing or misspelt") {
  const auto error = [](const std::vector<std::string>& words) {
    const Outcome outcome = run(words);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(error({"explain", "transpose"}), Contains("--gpu NAME says on which GPU"));
  CHECK_THAT(error({"explain", "transposse", "--gpu", "gtx580"}), Contains("did you mean 'transpose'"));
  CHECK_THAT(error({"explain", "transpose", "--gpu", "gtx580", "--point", "x"}), Contains("results folder"));
  CHECK_THAT(error({"explain", "transpose", "--gpu", "gtx580", "--hash", "xorr"}), Contains("xorr"));
  CHECK_THAT(error({"explain", "transpose", "--gpu", "gtx580", "--hole"}), Contains("did you mean '--whole'"));
}

}  // namespace lockstep::explain_test
