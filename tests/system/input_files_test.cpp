// Every argument that is a file, given what is none that the command can use.

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::input_files_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// A command line in which FILE stands for the file.
using Words = std::vector<std::string>;
const std::vector<Words> readers = {
    {"run", "FILE", "-o", "OUT"},
    {"trace", "FILE", "-o", "OUT"},
    {"replay", "FILE", "--gpu", "gtx580"},
    {"replay", "TRACE", "--gpu", "FILE"},
    {"probe", "--gpu", "FILE", "--op", "ld", "0-31"},
    {"validate", "FILE"},
    {"calibrate", "--from", "hopper", "--measurements", "FILE", "-o", "OUT"},
    {"report", "FILE"},
    {"info", "FILE"},
    {"list", "params", "--gpu", "FILE"},
    {"hash", "count", "FILE", "--hash", "xor"},
    {"hash", "count", "TRACE", "--hash", "table:FILE"},
    {"hash", "search", "FILE"},
    {"hash", "patterns", "FILE"},
    {"hash", "apply", "FILE", "--hash", "xor", "-o", "OUT"},
    {"rgpu", "map", "FILE"},
    {"rgpu", "run", "FILE"},
    {"rgpu", "draw", "FILE"},
};

Outcome read_by(const Words& reader, const std::string& file, const TemporaryFolder& folder) {
  Words words;
  for (std::string word : reader) {
    for (const auto& [name, path] :
         {std::pair<std::string, std::string>{"FILE", file}, {"TRACE", folder / "v.trace"}, {"OUT", folder / "out"}}) {
      if (word.ends_with(name)) word.replace(word.size() - name.size(), name.size(), path);
    }
    words.push_back(word);
  }
  words.push_back("--quiet");
  // Whoever waits for what never comes is ended by the alarm; whoever reads without end, by the limit of memory.
  const std::string out = folder / "stdout", err = folder / "stderr";
  const pid_t child = start(words, [&] {
    alarm(60);
    const rlimit memory{rlim_t{2} << 30, rlim_t{2} << 30};
    setrlimit(RLIMIT_AS, &memory);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDERR_FILENO);
  });
  const int code = exit_code(child);
  return {code, contents(out), contents(err)};
}

}  // namespace

TEST_CASE("Whatever stands where a file should, every command says what is wrong with it") {
  const TemporaryFolder folder;
  REQUIRE(run({"trace", "vector-add", "-s", "args.length=1024", "-o", folder / "v.trace", "--quiet"}).code == 0);
  const std::string directory = folder / "folder", fifo = folder / "fifo";
  std::filesystem::create_directory(directory);
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  for (const std::string& file :
       {directory, fifo, folder.write("empty", ""), folder.write("empty.yaml", ""),
        folder.write("bytes", "\x7f\x01\xff"), std::string("/dev/null"), std::string("/dev/zero"), folder / "none",
        folder / "none/none", folder / std::string(300, 'n'), folder.write("key.yaml", "nosuchkey: 1\n")}) {
    for (const Words& reader : readers) {
      INFO(reader[0] << " " << reader[1] << " " << reader[2 % reader.size()] << ", file " << file);
      const Outcome outcome = read_by(reader, file, folder);
      INFO(outcome.err);
      // A GPU of nothing but defaults is a GPU.
      const bool is_gpu = (file.ends_with("empty") || file.ends_with("empty.yaml") || file == "/dev/null");
      if (!is_gpu) CHECK((outcome.code == 2 || outcome.code == 3));
      CHECK(outcome.code != 70);
      CHECK(outcome.code != -1);
      if (outcome.code != 0) CHECK_THAT(outcome.err, Contains("lockstep: error: "));
    }
  }
}

TEST_CASE("A pipe is read like the file that is written into it") {
  const TemporaryFolder folder;
  const std::string gpu = contents(source_dir() + "/configs/gpus/generations/fermi.yaml");
  const std::string file = folder.write("g.yaml", gpu);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = start({"list", "params", "--gpu", "/dev/stdin", "--json"}, [&] {
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    dup2(open((folder / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), STDOUT_FILENO);
  });
  close(ends[0]);
  REQUIRE(write(ends[1], gpu.data(), gpu.size()) == static_cast<ssize_t>(gpu.size()));
  close(ends[1]);
  CHECK(exit_code(child) == 0);
  const auto values = [](const std::string& json) {
    std::vector<std::string> all;
    const Json parsed = parse_json(json);
    for (const auto& [key, parameter] : at(parsed, "params")) all.push_back(value(parameter, "value"));
    return all;
  };
  CHECK(values(contents(folder / "out")).size() > 100);
}

TEST_CASE("A pipe into which nobody writes is not waited for") {
  const TemporaryFolder folder;
  const std::string fifo = folder / "gpu.yaml";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const Outcome outcome = run({"list", "params", "--gpu", fifo});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("gpu.yaml: is a pipe into which nothing was written"));
}

TEST_CASE("A file without end is refused with what is read of one") {
  const Outcome outcome = run({"list", "params", "--gpu", "/dev/zero"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("/dev/zero: has more than 16777216 bytes; at most 16777216 are read"));
}

TEST_CASE("An error quotes of a long expression its beginning and its end") {
  const TemporaryFolder folder;
  const std::string kernel = source_dir() + "/traces/kernels/histogram.ptx";
  const std::string file =
      folder.write("w.yaml", "kernel: " + kernel + "\ngrid: \"" + std::string(100'000, '(') + "\"\n");
  const Outcome outcome = run({"info", file});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("w.yaml:2:7: \"((((") && Contains("an expression has at most 4096 characters"));
  CHECK(outcome.err.size() < 5'000);
}

TEST_CASE("A long chain of values that depend on one another is an error with its place") {
  const TemporaryFolder folder;
  std::string text = "let:\n";
  for (int i = 0; i < 16000; ++i) text += "  a" + std::to_string(i) + ": a" + std::to_string(i + 1) + " + 1\n";
  text += "  a16000: 1\nbuffers: {c: {zero: a0, type: f32}}\nkernel: " + source_dir() +
          "/traces/kernels/vector_add.ptx\ngrid: 1\nblock: 32\nparameters: [c, c, c, 1]\n";
  const Outcome outcome = run({"trace", folder.write("w.yaml", text), "-o", folder / "out"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("w.yaml:") && Contains("too long a chain of values that depend on one another"));
}

TEST_CASE("Files that extend each other in a long row are an error with its place") {
  const TemporaryFolder folder;
  for (int i = 0; i < 5000; ++i)
    folder.write("g" + std::to_string(i) + ".yaml", "extends: g" + std::to_string(i + 1) + ".yaml\n");
  folder.write("g5000.yaml", "name: last\n");
  const Outcome outcome = run({"list", "params", "--gpu", folder / "g0.yaml"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("g64.yaml:1:10: at most 64 files may extend each other in a row"));
  CHECK(run({"list", "params", "--gpu", folder / "g4940.yaml"}).code == 0);
}

TEST_CASE("Of a file with nothing but errors the first hundred are shown") {
  const TemporaryFolder folder;
  std::string text;
  for (int i = 0; i < 40000; ++i) text += "unknown" + std::to_string(i) + ": 1\n";
  const Outcome outcome = run({"list", "params", "--gpu", folder.write("g.yaml", text)});
  CHECK(outcome.code == 2);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 100);
}

}  // namespace lockstep::input_files_test
