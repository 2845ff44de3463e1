// Damaged traces of Accel-Sim are refused with file, line, and what was expected there.

#include <catch2/catch.hpp>

#include "isa/error.hpp"
#include "tests/unit/isa/accelsim/import.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

/// The message for a file.
std::string refusal(const std::string& text) {
  try {
    Imported one(text);
  } catch (const InputError& error) {
    return fmt::format("{}: {}", error.where().line, error.text());
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_CASE("Each damage to a kernel's file is named with its line and what was expected") {
  using Catch::Contains;
  const std::string good =
      one_warp({"0000 0000000f 1 R2 LDG.E 1 R4 4 2 0x1000 4 4 4", "0010 ffffffff 0 EXIT 0 0 0"}).text();
  REQUIRE(refusal(good) == "accepted");
  // 11 lines of -key, 2 more, an empty one, the format and an empty one: the thread block begins in line 17.
  struct Damage {
    const char *what, *by, *line, *message;
  };
  const Damage damages[] = {
      {"-grid dim = (1,1,1)", "-grid dim = (1,1)", "3: ", "(x,y,z)"},
      {"-grid dim = (1,1,1)", "-grid dim = (0,1,1)", "3: ", "1 to 2^48"},
      {"-block dim = (32,1,1)", "-block dim = (1025,1,1)", "4: ", "1024 threads"},
      {"-nregs = 16", "-nregs = x", "6: ", "-nregs must be a number"},
      {"-kernel name = kernel", "kernel name = kernel", "1: ", "-KEY = VALUE"},
      {"-kernel name = kernel", "", "15: ", "no '-kernel name"},
      {"tracer version = 4", "tracer version = 9", "12: ", "versions up to 5"},
      {"#BEGIN_TB", "#BEGIN", "17: ", "expected #BEGIN_TB"},
      {"thread block = 0,0,0", "thread block = 1,0,0", "19: ", "not in the grid of 1 x 1 x 1"},
      {"thread block = 0,0,0", "threadblock = 0,0,0", "19: ", "'thread block = x,y,z'"},
      {"warp = 0", "warp = 1", "21: ", "expected a warp from 0 to 0"},
      {"insts = 2", "insts = 3", "25: ", "address, up to 8 hexadecimal digits"},
      {"insts = 2", "insts = 1", "24: ", "expected 'warp = NUMBER' or #END_TB"},
      {"insts = 2", "inst = 2", "22: ", "'insts = NUMBER'"},
      {"0000000f 1", "0000000g 1", "23: ", "mask of active lanes"},
      {"1 R2 LDG", "2 R2 LDG", "23: ", "destination register"},
      {"1 R2 LDG", "1 X2 LDG", "23: ", "destination register"},
      {"LDG.E 1", "LDG.E one", "23: ", "number of source registers"},
      {"R4 4 2", "R4 -4 2", "23: ", "bytes that each lane accesses"},
      {"R4 4 2", "R4 4 3", "23: ", "mode of the addresses"},
      {"0x1000 4 4 4", "0x1000 4 4", "23: ", "difference to the next active lane"},
      {"0x1000 4 4 4", "zero 4 4 4", "23: ", "hexadecimal address"},
      {"0000000f 1 R2 LDG.E 1 R4 4 2", "0000000d 1 R2 LDG.E 1 R4 4 1", "23: ", "lanes side by side"},
      {"4 2 0x1000 4 4 4", "0", "23: ", "expected addresses behind LDG.E"},
      {"LDG.E 1 R4 4 2 0x1000", "LDS 1 R4 4 2 0x5000000", "23: ", "neither below 2^24 nor in the window"},
      {"#END_TB", "", "26: ", "the file ends here"},
  };
  for (const Damage& damage : damages) {
    CAPTURE(damage.what, damage.by);
    const std::string message = refusal(replaced(good, damage.what, damage.by));
    CHECK_THAT(message, Catch::StartsWith(damage.line));
    CHECK_THAT(message, Contains(damage.message));
  }
}

TEST_CASE("A thread block that is missing or there twice is named") {
  AccelsimText text;
  text.grid = {3, 2, 1};
  for (const std::uint32_t x : {0u, 1u, 2u}) {
    text.thread_block(x, 0);
    text.warp(0, {"0000 ffffffff 0 EXIT 0 0 0"});
  }
  CHECK(refusal(text.text()) == "0: has 3 of the 6 thread blocks of its grid; 0,1,0 is the first that is missing");
  text.thread_block(1, 0);
  CHECK_THAT(refusal(text.text()), Catch::EndsWith("thread block 1,0,0 is in the file twice"));
}

TEST_CASE("A list says which of its lines are wrong, a folder that it has no list, a compressed file that it is cut") {
  TemporaryFolder folder;
  const auto message = [](const std::string& path) -> std::string {
    try {
      accelsim::AccelsimSource source(path, {});
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK_THAT(message(folder.path()), Catch::Contains("is a folder without kernelslist.g"));
  const std::string list = folder.write("kernelslist.g", "MemcpyHtoD,0x10\nkernel-1.traceg\nrun it\n");
  CHECK_THAT(message(list), Catch::Contains(":1:1: ") && Catch::Contains(":3:1: "));
  folder.write("kernelslist.g", "kernel-1.traceg\n");
  CHECK_THAT(message(list), Catch::Contains("kernel-1.traceg: there is no such file"));
  const std::string cut = folder.write("kernel-1.traceg.xz", std::string("\xfd"
                                                                         "7zXZ\0\0\4",
                                                                         8));
  CHECK_THAT(message(cut), Catch::Contains("ends too early"));
}
