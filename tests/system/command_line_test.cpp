#include <filesystem>
#include <map>
#include <regex>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::command_line_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// The commands that a help text lists, two spaces in front of each.
std::vector<std::string> listed(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream lines(help.substr(help.find("Subcommands:")));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line) && line.starts_with("  ");)
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

/// All commands, those of groups with the group's name in front.
std::vector<std::vector<std::string>> commands() {
  std::vector<std::vector<std::string>> all;
  for (const std::string& name : listed(run({"-h"}).out)) {
    const std::string help = run({name, "-h"}).out;
    if (help.find("Subcommands:") == std::string::npos) {
      all.push_back({name});
    } else {
      for (const std::string& below : listed(help)) all.push_back({name, below});
    }
  }
  REQUIRE(all.size() >= 15);
  return all;
}

}  // namespace

TEST_CASE("Help goes to standard output, with an example for every command") {
  for (const std::vector<std::string>& words : commands()) {
    const std::string command = words.size() == 1 ? words[0] : words[0] + " " + words[1];
    INFO(command);
    std::vector<std::string> with_help = words;
    with_help.push_back("-h");
    const Outcome help = run(with_help);
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Contains("Usage: lockstep " + command));
    CHECK_THAT(help.out, Contains("Example: lockstep " + command));
    CHECK_THAT(help.out, Contains("--json") && Contains("--quiet") && Contains("PATH=VALUE"));
    CHECK(help.err.empty());
  }
  CHECK(run({"--help"}).code == 0);
  CHECK_THAT(run({"--version"}).out, StartsWith("lockstep "));
}

TEST_CASE("The README's table has a row for every command") {
  const std::string readme = contents(source_dir() + "/README.md");
  for (const std::vector<std::string>& words : commands()) {
    const std::string command = words.size() == 1 ? words[0] : words[0] + " " + words[1];
    CHECK_THAT(readme, Contains("| `lockstep " + command + " "));
  }
}

TEST_CASE("A wrong command line is wrong input, with the nearest name") {
  struct Case {
    std::vector<std::string> words;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{}, "a command is missing"},
      {{"rnu"}, "unknown command 'rnu'; did you mean 'run'?"},
      {{"run"}, "EXPERIMENT is required"},
      {{"run", "x", "--rezume"}, "'--rezume' (did you mean '--resume'?)"},
      {{"run", "x", "-j", "0"}, "0 not in range"},
      {{"run", "x", "-j", "two"}, "two"},
      {{"run", "no-such-experiment"}, "no-such-experiment"},
      {{"list", "parms"}, "did you mean 'params'?"},
      {{"list", "params", "-s", "sms=1"}, "-s sms=1: "},
      {{"replay", "x"}, "--gpu is required"},
      {{"replay", "x", "--gpu", "gtx58"}, "did you mean 'gtx580'?"},
      {{"replay", "no-such-trace", "--gpu", "gtx580"}, "no-such-trace"},
      {{"replay", "x", "--gpu", "gtx580", "-s", "sms"}, "PATH=VALUE"},
      {{"replay", "x", "--gpu", "gtx580", "-s", "args.bins=1"}, "-s args.bins=1: arguments are fixed in a trace"},
      {{"replay", "x", "--gpu", "gtx580", "-s", "sm.scratchpad.bank=1"}, "did you mean 'sm.scratchpad.banks'?"},
      {{"trace", "vector-add", "-o", "/dev/null", "-s", "sms=1"}, "a trace does not depend on a GPU"},
      {{"trace", "vector-ad", "-o", "/dev/null"}, "did you mean 'vector-add'?"},
      {{"info", "/no/such/file"}, "/no/such/file"},
  };
  for (const Case& wrong : cases) {
    const Outcome outcome = run(wrong.words);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, StartsWith("lockstep: error: ") && Contains(wrong.message));
    if (!wrong.words.empty()) CHECK(outcome.out.empty());
  }
}

TEST_CASE("Lists are tables, and JSON with the same entries") {
  for (const char* topic : {"gpus", "workloads", "experiments", "hashes", "params", "stats"}) {
    INFO(topic);
    const Outcome table = run({"list", topic});
    CHECK(table.code == 0);
    const Outcome json = run({"list", topic, "--json"});
    CHECK(json.code == 0);
    const Json list = parse_json(json.out);
    CHECK(value(list, "schema") == "lockstep.list/1");
    REQUIRE_FALSE(at(list, topic).empty());
    for (const auto& [key, entry] : at(list, topic)) {
      CHECK_THAT(table.out, Contains(value(entry, "name")));
    }
  }
  CHECK_THAT(run({"list", "params"}).out, Contains("sm.scratchpad.banks") && Contains("1 to 1024"));
  CHECK_THAT(run({"list", "stats"}).out, Contains("sm.issue.slots") && Contains("derived.speedup"));
}

