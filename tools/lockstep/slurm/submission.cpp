#include "tools/lockstep/slurm/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/output_file.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/experiment/shard.hpp"
#include "tools/lockstep/interruption.hpp"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;

std::string this_program() {
  return fs::read_symlink("/proc/self/exe").string();
}

/// What both scripts begin with. Messages of a job go to `log` in the folder that it is submitted from.
std::string script_head(const experiment::SlurmSettings& settings, const std::string& name, const std::string& log) {
  std::string text = "#!/bin/bash\n# Written by `lockstep run --slurm`, which submits it.\n";
  const auto add = [&text](const char* option, const std::string& value) {
    if (!value.empty()) text += fmt::format("#SBATCH --{}={}\n", option, value);
  };
  add("job-name", name);
  add("output", log);
  add("open-mode", "append");
  add("partition", settings.partition);
  add("nodes", "1");
  add("ntasks", "1");
  for (const std::string& option : settings.options) text += fmt::format("#SBATCH {}\n", option);
  return text;
}

/// A job's name: an experiment's may hold anything.
std::string job_name(const std::string& what, std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '_');
  return fmt::format("lockstep-{}{}", what, name);
}

}  // namespace

Submission read_submission(const SubmissionFolder& folder) {
  Submission submission;
  const std::string path = folder.path("submission.yaml");
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return submission;
  const config::Value root = config::load_yaml(path);
  const auto number_at = [&](const config::Value* value) {
    if (value == nullptr || value->as_integer() < 1)
      throw InputError({path, 0, 0}, "is not what `lockstep run --slurm` wrote");
    return static_cast<std::uint64_t>(value->as_integer());
  };
  submission.shards = number_at(root.find("shards"));
  submission.merge = number_at(root.find("merge"));
  if (const config::Value* arrays = root.find("arrays"))
    for (const config::Value& array : arrays->items) submission.arrays.push_back(number_at(&array));
  return submission;
}

void write_submission(const SubmissionFolder& folder, const Submission& submission) {
  write_whole_file(
      folder.path("submission.yaml"),
      fmt::format("# Jobs of Slurm, written by `lockstep run --slurm`.\nshards: {}\narrays: [{}]\nmerge: {}\n",
                  submission.shards, fmt::join(submission.arrays, ", "), submission.merge),
      OutputFile::of_program);
}

std::string shard_script(const SubmissionFolder& folder, const experiment::SlurmSettings& settings,
                         const std::string& name, const std::vector<std::string>& options) {
  std::string text = script_head(settings, job_name("", name), "shard-%a.log");
  if (!settings.time.empty()) text += fmt::format("#SBATCH --time={}\n", settings.time);
  if (!settings.memory.empty()) text += fmt::format("#SBATCH --mem={}\n", settings.memory);
  text += fmt::format("#SBATCH --cpus-per-task={}\n", settings.cpus.value_or(1));
  std::string words;
  for (const std::string& option : options) words += " " + shell_word(option);
  return text + fmt::format(
                    "export LOCKSTEP_HOME={}\n"
                    "exec {} run {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" \\\n"
                    "  -o {}/\"$SLURM_ARRAY_TASK_ID\" -j {}{}\n",
                    shell_word(config::home_directory()), shell_word(this_program()),
                    shell_word(folder.path("experiment.yaml")), folder.shards, shell_word(folder.shard_folders()),
                    settings.cpus.value_or(1), words);
}

std::string merge_script(const SubmissionFolder& folder, const experiment::SlurmSettings& settings,
                         const std::string& name) {
  return script_head(settings, job_name("merge-", name), "merge.log") +
         fmt::format(
             "export LOCKSTEP_HOME={}\n"
             "exec {} merge {}/* -o {}\n",
             shell_word(config::home_directory()), shell_word(this_program()), shell_word(folder.shard_folders()),
             shell_word(folder.results));
}

std::set<std::size_t> unfinished_shards(const SubmissionFolder& folder, const std::vector<experiment::Point>& points) {
  const std::vector<std::size_t> shards = experiment::shards_of(points, folder.shards);
  std::vector<std::set<std::string>> done(folder.shards + 1);
  for (std::size_t number = 1; number <= folder.shards; ++number) {
    const std::string path = folder.shard_folder(number) + "/results.db";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) continue;
    try {
      const std::vector<std::string> labels = experiment::Database::read(path).done();
      done[number].insert(labels.begin(), labels.end());
    } catch (const experiment::DamagedDatabase&) {
      // Its run mends it.
    }
  }
  std::set<std::size_t> unfinished;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!done[shards[i]].contains(points[i].label())) unfinished.insert(shards[i]);
  return unfinished;
}

}  // namespace lockstep::cli
