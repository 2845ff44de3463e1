#include <set>

#include "tests/system/program.hpp"

namespace lockstep::hash_count_test {

using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// What `hash count --json` says of one hash over all kernels.
const Json& hash_of(const Json& counted, const std::string& spec) {
  for (const auto& [name, entry] : at(counted, "hashes"))
    if (value(entry, "hash") == spec) return entry;
  FAIL("no hash " << spec);
  return counted;
}

std::uint64_t count(const Json& json, const std::string& name) {
  return value<std::uint64_t>(json, name);
}

}  // namespace

TEST_CASE("Counted passes are those that the replay makes, with one and with many thread blocks on an SM") {
  const TemporaryFolder folder;
  const std::string file = folder / "t.trace";
  REQUIRE(run({"trace", "transpose", "-o", file}).code == 0);
  const std::vector<std::string> specs = {"mod",
                                          "xor",
                                          "add",
                                          "bitvector:k=3",
                                          "bits-xor:0^6,1^7,2,3,4",
                                          "modulus:31",
                                          "ipoly",
                                          "swizzle:3,1,5",
                                          "table:0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,"
                                          "18,19,20,21,22,23,24,25,26,27,28,29,30,31"};
  std::vector<std::string> words = {"hash", "count", file, "--gpu", "gtx480", "--json", "--hash"};
  words.insert(words.end(), specs.begin(), specs.end());
  const Outcome outcome = run(words);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json counted = parse_json(outcome.out);
  CHECK(value(counted, "schema") == "lockstep.hash-count/1");
  CHECK(value(counted, "unit") == "bank");
  std::set<std::uint64_t> different;
  for (const std::string& spec : specs)
    for (const char* blocks : {"1", "8"}) {
      INFO(spec << ", " << blocks << " blocks on an SM");
      const Json replay =
          parse_json(run({"replay", file, "--gpu", "gtx480", "--json", "-s", "sm.scratchpad.bank_hash=" + spec, "-s",
                          std::string("sm.occupancy.blocks=") + blocks})
                         .out);
      const Json& stats = at(replay, "stats");
      const Json& hash = hash_of(counted, spec);
      CHECK(count(hash, "accesses") == count(stats, "sm.scratchpad.loads") + count(stats, "sm.scratchpad.stores"));
      CHECK(count(hash, "passes") ==
            count(stats, "sm.scratchpad.load_passes") + count(stats, "sm.scratchpad.store_passes"));
      const std::uint64_t conflicts = count(hash, "passes") - count(hash, "accesses");
      CHECK(count(hash, "conflicts") == conflicts);
      CHECK(count(hash, "lower_bound") == count(hash, "accesses"));
      different.insert(conflicts);
    }
  CHECK(different.size() > 4);
}

TEST_CASE("Counted retries are those of warps that are alone") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  // One warp: no other warp holds a lock.
  REQUIRE(run({"trace", "histogram", "-s", "args.image=raccoon-small", "-s", "args.bins=256", "-s",
               "args.replication=8", "-s", "args.blocks=1", "-s", "args.threads=32", "-o", file})
              .code == 0);
  const Json locks = parse_json(
      run({"hash", "count", file, "--unit", "lock", "--hash", "xor", "add", "bits:0,1,2,3,4,5,6,7,8,9", "--json"}).out);
  const Json banks = parse_json(run({"hash", "count", file, "--hash", "xor", "--json"}).out);
  for (const char* spec : {"mod", "xor", "add", "bits:0,1,2,3,4,5,6,7,8,9"}) {
    INFO(spec);
    const Json replay = parse_json(
        run({"replay", file, "--gpu", "gtx480", "--json", "-s", std::string("sm.scratchpad.lock_hash=") + spec}).out);
    const Json& stats = at(replay, "stats");
    const Json& hash = hash_of(locks, spec);
    CHECK(count(stats, "sm.scratchpad.lock_failed_warp") == 0);
    CHECK(count(hash, "atomics") == count(stats, "sm.scratchpad.atomics"));
    CHECK(count(hash, "iterations") == count(stats, "sm.scratchpad.load_locks"));
    CHECK(count(hash, "lower_bound") <= count(hash, "iterations"));
    // The bank hash decides on passes, the lock hash on the number of iterations.
    if (spec == std::string("mod"))
      CHECK(count(hash_of(banks, "mod"), "conflicts") == count(stats, "sm.scratchpad.bank_conflicts"));
  }
  // More locks than a Fermi SM has: every word of the histogram has its own.
  const Json many = parse_json(
      run({"hash", "count", file, "--unit", "lock", "--hash", "xor", "--json", "-s", "sm.scratchpad.locks=4096"}).out);
  CHECK(count(hash_of(many, "mod"), "iterations") == count(hash_of(many, "mod"), "lower_bound"));
  CHECK(count(hash_of(locks, "bits:0,1,2,3,4,5,6,7,8,9"), "retries") == count(hash_of(locks, "mod"), "retries"));
  CHECK(count(hash_of(locks, "xor"), "retries") < count(hash_of(locks, "mod"), "retries"));
}