TEST_CASE("The parameters of a GPU are listed with their values and where these come from") {
  const Outcome table = run({"list", "params", "--gpu", "gtx580", "-s", "sm.scratchpad.banks=64"});
  CHECK(table.code == 0);
  CHECK_THAT(table.out, Contains("[B] section 4.3.3") && Contains("set on the command line"));
  const Json list =
      parse_json(run({"list", "params", "--gpu", "gtx580", "-s", "sm.scratchpad.banks=64", "--json"}).out);
  std::map<std::string, std::string> provenance, values;
  for (const auto& [key, entry] : at(list, "params")) {
    provenance[value(entry, "name")] = value(entry, "provenance");
    values[value(entry, "name")] = value(entry, "value");
  }
  CHECK(values["sm.scratchpad.banks"] == "64");
  CHECK(provenance["sm.scratchpad.banks"] == "set on the command line");
  CHECK(values["sm.scratchpad.load_latency"] == "44");
  CHECK(provenance["sm.scratchpad.load_latency"] == "published");
  CHECK(provenance["sm.barrier_latency"] == "calibrated");
  CHECK(provenance["sm.launch_latency"] == "assumed");
  CHECK(provenance["sm.policy_seed"] == "default");
  CHECK(run({"list", "gpus", "--gpu", "gtx580"}).code == 2);
}

TEST_CASE("The list of experiments has the points that their page counts") {
  // Rows of the page: names in the first column, for each a number in the last.
  std::map<std::string, std::string> points;
  std::string rows;
  const std::filesystem::path folder = source_dir() + "/configs/experiments";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() != "README.md") continue;
    const std::string page = contents(entry.path().string());
    rows += page.substr(0, page.find("| key | meaning |")) + "\n";
  }
  std::istringstream page(rows);
  const std::regex name("`([a-z0-9-]+)`"), number("[0-9]+");
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(0, line.find(" | ")), last = line.substr(line.rfind(" | "));
    auto count = std::sregex_iterator(last.begin(), last.end(), number);
    for (auto at = std::sregex_iterator(first.begin(), first.end(), name); at != std::sregex_iterator();
         ++at, ++count) {
      REQUIRE(count != std::sregex_iterator());
      points[(*at)[1]] = count->str();
    }
  }
  std::map<std::string, std::string> listed_points;
  const Json list = parse_json(run({"list", "experiments", "--json"}).out);
  for (const auto& [key, entry] : at(list, "experiments")) listed_points[value(entry, "name")] = value(entry, "points");
  CHECK(listed_points == points);
}

TEST_CASE("Output that cannot be written is a failed resource, a reader that went away is not") {
  const TemporaryFolder folder;
  const pid_t child = start({"list", "params"}, "/dev/full", folder / "err");
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK_THAT(contents(folder / "err"), Contains("standard output: "));

  int ends[2];
  REQUIRE(pipe(ends) == 0);
  close(ends[0]);  // no reader
  const pid_t writer = start({"list", "params"}, ends[1], folder / "err");
  waitpid(writer, &status, 0);
  close(ends[1]);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  CHECK(contents(folder / "err").empty());
}

TEST_CASE("A GPU file with errors is refused with every place") {
  const TemporaryFolder folder;
  const std::string gpu =
      folder.write("own.yaml", "extends: " + source_dir() +
                                   "/configs/gpus/gtx580.yaml\nsm:\n  scratchpad:\n    bnaks: 16\n    locks: 010\n"
                                   "    pass_interval: 0\nsms: 4\nsms: 5\n");
  const Outcome twice = run({"info", gpu});
  CHECK(twice.code == 2);
  CHECK_THAT(twice.err, Contains(gpu + ":8:1: the key 'sms' appears twice"));
  const std::string other =
      folder.write("other.yaml", "extends: " + source_dir() +
                                     "/configs/gpus/gtx580.yaml\nsm:\n  scratchpad:\n    bnaks: 16\n    locks: 010\n"
                                     "    pass_interval: 0\n");
  const Outcome wrong = run({"info", other});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains(other + ":4:5: unknown parameter 'bnaks'; did you mean 'banks'?"));
  CHECK_THAT(wrong.err, Contains(other + ":6:20: sm.scratchpad.pass_interval is 0, but must be 1 to"));
  CHECK_THAT(wrong.err, !Contains("yaml:5:"));  // 010 is ten, and ten is a valid number of locks
}

TEST_CASE("info shows GPUs with overrides, workloads and experiments") {
  const Json gpu = parse_json(run({"info", "gtx580", "--json", "-s", "sm.scratchpad.banks=16"}).out);
  CHECK(value(gpu, "kind") == "gpu");
  CHECK(value<int>(at(gpu, "parameters"), "sm.scratchpad.banks") == 16);
  CHECK(value<int>(at(gpu, "parameters"), "sm.scratchpad.locks") == 1024);
  const Json workload = parse_json(run({"info", "histogram", "--json"}).out);
  CHECK(value(workload, "kind") == "workload");
  CHECK(value(at(workload, "arguments").front().second, "name") == "bins");
  const Json experiment = parse_json(run({"info", "histogram-replication", "--json"}).out);
  CHECK(value(experiment, "kind") == "experiment");
  CHECK(value<int>(experiment, "points") == 21);  // 3 layouts times 7 replication factors
  CHECK(run({"info", "histogram-replication"}).code == 0);
  CHECK(run({"info", source_dir() + "/LICENSE"}).code == 2);
}

}  // namespace lockstep::command_line_test
