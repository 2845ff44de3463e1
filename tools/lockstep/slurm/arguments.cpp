// Options of `lockstep run` for several machines and results folders.

#include <CLI/App.hpp>

#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

void add_cache(CLI::App& command, CacheArguments& cache) {
  CLI::Option* off = command.add_flag(
      "--no-cache", cache.off,
      "Compute points again even if this program has computed them from the same inputs for another results folder");
  command
      .add_option("--cache-size", cache.mib,
                  "Size limit of the cache of runs in $XDG_CACHE_HOME/lockstep (or ~/.cache/lockstep), in MiB; least "
                  "recently used entries are evicted [1024]")
      ->type_name("MIB")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30).description(""))
      ->excludes(off);
}

void add_slurm(CLI::App& command, RunArguments& arguments) {
  experiment::SlurmSettings& settings = arguments.slurm.settings;
  CLI::Option* shard =
      command
          .add_option("--shard", arguments.shard,
                      "Run the I-th of N parts of the points, on as many machines as there are; `lockstep merge` puts "
                      "their folders together [-o results/NAME-shards/I-of-N]")
          ->type_name("I/N");
  CLI::Option* slurm =
      command
          .add_flag("--slurm", arguments.slurm.wanted,
                    "Submit the points to Slurm as a job array, and a job that merges its results; with --resume only "
                    "what failed or was killed")
          ->excludes(shard);
  const auto add = [&](const char* name, auto& value, const char* type, const std::string& text) {
    return command.add_option(name, value, "With --slurm: " + text)->type_name(type)->needs(slurm);
  };
  add("--shards", settings.shards, "N", "jobs in the array, among which the points are divided [10]")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}).description(""));
  add("--cpus", settings.cpus, "N", "cores of each, and simulations in parallel, in place of -j [1]")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1024}).description(""));
  add("--partition", settings.partition, "NAME", "partition [the cluster's]");
  add("--time", settings.time, "TIME", "limit of each, such as 1:30:00 [the cluster's]");
  add("--memory", settings.memory, "SIZE", "memory of each, such as 4G [the cluster's]");
  add("--sbatch", settings.options, "OPTION", "another option of sbatch, as --sbatch=--account=NAME; may be repeated")
      ->allow_extra_args(false);
}

}  // namespace lockstep::cli
