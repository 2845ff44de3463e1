#pragma once
// The command line of `lockstep rgpu` and of the commands below it; for arguments.cpp alone.

#include <CLI/App.hpp>
#include <CLI/Validators.hpp>
#include <functional>
#include <map>
#include <string>

#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

/// Options of every subcommand.
void add_common(CLI::App& command, Common& common);
/// A finite number greater than 0.
CLI::Validator above_zero();
void add_jobs(CLI::App& command, unsigned& jobs, const std::string& text);
/// --activity and --chart.
void add_activity(CLI::App& command, ActivityArguments& activity);

/// Adds `rgpu` with its commands to an application, which must not outlive it.
class RgpuCommands {
 public:
  explicit RgpuCommands(CLI::App& app);
  RgpuCommands(const RgpuCommands&) = delete;
  RgpuCommands& operator=(const RgpuCommands&) = delete;

  const CLI::App& command() const { return *command_; }
  /// Those of the command that was named.
  Arguments chosen() const;

 private:
  /// A command below `rgpu`, and the object that receives its arguments.
  template <typename T>
  void add(const char* name, const char* text, T& arguments, void (*fill)(CLI::App&, T&));

  CLI::App* command_;
  std::map<std::string, std::function<Arguments()>> chosen_;
  RgpuRunArguments run_;
  RgpuMapArguments map_;
  RgpuDrawArguments draw_;
};

}  // namespace lockstep::cli
