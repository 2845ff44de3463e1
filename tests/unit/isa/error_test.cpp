// The kinds of error: places in messages, collected diagnostics, and suggestions for misspelt names.

#include "isa/error.hpp"

#include <catch2/catch.hpp>

using namespace lockstep;

TEST_CASE("A source location is written as far as it is known") {
  CHECK(to_string(SourceLocation{"a.yaml", 3, 7}) == "a.yaml:3:7");
  CHECK(to_string(SourceLocation{"a.yaml", 3, 0}) == "a.yaml:3");
  CHECK(to_string(SourceLocation{"a.yaml", 0, 0}) == "a.yaml");
  CHECK(to_string(SourceLocation{"a.yaml", 0, 7}) == "a.yaml");
  CHECK(to_string(SourceLocation{"", 3, 7}) == "line 3:7");
  CHECK(to_string(SourceLocation{"", 3, 0}) == "line 3");
  CHECK(to_string(SourceLocation{}).empty());
}

TEST_CASE("An input error names its place, when it has one") {
  CHECK(std::string(InputError({"a.ptx", 12, 1}, "unknown").what()) == "a.ptx:12:1: unknown");
  CHECK(std::string(InputError(SourceLocation{}, "unknown").what()) == "unknown");
  CHECK(std::string(InputError("unknown").what()) == "unknown");
}

TEST_CASE("A bug names component and cycle") {
  CHECK(std::string(Bug("sm 3 / scheduler 1", 17, "two issues in one slot").what()) ==
        "sm 3 / scheduler 1, cycle 17: two issues in one slot");
  CHECK(std::string(Bug("impossible").what()) == "impossible");
}

TEST_CASE("Diagnostics without messages throw nothing") {
  const Diagnostics none;
  CHECK(none.empty());
  CHECK_NOTHROW(none.throw_if_any());
}

TEST_CASE("Diagnostics come together, ordered by file, line and column, and by arrival within one place") {
  Diagnostics all;
  all.add({"b.yaml", 1, 1}, "other file");
  all.add({"a.yaml", 10, 1}, "line 10");
  all.add({"a.yaml", 9, 30}, "right");
  all.add({"a.yaml", 9, 4}, "left, first");
  all.add({"a.yaml", 9, 4}, "left, second");
  all.add({"a.yaml", 0, 0}, "whole file");
  all.add({}, "no place");
  CHECK_FALSE(all.empty());
  const std::string expected =
      "no place\n"
      "a.yaml: whole file\n"
      "a.yaml:9:4: left, first\n"
      "a.yaml:9:4: left, second\n"
      "a.yaml:9:30: right\n"
      "a.yaml:10:1: line 10\n"
      "b.yaml:1:1: other file";
  CHECK_THROWS_WITH(all.throw_if_any(), expected);
  CHECK_THROWS_AS(all.throw_if_any(), InputError);
}

TEST_CASE("The nearest name is the one with the fewest changes") {
  const std::vector<std::string> names{"grid", "block", "shared", "replication", "bins"};
  CHECK(nearest_name("blok", names) == "block");
  CHECK(nearest_name("gird", names) == "grid");
  CHECK(nearest_name("replicatoin", names) == "replication");
  CHECK(nearest_name("bins", names) == "bins");
  CHECK(nearest_name("zzzzzz", names).empty());
  CHECK(nearest_name("grid", {}).empty());
  // Two equally near candidates: the first.
  CHECK(nearest_name("bank", {"bark", "band"}) == "bark");
  CHECK(nearest_name("bank", {"band", "bark"}) == "band");
}

TEST_CASE("A name is near within two changes, or a third of a long word") {
  CHECK(nearest_name("abcdef", {"abcdxy"}) == "abcdxy");
  CHECK(nearest_name("abcdef", {"abcxyz"}).empty());
  CHECK(nearest_name("abcdefghi", {"abcdefxyz"}) == "abcdefxyz");
  CHECK(nearest_name("abcdefghi", {"abcdewxyz"}).empty());
  CHECK(nearest_name("ab", {"abcd"}) == "abcd");
  CHECK(nearest_name("abcdefghi", {"abcdef"}) == "abcdef");
}

TEST_CASE("A word that shares no letter with a name is not a misspelling of it") {
  CHECK(nearest_name("", {"grid"}).empty());
  CHECK(nearest_name("xy", {"ab"}).empty());
  CHECK(nearest_name("", {"k"}).empty());
}
