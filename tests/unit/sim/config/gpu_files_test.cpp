// The committed GPU files: every number says where it comes from, and the README's table says what the files say.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "sim/config/parameter.hpp"

using namespace lockstep;
namespace fs = std::filesystem;

namespace {

const fs::path folder = fs::path(LOCKSTEP_SOURCE_DIR) / "configs/gpus";

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

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A file's lines, without what it extends.
std::vector<std::string> own_lines(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(contents(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line.starts_with("extends:") ? "" : line);
  return lines;
}

/// Appends the places of numbers and choices that have no comment on their line or on the line of their section.
void find_bare(const config::Value& value, const std::vector<std::string>& lines, bool section_has_comment,
               const std::string& path, std::vector<std::string>& bare) {
  for (const auto& [key, entry] : value.entries) {
    const std::string& line = lines.at(static_cast<std::size_t>(key.where.line - 1));
    const bool has_comment = line.find(" # ") != std::string::npos;
    const std::string inner = path.empty() ? key.text : path + "." + key.text;
    if (entry.kind == config::Value::Kind::map) {
      find_bare(entry, lines, has_comment, inner, bare);
    } else if (inner != "name" && !has_comment && !section_has_comment) {
      bare.push_back(fmt::format("{}:{} {}", key.where.file, key.where.line, inner));
    }
  }
}

std::vector<std::string> bare_numbers(const std::vector<std::string>& lines, const std::string& file) {
  std::vector<std::string> bare;
  find_bare(config::parse_yaml(fmt::format("{}\n", fmt::join(lines, "\n")), file), lines, false, "", bare);
  return bare;
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

TEST_CASE("Every number of a GPU file has a comment on its line or on that of its section") {
  for (const fs::path& file : all_files()) {
    CAPTURE(file.string());
    CHECK(bare_numbers(own_lines(file), file.string()) == std::vector<std::string>());
  }
}

TEST_CASE("A number without a comment is found") {
  CHECK(bare_numbers({"sms: 3", "sm:", "  policy: random # why"}, "x") == std::vector<std::string>{"x:1 sms"});
  CHECK(bare_numbers({"sm: # why", "  schedulers: 2", "  integer:", "    latency: 2"}, "x") ==
        std::vector<std::string>{"x:4 sm.integer.latency"});
}

TEST_CASE("Every calibrated number of a GPU file names its measurement") {
  // A source in brackets or by its name, or the comment that names it.
  const std::regex names(R"(\[[A-Z][0-9]?\]|gpumembench|, see |: see |above)");
  std::size_t calibrated = 0;
  for (const fs::path& file : all_files()) {
    for (const std::string& line : own_lines(file)) {
      const std::size_t comment = line.find(" # ");
      if (comment == std::string::npos || line.find("calibrated", comment) == std::string::npos) continue;
      ++calibrated;
      INFO(file.filename().string() << ": " << line);
      CHECK(std::regex_search(line.substr(line.find("calibrated", comment)), names));
    }
  }
  CHECK(calibrated > 0);
}

TEST_CASE("The rows of the table in configs/gpus/README.md are those of the GPU files, no more and no fewer") {
  std::vector<std::string> rows, from_files;
  std::istringstream readme(contents(folder / "README.md"));
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
      {"8800gt", 57.6},       {"8800gts512", 62.1}, {"gtx280", 141.7}, {"gtx470", 133.9}, {"gtx480", 177.4},
      {"gtx480-rgpu", 177.4}, {"gtx560ti", 128.3},  {"gtx580", 192.4}, {"k20", 208.0},    {"k80", 240.0},
      {"gtxtitan", 288.4},    {"gtx750ti", 86.4},   {"m60", 160.0},    {"p100", 732.0},   {"v100", 897.0},
      {"t4", 320.0},          {"h200", 4800.0}};
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
