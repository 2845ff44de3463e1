// lockstep completion bash

#include <fmt/format.h>

#include <functional>

#include "tools/lockstep/terminal/completion.hpp"
#include "tools/lockstep/terminal/value_words.hpp"

namespace lockstep::cli {

namespace {

/// The commands at the ends of the tree and the groups, the program first.
void for_each_command(const CommandText& command, const std::function<void(const CommandText&)>& each) {
  each(command);
  for (const CommandText& below : command.commands) for_each_command(below, each);
}

/// What stands for a value, as a call of the script's functions.
std::string offer(const ValueWords& words) {
  std::string text;
  if (!words.words.empty()) text += fmt::format("_lockstep_words '{}'; ", fmt::join(words.words, " "));
  for (const std::string_view topic : words.topics) text += fmt::format("_lockstep_names {}; ", topic);
  if (words.paths) text += "_lockstep_paths; ";
  if (words.files) text += "_lockstep_files; ";
  if (words.folders && !words.files) text += "_lockstep_folders; ";
  return text;
}

/// The entries of the last word of a command's name, behind those before it: "hash" + "count".
std::string last_word(const std::string& name) {
  return name.substr(name.rfind(' ') + 1);
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string commands, values, options, places;
  for_each_command(program, [&](const CommandText& command) {
    const std::string path = &command == &program ? "" : command.name;
    for (const CommandText& below : command.commands)
      commands += fmt::format("      '{}:{}') command='{}' ;;\n", path, last_word(below.name), below.name);
    std::vector<std::string> names;
    std::string positional;
    for (const OptionText& option : command.options) {
      const std::string offered = offer(value_words(option));
      if (option.positional) {
        positional += offered;
        continue;
      }
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (option.value.empty()) continue;
      std::vector<std::string> cases;
      for (const std::string& name : option.names) cases.push_back(fmt::format("'{}:{}'", path, name));
      values += fmt::format("    {}) {}return ;;\n", fmt::join(cases, "|"), offered);
    }
    std::vector<std::string> below;
    for (const CommandText& one : command.commands) below.push_back(last_word(one.name));
    if (!below.empty()) positional += fmt::format("_lockstep_words '{}'; ", fmt::join(below, " "));
    options += fmt::format("      '{}') _lockstep_words '{}' ;;\n", path, fmt::join(names, " "));
    if (!positional.empty()) places += fmt::format("    '{}') {};;\n", path, positional);
  });
  return R"script(# bash completion of lockstep, written by `lockstep completion bash`.

_lockstep_words() { COMPREPLY+=($(compgen -W "$1" -- "$cur")); }
_lockstep_names() { _lockstep_words "$("${COMP_WORDS[0]/#\~/$HOME}" list "$1" --names 2>/dev/null)"; }
_lockstep_paths() {
  compopt -o nospace 2>/dev/null
  COMPREPLY+=($(compgen -S = -W "$("${COMP_WORDS[0]/#\~/$HOME}" list params --names 2>/dev/null)" -- "$cur"))
}
_lockstep_files() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY+=($(compgen -f -- "$cur"))
}
_lockstep_folders() {
  compopt -o filenames 2>/dev/null
  local IFS=$'\n'
  COMPREPLY+=($(compgen -d -- "$cur"))
}

_lockstep() {
  local cur=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command:${COMP_WORDS[i]}" in
)script" +
         commands +
         R"script(    esac
  done
  # The value of the option before it.
  case "$command:$previous" in
)script" +
         values +
         R"script(  esac
  if [[ $cur == -* ]]; then
    case "$command" in
)script" +
         options +
         R"script(    esac
    return
  fi
  case "$command" in
)script" +
         places +
         R"script(  esac
}

complete -F _lockstep lockstep
)script";
}

}  // namespace lockstep::cli
