// tools/capture/measure with a program in the place of the one that needs a GPU, and lockstep calibrate of what it writes.
#include <fmt/format.h>

#include "tests/places.hpp"
#include "tests/system/program.hpp"

namespace lockstep::calibrate_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// Prints what run_on_gpu would: for each folder a buffer that differs besides the clocks where it is asked to, in each run in another
/// way, and numbers. It stops at workloads in `fails`, as a GPU whose context is lost.
std::string runner_text(const std::string& fails) {
  return "#!/bin/sh\n[ \"$1\" = --measure ] && times=$2 && shift 2\necho GPU\nfor folder; do\n"
         "  grep -q 'workload " +
         fails +
         "$' \"$folder/launches.txt\" && echo lost >&2 && exit 3\n"
         "  echo \"$folder: buffer cycles differs in 4 of 8 bytes, first at byte 0\"\n"
         "  grep -q arrivals \"$folder/launches.txt\" && echo \"$folder: buffer arrivals differs in 1 of 8 bytes\" &&"
         " echo \"$folder: buffer arrivals changes from run to run\"\n"
         "  echo \"$folder: measured us_min=4.5 us_median=5.25 registers=18 clock_first_thread=${times}000\"\ndone\n";
}

Outcome measure(const TemporaryFolder& folder, const std::string& list, const std::string& options,
                const std::string& fails) {
  const std::string runner = folder.write("runner", runner_text(fails));
  std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
  const std::string command =
      fmt::format("{}/tools/capture/measure --list {} --lockstep {} --runner {} -o {} {} >{} 2>{}", source_dir(),
                  folder.write("list.txt", list), program_file(), runner, folder / "m.csv", options, folder / "out",
                  folder / "err");
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), contents(folder / "out"), contents(folder / "err")};
}

/// Prints what ncu would of a runner that runs each folder once: a line for each launch; two for those of micro-barrier.
constexpr const char* ncu_text =
    "#!/bin/sh\nwhile [ \"$1\" != --metrics ]; do shift; done\nnames=$2\n"
    "while [ \"$1\" != --once ]; do shift || exit 9; done\nshift\n"
    "columns=$(echo \"$names\" | sed 's/,/\",\"/g')\necho \"\\\"ID\\\",\\\"$columns\\\"\"\n"
    "for folder; do\n  case $(grep '^workload' \"$folder/launches.txt\") in\n"
    "    *micro-barrier*) values='8 8';;\n    *) values=5;;\n  esac\n"
    "  for value in $values; do echo \"0,$(echo \"$names\" | sed \"s/[^,]*/$value/g\")\"; done\ndone\n";

}  // namespace

TEST_CASE("A list of workloads becomes a row for each combination of settings, with what the runner measured") {
  const TemporaryFolder folder;
  const Outcome outcome =
      measure(folder, "# a list\nmicro-launch blocks=1,2 mode=clock,empty\nmicro-launch blocks=1 mode=clock # twice\n",
              "--times 3", "none");
  CHECK(outcome.code == 0);
  CHECK_THAT(contents(folder / "m.csv"),
             Contains("workload,settings,clock_first_thread,us_min,us_median,registers,output\n"
                      "micro-launch,blocks=1 mode=clock,3000,4.5,5.25,18,same\n"
                      "micro-launch,blocks=1 mode=empty,3000,4.5,5.25,18,same\n"
                      "micro-launch,blocks=2 mode=clock,3000,4.5,5.25,18,same\n"
                      "micro-launch,blocks=2 mode=empty,3000,4.5,5.25,18,same\n"));
}

TEST_CASE("A value with commas of its own stands in quotes in a list") {
  const TemporaryFolder folder;
  CHECK(measure(folder, "reduction software_hash=mod,\"bits-xor:0^5,1^6,2^7,3,4\"\n", "", "none").code == 0);
  CHECK_THAT(contents(folder / "m.csv"), Contains("\nreduction,software_hash=mod,") &&
                                             Contains("\nreduction,\"software_hash=bits-xor:0^5,1^6,2^7,3,4\","));
  CHECK(measure(folder, "micro-launch blocks=\"1,2\n", "", "none").code == 2);
  CHECK(measure(folder, "micro-launch blocks=1,,2\n", "", "none").code == 2);
}

TEST_CASE("A row that cannot be exported or run is named with its reason, and the others are measured") {
  const TemporaryFolder folder;
  const Outcome outcome =
      measure(folder, "micro-launch blocks=1\nmicro-barrier warps=1,33\nmicro-chase length=64\n", "", "micro-chase");
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("not measured: micro-barrier warps=33: argument warps: 33 is above") &&
                              Contains("not measured: micro-chase length=64: lost") &&
                              Contains("micro-barrier warps=1: differs: arrivals (changes from run to run)"));
  CHECK_THAT(contents(folder / "m.csv"),
             Contains("micro-launch,blocks=1,7000,4.5,5.25,18,same\n"
                      "micro-barrier,warps=1,7000,4.5,5.25,18,differs: arrivals (changes from run to run)\n"
                      "micro-barrier,warps=33,,,,,not run\n"
                      "micro-chase,length=64,,,,,not run\n"));
}

