// The committed GPU files: every value says where it comes from, and the README's table says what the files say.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "sim/config/provenance.hpp"
#include "sim/workload/workload.hpp"
#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::gpu_files_test {

namespace fs = std::filesystem;
using Kind = config::Provenance::Kind;

namespace {

const fs::path folder = fs::path(source_dir()) / "configs/gpus";

std::vector<fs::path> yaml_files(const fs::path& in) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(in)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// GPUs and the common parts of generations.
std::vector<fs::path> all_files() {
  std::vector<fs::path> files = yaml_files(folder);
  const std::vector<fs::path> generations = yaml_files(folder / "generations");
  REQUIRE(!files.empty());
  REQUIRE(!generations.empty());
  files.insert(files.end(), generations.begin(), generations.end());
  return files;
}

/// Calls f(path, value) for every value of a tree, with what its file says beside it or for its section.
template <class F>
void each_value(const config::Value& map, const std::string& prefix, const F& f) {
  for (const auto& [key, value] : map.entries) {
    const std::string path = prefix + key.text;
    config::gpu_sections().contains(path) ? each_value(value, path + ".", f) : f(path, value);
  }
}

/// The values that do not say where they come from; a GPU's name needs no source.
std::vector<std::string> unstated(const config::Value& tree) {
  std::vector<std::string> paths;
  each_value(tree, "", [&](const std::string& path, const config::Value& value) {
    if (path != "name" && config::split_provenance(value).second.kind == Kind::unstated) paths.push_back(path);
  });
  return paths;
}

/// The texts of all calibrated values of a file and of what it extends.
std::set<std::string> calibrations(const fs::path& file) {
  std::set<std::string> texts;
  each_value(config::load_gpu_tree(file.string()), "", [&](const std::string&, const config::Value& value) {
    const config::Provenance provenance = config::split_provenance(value).second;
    if (provenance.kind == Kind::calibrated) texts.insert(provenance.text);
  });
  return texts;
}

/// A row of the README's table.
std::string table_row(const std::string& name, const gpu::GpuSpec& spec) {
  const dram::Spec& dram = spec.memory.dram;
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} | {} | {:.1f} |", name, spec.name,
                     spec.target.instruction_set, spec.sms, spec.clock_mhz, spec.sm.occupancy.warps,
                     spec.sm.occupancy.scratchpad_bytes / 1024, spec.memory.l2.cache.bytes / 1024,
                     dram.channels * dram.bytes_per_dram_cycle * dram.clock_mhz / 1000);
}

}  // namespace

TEST_CASE("Every value of a GPU file says where it comes from") {
  for (const fs::path& file : all_files()) {
    CAPTURE(file.string());
    CHECK(unstated(config::load_gpu_tree(file.string())) == std::vector<std::string>());
  }
}

TEST_CASE("A value that does not say where it comes from is found") {
  config::Value tree = config::parse_yaml(
      "name: x\nsms: 3\nsm:\n  policy: [random, assumed: why]\n  integer: {latency: 2, published: \"[C]\"}\n"
      "  shift: {latency: 2}\n",
      "x");
  config::distribute_provenance(tree);
  CHECK(unstated(tree) == std::vector<std::string>{"sms", "sm.shift.latency"});
}

TEST_CASE("Every calibrated value of a GPU file names its measurement") {
  // A source in brackets or by its name, the value that names it, or the comment above.
  const std::regex names(R"(\[[A-Z][0-9]?\]|gpumembench|GPUWattch|see )");
  std::size_t calibrated = 0;
  for (const fs::path& file : all_files()) {
    CAPTURE(file.string());
    for (const std::string& text : calibrations(file)) {
      ++calibrated;
      INFO(text);
      CHECK(std::regex_search(text, names));
    }
  }
  CHECK(calibrated > 0);
}

TEST_CASE("A value that this project's own measurements give names a microbenchmark, never another workload") {
  const std::vector<std::string> workloads = config::list_named_files(workload::workload_folder);
  const std::regex named(R"(\[M\] (micro-[a-z0-9-]+))");
  std::size_t measured = 0;
  for (const std::string& text : calibrations(folder / "h200.yaml")) {
    INFO(text);
    std::smatch match;
    if (!std::regex_search(text, match, named)) {
      CHECK(text.starts_with("see "));
      continue;
    }
    ++measured;
    CHECK(std::find(workloads.begin(), workloads.end(), match[1].str()) != workloads.end());
  }
  CHECK(measured > 20);
}

TEST_CASE("The rows of the table in configs/gpus/README.md are those of the GPU files, no more and no fewer") {
  std::vector<std::string> rows, from_files;
  std::istringstream readme(test::contents(folder / "README.md"));
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("| `")) rows.push_back(line);
  for (const fs::path& file : yaml_files(folder))
    from_files.push_back(table_row(file.stem().string(), config::load_gpu(file.string())));
  std::sort(rows.begin(), rows.end());
  std::sort(from_files.begin(), from_files.end());
  CHECK(rows == from_files);
}

TEST_CASE("Every machine instruction set is that of a GPU") {
  std::set<std::string> used;
  for (const fs::path& file : yaml_files(folder)) used.insert(config::load_gpu(file.string()).target.instruction_set);
  const std::vector<std::string> sets = machine::instruction_sets();
  CHECK(used == std::set<std::string>(sets.begin(), sets.end()));
  CHECK(used.size() == sets.size());
}

TEST_CASE("Common parts of GPU files are not GPUs") {
  for (const fs::path& file : yaml_files(folder / "generations")) {
    CAPTURE(file.string());
    CHECK_THROWS_AS(config::load_gpu(file.stem().string()), InputError);
  }
}

TEST_CASE("The peak bandwidth of every GPU is that of its data sheet") {
  const std::map<std::string, double> gb_per_s = {
      {"8800gt", 57.6},  {"8800gts512", 62.1}, {"8800gtx", 86.4}, {"gtx280", 141.7},      {"c2070", 144.0},
      {"gtx460", 115.2}, {"gtx470", 133.9},    {"gtx480", 177.4}, {"gtx480-rgpu", 177.4}, {"gtx560ti", 128.3},
      {"gtx580", 192.4}, {"k20", 208.0},       {"k80", 240.0},    {"gtxtitan", 288.4},    {"gtx750ti", 86.4},
      {"m60", 160.0},    {"p100", 732.0},      {"v100", 897.0},   {"t4", 320.0},          {"h100", 3350.0},
      {"h200", 4800.0},  {"gtx780", 288.4},    {"gtx980", 224.0}, {"p4", 192.3},          {"titanv", 652.8}};
  std::vector<fs::path> expected_files;
  for (const auto& [name, expected] : gb_per_s) {
    CAPTURE(name);
    expected_files.push_back(folder / (name + ".yaml"));
    const dram::Spec dram = config::load_gpu(name).memory.dram;
    CHECK(dram.channels * dram.bytes_per_dram_cycle * dram.clock_mhz / 1000 == Approx(expected).epsilon(1e-3));
  }
  std::sort(expected_files.begin(), expected_files.end());
  CHECK(expected_files == yaml_files(folder));
}

}  // namespace lockstep::gpu_files_test
