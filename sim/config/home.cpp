// Where the committed configurations and workloads are, and how a name finds its file there.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "isa/did_you_mean.hpp"
#include "sim/config/value.hpp"

namespace lockstep::config {

namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "configs", ignored) && fs::is_directory(folder / "traces", ignored);
}

/// The first folder from `start` upwards that is a home, or an empty path.
fs::path find_upwards(fs::path start) {
  while (!start.empty()) {
    if (is_home(start)) return start;
    if (start == start.parent_path()) break;
    start = start.parent_path();
  }
  return {};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void add_file(const fs::path& path, std::map<std::string, std::string>& files) {
  if (path.extension() != ".yaml") return;
  const auto [found, is_new] = files.emplace(path.stem().string(), path.string());
  if (is_new) return;
  throw InputError(fmt::format("two files are named '{}': {} and {}", found->first, found->second, path.string()));
}

/// Paths by name.
std::map<std::string, std::string> named_files(const NamedFolder& folder) {
  std::map<std::string, std::string> files;
  const fs::path base = fs::path(home_directory()) / folder.path;
  std::error_code failed;
  if (folder.with_subfolders) {
    std::vector<fs::path> paths;  // Sorted, so that the message of two files is always the same.
    for (const auto& entry : fs::recursive_directory_iterator(base, failed)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    for (const fs::path& path : paths) add_file(path, files);
  } else {
    for (const auto& entry : fs::directory_iterator(base, failed)) add_file(entry.path(), files);
  }
  return files;
}

}  // namespace

std::string home_directory() {
  if (const char* named = std::getenv("LOCKSTEP_HOME"); named != nullptr && *named != '\0') {
    if (is_home(named)) return named;
    throw ResourceError(fmt::format("LOCKSTEP_HOME is '{}', which holds no folders configs and traces", named));
  }
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    if (const fs::path home = find_upwards(program.parent_path()); !home.empty()) return home.string();
  }
  const fs::path working = fs::current_path(failed);
  if (!failed) {
    if (const fs::path home = find_upwards(working); !home.empty()) return home.string();
  }
  throw ResourceError(
      "cannot find the folders configs and traces, neither above the program nor above the working directory; name "
      "the folder that holds them in the environment variable LOCKSTEP_HOME");
}

std::vector<std::string> list_named_files(const NamedFolder& folder) {
  std::vector<std::string> names;
  for (const auto& [name, path] : named_files(folder)) names.push_back(name);
  return names;
}

std::string find_named_file(const NamedFolder& folder, const std::string& name) {
  return find_named_file(std::vector<NamedFolder>{folder}, name);
}

std::string find_named_file(const std::vector<NamedFolder>& folders, const std::string& name) {
  std::error_code failed;
  const fs::file_status status = fs::status(name, failed);
  if (fs::exists(status) && !fs::is_directory(status)) return name;
  std::string wanted = lower_case(name);
  if (wanted.ends_with(".yaml")) wanted.resize(wanted.size() - 5);
  std::vector<std::string> all, paths;
  for (const NamedFolder& folder : folders) {
    const std::map<std::string, std::string> files = named_files(folder);
    if (const auto exact = files.find(name); exact != files.end()) return exact->second;
    for (const auto& [candidate, path] : files) {
      if (lower_case(candidate) == wanted) return path;
      all.push_back(candidate);
    }
    paths.emplace_back(folder.path);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const bool lacks_suffix = fs::exists(fs::status(name + ".yaml", failed));
  const std::string hint = lacks_suffix ? did_you_mean_name(name + ".yaml") : did_you_mean(wanted, all);
  constexpr std::size_t most_shown = 40;
  const std::string there = all.empty() ? "there is: nothing"
                            : all.size() > most_shown
                                ? fmt::format("there are {}, which `lockstep list` shows", all.size())
                                : fmt::format("there is: {}", fmt::join(all, ", "));
  throw InputError(
      fmt::format("'{}' is neither a file nor a name in {}{} ({})", name, fmt::join(paths, " or "), hint, there));
}

}  // namespace lockstep::config
