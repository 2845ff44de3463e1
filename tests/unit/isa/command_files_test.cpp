// What a command reads and writes: no output takes the place of an input or of another output.

#include "isa/command_files.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "isa/error.hpp"
#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "isa/trace/posix_file.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::command_files_test {

using Catch::Matchers::Contains;
namespace fs = std::filesystem;

TEST_CASE("What a command has read is not written by it, whatever the file is called") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  const std::string whole = folder.write("a", "one"), traced = folder.write("b", "two");
  read_whole_file(whole, 3);
  trace::PosixFile::open_for_reading(traced);
  fs::create_symlink("a", folder / "link");
  fs::create_hard_link(whole, folder / "other");
  CHECK_THROWS_WITH(write_whole_file(whole, "new"), Contains(whole + ": is an input and an output of this command"));
  CHECK_THROWS_WITH(write_whole_file(folder / "link", "new"),
                    Contains(whole + ": is an input and an output of this command"));
  CHECK_THROWS_WITH(write_whole_file(folder / "other", "new"), Contains("the same file as its input " + whole));
  CHECK_THROWS_WITH(name_output(traced), Contains("is an input and an output of this command"));
  CHECK_THROWS_AS(UnfinishedFile(traced), InputError);
  CHECK(test::contents(whole) == "one");
  CHECK(test::contents(traced) == "two");
  CHECK(folder.files() == 4);
}

TEST_CASE("A file that a command is to write is not read by it before") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  const std::string path = folder.write("a", "one");
  name_output(folder / "./a");
  CHECK_THROWS_WITH(read_whole_file(path, 3),
                    Contains("./a: is an output of this command and the same file as its input " + path));
  CHECK_THROWS_AS(trace::PosixFile::open_for_reading(path), InputError);
  // Nor may it be written now.
  CHECK_THROWS_AS(write_whole_file(path, "new"), InputError);
  CHECK(test::contents(path) == "one");
}

TEST_CASE("An output that is written may be read") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  const std::string path = folder.write("a", "one");
  name_output(path);
  write_whole_file(path, "new");
  CHECK(read_whole_file(path, 3) == "new");
}

TEST_CASE("Two outputs of a command are two files") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  const std::string path = folder / "a";
  name_output(path);
  CHECK_THROWS_WITH(name_output(path), Contains(path + ": is two outputs of this command"));
  CHECK_THROWS_WITH(name_output(folder / "./a"), Contains("the same file as another one, " + path));
  write_whole_file(path, "one");
  CHECK_THROWS_AS(write_whole_file(path, "two"), InputError);
  CHECK(test::contents(path) == "one");
  const UnfinishedFile open(folder / "b");
  CHECK_THROWS_AS(UnfinishedFile(folder / "b"), InputError);
}

TEST_CASE("What was given up is no output any more") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  { const UnfinishedFile given_up(folder / "a"); }
  write_whole_file(folder / "a", "one");
  CHECK(test::contents(folder / "a") == "one");
}

TEST_CASE("What the program keeps up to date may be read and written again") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  const std::string path = folder.write("a", "one");
  read_whole_file(path, 3);
  write_whole_file(path, "two", OutputFile::of_program);
  write_whole_file(path, "three", OutputFile::of_program);
  CHECK(test::contents(path) == "three");
}

TEST_CASE("A device is written as often as wanted, and a folder is no output") {
  const test::TemporaryFolder folder;
  const CommandFiles command;
  for (int i = 0; i < 2; ++i) {
    name_output("/dev/null");
    read_whole_file("/dev/null", 0);
    write_whole_file("/dev/null", "text");
    name_output(folder.path());
    name_output("");
  }
}

TEST_CASE("Another command may write what one has read") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("a", "one");
  {
    const CommandFiles command;
    read_whole_file(path, 3);
    CHECK_THROWS_AS(write_whole_file(path, "two"), InputError);
  }
  write_whole_file(path, "two");
  const CommandFiles command;
  write_whole_file(path, "six");
  CHECK(test::contents(path) == "six");
}

}  // namespace lockstep::command_files_test
