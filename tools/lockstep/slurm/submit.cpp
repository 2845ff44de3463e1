#include "tools/lockstep/slurm/submit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "sim/experiment/shard.hpp"
#include "sim/stats/json.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/slurm/external_program.hpp"
#include "tools/lockstep/slurm/submission.hpp"

namespace lockstep::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t standard_shards = 10;

/// What the command line says in place of the experiment.
experiment::SlurmSettings settings_of(const RunArguments& arguments, const experiment::Experiment& experiment) {
  experiment::SlurmSettings settings = experiment.slurm;
  const experiment::SlurmSettings& given = arguments.slurm.settings;
  if (!given.partition.empty()) settings.partition = given.partition;
  if (!given.time.empty()) settings.time = given.time;
  if (!given.memory.empty()) settings.memory = given.memory;
  if (given.cpus) settings.cpus = given.cpus;
  if (given.shards) settings.shards = given.shards;
  settings.options.insert(settings.options.end(), given.options.begin(), given.options.end());
  Diagnostics mistakes;
  const auto check = [&mistakes](const char* option, const std::string& mistake) {
    if (!mistake.empty()) mistakes.add({option, 0, 0}, mistake);
  };
  if (!settings.time.empty()) check("--time", experiment::mistake_in_slurm_time(settings.time));
  if (!settings.memory.empty()) check("--memory", experiment::mistake_in_slurm_memory(settings.memory));
  for (const std::string& option : settings.options) check("--sbatch", experiment::mistake_in_slurm_option(option));
  if (settings.partition.find_first_of(" \t\n'\"") != std::string::npos)
    check("--partition", fmt::format("'{}' is no partition's name", settings.partition));
  mistakes.throw_if_any();
  return settings;
}

/// What a program of Slurm prints; ResourceError when it is not there or fails.
std::string asked(const std::vector<std::string>& words) {
  const auto output = run_program(words);
  if (!output)
    throw ResourceError(
        fmt::format("there is no {} on this machine: is it a login node of a cluster with Slurm? Other schedulers can "
                    "run `lockstep run --shard I/N`, and `lockstep merge` after it",
                    words[0]));
  if (output->code == 0) return output->out;
  std::string message = output->err;
  while (!message.empty() && message.back() == '\n') message.pop_back();
  throw ResourceError(fmt::format("{} failed: {}", words[0], message.empty() ? output->out : message));
}

std::uint64_t submitted(std::vector<std::string> words) {
  words.insert(words.begin(), {"sbatch", "--parsable"});
  const std::string answer = asked(words);
  std::uint64_t job = 0;  // "JOB" or "JOB;CLUSTER".
  const auto [end, error] = std::from_chars(answer.data(), answer.data() + answer.size(), job);
  if (error != std::errc()) throw ResourceError(fmt::format("sbatch answered '{}', which is no job", answer));
  return job;
}

/// Tasks of arrays that wait or run, by their numbers.
std::set<std::size_t> queued_shards(const Submission& earlier) {
  std::set<std::size_t> queued;
  for (const std::uint64_t array : earlier.arrays) {
    const auto output =
        run_program({"squeue", "--noheader", "--array", "--format=%K", fmt::format("--jobs={}", array)});
    if (!output) return queued;
    std::istringstream numbers(output->out);  // Nothing, and a failure, when the job is none any more.
    for (std::size_t number = 0; numbers >> number;) queued.insert(number);
  }
  return queued;
}

bool is_queued(std::uint64_t job) {
  const auto output = run_program({"squeue", "--noheader", "--format=%i", fmt::format("--jobs={}", job)});
  return output && output->code == 0 && output->out.find_first_not_of(" \n") != std::string::npos;
}

