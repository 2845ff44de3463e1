#include "tools/lockstep/terminal/manual.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::cli {

namespace {

/// In every footer: when what pages say besides the declarations changed last.
constexpr const char* page_date = "2026-11-25";

/// Text as roff shows it: backslashes and hyphens as they are, no line that begins with a control character.
std::string escaped(const std::string& text) {
  std::string all;
  bool begins_line = true;
  for (const char c : text) {
    if (begins_line && (c == '.' || c == '\'')) all += "\\&";
    if (c == '\\') {
      all += "\\e";
    } else if (c == '-') {
      all += "\\-";
    } else {
      all += c;
    }
    begins_line = c == '\n';
  }
  return all;
}

/// Paragraphs, with examples as they are typed.
std::string paragraphs(const std::string& footer) {
  std::string all;
  std::size_t at = 0;
  while (at < footer.size()) {
    const std::size_t end = std::min(footer.find("\n\n", at), footer.size());
    std::string paragraph = footer.substr(at, end - at);
    at = end + 2;
    constexpr std::string_view mark = "Example: ";
    if (!paragraph.starts_with(mark)) {
      all += ".PP\n" + escaped(paragraph) + '\n';
      continue;
    }
    paragraph.erase(0, mark.size());
    all += ".SH EXAMPLES\n.nf\n";
    for (std::size_t line = 0; line < paragraph.size();) {
      const std::size_t line_end = std::min(paragraph.find('\n', line), paragraph.size());
      std::string text = paragraph.substr(line, line_end - line);
      text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
      all += escaped(text) + '\n';
      line = line_end + 1;
    }
    all += ".fi\n";
  }
  return all;
}

std::string page_name(const std::string& command) {
  std::string name = command;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name == "lockstep" ? name : "lockstep-" + name;
}

std::string synopsis(const CommandText& command, bool is_program) {
  std::string text = fmt::format(".B lockstep{}\n", is_program ? "" : " " + escaped(command.name));
  if (!command.commands.empty()) return text + ".I COMMAND\n.RI [ OPTIONS ]\n";
  text += ".RI [ OPTIONS ]\n";
  for (const OptionText& option : command.options)
    if (option.positional)
      text += option.required ? fmt::format(".I {}{}\n", escaped(option.value), option.repeated ? " ..." : "")
                              : fmt::format(".RI [ {} ]{}\n", escaped(option.value), option.repeated ? " ..." : "");
  return text;
}

void add_options(std::string& text, const CommandText& command, bool positional, const char* title) {
  bool any = false;
  for (const OptionText& option : command.options) {
    if (option.positional != positional) continue;
    if (!any) text += fmt::format(".SH {}\n", title);
    any = true;
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(escaped(name));
    text += fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", fmt::join(names, "\\fR, \\fB"),
                        positional || option.value.empty() ? "" : fmt::format(" \\fI{}\\fR", escaped(option.value)),
                        escaped(option.text));
  }
}

void add_pages(std::vector<ManualPage>& pages, const CommandText& command, const std::string& version) {
  const bool is_program = pages.empty();
  const std::string name = page_name(command.name);
  std::string title = name;
  std::transform(title.begin(), title.end(), title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  std::string text =
      fmt::format(".TH {} 1 {} \"Lockstep {}\" \"Lockstep Manual\"\n", escaped(title), page_date, version);
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}", escaped(name), escaped(command.text),
                      synopsis(command, is_program));
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CommandText& below : command.commands)
      text += fmt::format(".TP\n.BR {} (1)\n{}\n", escaped(page_name(below.name)), escaped(below.text));
  }
  add_options(text, command, true, "ARGUMENTS");
  add_options(text, command, false, "OPTIONS");
  std::string footer = paragraphs(command.footer);
  if (!footer.empty() && !footer.starts_with(".SH")) footer = ".SH NOTES\n" + footer.substr(footer.find('\n') + 1);
  text += footer;
  text +=
      ".SH EXIT STATUS\n0 success, 1 a comparison or check failed, 2 an error in the input, 3 a resource failed, 70 a "
      "bug.\n";
  if (!is_program) text += ".SH SEE ALSO\n.BR lockstep (1)\n";
  pages.push_back({name, text});
  for (const CommandText& below : command.commands) add_pages(pages, below, version);
}

}  // namespace

std::vector<ManualPage> manual_pages(const CommandText& program, const std::string& version) {
  std::vector<ManualPage> pages;
  add_pages(pages, program, version);
  return pages;
}

}  // namespace lockstep::cli
