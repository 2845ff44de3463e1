#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

namespace {

void declare_count(CLI::App& command, HashCountArguments& arguments) {
  command.add_option("TRACE", arguments.traces, "Trace files")->required();
  command.add_option("--hash", arguments.hashes, "Hash functions (`lockstep list hashes` shows how they are written)")
      ->type_name("SPEC...")
      ->required();
  command
      .add_option("--unit", arguments.unit,
                  "Unit that the functions assign to a word: its bank, or the lock of an atomic [bank]")
      ->type_name("bank|lock")
      ->check(CLI::IsMember({"bank", "lock"}).description(""));
  command.add_option("--gpu", arguments.gpu, "GPU with the banks and locks: file, or name in configs/gpus [gtx480]")
      ->type_name("NAME|FILE");
  command.footer(
      "Warps are counted one by one. Loads and stores take the same passes in a replay; a lock loop or a "
      "compare-and-swap loop may take more iterations there, because of other warps.\n\n"
      "Example: lockstep hash count transpose.trace --hash xor bitvector:k=3 bits:3,4,5,6,7");
}

void declare_apply(CLI::App& command, HashApplyArguments& arguments) {
  command.add_option("KERNEL", arguments.kernel_file, "PTX file")->type_name("FILE.ptx")->required();
  command
      .add_option("--hash", arguments.hash,
                  "Hash function (`lockstep list hashes` shows how it is written), or one per kernel: KERNEL=SPEC "
                  "... SPEC")
      ->type_name("SPEC")
      ->required();
  command.add_option("-o,--output", arguments.file, "PTX file to write")
      ->type_name("FILE")
      ->required()
      ->each(name_output);
  command
      .add_option("--kernel", arguments.kernels,
                  "Rewrite only this kernel; may be repeated [all that use scratchpad memory]")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--banks", arguments.banks, "Banks that the hash is for, a power of two [32]")->type_name("N");
  command
      .add_option("--dynamic-bytes", arguments.dynamic_bytes,
                  "The most dynamic scratchpad memory of a launch, per thread block [the rest of 48 KiB]")
      ->type_name("N");
  command.footer(
      "Each kernel computes the same results, and has the bank conflicts that it would have with the hash in "
      "hardware; a load or store of several words that the hash separates becomes one per word (split). For a workload "
      "use -s args.software_hash=SPEC.\n\n"
      "Example: lockstep hash apply transpose.ptx --hash bitvector-xor:k1=0,k2=5,mask=31 -o hashed.ptx");
}

void declare_search(CLI::App& command, HashSearchArguments& arguments) {
  command.add_option("TRACE", arguments.traces, "Trace files to search the hash for")->required();
  command.add_option("--family", arguments.family, "Family of hash functions [matrix: all that are linear over GF(2)]")
      ->type_name("NAME");
  command
      .add_option("--method", arguments.method,
                  "exact, exhaustive, pruned (bitvector-xor by strides), givargis, mih or climb [exact where there is "
                  "one, else climb]")
      ->type_name("NAME");
  command
      .add_option("--unit", arguments.unit,
                  "What is hashed: banks (fewest passes), locks of atomics (fewest retries), or both together [bank]")
      ->type_name("bank|lock|joint")
      ->check(CLI::IsMember({"bank", "lock", "joint"}).description(""));
  command.add_option("--gpu", arguments.gpu, "GPU with the banks and locks: file, or name in configs/gpus [gtx480]")
      ->type_name("NAME|FILE");
  command.add_option("--kernel", arguments.kernel, "Only the accesses of this kernel")->type_name("NAME");
  command.add_flag("--per-kernel", arguments.per_kernel, "A hash for each kernel, not one for all");
  command
      .add_option("--report", arguments.reports,
                  "Further traces, not used in the search: report their conflicts with the hash found")
      ->type_name("TRACE...");
  command.add_flag("--regret", arguments.regret,
                   "Also search a hash for each trace alone, and show the additional cost of the common one");
  command.add_option("--steps", arguments.steps, "Limit of the work, in requests evaluated")
      ->type_name("N")
      ->check(above_zero());
  command
      .add_option("--time-limit,--seconds", arguments.seconds,
                  "Time limit in seconds of each search (of one kernel, of one trace), which then gives the best hash "
                  "so far and a bound; only when the limit is reached may results depend on the machine [60]")
      ->type_name("S")
      ->check(above_zero());
  command.footer("Example: lockstep hash search transpose.trace --family bits-xor --method mih");
}

void declare_patterns(CLI::App& command, HashPatternsArguments& arguments) {
  command
      .add_option("WORKLOAD|TRACE", arguments.subject,
                  "Workload (file, or name in traces/workloads), whose kernels are analysed and executed; or a trace "
                  "file, which has no code to analyse")
      ->required();
  command
      .add_option("--gpu", arguments.gpu,
                  "GPU with the banks, used without a hash: file, or name in configs/gpus [gtx480]")
      ->type_name("NAME|FILE");
  command.footer("Example: lockstep hash patterns transpose -s args.variant=tiled");
}

}  // namespace

const CLI::App& add_hash_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  CLI::App& hash = *app.add_subcommand("hash", "Work with hash functions for banks and locks");
  hash.require_subcommand(1);
  hash.footer("`lockstep hash COMMAND -h` explains each command.");
  add_command(hash, "count", "Count conflicts under hash functions, without timing", declare_count, chosen);
  add_command(hash, "apply", "Rewrite kernels so that they hash their scratchpad addresses in software", declare_apply,
              chosen);
  add_command(hash, "search", "Find the best configuration of a hash family for traces", declare_search, chosen);
  add_command(hash, "patterns", "Classify the scratchpad accesses of kernels: linear, stride, block or random",
              declare_patterns, chosen);
  return hash;
}

}  // namespace lockstep::cli
