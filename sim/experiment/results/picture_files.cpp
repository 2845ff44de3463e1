#include "sim/experiment/results/picture_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <filesystem>
#include <set>

#include "sim/experiment/running/digest.hpp"

namespace lockstep::experiment {

namespace {

/// The arguments that decide what a workload computes. Those that every workload has change no result.
std::map<std::string, std::string> own_arguments(const Task& task, const workload::Workload& workload) {
  std::map<std::string, std::string> own(task.arguments.begin(), task.arguments.end());
  for (const auto& [name, value] : task.arguments) own[name] = value;  // Of several values of one, the last counts.
  for (const workload::ArgumentInfo& known : workload.arguments())
    if (known.built_in) own.erase(known.name);
  return own;
}

std::string key_of(const Task& task, const workload::Workload& workload) {
  std::string key = task.workload;
  for (const auto& [name, value] : own_arguments(task, workload)) key += fmt::format("\n{}={}", name, value);
  return key;
}

}  // namespace

PictureFiles::PictureFiles(std::string folder, const std::vector<Point>& points, Executions& executions)
    : folder_(std::move(folder)) {
  struct Of {
    const workload::Workload* workload = nullptr;
    std::vector<Task> tasks;
    std::map<std::string, std::set<std::string>> values;  ///< By argument; "" where a task has none.
  };
  std::map<std::string, Of> workloads;
  for (const Point& point : points) {
    if (point.workload.empty()) continue;
    Of& own = workloads[point.workload];
    own.workload = &executions.workload(point.workload);
    if (!own.workload->picture_names().empty()) own.tasks.push_back(executions.task(point, point.arguments));
  }
  several_workloads_ = workloads.size() > 1;
  for (auto& [path, own] : workloads) {
    std::set<std::string> names;
    for (const Task& task : own.tasks)
      for (const auto& [name, value] : own_arguments(task, *own.workload)) names.insert(name);
    for (const Task& task : own.tasks) {
      std::map<std::string, std::string> arguments = own_arguments(task, *own.workload);
      for (const std::string& name : names) own.values[name].insert(arguments[name]);
    }
    for (const Task& task : own.tasks) {
      std::string& label = labels_[key_of(task, *own.workload)];
      label.clear();
      for (const auto& [name, value] : own_arguments(task, *own.workload))
        if (own.values[name].size() > 1) label += fmt::format(" {}={}", name, value);
    }
  }
  for (const Point& point : points) {
    if (point.workload.empty() || workloads[point.workload].tasks.empty()) continue;
    const workload::Workload& workload = *workloads[point.workload].workload;
    for (const std::string& picture : workload.picture_names()) {
      std::string path = file(executions.task(point, point.arguments), workload, picture);
      if (std::find(all_.begin(), all_.end(), path) == all_.end()) all_.push_back(std::move(path));
    }
  }
}

std::vector<std::string> PictureFiles::existing() const {
  std::vector<std::string> there;
  for (const std::string& path : all_) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) there.push_back(path);
  }
  return there;
}

bool PictureFiles::has(const Task& task, const workload::Workload& workload) const {
  return labels_.contains(key_of(task, workload));
}

std::string PictureFiles::file(const Task& task, const workload::Workload& workload, const std::string& picture) const {
  std::string name = picture + labels_.at(key_of(task, workload));
  if (several_workloads_) name = workload.name() + " " + name;
  boost::replace_all(name, "%", "%25");
  boost::replace_all(name, "/", "%2F");
  constexpr std::size_t longest = 200, of_digest = 41;  // Of 255 bytes that a file's name may have.
  if (name.size() > longest) {
    const std::string digest = Digest().add(name).hex();
    name = name.substr(0, longest - of_digest) + " " + digest;
  }
  return (std::filesystem::path(folder_) / "pictures" / (name + ".png")).string();
}

}  // namespace lockstep::experiment
