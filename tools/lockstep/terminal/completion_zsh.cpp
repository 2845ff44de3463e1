// lockstep completion zsh

#include <fmt/format.h>

#include <algorithm>

#include "tools/lockstep/terminal/completion.hpp"
#include "tools/lockstep/terminal/value_words.hpp"

namespace lockstep::cli {

namespace {

/// In single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

/// A text inside a specification of _arguments, where these have a meaning.
std::string escaped(const std::string& text, std::string_view special) {
  std::string all;
  for (const char c : text.substr(0, text.find('\n'))) {
    if (special.find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

std::string action(const ValueWords& words) {
  std::vector<std::string> calls;
  if (!words.words.empty()) calls.push_back(fmt::format("compadd -- {}", fmt::join(words.words, " ")));
  for (const std::string_view topic : words.topics) calls.push_back(fmt::format("_lockstep_names {}", topic));
  if (words.paths) calls.emplace_back("_lockstep_paths");
  if (words.files) calls.emplace_back("_files");
  if (words.folders && !words.files) calls.emplace_back("_files -/");
  return calls.empty() ? " " : fmt::format("{{ {} }}", fmt::join(calls, "; "));
}

std::string function_of(const std::string& command) {
  std::string name = "_lockstep_" + command;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

/// One specification of _arguments for each name of an option: all names of it exclude each other unless it may be repeated.
void add_option(std::string& text, const OptionText& option) {
  const std::string message =
      option.value.empty() ? "" : ":" + escaped(option.value, ":[]\\") + ":" + action(value_words(option));
  for (const std::string& name : option.names) {
    const std::string begin = option.repeated            ? "*"
                              : option.names.size() == 1 ? ""
                                                         : fmt::format("({})", fmt::join(option.names, " "));
    text += fmt::format(" \\\n    {}",
                        quoted(fmt::format("{}{}[{}]{}", begin, name, escaped(option.text, "[]\\:"), message)));
  }
}

void add_function(std::string& text, const CommandText& command, const std::string& name) {
  for (const CommandText& below : command.commands) add_function(text, below, function_of(below.name));
  text += fmt::format("{}() {{\n", name);
  if (!command.commands.empty()) text += "  local curcontext=$curcontext state line\n";
  text += command.commands.empty() ? "  _arguments -s" : "  _arguments -C";
  int place = 0;
  for (const OptionText& option : command.options) {
    if (!option.positional) {
      add_option(text, option);
      continue;
    }
    const std::string where = option.repeated ? "*" : std::to_string(++place);
    text += fmt::format(" \\\n    {}", quoted(fmt::format("{}:{}:{}", where, escaped(option.value, ":[]\\"),
                                                          action(value_words(option)))));
  }
  if (command.commands.empty()) {
    text += "\n}\n\n";
    return;
  }
  text += " \\\n    '1:command:->command' '*::argument:->arguments'\n";
  std::string commands, cases;
  for (const CommandText& below : command.commands) {
    const std::string word = below.name.substr(below.name.rfind(' ') + 1);
    commands += fmt::format("\n        {}", quoted(word + ":" + escaped(below.text, "\\")));
    cases += fmt::format("        {}) {} ;;\n", word, function_of(below.name));
  }
  text += fmt::format(R"script(  case $state in
    command)
      local -a commands=({})
      _describe -t commands command commands ;;
    arguments)
      case $line[1] in
{}      esac ;;
  esac
}}

)script",
                      commands, cases);
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  std::string text = R"script(#compdef lockstep
# zsh completion of lockstep, written by `lockstep completion zsh`.

_lockstep_names() {
  local -a names=(${(f)"$($_lockstep_program list $1 --names 2>/dev/null)"})
  compadd -- $names
}

_lockstep_paths() {
  local -a names=(${(f)"$($_lockstep_program list params --names 2>/dev/null)"})
  compadd -S = -- $names
}

)script";
  add_function(text, program, "_lockstep_commands");
  return text + R"script(_lockstep() {
  local _lockstep_program=${(e)~words[1]}
  _lockstep_commands
}

if [ "$funcstack[1]" = "_lockstep" ]; then
  _lockstep "$@"
else
  compdef _lockstep lockstep
fi
)script";
}

}  // namespace lockstep::cli
