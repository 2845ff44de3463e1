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

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "lockstep-output-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* name) const { return (path_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("A file is written whole, and takes the place of an older one") {
  const Folder folder;
  write_whole_file(folder / "a", "one");
  CHECK(text_of(folder / "a") == "one");
  write_whole_file(folder / "a", "");
  CHECK(text_of(folder / "a").empty());
  CHECK(folder.files() == 1);
}

TEST_CASE("A file that is not kept leaves nothing, and an older one as it was") {
  const Folder folder;
  write_whole_file(folder / "a", "old");
  {
    const UnfinishedFile unfinished(folder / "a");
    std::ofstream(unfinished.name()) << "new";
    CHECK(text_of(folder / "a") == "old");
  }
  CHECK(text_of(folder / "a") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("A symbolic link stays, and what it names is written, also where nothing is there yet") {
  const Folder folder;
  write_whole_file(folder / "there", "old");
  fs::create_symlink("there", folder / "link");
  fs::create_symlink("new", folder / "dangling");
  write_whole_file(folder / "link", "text");
  write_whole_file(folder / "dangling", "other");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(text_of(folder / "there") == "text");
  CHECK(text_of(folder / "new") == "other");
}

TEST_CASE("A FIFO is written and stays one") {
  const Folder folder;
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

TEST_CASE("A folder is no place for a file, and neither is one that does not exist") {
  const Folder folder;
  fs::create_directory(folder / "sub");
  CHECK_THROWS_AS(write_whole_file(folder / "sub", "x"), ResourceError);
  CHECK_THROWS_AS(write_whole_file(folder / "missing/a", "x"), ResourceError);
  CHECK(folder.files() == 1);
}
