// The pages of the repository name what exists.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path root = lockstep::source_dir();

/// Every page of the repository, by its path from the root.
std::vector<fs::path> pages() {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().extension() == ".md") all.push_back(entry.path());
    if (!entry.is_directory() || entry.path().filename().string().starts_with('.')) continue;
    if (entry.path().filename() == "build" || entry.path().filename() == "results") continue;
    for (const auto& below : fs::recursive_directory_iterator(entry))
      if (below.path().extension() == ".md") all.push_back(below.path());
  }
  return all;
}

/// The first group of every match.
std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> all;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at)
    all.push_back((*at)[1]);
  return all;
}

/// Whether the file or folder exists; a '*' in the file's name stands for any characters.
bool exists(const std::string& path) {
  const fs::path whole = root / path;
  const std::string name = whole.filename().string();
  const std::size_t star = name.find('*');
  if (star == std::string::npos) return fs::exists(whole);
  const std::string front = name.substr(0, star), back = name.substr(star + 1);
  if (!fs::is_directory(whole.parent_path())) return false;
  return std::any_of(fs::directory_iterator(whole.parent_path()), fs::directory_iterator(), [&](const auto& entry) {
    const std::string found = entry.path().filename().string();
    return found.size() >= front.size() + back.size() && found.starts_with(front) && found.ends_with(back);
  });
}

}  // namespace

TEST_CASE("Every link between pages leads to a file or folder") {
  const std::vector<fs::path> all = pages();
  REQUIRE(all.size() > 40);
  for (const fs::path& page : all) {
    for (const std::string& target : matches(lockstep::test::contents(page), std::regex(R"(\]\(([^)#:, ]+)[)#])"))) {
      INFO(page.lexically_relative(root).string() << " links to " << target);
      CHECK(fs::exists(page.parent_path() / target));
    }
  }
}

TEST_CASE("Every path that CONTRIBUTING.md names exists") {
  const std::regex path("`((?:isa|models|sim|tools|configs|traces|tests)/[a-z0-9_/.*-]*)`");
  const std::vector<std::string> paths = matches(lockstep::test::contents(root / "CONTRIBUTING.md"), path);
  REQUIRE(paths.size() > 30);
  for (const std::string& one : paths) {
    INFO(one);
    CHECK(exists(one));
  }
}

TEST_CASE("The page of a folder of kernels, references or experiments names every file of it") {
  std::vector<fs::path> folders = {"traces/kernels", "traces/references", "configs/experiments"};
  for (const char* tree : {"traces/kernels", "traces/references", "configs/experiments"}) {
    for (const auto& entry : fs::directory_iterator(root / tree))
      if (entry.is_directory()) folders.push_back(fs::relative(entry, root));
  }
  for (const fs::path& folder : folders) {
    const std::string page = lockstep::test::contents(root / folder / "README.md");
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      const std::string kind = entry.path().extension().string(), name = entry.path().stem().string();
      if (kind != ".cu" && kind != ".cuh" && kind != ".yaml") continue;
      ++files;
      INFO(fs::relative(entry, root).string());
      CHECK((page.find("`" + name + "`") != std::string::npos ||
             page.find("`" + name + kind + "`") != std::string::npos));
    }
    INFO(folder.string());
    CHECK(files > 0);
  }
}
