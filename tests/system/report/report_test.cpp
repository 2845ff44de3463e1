#include <boost/property_tree/xml_parser.hpp>

#include "tests/system/program.hpp"

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

std::string vectors(const std::string& name, const std::string& latencies) {
  return "name: " + name +
         "\ntitle: \"Vectors & <latencies>\"\ntext: How much a slow adder costs.\n"
         "gpu: gtx580\nworkload: vector-add\nset: {args.blocks: 16, args.length: 500}\n"
         "sweep:\n  sm.floating.latency: " +
         latencies + "\nbaseline: {sm.floating.latency: 16}\n";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("A run ends with its report, and says where it is unless it is to be quiet") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vectors("vectors", "[16, 32, 64]"));
  const std::string path = folder / "out/report.html";
  const Outcome outcome = run({"run", file, "-o", folder / "out"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, Catch::EndsWith("Report: " + path + "\n"));
  const std::string html = contents(path);
  std::istringstream stream(html);
  Json page;  // a tree all the same
  REQUIRE_NOTHROW(boost::property_tree::read_xml(stream, page));
  CHECK(page.get<std::string>("html.body.h1") == "Vectors & <latencies>");
  CHECK_THAT(html, Contains("How much a slow adder costs.") && Contains(">Speed-up</h2>"));
  CHECK_THAT(html, Contains("sm.floating.latency") && Contains(">64<") && Contains("lockstep.provenance/1"));
  // Cycles, speed-up, issue slots, for wide and narrow windows; vector-add uses no scratchpad.
  CHECK(count(html, "<svg") == 6);

  const Outcome json = run({"run", file, "-o", folder / "out", "--json"});
  parse_json(json.out);
  CHECK_THAT(json.err, Contains("Report: " + path));
  const Outcome quiet = run({"run", file, "-o", folder / "quiet", "--quiet"});
  CHECK_THAT(quiet.out + quiet.err, !Contains("report.html"));
  CHECK(std::filesystem::exists(folder / "quiet/report.html"));
}

TEST_CASE("The report of a folder is the one that its run wrote") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vectors("vectors", "[16, 32]"));
  REQUIRE(run({"run", file, "-o", folder / "out", "--quiet"}).code == 0);
  const std::string path = folder / "out/report.html";
  const std::string first = contents(path);
  REQUIRE_FALSE(first.empty());
  std::filesystem::remove(path);
  const Outcome again = run({"report", folder / "out"});
  INFO(again.err);
  CHECK(again.code == 0);
  CHECK(again.out == path + "\n");
  CHECK(contents(path) == first);
  const Json json = parse_json(run({"report", folder / "out", "--json"}).out);
  CHECK(value(json, "schema") == "lockstep.report/1");
  CHECK(value(json, "report") == path);
}

TEST_CASE("The figures of a report show what the results say") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vectors("vectors", "[16, 32, 64]"));
  const Outcome outcome = run({"run", file, "-o", folder / "out", "--json"});
  REQUIRE(outcome.code == 0);
  const Json json = parse_json(outcome.out);
  const std::string html = contents(folder / "out/report.html");
  for (const auto& [key, point] : at(json, "points")) {
    std::string cycles = value(point, "cycles");
    if (cycles.size() > 3) cycles.insert(cycles.size() - 3, ",");
    REQUIRE(cycles.size() < 8);
    const std::string latency = value(at(point, "point"), "sm.floating.latency");
    CHECK_THAT(html, Contains("<title>" + latency + ": " + cycles + "</title>"));  // the mark in the figure
    CHECK_THAT(html, Contains("<td class=\"number\" data-label=\"cycles\">" + cycles + "</td>"));
  }
}

TEST_CASE("An unfinished run has a report of what there is") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vectors("vectors", "[16, 32]"));
  REQUIRE(run({"run", file, "-o", folder / "out", "--quiet"}).code == 0);
  // As a killed run leaves it: the configuration of all points, the results of some.
  const std::string more = folder.write("more.yaml", vectors("vectors", "[16, 32, 64]"));
  REQUIRE(run({"run", more, "-o", folder / "all", "--quiet"}).code == 0);
  std::filesystem::copy_file(folder / "all/effective.yaml", folder / "out/effective.yaml",
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(folder / "out/provenance.json");
  const Outcome outcome = run({"report", folder / "out"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(contents(folder / "out/report.html"),
             Contains("One point is not run yet") && Contains("The run has not ended yet."));
}

TEST_CASE("A folder that is no results folder is refused with the file that is missing or does not fit") {
  const TemporaryFolder folder;
  CHECK(run({"report", folder / "nowhere"}).code == 2);
  const Outcome empty = run({"report", folder / ""});
  CHECK(empty.code == 2);
  CHECK_THAT(empty.err, Contains("results.db") && Contains("lockstep run"));
  REQUIRE(run({"run", folder.write("one.yaml", vectors("one", "[16]")), "-o", folder / "one", "--quiet"}).code == 0);
  REQUIRE(run({"run", folder.write("two.yaml", vectors("two", "[16]")), "-o", folder / "two", "--quiet"}).code == 0);
  std::filesystem::copy_file(folder / "two/effective.yaml", folder / "one/effective.yaml",
                             std::filesystem::copy_options::overwrite_existing);
  const Outcome mixed = run({"report", folder / "one"});
  CHECK(mixed.code == 2);
  CHECK_THAT(mixed.err, Contains("the experiment 'one'") && Contains("'two'"));
  std::filesystem::remove(folder / "two/effective.yaml");
  const Outcome without = run({"report", folder / "two"});
  CHECK(without.code == 2);
  CHECK_THAT(without.err, Contains("effective.yaml: there is no such file"));
  const Outcome overridden = run({"report", folder / "one", "-s", "sms=1"});
  CHECK(overridden.code == 2);
  CHECK_THAT(overridden.err, Contains("-s sms=1: a report shows existing results"));
}

TEST_CASE("A report that cannot be written is a failed resource") {
  const TemporaryFolder folder;
  REQUIRE(run({"run", folder.write("one.yaml", vectors("one", "[16]")), "-o", folder / "one", "--quiet"}).code == 0);
  std::filesystem::remove(folder / "one/report.html");
  std::filesystem::create_directory(folder / "one/report.html");
  CHECK(run({"report", folder / "one"}).code == 3);
}
