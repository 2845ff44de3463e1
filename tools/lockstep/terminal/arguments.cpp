// The commands that write what a shell and `man` need, from the declarations of all commands.

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <utility>

#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

namespace {

OptionText described(const CLI::Option& option) {
  OptionText text;
  text.text = option.get_description();
  text.positional = option.get_positional();
  text.required = option.get_required();
  text.repeated = option.get_expected_max() > 1;
  if (text.positional) {
    text.names = {option.get_name(true, false)};
    text.value = text.names.front();
    return text;
  }
  for (const std::string& name : option.get_snames()) text.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) text.names.push_back("--" + name);
  if (option.get_type_size() != 0) text.value = option.get_type_name();
  return text;
}

CommandText described(const CLI::App& app, const std::string& name) {
  CommandText text{name, app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) text.options.push_back(described(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    text.commands.push_back(
        described(*command, app.get_parent() == nullptr ? command->get_name() : name + " " + command->get_name()));
  return text;
}

void declare_completion(CLI::App& command, CompletionArguments& arguments) {
  command.add_option("SHELL", arguments.shell, "bash or zsh")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}).description(""));
  command.footer(
      "Prints a script that completes commands, options, and the names of GPUs, workloads, experiments, parameters and "
      "statistics.\n\n"
      "Example: lockstep completion bash > ~/.local/share/bash-completion/completions/lockstep\n"
      "         lockstep completion zsh > ~/.zfunc/_lockstep");
}

void declare_man(CLI::App& command, ManArguments& arguments) {
  command.add_option("COMMAND", arguments.words, "The command whose page is printed [the page of the program]");
  command.add_option("-o,--output", arguments.folder, "Write all pages, as lockstep.1, lockstep-run.1 and so on")
      ->type_name("DIR");
  command.footer(
      "Example: lockstep man hash count | man -l -\n"
      "         lockstep man -o ~/.local/share/man/man1");
}

}  // namespace

void add_terminal_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  add_command(app, "completion", "Print the script with which a shell completes commands and names", declare_completion,
              chosen);
  add_command(app, "man", "Print or write manual pages", declare_man, chosen);
}

CommandText described(const CLI::App& app) {
  return described(app, app.get_name());
}

}  // namespace lockstep::cli
