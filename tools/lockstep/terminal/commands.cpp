// lockstep completion, lockstep man

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "isa/output_file.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/terminal/completion.hpp"
#include "tools/lockstep/terminal/manual.hpp"

namespace lockstep::cli {

int execute(const CompletionArguments& arguments, const Invocation&) {
  refuse_overrides(arguments, "`lockstep completion` has no parameters");
  print(arguments.shell == "zsh" ? zsh_completion(arguments.program) : bash_completion(arguments.program));
  return exit_done;
}

int execute(const ManArguments& arguments, const Invocation&) {
  refuse_overrides(arguments, "`lockstep man` has no parameters");
  const std::vector<ManualPage> pages = manual_pages(arguments.program, LOCKSTEP_VERSION);
  if (!arguments.folder.empty()) {
    if (!arguments.words.empty()) throw InputError("`lockstep man -o DIR` writes all pages: name no command");
    std::error_code failed;
    std::filesystem::create_directories(arguments.folder, failed);
    if (failed) throw ResourceError(fmt::format("{}: {}", arguments.folder, failed.message()));
    for (const ManualPage& page : pages)
      write_whole_file(fmt::format("{}/{}.1", arguments.folder, page.name), page.text);
    if (!arguments.quiet) note(fmt::format("{} pages in {}", pages.size(), arguments.folder));
    return exit_done;
  }
  const std::string name =
      fmt::format("lockstep{}{}", arguments.words.empty() ? "" : "-", fmt::join(arguments.words, "-"));
  const auto page = std::find_if(pages.begin(), pages.end(), [&](const ManualPage& one) { return one.name == name; });
  if (page == pages.end()) {
    std::vector<std::string> names;
    for (const ManualPage& one : pages) names.push_back(one.name);
    throw InputError(fmt::format("there is no page '{}'{}", name, did_you_mean_aside(name, names)));
  }
  print(page->text);
  return exit_done;
}

}  // namespace lockstep::cli
