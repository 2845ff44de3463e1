// Colour and width on a terminal, and neither elsewhere.

#include <pty.h>

#include <set>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::terminal_test {

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

/// What the program writes on a terminal of so many columns, standard error included.
std::string shown(const std::vector<std::string>& words, unsigned short columns, bool no_colour = false) {
  int terminal = -1;
  winsize size{};
  size.ws_row = 25;
  size.ws_col = columns;
  std::string program = program_file();
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
    setenv("TERM", "xterm", 1);
    no_colour ? setenv("NO_COLOR", "1", 1) : unsetenv("NO_COLOR");
    std::vector<char*> arguments = {program.data()};
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    execv(program_file().c_str(), arguments.data());
    _exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(terminal, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  close(terminal);
  exit_code(child);
  std::erase(text, '\r');
  return text;
}

std::size_t longest_line(const std::string& text) {
  std::istringstream in(text);
  std::size_t longest = 0;
  for (std::string line; std::getline(in, line);) longest = std::max(longest, line.size());
  return longest;
}

}  // namespace

TEST_CASE("On a terminal tables keep to its width; in a pipe they are as wide as they are") {
  const std::string piped = run({"list", "params", "scratchpad"}).out;
  CHECK(longest_line(piped) > 100);
  for (const unsigned short columns : {90, 120}) {
    const std::string text = shown({"list", "params", "scratchpad"}, columns, true);
    INFO(text);
    CHECK(longest_line(text) <= columns);
    CHECK(longest_line(text) + 12 > columns);
    CHECK_THAT(text, Contains("sm.scratchpad.banks"));
  }
}

TEST_CASE("Every word of a table is there on a narrow terminal, too") {
  const auto words = [](const std::string& text) {
    std::istringstream in(text);
    std::multiset<std::string> all;
    for (std::string word; in >> word;)
      if (word.find_first_not_of('-') != std::string::npos) all.insert(word);
    return all;
  };
  CHECK(words(shown({"list", "params", "scratchpad"}, 100, true)) == words(run({"list", "params", "scratchpad"}).out));
}

TEST_CASE("Headers and errors are coloured on a terminal, unless NO_COLOR is set, and never in a pipe") {
  const std::string escape = "\033[";
  CHECK_THAT(shown({"list", "hashes"}, 100), Contains("\033[1mname"));
  CHECK_THAT(shown({"list", "hashes"}, 100, true), !Contains(escape));
  CHECK_THAT(run({"list", "hashes"}).out, !Contains(escape));
  CHECK_THAT(shown({"list", "hashs"}, 100), Contains("\033[1;31mlockstep: error:\033[0m unknown topic"));
  CHECK_THAT(shown({"list", "hashs"}, 100, true), !Contains(escape));
  CHECK_THAT(run({"list", "hashs"}).err, !Contains(escape));
}

TEST_CASE("list shows the entries with all patterns in them") {
  const std::string hashes = run({"list", "params", "scratchpad", "HASH"}).out;
  CHECK_THAT(hashes, Contains("sm.scratchpad.bank_hash") && Contains("sm.scratchpad.lock_hash"));
  CHECK_THAT(hashes, !Contains("sm.scratchpad.banks"));
  CHECK(run({"list", "params", "sm.scratchpad.*_hash", "--names"}).out ==
        "sm.scratchpad.bank_hash\nsm.scratchpad.lock_hash\n");
  CHECK_THAT(run({"list", "gpus", "--names", "gtx5"}).out, Contains("gtx580\n") && !Contains("h200"));
  const Json json = parse_json(run({"list", "stats", "sm.issue.iss*", "--json"}).out);
  CHECK(at(json, "stats").size() == 1);
  const Outcome none = run({"list", "params", "scratchpad.bnaks"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("did you mean 'sm.scratchpad.banks'"));
}

TEST_CASE("Quiet is -q, too") {
  const TemporaryFolder folder;
  const Outcome quiet = run({"trace", "vector-add", "-s", "args.length=256", "-o", folder / "t.trace", "-q"});
  CHECK(quiet.code == 0);
  CHECK(quiet.err.empty());
}

}  // namespace lockstep::terminal_test
