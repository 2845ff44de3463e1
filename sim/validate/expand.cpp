#include "sim/validate/expand.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::validate {

namespace {

/// Settings as they make one run. Equal texts are equal runs.
struct Described {
  std::string gpu, workload;
  experiment::DividedSettings parts;
  SourceLocation where;

  std::string gpu_text() const {
    std::string text = fmt::format("gpu={}\n", gpu);
    for (const config::Override& given : parts.gpu) text += fmt::format("{}={}\n", given.path, given.value.text);
    return text;
  }
  std::string text() const {
    std::string text = fmt::format("{}workload={}\n", gpu_text(), workload);
    for (const auto& [name, value] : parts.arguments) text += fmt::format("args.{}={}\n", name, value);
    for (const auto& [name, value] : parts.probe) text += fmt::format("probe.{}={}\n", name, value.text);
    for (const auto& [name, value] : parts.occupancy) text += fmt::format("occupancy.{}={}\n", name, value.text);
    return text;
  }
};

/// InputError when the settings describe no run.
Described described(Settings settings, const SourceLocation& where) {
  std::sort(settings.begin(), settings.end(), [](const Setting& a, const Setting& b) { return a.path < b.path; });
  Described run;
  run.where = where;
  const auto take = [&](std::string_view path, std::string& name) {
    const auto found =
        std::find_if(settings.begin(), settings.end(), [&](const Setting& one) { return one.path == path; });
    if (found == settings.end()) return;
    name = found->value.as_string();
    settings.erase(found);
  };
  take("gpu", run.gpu);
  take("workload", run.workload);
  run.parts = experiment::divided(settings);
  if (run.gpu.empty()) throw InputError(where, "no GPU is named");
  if (int{!run.workload.empty()} + int{!run.parts.probe.empty()} + int{!run.parts.occupancy.empty()} > 1)
    throw InputError(where, "a run is a workload, a probe or an occupancy, only one of these");
  if (run.workload.empty() && !run.parts.arguments.empty())
    throw InputError(where, "there are arguments, but no workload");
  return run;
}

class Expander {
 public:
  Expander(const std::vector<config::Override>& overrides, const std::vector<std::string>& gpus)
      : overrides_(overrides), gpus_(gpus) {}

  void add(std::size_t suite, const Table& table, const Cell& cell) {
    SuitePoint point;
    point.suite = suite;
    point.table = &table;
    point.cell = &cell;
    std::vector<Described> runs;
    try {
      for (const Settings& over : table.over) {
        for (const auto& [name, own] : table.runs) {
          Settings all;
          for (const Settings* part : {&table.settings, &cell.settings, &over, &own, &overrides_})
            for (const Setting& one : *part) experiment::set(all, one);
          runs.push_back(described(std::move(all), cell.where));
          point.gpu = runs.back().gpu;
        }
      }
    } catch (const InputError& error) {
      point.problem = error.what();
      runs.clear();
    }
    const auto chosen = [&](const Described& run) {
      return std::find(gpus_.begin(), gpus_.end(), run.gpu) != gpus_.end();
    };
    if (!gpus_.empty() && std::none_of(runs.begin(), runs.end(), chosen)) return;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (i % table.runs.size() == 0) point.runs.emplace_back();
      point.runs.back().push_back(index_of(runs[i]));
    }
    expansion_.points.push_back(std::move(point));
  }

  Expansion take() { return std::move(expansion_); }

 private:
  /// A GPU, or why it cannot be read.
  struct ReadGpu {
    gpu::GpuSpec spec;
    std::string problem;
  };

  std::size_t index_of(const Described& described) {
    const auto [place, is_new] = index_by_text_.emplace(described.text(), expansion_.runs.size());
    if (!is_new) return place->second;
    const ReadGpu& gpu = gpu_of(described);
    SuiteRun run;
    run.problem = gpu.problem;
    run.run.gpu = gpu.spec;
    run.run.workload = described.workload;
    run.run.arguments = described.parts.arguments;
    run.run.probe = described.parts.probe;
    run.run.occupancy = described.parts.occupancy;
    run.run.where = described.where;
    expansion_.runs.push_back(std::move(run));
    return place->second;
  }

  const ReadGpu& gpu_of(const Described& described) {
    const auto [place, is_new] = gpus_by_text_.try_emplace(described.gpu_text());
    if (!is_new) return place->second;
    try {
      place->second.spec = config::load_gpu(described.gpu, described.parts.gpu);
    } catch (const InputError& error) {
      place->second.problem = error.what();
    }
    return place->second;
  }

  const std::vector<config::Override>& overrides_;
  const std::vector<std::string>& gpus_;
  Expansion expansion_;
  std::map<std::string, std::size_t> index_by_text_;
  std::map<std::string, ReadGpu> gpus_by_text_;
};

}  // namespace

Expansion expand(const std::vector<Suite>& suites, const std::vector<config::Override>& overrides,
                 const std::vector<std::string>& gpus) {
  Expander expander(overrides, gpus);
  for (std::size_t s = 0; s < suites.size(); ++s)
    for (const Table& table : suites[s].tables)
      for (const Cell& cell : table.cells) expander.add(s, table, cell);
  return expander.take();
}

}  // namespace lockstep::validate
