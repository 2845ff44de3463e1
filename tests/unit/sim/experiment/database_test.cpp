#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "isa/random.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/stats/catalog.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::database_test {

using namespace lockstep::experiment;
using Catch::Matchers::Contains;

namespace {

StoredPoint sample(const std::string& label, std::uint64_t first) {
  StoredPoint point{label, {}};
  PointResult& result = point.result;
  result.status = Status::done;
  result.digest = "digest of " + label;
  result.checked = true;
  result.gpu = "a GPU's name";
  result.workload = "w";
  result.cycles = first;
  result.time_ms = 1.0 / 3;
  result.warp_instructions = ~std::uint64_t{0} >> 1;
  result.wall_s = 0.25;
  result.launches = {{"kernel one", 7, 8, {1, 32, "threads"}}, {"kernel two", 9, 10, {2, 64, "warps"}}};
  result.notes = {"first", "second"};
  result.arguments = {{"bins", "64"}, {"image", "a picture"}};
  result.clock = {first + 1, 2, 3, 4, 5, 6, 7};
  for (std::size_t i = 0; i < stats::statistics().size(); ++i) result.statistics.push_back(first + i);
  for (std::size_t i = 0; i < stats::derived_statistics().size(); ++i) {
    result.derived.push_back(i % 2 == 0 ? std::optional(0.1 * static_cast<double>(i)) : std::nullopt);
  }
  return point;
}

/// Everything of a point that results are made of.
std::string text_of(const StoredPoint& point) {
  const PointResult& r = point.result;
  std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}", point.label, name_of(r.status), r.digest, r.message, r.checked,
                  r.gpu, r.workload, r.cycles, r.time_ms, r.warp_instructions, r.wall_s, fmt::join(r.notes, ";"));
  for (const auto& l : r.launches)
    text += fmt::format(" {} {} {} {} {} {}", l.kernel, l.cycles, l.warp_instructions, l.occupancy.blocks,
                        l.occupancy.warps, l.occupancy.limit);
  for (const auto& [name, value] : r.arguments) text += fmt::format(" {}={}", name, value);
  text += fmt::format(" {} {} {} {} {} {} {}", r.clock.warps, r.clock.cycles, r.clock.first, r.clock.least,
                      r.clock.most, r.clock.span, r.clock.first_warp);
  for (const std::uint64_t value : r.statistics) text += fmt::format(" {}", value);
  for (const auto& value : r.derived) text += value ? fmt::format(" {:a}", *value) : " none";
  return text;
}

void check_equal(const StoredPoint& a, const StoredPoint& b) {
  CHECK(a.label == b.label);
  CHECK(a.result.status == b.result.status);
  CHECK(a.result.digest == b.result.digest);
  CHECK(a.result.message == b.result.message);
  CHECK(a.result.checked == b.result.checked);
  CHECK(a.result.gpu == b.result.gpu);
  CHECK(a.result.workload == b.result.workload);
  CHECK(a.result.cycles == b.result.cycles);
  CHECK(a.result.time_ms == b.result.time_ms);
  CHECK(a.result.warp_instructions == b.result.warp_instructions);
  CHECK(a.result.wall_s == b.result.wall_s);
  CHECK(a.result.notes == b.result.notes);
  CHECK(a.result.arguments == b.result.arguments);
  CHECK(a.result.clock.warps == b.result.clock.warps);
  CHECK(a.result.clock.least == b.result.clock.least);
  CHECK(a.result.clock.span == b.result.clock.span);
  CHECK(a.result.clock.first_warp == b.result.clock.first_warp);
  CHECK(a.result.statistics == b.result.statistics);
  CHECK(a.result.derived == b.result.derived);
  REQUIRE(a.result.launches.size() == b.result.launches.size());
  for (std::size_t i = 0; i < a.result.launches.size(); ++i) {
    CHECK(a.result.launches[i].kernel == b.result.launches[i].kernel);
    CHECK(a.result.launches[i].cycles == b.result.launches[i].cycles);
    CHECK(a.result.launches[i].occupancy.limit == b.result.launches[i].occupancy.limit);
    CHECK(a.result.launches[i].occupancy.warps == b.result.launches[i].occupancy.warps);
  }
}

}  // namespace