/// "1,2,5".
std::string list_of(const std::set<std::size_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

void prepare(const SubmissionFolder& folder, const std::string& effective, bool resume) {
  const std::string path = folder.path("experiment.yaml");
  std::error_code failed;
  if (resume && fs::exists(path, failed) && read_whole_file(path, most_text_bytes) != effective)
    throw InputError({path, 0, 0},
                     "was submitted and is not the experiment as it is now; without --resume it is submitted anew");
  fs::create_directories(folder.shard_folders(), failed);
  if (failed) throw ResourceError(fmt::format("{}: cannot create this folder: {}", folder.results, failed.message()));
  write_whole_file(path, effective, OutputFile::of_program);
}

/// Options of the run that its shards take over.
std::vector<std::string> options_of_shards(const RunArguments& arguments) {
  std::vector<std::string> options{"--trace-memory", std::to_string(arguments.traces.memory_mib), "--trace-disk",
                                   std::to_string(arguments.traces.disk_mib)};
  if (arguments.memory.mib) options.insert(options.end(), {"--memory-limit", std::to_string(*arguments.memory.mib)});
  if (arguments.cache.off) options.emplace_back("--no-cache");
  return options;
}

std::string job_text(const Submission& submission, const std::set<std::size_t>& shards) {
  return shards.empty() ? fmt::format("job {} merges them", submission.merge)
                        : fmt::format("job array {} runs {} of them, job {} merges them", submission.arrays.back(),
                                      shards.size(), submission.merge);
}

}  // namespace

int submit(const RunArguments& arguments, const experiment::Experiment& experiment,
           const std::vector<experiment::Point>& points, const std::string& results) {
  const experiment::SlurmSettings settings = settings_of(arguments, experiment);
  SubmissionFolder folder{fs::absolute(results).lexically_normal().string(), 1};
  const Submission earlier = read_submission(folder);
  folder.shards = settings.shards.value_or(std::min<std::uint64_t>(standard_shards, points.size()));
  if (arguments.resume && earlier.shards != 0) folder.shards = earlier.shards;
  experiment::shards_of(points, folder.shards);
  std::set<std::size_t> queued = queued_shards(earlier);
  if (!queued.empty() && !arguments.resume)
    throw InputError(
        fmt::format("{}: shards {} of it are still queued or running; cancel them with scancel {}, or give "
                    "--resume to submit only what is missing",
                    folder.results, list_of(queued), fmt::join(earlier.arrays, " ")));
  prepare(folder, experiment::effective_yaml(experiment), arguments.resume);
  std::set<std::size_t> shards = unfinished_shards(folder, points);
  const std::size_t done = folder.shards - shards.size();
  for (const std::size_t number : queued) shards.erase(number);

  const std::vector<std::string> own_options = options_of_shards(arguments);
  write_whole_file(folder.path("shards.sh"), shard_script(folder, settings, experiment.name, own_options),
                   OutputFile::of_program);
  write_whole_file(folder.path("merge.sh"), merge_script(folder, settings, experiment.name), OutputFile::of_program);
  Submission now{folder.shards, {}, 0};
  const std::string in_folder = "--chdir=" + folder.results + "/slurm";
  if (!queued.empty()) now.arrays = earlier.arrays;
  if (!shards.empty())
    now.arrays.push_back(submitted({in_folder, "--array=" + list_of(shards), folder.path("shards.sh")}));
  if (earlier.merge != 0 && is_queued(earlier.merge)) asked({"scancel", std::to_string(earlier.merge)});
  std::vector<std::string> merging{in_folder};
  if (!now.arrays.empty()) merging.push_back(fmt::format("--dependency=afterany:{}", fmt::join(now.arrays, ":")));
  merging.push_back(folder.path("merge.sh"));
  now.merge = submitted(merging);
  write_submission(folder, now);

  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.slurm/1").field("experiment", experiment.name);
    json.field("points", points.size()).field("shards", folder.shards).field("done", done);
    json.field("queued", queued.size()).key("submitted").begin_array(true);
    for (const std::size_t number : shards) json.value(number);
    json.end_array().key("array_job");
    shards.empty() ? json.null() : json.value(now.arrays.back());
    json.field("merge_job", now.merge).field("folder", folder.results);
    print(json.end_object().take());
  } else if (!arguments.quiet) {
    std::string text = fmt::format("{} points in {} shards", points.size(), folder.shards);
    if (done > 0) text += fmt::format(", {} of them done", done);
    if (!queued.empty()) text += fmt::format(", {} queued or running", queued.size());
    print(
        fmt::format("{}: {}\nResults will be in {}, messages of the jobs in its folder slurm\n"
                    "Shards that fail or are killed: the same command with --resume submits them again\n",
                    text, job_text(now, shards), folder.results));
  }
  return exit_done;
}

}  // namespace lockstep::cli
