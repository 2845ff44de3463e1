// The order and the number of printed lines.
#include <catch2/catch.hpp>

#include "isa/exec/print_log.hpp"

namespace lockstep::print_log_test {

using lockstep::exec::PrintLog;

namespace {

struct Shown {
  std::vector<std::string> lines;
  PrintLog log{[this](std::string_view line) { lines.emplace_back(line); }};
  void print(std::uint64_t block, std::uint32_t thread, std::string_view text) {
    log.print(block, thread, text, [&] { return std::to_string(block) + "." + std::to_string(thread) + ": "; });
  }
};

}  // namespace

TEST_CASE("lines are shown by thread block, then in the order of execution", "[exec]") {
  Shown shown;
  shown.print(1, 0, "b\n");
  shown.print(0, 5, "c\n");
  shown.print(0, 2, "a\n");
  CHECK(shown.lines == std::vector<std::string>{"0.5: c", "0.2: a"});
  shown.log.end_block(1);
  CHECK(shown.lines.size() == 2);
  shown.log.end_block(0);
  CHECK(shown.lines == std::vector<std::string>{"0.5: c", "0.2: a", "1.0: b"});
}

TEST_CASE("a line goes on until its newline, and threads do not mix", "[exec]") {
  Shown shown;
  shown.print(0, 0, "one ");
  shown.print(0, 1, "two\nthree");
  shown.print(0, 0, "more\n\nlast");
  CHECK(shown.lines == std::vector<std::string>{"0.1: two", "0.0: one more", "0.0: "});
  shown.log.end_block(0);
  CHECK(shown.lines.back() == "0.1: three");
  CHECK(shown.lines[3] == "0.0: last");
}

TEST_CASE("the next launch begins with its first thread block again", "[exec]") {
  Shown shown;
  shown.print(2, 0, "x");
  shown.log.end_launch();
  CHECK(shown.lines == std::vector<std::string>{"2.0: x"});
  shown.print(0, 0, "y\n");
  CHECK(shown.lines.back() == "0.0: y");
}

TEST_CASE("after the limit lines are counted, and long lines are broken", "[exec]") {
  Shown shown;
  for (unsigned i = 0; i < PrintLog::most_lines + 7; ++i) shown.print(0, i % 32, "line\n");
  CHECK(shown.lines.size() == PrintLog::most_lines);
  shown.log.end_launch();
  shown.log.end();
  REQUIRE(shown.lines.size() == PrintLog::most_lines + 1);
  CHECK(shown.lines.back() == "... and 7 more lines: printf shows the first 10000 of a task");

  Shown broken;
  broken.print(0, 0, std::string(10'000, 'x') + "\n");
  REQUIRE(broken.lines.size() == 3);
  std::size_t count = 0;
  for (const std::string& line : broken.lines) {
    CHECK(line.size() <= PrintLog::longest_line);
    count += line.size() - 5;
  }
  CHECK(count == 10'000);
}

}  // namespace lockstep::print_log_test