TEST_CASE("The table of hashes shows the baseline first, and what is wrong is told") {
  const TemporaryFolder folder;
  const std::string file = folder / "t.trace";
  REQUIRE(run({"trace", "transpose", "-o", file}).code == 0);
  const Outcome table = run({"hash", "count", file, "--hash", "bitvector:k=5"});
  CHECK(table.code == 0);
  CHECK(table.out.find("  mod  ") < table.out.find("bitvector:k=5"));
  CHECK_THAT(run({"hash", "count", file, "--hash", "bitvectr:k=5"}).err, Contains("did you mean 'bitvector'?"));
  CHECK(run({"hash", "count", file, "--hash", "bitvectr:k=5"}).code == 2);
  CHECK_THAT(run({"hash", "count", file, "--hash", "xor", "--unit", "banks"}).err, Contains("--unit"));
  CHECK_THAT(run({"hash", "counts"}).err, Contains("did you mean 'count'?"));
  CHECK(run({"hash"}).code == 2);
  CHECK_THAT(run({"hash", "count", file, "--hash", "xor", "-s", "args.n=3"}).err, Contains("fixed in a trace"));
}

TEST_CASE(
    "Hashes are neither counted nor searched for thread blocks that the GPU has no room for, nor for locks that "
    "it lacks") {
  const TemporaryFolder folder;
  const std::string file = folder / "h.trace";
  // Twice 4,096 bins of 4 bytes and a word of padding, in units of 512 bytes.
  REQUIRE(run({"trace", "histogram", "-s", "args.image=raccoon-small", "-s", "args.bins=4096", "-s",
               "args.replication=2", "-s", "args.blocks=1", "-o", file})
              .code == 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"count", file, "--hash", "xor"}, std::vector<std::string>{"search", file}}) {
    std::vector<std::string> words = {"hash"};
    words.insert(words.end(), command.begin(), command.end());
    words.insert(words.end(), {"--gpu", "gtx280"});
    const Outcome small = run(words);
    CHECK(small.code == 2);
    CHECK_THAT(small.err, Contains("needs 33280 bytes of scratchpad memory; this GPU allows 16384"));
    words.back() = "m60";
    words.insert(words.end(), {"--unit", "lock"});
    const Outcome native = run(words);
    CHECK(native.code == 2);
    CHECK_THAT(native.err, Contains("has no locks: its atomics are native"));
  }
}

TEST_CASE("A hash for a kernel that is not there is noted") {
  const TemporaryFolder folder;
  const std::string file = folder / "t.trace";
  REQUIRE(run({"trace", "transpose", "-s", "args.variant=tiled", "-o", file}).code == 0);
  const std::string kernel = "transpose_tiled", wrong = "transpose_tilde";
  for (const auto& [name, noted] : {std::pair{kernel, false}, std::pair{wrong, true}}) {
    const Outcome counted = run({"hash", "count", file, "--hash", name + "=xor"});
    CHECK(counted.code == 0);
    CHECK((counted.err.find("names kernel '" + name + "', which these traces do not have; they have: " + kernel) !=
           std::string::npos) == noted);
  }
}

}  // namespace lockstep::hash_count_test
