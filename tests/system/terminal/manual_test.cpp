// Manual pages, as `man` and the checker of mandoc read them.

#include "tests/system/program.hpp"

namespace lockstep::manual_test {

using namespace lockstep::system_test;
using Catch::Contains;

namespace {

bool is_installed(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) == 0;
}

}  // namespace

TEST_CASE("There is a manual page of every command, with its options and example") {
  const TemporaryFolder folder;
  REQUIRE(run({"man", "-o", folder / "man1", "-q"}).code == 0);
  for (const char* name : {"lockstep", "lockstep-run", "lockstep-replay", "lockstep-hash-count", "lockstep-man"}) {
    INFO(name);
    CHECK(std::filesystem::exists((folder / "man1/") + name + ".1"));
  }
  const std::string replay = contents(folder / "man1/lockstep-replay.1");
  CHECK(replay == run({"man", "replay"}).out);
  CHECK_THAT(replay, Contains(".TH LOCKSTEP\\-REPLAY 1") && Contains("\\fB\\-\\-konata\\fR \\fIFILE\\fR"));
  CHECK_THAT(replay, Contains(".SH EXAMPLES\n.nf\nlockstep replay "));
  CHECK_THAT(run({"man"}).out, Contains(".BR lockstep\\-replay (1)"));
  CHECK_THAT(run({"man", "reply"}).err, Contains("did you mean 'lockstep-replay'?"));
}

TEST_CASE("mandoc finds nothing to complain about in the manual pages") {
  if (!is_installed("mandoc")) {
    WARN("mandoc is not installed");
    return;
  }
  const TemporaryFolder folder;
  REQUIRE(run({"man", "-o", folder / "man1", "-q"}).code == 0);
  const std::string command =
      "mandoc -T lint -W warning " + (folder / "man1/") + "*.1 >" + (folder / "findings") + " 2>&1";
  std::system(command.c_str());
  CHECK(contents(folder / "findings").empty());
}

TEST_CASE("man shows the page of a command with its words") {
  if (!is_installed("man")) {
    WARN("man is not installed");
    return;
  }
  const TemporaryFolder folder;
  REQUIRE(run({"man", "-o", folder / "man1", "-q"}).code == 0);
  const std::string command = "MANWIDTH=100 LC_ALL=C man -P cat -l " + (folder / "man1/lockstep-run.1") +
                              " 2>/dev/null | col -bx >" + (folder / "page");
  std::system(command.c_str());
  CHECK_THAT(contents(folder / "page"), Contains("lockstep run [OPTIONS] EXPERIMENT") && Contains("--resume"));
}

}  // namespace lockstep::manual_test