TEST_CASE("A stored point comes back as it was, also in another process's eyes") {
  const test::TemporaryFolder folder;
  const StoredPoint one = sample("a=1", 100), two = sample("a=2", 200);
  {
    Database database = Database::open(folder / "results.db", "e");
    database.store(one);
    database.store(two);
    check_equal(*database.find("a=1"), one);
    CHECK_FALSE(database.find("a=3").has_value());
    CHECK(Database::read(folder / "results.db").all().size() == 2);  // while it is open for writing
  }
  Database database = Database::read(folder / "results.db");
  CHECK(database.experiment() == "e");
  const auto all = database.all();
  REQUIRE(all.size() == 2);
  check_equal(all[0], one);
  check_equal(all[1], two);
}

TEST_CASE("Storing a point again replaces all of it") {
  const test::TemporaryFolder folder;
  Database database = Database::open(folder / "results.db", "e");
  database.store(sample("a=1", 100));
  StoredPoint refused{"a=1", {}};
  refused.result.status = Status::refused;
  refused.result.message = "does not fit";
  database.store(refused);
  const auto found = database.find("a=1");
  REQUIRE(found.has_value());
  check_equal(*found, refused);
  CHECK(found->result.launches.empty());
}

TEST_CASE("A process killed while it stores leaves whole points alone") {
  const test::TemporaryFolder folder;
  { Database::open(folder / "results.db", "e"); }
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Database database = Database::open(folder / "results.db", "e");
    for (std::uint64_t i = 0;; ++i) {
      database.store(sample("a=" + std::to_string(i), i));
      if (i == 5 && write(ready[1], "x", 1) != 1) _exit(1);
    }
  }
  char byte = 0;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  Database database = Database::open(folder / "results.db", "e");
  const auto all = database.all();
  REQUIRE(all.size() >= 6);
  for (std::size_t i = 0; i < all.size(); ++i) check_equal(all[i], sample("a=" + std::to_string(i), i));
  database.store(sample("a=x", 1));
  CHECK(database.all().size() == all.size() + 1);
}

TEST_CASE("A database of something else is refused with what it is") {
  const test::TemporaryFolder folder;
  { Database::open(folder / "results.db", "one"); }
  CHECK_THROWS_WITH(Database::open(folder / "results.db", "two"), Contains("'one', not of 'two'"));
  {
    const Database held = Database::open(folder / "results.db", "one");
    CHECK_THROWS_AS(Database::open(folder / "results.db", "one"), ResourceError);
  }
  std::ofstream(folder / "results.db", std::ios::trunc) << std::string(4096, 'x');
  CHECK_THROWS_AS(Database::open(folder / "results.db", "one"), InputError);
  CHECK_THROWS_AS(Database::read(folder / "results.db"), InputError);
  CHECK_THROWS_AS(Database::read(folder / "none.db"), InputError);
}

/// Reads the database with one bit changed, `flips` times another one.
void read_with_flips(int flips) {
  const test::TemporaryFolder folder;
  const StoredPoint one = sample("a=1", 100), two = sample("a=2", 200);
  {
    Database database = Database::open(folder / "results.db", "e");
    database.store(one);
    database.store(two);
  }
  const std::string whole = test::contents(folder / "results.db"), damaged = folder / "damaged.db";
  const std::map<std::string, std::string> stored{{"a=1", text_of(one)}, {"a=2", text_of(two)}};
  Random random(1);
  int refused = 0;
  for (int flip = 0; flip < flips; ++flip) {
    std::string bytes = whole;
    const std::uint32_t at = random.below(bytes.size()), bit = random.below(8);
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    std::ofstream(damaged, std::ios::binary | std::ios::trunc) << bytes;
    INFO("byte " << at << ", bit " << bit);
    try {
      Database database = Database::read(damaged);
      for (const auto& [label, text] : stored) {
        const auto found = database.find(label);
        REQUIRE(found);
        REQUIRE(text_of(*found) == text);
      }
      const auto all = database.all();
      REQUIRE(all.size() == stored.size());
      for (const StoredPoint& point : all) REQUIRE(text_of(point) == stored.at(point.label));
    } catch (const InputError&) {
      ++refused;
    } catch (const ResourceError&) {
      ++refused;
    }
  }
  CHECK(refused > flips / 10);  // Most bytes are of names and numbers.
}

TEST_CASE("Whichever bit of the database flips, a point is what was stored, or is an error") {
  read_with_flips(200);
}

