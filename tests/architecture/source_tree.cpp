#include "tests/architecture/source_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>

#include "tests/places.hpp"

namespace lockstep::architecture {

namespace fs = std::filesystem;

namespace {

const fs::path root = source_dir();

bool is_source(const fs::path& path) {
  return path.extension() == ".hpp" || path.extension() == ".cpp";
}

std::string in_repository(const fs::path& path) {
  return path.lexically_relative(root).generic_string();
}

std::string place(const Include& include) {
  return include.file + ":" + std::to_string(include.line) + " includes " + include.target;
}

/// The number of the layer; layers.size() of a file in none.
std::size_t layer_of(const std::string& file) {
  const std::string first = file.substr(0, file.find('/'));
  return static_cast<std::size_t>(std::find(layers.begin(), layers.end(), first) - layers.begin());
}

/// The folders in which both files stand, with their common parent, when they differ there.
struct Step {
  std::string parent, from, to;
};
std::vector<std::string> folders_of(const std::string& file) {
  std::vector<std::string> folders;
  for (const fs::path& part : fs::path(file).parent_path()) folders.push_back(part.string());
  return folders;
}
bool step_of(const Include& include, Step& step) {
  const std::vector<std::string> from = folders_of(include.file), to = folders_of(include.target);
  for (std::size_t depth = 0; depth < std::min(from.size(), to.size()); ++depth) {
    if (from[depth] != to[depth]) {
      step.from = step.parent + from[depth];
      step.to = step.parent + to[depth];
      return true;
    }
    step.parent += from[depth] + "/";
  }
  return false;
}

/// Folders that stand side by side; per folder those that it includes, each with the first include.
using Dependences = std::map<std::string, std::map<std::string, Include>>;

/// A cycle, as its folders in order; empty when there is none.
std::vector<std::string> cycle_in(const Dependences& dependences) {
  std::vector<std::string> path;
  std::set<std::string> finished;
  const std::function<bool(const std::string&)> visit = [&](const std::string& folder) {
    if (finished.contains(folder)) return false;
    const auto earlier = std::find(path.begin(), path.end(), folder);
    if (earlier != path.end()) {
      path.erase(path.begin(), earlier);
      return true;
    }
    path.push_back(folder);
    const auto found = dependences.find(folder);
    if (found != dependences.end()) {
      for (const auto& [to, include] : found->second)
        if (visit(to)) return true;
    }
    path.pop_back();
    finished.insert(folder);
    return false;
  };
  for (const auto& [folder, others] : dependences)
    if (visit(folder)) return path;
  return {};
}

}  // namespace

std::vector<Include> includes_below(const std::vector<std::string>& folders) {
  static const std::regex form("^#include \"([^\"]+)\".*");
  std::vector<Include> includes;
  for (const std::string& folder : folders) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.is_regular_file() && is_source(entry.path())) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
      std::ifstream in(file);
      std::size_t number = 0;
      std::smatch found;
      for (std::string line; std::getline(in, line);) {
        ++number;
        if (line.starts_with("#include") && std::regex_match(line, found, form) && fs::exists(root / found[1].str()))
          includes.push_back({in_repository(file), number, found[1]});
      }
    }
  }
  return includes;
}

std::vector<std::string> upward_includes(const std::vector<Include>& includes) {
  std::vector<std::string> upward;
  for (const Include& include : includes)
    if (layer_of(include.target) > layer_of(include.file)) upward.push_back(place(include));
  return upward;
}

std::vector<std::string> folder_cycles(const std::vector<Include>& includes) {
  std::map<std::string, Dependences> by_parent;
  for (const Include& include : includes) {
    Step step;
    if (step_of(include, step)) by_parent[step.parent][step.from].try_emplace(step.to, include);
  }
  std::vector<std::string> cycles;
  for (auto& [parent, dependences] : by_parent) {
    for (std::vector<std::string> cycle = cycle_in(dependences); !cycle.empty(); cycle = cycle_in(dependences)) {
      std::string text = "folders include each other in a cycle:";
      for (std::size_t i = 0; i < cycle.size(); ++i) {
        const std::string& next = cycle[(i + 1) % cycle.size()];
        const auto step = dependences[cycle[i]].find(next);
        text += "\n  " + cycle[i] + " -> " + next + ": " + place(step->second);
      }
      cycles.push_back(text);
      dependences[cycle.back()].erase(cycle.front());  // And on to the next cycle.
    }
  }
  return cycles;
}

std::map<std::string, std::size_t> files_per_folder() {
  std::map<std::string, std::size_t> files;
  for (const char* folder : {"isa", "models", "sim", "tools", "configs", "traces", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      if (entry.is_regular_file() && extension != ".tmp" && extension != ".pyc")
        ++files[in_repository(entry.path().parent_path())];
    }
  }
  return files;
}

}  // namespace lockstep::architecture