TEST_CASE("A row whose launches are counted more often than once has no counters, and the others have their own") {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.write("bin/ncu", ncu_text), std::filesystem::perms::owner_all);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder / "bin:" + path).c_str(), 1);
  const Outcome outcome =
      measure(folder, "micro-launch blocks=1\nmicro-barrier warps=1\nmicro-launch blocks=2\n", "--counters", "none");
  ::setenv("PATH", path.c_str(), 1);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("micro-barrier warps=1: no counters: ncu saw 2 launches of 1"));
  const std::string text = contents(folder / "m.csv");
  CHECK_THAT(text, Contains("\nmicro-launch,blocks=1,7000,4.5,5.25,18,same,5,5") &&
                       Contains("\nmicro-launch,blocks=2,7000,4.5,5.25,18,same,5,5"));
  CHECK_THAT(text, Contains("\nmicro-barrier,warps=1,7000,4.5,5.25,18,differs: arrivals (changes from run to run),,"));
}

TEST_CASE("Launches that were prepared elsewhere are measured without the program") {
  const TemporaryFolder folder;
  const std::string prepared = folder / "prepared";
  REQUIRE(measure(folder, "micro-launch blocks=1,2\n", "--prepare " + prepared, "none").code == 0);
  CHECK(measure(folder, "micro-launch blocks=1,2\n", "--lockstep /none --prepared " + prepared, "none").code == 0);
  CHECK_THAT(contents(folder / "m.csv"), Contains("micro-launch,blocks=2,7000,"));
}

TEST_CASE("What is wrong in a list of workloads is named with its line") {
  const TemporaryFolder folder;
  const Outcome outcome = measure(folder, "micro-launch blocks=1\nmicro-barrier warps\n", "", "none");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("list.txt:2: 'warps' is not NAME=VALUE"));
  CHECK(measure(folder, "\n", "", "none").code == 2);
}

TEST_CASE(
    "lockstep calibrate writes a GPU file that extends the one to start from, and says what each value is worth") {
  const TemporaryFolder folder;
  const std::string measurements =
      folder.write("m.csv",
                   "# GPU: A chip\nworkload,settings,clock_first_thread\n"
                   "micro-arithmetic,operation=ffma mode=latency length=1024,7189\n");  // 7 cycles for each of 1,024
  const std::vector<std::string> words = {"calibrate", "--from",           "v100", "--measurements", measurements,
                                          "-o",        folder / "own.yaml"};
  const Outcome text = run(words);
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("micro-arithmetic operation=ffma mode=latency length=1024") && Contains("determined"));
  CHECK_THAT(contents(folder / "own.yaml"), Contains("configs/gpus/v100.yaml") && Contains("name: \"A chip\""));
  std::vector<std::string> as_json = words;
  as_json.emplace_back("--json");
  const Json json = parse_json(run(as_json).out);
  CHECK(value(json, "schema") == "lockstep.calibrate/1");
  for (const auto& [key, one] : at(json, "parameters")) {
    if (value(one, "name") == "sm.floating.latency") {
      CHECK(value(one, "before") == "4");
      CHECK(value(one, "after") == "7");
      CHECK(value(one, "verdict") == "determined");
    }
    if (value(one, "name") == "sm.shift.latency") CHECK(value(one, "verdict") == "no points");
  }
  const Outcome listed = run({"list", "params", "--gpu", folder / "own.yaml"});
  CHECK_THAT(listed.out, Contains("[M] micro-arithmetic operation=ffma,fadd mode=latency: 1 point,"));

  CHECK(run({"calibrate", "--from", "volt", "--measurements", measurements, "-o", folder / "x.yaml"}).code == 2);
  CHECK(run({"calibrate", "--from", "v100", "--measurements", "/none.csv", "-o", folder / "x.yaml"}).code == 2);
  CHECK(run({"calibrate", "--from", folder / "own.yaml", "--measurements", measurements, "-o", folder / "own.yaml"})
            .code == 2);
  CHECK(run({"calibrate", "--from", "v100", "--measurements", measurements, "-o", "/no/such/folder/x.yaml"}).code == 3);
}

TEST_CASE("lockstep calibrate refuses measurements that were made at another SM clock") {
  const TemporaryFolder folder;
  const std::string measurements =
      folder.write("m.csv",
                   "# GPU: A chip\n# SM clock: 465 to 1980 MHz in 87 samples\nworkload,settings,clock_first_thread\n"
                   "micro-arithmetic,operation=ffma mode=latency length=1024,7189\n");
  std::vector<std::string> words = {"calibrate", "--from",           "v100", "--measurements", measurements,
                                    "-o",        folder / "own.yaml"};
  const Outcome refused = run(words);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("1980 MHz") && Contains("-s clock_mhz=1980"));
  words.insert(words.end(), {"-s", "clock_mhz=1965"});  // What the driver says may be a step off.
  CHECK(run(words).code == 0);
}

}  // namespace lockstep::calibrate_test