TEST_CASE("Whichever of many bits of the database flips, a point is what was stored, or is an error", "[long]") {
  read_with_flips(1000);
}

TEST_CASE("An index that does not fit its table is found before points are missing") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "results.db";
  { Database::open(path, "e").store(sample("a=1234567", 100)); }
  const std::string whole = test::contents(path);
  std::size_t places = 0, damaged = 0;
  for (std::size_t at = whole.find("a=1234567"); at != std::string::npos; at = whole.find("a=1234567", at + 1)) {
    // Not within the digest of the point.
    if (at >= 3 && whole.compare(at - 3, 3, "of ") == 0) continue;
    std::string bytes = whole;
    bytes[at + 4] = 'x';
    for (const char* const left : {"-wal", "-shm"}) std::filesystem::remove(path + left);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    ++places;
    try {
      Database::read(path);
    } catch (const DamagedDatabase& damage) {
      CHECK_THAT(damage.what(), Contains("results.db: is damaged: ") && Contains("index") &&
                                    Contains("`lockstep run` writes it again"));
      ++damaged;
    }
    Database database = Database::open(path, "e");
    CHECK_FALSE(database.remove_damaged().empty());
  }
  CHECK(places == 2);  // The row, and the index of labels.
  CHECK(damaged == 2);
}

TEST_CASE("A damaged point is named, and can be stored again") {
  const test::TemporaryFolder folder;
  const StoredPoint one = sample("a=1", 123456789), two = sample("a=2", 200);
  {
    Database database = Database::open(folder / "results.db", "e");
    database.store(one);
    database.store(two);
  }
  std::string bytes = test::contents(folder / "results.db");
  const std::size_t at = bytes.find("a GPU's name");
  REQUIRE(at != std::string::npos);
  bytes[at] = 'A';
  std::ofstream(folder / "results.db", std::ios::binary | std::ios::trunc) << bytes;
  Database database = Database::open(folder / "results.db", "e");
  CHECK_THROWS_AS(database.all(), DamagedPoint);
  // Rows are stored from the end of a page on: the first that is found is that of the second point.
  CHECK_THROWS_WITH(database.find("a=2"), Contains("the point a=2 is damaged"));
  check_equal(*database.find("a=1"), one);
  database.store(two);
  check_equal(*database.find("a=2"), two);
  CHECK(database.all().size() == 2);
}

/// Opens the database with one bit changed and stores what is missing, `flips` times another one.
void mend_flips(int flips) {
  const test::TemporaryFolder folder;
  const StoredPoint one = sample("a=1", 100), two = sample("a=2", 200);
  {
    Database database = Database::open(folder / "whole.db", "e");
    database.store(one);
    database.store(two);
  }
  const std::string whole = test::contents(folder / "whole.db"), path = folder / "results.db";
  Random random(2);
  int damaged = 0, refused = 0;
  for (int flip = 0; flip < flips; ++flip) {
    std::string bytes = whole;
    const std::uint32_t at = random.below(bytes.size()), bit = random.below(8);
    bytes[at] = static_cast<char>(bytes[at] ^ 1 << bit);
    for (const char* const left : {"", "-wal", "-shm"}) std::filesystem::remove(path + left);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    INFO("byte " << at << ", bit " << bit);
    try {
      Database database = Database::open(path, "e");
      damaged += database.remove_damaged().empty() ? 0 : 1;
      for (const StoredPoint* point : {&one, &two})
        if (!database.find(point->label)) database.store(*point);
      std::map<std::string, std::string> found;
      for (const StoredPoint& point : database.all()) found[point.label] = text_of(point);
      CHECK(found == std::map<std::string, std::string>{{"a=1", text_of(one)}, {"a=2", text_of(two)}});
      CHECK(database.remove_damaged().empty());
    } catch (const InputError& error) {  // No database any more, or of another experiment: the file stays as it is.
      INFO(error.what());
      CHECK(std::string(error.what()).find("constraint") == std::string::npos);
      ++refused;
    }
  }
  CHECK(damaged > flips / 20);
  CHECK(refused < flips / 10);
}

TEST_CASE("Whichever bit of the database flips, a run leaves out what is damaged and stores it again") {
  mend_flips(80);
}

TEST_CASE("Whichever of many bits of the database flips, a run leaves out what is damaged and stores it again",
          "[long]") {
  mend_flips(300);
}

}  // namespace lockstep::database_test
