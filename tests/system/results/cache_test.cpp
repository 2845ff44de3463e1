// The cache of runs that all results folders share.

#include "tests/places.hpp"
#include "tests/system/results/content.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Runs the program with a cache folder.
Outcome run_with(const std::string& cache, const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  const int code = exit_code(start(words, [&] {
    setenv("XDG_CACHE_HOME", cache.c_str(), 1);
    dup2(open((folder / "out").c_str(), O_WRONLY | O_CREAT, 0644), STDOUT_FILENO);
    dup2(open((folder / "err").c_str(), O_WRONLY | O_CREAT, 0644), STDERR_FILENO);
  }));
  return {code, contents(folder / "out"), contents(folder / "err")};
}

std::size_t files_in(const std::string& folder) {
  std::error_code none;
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder, none), {}));
}

}  // namespace

TEST_CASE("What was computed for one folder is not computed again for another, and is the same") {
  const TemporaryFolder folder;
  const std::string cache = folder / "cache", runs = cache + "/lockstep/runs";
  const std::string file = folder.write("vectors.yaml", vector_additions("[100, 300]", "[18, 20]"));
  REQUIRE(run_with(cache, {"run", file, "-o", folder / "one", "--quiet"}).code == 0);
  CHECK(files_in(runs) == 4);
  const Outcome other = run_with(cache, {"run", file, "-o", folder / "two"});
  INFO(other.err);
  CHECK(other.code == 0);
  CHECK_THAT(other.err, Contains("4 of 4 runs taken from the cache " + runs));
  CHECK((content_of(folder / "one/results.db") == content_of(folder / "two/results.db")));
  CHECK(contents(folder / "one/results.csv") == contents(folder / "two/results.csv"));
  // Another experiment with some of the same points; and not when asked.
  const std::string more =
      folder.write("more.yaml", "extends: vectors.yaml\nname: more\nsweep: {args.length: [300, 500]}\n");
  CHECK_THAT(run_with(cache, {"run", more, "-o", folder / "more"}).err, Contains("2 of 4 runs taken from the cache"));
  const Outcome anew = run_with(cache, {"run", file, "-o", folder / "three", "--no-cache"});
  CHECK(anew.code == 0);
  CHECK(anew.err.find("cache") == std::string::npos);
  CHECK((content_of(folder / "three/results.db") == content_of(folder / "one/results.db")));
}

TEST_CASE("A cached run counts only when its inputs are those of now and its file is whole") {
  const TemporaryFolder folder;
  const std::string cache = folder / "cache", runs = cache + "/lockstep/runs";
  const auto with_seed = [&](const std::string& seed) {
    folder.write("adds.yaml", "buffers:\n  a: {random: 1024, min: 1, max: 2, seed: " + seed +
                                  ", type: f32}\n  c: {zero: 1024, type: f32}\nkernel: " + source_dir() +
                                  "/traces/kernels/vector_add.ptx\ngrid: 4\nblock: 256\nparameters: [a, a, c, 1024]\n");
  };
  with_seed("1");
  const std::string file = folder.write("e.yaml", "name: e\ngpu: gtx580\nworkload: adds.yaml\n");
  REQUIRE(run_with(cache, {"run", file, "-o", folder / "one", "--quiet"}).code == 0);
  with_seed("2");
  CHECK(run_with(cache, {"run", file, "-o", folder / "two"}).err.find("cache") == std::string::npos);
  CHECK_THAT(run_with(cache, {"run", file, "-o", folder / "three"}).err, Contains("1 of 1 runs taken from the cache"));
  REQUIRE(files_in(runs) == 1);
  const std::string entry = std::filesystem::directory_iterator(runs)->path();
  const std::string whole = contents(entry);
  for (const std::string& damaged : {whole.substr(0, whole.size() / 2), std::string(), std::string(whole.size(), 'x'),
                                     std::string(whole).replace(whole.find("GTX 580"), 7, "GTX 480")}) {
    std::ofstream(entry, std::ios::binary | std::ios::trunc) << damaged;
    std::filesystem::remove_all(folder / "four");
    const Outcome outcome = run_with(cache, {"run", file, "-o", folder / "four"});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.err.find("taken from the cache") == std::string::npos);
    CHECK((content_of(folder / "four/results.db") == content_of(folder / "two/results.db")));
  }
}

TEST_CASE("The cache keeps to its size, and one that cannot be written is none") {
  const TemporaryFolder folder;
  const std::string cache = folder / "cache", runs = cache + "/lockstep/runs";
  const std::string file = folder.write("vectors.yaml", vector_additions("[100]", list(18, 25)));
  REQUIRE(run_with(cache, {"run", file, "-o", folder / "one", "--quiet"}).code == 0);
  CHECK(files_in(runs) == 8);
  REQUIRE(run_with(cache, {"run", file, "-o", folder / "two", "--cache-size", "0", "--quiet"}).code == 0);
  CHECK(files_in(runs) == 0);
  CHECK(run_with("/dev/null", {"run", file, "-o", folder / "three", "--quiet"}).code == 0);
  CHECK(contents(folder / "three/results.csv") == contents(folder / "one/results.csv"));
}

TEST_CASE("Runs at the same time share the cache") {
  const TemporaryFolder folder;
  const std::string file = folder.write("vectors.yaml", vector_additions("[100, 200, 300]", list(18, 27)));
  std::vector<pid_t> children;
  for (const char* name : {"one", "two", "three"})
    children.push_back(start({"run", file, "-o", folder / name, "--quiet"}, [&] {
      setenv("XDG_CACHE_HOME", (folder / "cache").c_str(), 1);
      dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    }));
  for (const pid_t child : children) CHECK(exit_code(child) == 0);
  CHECK((content_of(folder / "one/results.db") == content_of(folder / "two/results.db")));
  CHECK((content_of(folder / "one/results.db") == content_of(folder / "three/results.db")));
  CHECK(files_in(folder / "cache/lockstep/runs") == 30);
}
