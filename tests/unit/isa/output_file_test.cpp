// Files that programs write: what is replaced, and what is not.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "isa/error.hpp"
#include "isa/output_file.hpp"
#include "tests/temporary_folder.hpp"

using namespace lockstep;
namespace fs = std::filesystem;

TEST_CASE("A file is written whole, and takes the place of an older one") {
  const test::TemporaryFolder folder;
  write_whole_file(folder / "a", "one");
  CHECK(test::contents(folder / "a") == "one");
  write_whole_file(folder / "a", "");
  CHECK(test::contents(folder / "a").empty());
  CHECK(folder.files() == 1);
}

TEST_CASE("A file to write has a name") {
  CHECK_THROWS_AS(write_whole_file("", "text"), InputError);
}

TEST_CASE("A file that is not kept leaves nothing, and an older one as it was") {
  const test::TemporaryFolder folder;
  write_whole_file(folder / "a", "old");
  {
    const UnfinishedFile unfinished(folder / "a");
    std::ofstream(unfinished.name()) << "new";
    CHECK(test::contents(folder / "a") == "old");
  }
  CHECK(test::contents(folder / "a") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("A symbolic link stays, and what it names is written, also where nothing is there yet") {
  const test::TemporaryFolder folder;
  write_whole_file(folder / "there", "old");
  fs::create_symlink("there", folder / "link");
  fs::create_symlink("new", folder / "dangling");
  write_whole_file(folder / "link", "text");
  write_whole_file(folder / "dangling", "other");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(test::contents(folder / "there") == "text");
  CHECK(test::contents(folder / "new") == "other");
}

TEST_CASE("A FIFO is written and stays one") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "fifo";
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  write_whole_file(path, "through");
  char got[16] = {};
  CHECK(read(reader, got, sizeof got) == 7);
  CHECK(std::string(got) == "through");
  close(reader);
  CHECK(fs::is_fifo(path));
  CHECK(folder.files() == 1);
}

TEST_CASE("A pipe is written by its name among the open files") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  write_whole_file("/dev/fd/" + std::to_string(ends[1]), "text");
  close(ends[1]);
  char read_back[8] = {};
  CHECK(read(ends[0], read_back, sizeof read_back) == 4);
  CHECK(std::string(read_back) == "text");
  close(ends[0]);
}

TEST_CASE("A folder is no place for a file, and neither is one that does not exist") {
  const test::TemporaryFolder folder;
  fs::create_directory(folder / "sub");
  CHECK_THROWS_AS(write_whole_file(folder / "sub", "x"), ResourceError);
  CHECK_THROWS_AS(write_whole_file(folder / "missing/a", "x"), ResourceError);
  CHECK(folder.files() == 1);
}
