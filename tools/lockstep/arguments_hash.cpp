#include "tools/lockstep/arguments_hash.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace lockstep::cli {

namespace {

void add_count(CLI::App& hash, HashCountArguments& arguments) {
  CLI::App* command = hash.add_subcommand("count", "Count conflicts under hash functions, without timing");
  command->add_option("TRACE", arguments.traces, "Trace files")->required();
  command->add_option("--hash", arguments.hashes, "Hash functions (`lockstep list hashes` shows how they are written)")
      ->type_name("SPEC...")
      ->required();
  command
      ->add_option("--unit", arguments.unit,
                   "What the functions choose: the bank of a word, or the lock of an atomic [bank]")
      ->type_name("bank|lock")
      ->check(CLI::IsMember({"bank", "lock"}).description(""));
  command->add_option("--gpu", arguments.gpu, "Its banks and locks: file, or name in configs/gpus [gtx480]")
      ->type_name("NAME|FILE");
  add_common(*command, arguments);
  command->footer("Example: lockstep hash count transpose.trace --hash xor bitvector:k=3 bits:3,4,5,6,7");
}

}  // namespace

HashCommands::HashCommands(CLI::App& app)
    : command_(app.add_subcommand("hash", "Work with hash functions for banks and locks")) {
  command_->require_subcommand(1);
  command_->footer("`lockstep hash COMMAND -h` explains each command.");
  add_count(*command_, count_);
}

Arguments HashCommands::chosen() const {
  return count_;
}

}  // namespace lockstep::cli
