#include "isa/input_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "isa/error.hpp"
#include "tests/temporary_folder.hpp"

using namespace lockstep;
using Catch::Matchers::Contains;

TEST_CASE("A file is read to its last byte, and not one more than the limit") {
  const test::TemporaryFolder folder;
  const std::string text("a\0b\n", 4), path = folder.write("t", text);
  CHECK(read_whole_file(path, 4) == text);
  CHECK_THROWS_WITH(read_whole_file(path, 3), path + ": has 4 bytes; at most 3 are read");
  CHECK(read_whole_file(folder.write("empty", ""), 0).empty());
  CHECK(read_whole_file("/dev/null", 0).empty());
  CHECK_THROWS_WITH(read_whole_file("/dev/zero", 100), "/dev/zero: has more than 100 bytes; at most 100 are read");
}

TEST_CASE("What is no file to read is named") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_WITH(read_whole_file(folder / "none", 1), Contains("there is no such file"));
  CHECK_THROWS_WITH(read_whole_file(folder.write("t", "") + "/none", 1), Contains("there is no such file"));
  CHECK_THROWS_WITH(read_whole_file(folder / "", 1), Contains("is a folder, not a file"));
  CHECK_THROWS_AS(read_whole_file(folder / std::string(256, 'n'), 1), InputError);  // Longer than a name,
  CHECK_THROWS_AS(read_whole_file("/" + std::string(5000, '/'), 1), InputError);    // than a path.
  std::filesystem::create_symlink(folder / "b", folder / "a");
  std::filesystem::create_symlink(folder / "a", folder / "b");
  CHECK_THROWS_WITH(read_whole_file(folder / "a", 1), Contains("symbolic links lead to each other"));
}

TEST_CASE("A pipe is read while somebody has it open for writing, and not waited for otherwise") {
  const test::TemporaryFolder folder;
  const std::string fifo = folder / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(read_whole_file(fifo, 100), fifo + ": is a pipe into which nothing was written");
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  // The writer waits for room in the pipe, the reader for bytes in it.
  const std::string text(1 << 20, 'x');
  std::thread writer([&] {
    for (std::size_t at = 0; at < text.size();) at += static_cast<std::size_t>(write(ends[1], text.data() + at, 65536));
    close(ends[1]);
  });
  const std::string read = read_whole_file("/proc/self/fd/" + std::to_string(ends[0]), 1 << 20);
  writer.join();
  close(ends[0]);
  CHECK(read == text);
}
