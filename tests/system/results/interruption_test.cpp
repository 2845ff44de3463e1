// Runs that are killed or interrupted.

#include <fmt/format.h>

#include <csignal>

#include "isa/random.hpp"
#include "sim/experiment/results/database.hpp"
#include "tests/places.hpp"
#include "tests/system/results/content.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

std::size_t stored_in(const std::string& folder) {
  try {
    return lockstep::experiment::Database::read(folder + "/results.db").done().size();
  } catch (const std::exception&) {  // Not there yet.
    return 0;
  }
}

bool is_running(pid_t child) {
  return waitpid(child, nullptr, WNOHANG) == 0;
}

/// A sweep of vector additions of these lengths and as many latencies is killed ten times, wherever it stands, and resumed.
void kill_and_resume(const std::string& lengths, std::size_t points, int last_latency) {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions(lengths, list(18, last_latency)));
  REQUIRE(run({"run", file, "-o", folder / "whole", "--quiet"}).code == 0);
  REQUIRE(stored_in(folder / "whole") == points);
  lockstep::Random random(7);
  const std::string killed = folder / "killed";
  std::size_t interruptions = 0;
  for (int kills = 0; kills < 10; ++kills) {
    const std::size_t before = stored_in(killed), more = random.below(points / 13);
    const pid_t child =
        start({"run", file, "-o", killed, "--resume", "--quiet", "-j", "2"}, folder / "out", folder / "err");
    while (stored_in(killed) < before + more && is_running(child)) usleep(500);
    usleep(random.below(5'000));
    kill(child, SIGKILL);
    int status = 0;
    if (waitpid(child, &status, 0) == child && WIFSIGNALED(status)) ++interruptions;
    INFO(contents(folder / "err"));
    REQUIRE(stored_in(killed) >= before);
  }
  CHECK(interruptions >= 8);
  const std::size_t survived = stored_in(killed);
  REQUIRE(survived < points);
  const Outcome resumed = run({"run", file, "-o", killed, "--resume"});
  INFO(resumed.err);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains(fmt::format("{} of {} points taken over", survived, points)));
  CHECK((content_of(killed + "/results.db") == content_of(folder / "whole/results.db")));
  CHECK(contents(killed + "/results.csv") == contents(folder / "whole/results.csv"));
}

}  // namespace

TEST_CASE("A sweep that is killed at ten random moments ends with what an undisturbed one has") {
  kill_and_resume("[90000, 90001, 90002, 90003, 90004, 90005]", 180, 47);
}

TEST_CASE("A sweep of 500 points that is killed at ten random moments ends with what an undisturbed one has",
          "[nightly]") {
  kill_and_resume("[40000, 40001, 40002, 40003, 40004, 40005, 40006, 40007, 40008, 40009]", 500, 67);
}

TEST_CASE("An interrupted run says what it has stored and how to resume, and that command does") {
  for (const auto& [signal, text] :
       {std::pair{SIGINT, "interrupted (SIGINT)"}, std::pair{SIGTERM, "ended by SIGTERM"}}) {
    const TemporaryFolder folder;
    const std::string file = folder.write("vectors.yaml", vector_additions("[60000]", list(18, 47)));
    const std::string out = folder / "the results";
    const pid_t child = start({"run", file, "-o", out, "-j", "1"}, folder / "out", folder / "err");
    while (stored_in(out) < 2 && is_running(child)) usleep(1000);
    kill(child, signal);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    const std::string said = contents(folder / "err");
    INFO(said);
    CHECK_THAT(said, Contains("lockstep: " + std::string(text) + ": "));
    const std::size_t survived = stored_in(out);
    // A point may have been stored between the count and the end.
    const std::string behind = " of 30 points are in " + out + "/results.db\n";
    CHECK((said.find(": " + std::to_string(survived) + behind) != std::string::npos ||
           said.find(": " + std::to_string(survived - 1) + behind) != std::string::npos));
    const std::string before_command = "this runs the others: ";
    const std::size_t at = said.find(before_command);
    REQUIRE(at != std::string::npos);
    const std::string command = said.substr(at + before_command.size());
    CHECK(command.find("'" + out + "'") != std::string::npos);
    setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
    CHECK(std::system(
              (command.substr(0, command.find('\n')) + " >" + (folder / "out") + " 2>" + (folder / "err")).c_str()) ==
          0);
    unsetenv("LOCKSTEP_HOME");
    CHECK_THAT(contents(folder / "err"), Contains(std::to_string(survived) + " of 30 points taken over"));
  }
}
