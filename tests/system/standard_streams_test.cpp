// Standard output and standard error that cannot be written, and signals.

#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "isa/random.hpp"
#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::standard_streams_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Gives the standard streams in `streams` to what can be written to the file, and closes those in `closed`.
auto streams(const std::string& file, const std::vector<int>& to_file, const std::vector<int>& closed) {
  return [=] {
    const int opened = open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
    for (const int stream : to_file) dup2(opened, stream);
    for (const int stream : closed) close(stream);
  };
}

std::string experiment(const TemporaryFolder& folder) {
  return folder.write("small.yaml",
                      "name: small\ntitle: Small\ngpu: gtx580\nworkload: vector-add\n"
                      "sweep:\n  args.length: [64, 128, 256, 512]\n");
}

}  // namespace

TEST_CASE("Without a standard error that can be written, commands do the same") {
  const TemporaryFolder folder;
  const std::string full = "/dev/full";
  CHECK(exit_code(start({"list", "gpus"}, streams(full, {STDERR_FILENO}, {}))) == 0);
  CHECK(exit_code(start({"nosuch"}, streams(full, {STDERR_FILENO}, {}))) == 2);
  CHECK(exit_code(start({"nosuch"}, streams(full, {}, {STDERR_FILENO}))) == 2);
  CHECK(exit_code(start({"list", "gpus"}, streams(full, {STDOUT_FILENO, STDERR_FILENO}, {}))) == 3);
  CHECK(exit_code(start({"list", "gpus"}, streams(full, {}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}))) == 0);
}

TEST_CASE("A run without standard streams has its results, and no file of it holds messages") {
  const TemporaryFolder folder;
  const std::string given = experiment(folder);
  REQUIRE(exit_code(start({"run", given, "-o", folder / "whole"}, streams("/dev/null", {}, {}))) == 0);
  const std::string expected = contents(folder / "whole/results.csv");
  REQUIRE(std::count(expected.begin(), expected.end(), '\n') == 5);
  const std::vector<int> both{STDOUT_FILENO, STDERR_FILENO}, all{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  CHECK(exit_code(start({"run", given, "-o", folder / "closed"}, streams("/dev/null", {}, all))) == 0);
  CHECK(exit_code(start({"run", given, "-o", folder / "full"}, streams("/dev/full", both, {}))) == 3);
  for (const std::string name : {"closed", "full"}) {
    CHECK(contents(folder / (name + "/results.csv")) == expected);
    CHECK(contents(folder / (name + "/results.db.lock")).empty());
    // Nothing is left to do.
    const Outcome resumed = run({"run", given, "-o", folder / name, "--resume"});
    CHECK(resumed.code == 0);
    CHECK_THAT(resumed.err, Contains("4 of 4 points taken over"));
  }
}

TEST_CASE("An interrupted trace leaves no file behind") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    const std::string out = folder / "out";
    std::filesystem::create_directory(out);
    const pid_t child = start({"trace", "vector-add", "-s", "args.length=1 << 24", "-o", out + "/v.trace", "--quiet"},
                              streams("/dev/null", {}, {}));
    while (std::filesystem::is_empty(out) && waitpid(child, nullptr, WNOHANG) == 0) usleep(1000);
    kill(child, signal);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(std::filesystem::is_empty(out));
  }
}

TEST_CASE("A file that may not grow is a failed resource and stays as it was") {
  const TemporaryFolder folder;
  const std::string trace = folder.write("v.trace", "before");
  const pid_t child = start({"trace", "vector-add", "-s", "args.length=65536", "-o", trace, "--quiet"}, [] {
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  });
  CHECK(exit_code(child) == 3);
  CHECK(contents(trace) == "before");
}

TEST_CASE("Orders to the terminal in what files hold are printed as their codes") {
  const TemporaryFolder folder;
  const std::string escape =
      "\x1b[2J\x9b"
      "31m\xc2\x9b"
      "1m";
  const Outcome outcome = run({"info", folder / ("none" + escape)});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("\\x1b[2J\\x9b31m\\xc2\\x9b1m"));
  CHECK(outcome.err.find('\x1b') == std::string::npos);

  const std::string gpu = folder.write("g.yaml", "name: \"a\\e[31mb\"\nsms: 2\n");
  const Outcome shown = run({"info", gpu});
  CHECK(shown.code == 0);
  CHECK_THAT(shown.out, Contains("a\\x1b[31mb"));
  CHECK(shown.out.find('\x1b') == std::string::npos);
  CHECK_THAT(run({"info", gpu, "--json"}).out, Contains("a\\u001b[31mb"));
}

TEST_CASE("Every command that cannot write its result is a failed resource") {
  const TemporaryFolder folder;
  const std::string trace = folder / "v.trace", source = source_dir();
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=256", "-o", trace, "--quiet"}).code == 0);
  REQUIRE(run({"run", experiment(folder), "-o", folder / "results", "--quiet"}).code == 0);
  const std::vector<std::vector<std::string>> commands = {
      {"trace", "vector-add", "-s", "args.length=256", "-o", folder / "w.trace"},
      {"run", folder / "small.yaml", "-o", folder / "results"},
      {"replay", trace, "--gpu", "gtx580"},
      {"probe", "--gpu", "gtx580", "--op", "ld", "0-31"},
      {"validate", "occupancy"},
      {"report", folder / "results"},
      {"info", trace},
      {"info", folder / "results"},
      {"list", "params"},
      {"hash", "count", trace, "--hash", "xor"},
      {"list", "hashes"},
      {"hash", "patterns", trace},
      {"hash", "apply", source + "/traces/kernels/histogram.ptx", "--hash", "xor", "-o", folder / "h.ptx"},
      {"rgpu", "map", "fir"},
      {"rgpu", "run", "fir"},
      {"--help"},
      {"--version"}};
  for (std::vector<std::string> words : commands) {
    INFO(words[0] << " " << words[words.size() > 1 ? 1 : 0]);
    CHECK(exit_code(start(words, streams("/dev/full", {STDOUT_FILENO}, {}))) == 3);
    if (words.size() == 1) continue;
    words.emplace_back("--json");
    CHECK(exit_code(start(words, streams("/dev/full", {STDOUT_FILENO}, {}))) == 3);
  }
}

TEST_CASE("Whichever bit of results.db flips, a resumed run has the same results or says what is wrong") {
  const TemporaryFolder folder;
  const std::string given = experiment(folder), results = folder / "results";
  REQUIRE(run({"run", given, "-o", results, "--quiet"}).code == 0);
  const std::string expected = contents(results + "/results.csv"), whole = contents(results + "/results.db");
  lockstep::Random random(1);
  for (int flip = 0; flip < 40; ++flip) {
    std::string bytes = whole;
    const std::uint32_t at = random.below(bytes.size()), bit = random.below(8);
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    INFO("byte " << at << ", bit " << bit);
    const std::string damaged = folder / std::to_string(flip);
    std::filesystem::create_directory(damaged);
    folder.write(std::to_string(flip) + "/results.db", bytes);
    const Outcome resumed = run({"run", given, "-o", damaged, "--resume"});
    INFO(resumed.err);
    CHECK((resumed.code == 0 || resumed.code == 2));
    if (resumed.code == 0) CHECK(contents(damaged + "/results.csv") == expected);
  }
}

}  // namespace lockstep::standard_streams_test
