#pragma once
// The command line of `lockstep hash` and of the commands below it; for arguments.cpp alone.

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>

#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

/// Options of every subcommand.
void add_common(CLI::App& command, Common& common);
/// A finite number greater than 0.
CLI::Validator above_zero();

/// Adds `hash` with its commands to an application, which must not outlive it.
class HashCommands {
 public:
  explicit HashCommands(CLI::App& app);
  HashCommands(const HashCommands&) = delete;
  HashCommands& operator=(const HashCommands&) = delete;

  const CLI::App& command() const { return *command_; }
  /// Those of the command that was named.
  Arguments chosen() const;

 private:
  CLI::App* command_;
  HashCountArguments count_;
  HashSearchArguments search_;
  HashApplyArguments apply_;
  HashPatternsArguments patterns_;
};

}  // namespace lockstep::cli
