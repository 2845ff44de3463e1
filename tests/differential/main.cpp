// Random kernels on the functional machine, on an oracle of its own and, through launch folders, on a real GPU.

#include <fmt/format.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "isa/error.hpp"
#include "isa/exec/machine.hpp"
#include "sim/workload/launches/launch_folder.hpp"
#include "tests/differential/compare.hpp"
#include "tests/differential/form_list.hpp"
#include "tests/differential/generate.hpp"
#include "tests/differential/kernel_text.hpp"
#include "tests/differential/machine.hpp"
#include "tests/differential/print.hpp"
#include "tests/differential/record.hpp"
#include "tests/differential/reduce.hpp"

namespace {

using namespace lockstep;
using namespace lockstep::differential;

struct Seeds {
  std::uint64_t first = 1, last = 200;
  bool are_forms = false;  ///< A kernel for each form alone, by its number.

  Kernel kernel(std::uint64_t seed) const { return are_forms ? generate_form(seed) : generate(seed); }
};

/// "7" or "1..200".
Seeds parse_seeds(const std::string& text, bool are_forms) {
  const std::size_t dots = text.find("..");
  try {
    const std::uint64_t first = std::stoull(text);
    const std::uint64_t last = dots == std::string::npos ? first : std::stoull(text.substr(dots + 2));
    if (are_forms && last >= forms_to_generate()) {
      throw InputError(fmt::format("--seeds {}: there are {} forms, the first is 0", text, forms_to_generate()));
    }
    if (first <= last) return {first, last, are_forms};
  } catch (const std::logic_error&) {
  }
  throw InputError(fmt::format("--seeds {}: a number or a range such as 1..200", text));
}

/// A kernel that cannot be executed shows an error instead of a difference.
std::string difference_or_error(const Kernel& kernel) {
  try {
    return difference(kernel);
  } catch (const InputError& error) {
    return error.what();
  }
}

int compare_all(const Seeds& seeds, bool reduces) {
  std::uint64_t compared = 0, differing = 0;
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const Kernel kernel = seeds.kernel(seed);
    if (!kernel.is_exact) continue;
    ++compared;
    const std::string found = difference_or_error(kernel);
    if (found.empty()) continue;
    ++differing;
    fmt::print("seed {}: {}\n", seed, found);
    if (!reduces) continue;
    const bool is_error = found.find("the oracle has") == std::string::npos;
    const Kernel small = reduce(kernel, [&](const Kernel& candidate) {
      const std::string now = difference_or_error(candidate);
      return !now.empty() && (now.find("the oracle has") == std::string::npos) == is_error;
    });
    fmt::print("{}\n{}", difference_or_error(small), printed(small));
  }
  fmt::print("{} kernels compared, {} differ\n", compared, differing);
  return differing == 0 ? 0 : 1;
}

void write_folder(const std::string& folder, const std::vector<Kernel>& kernels) {
  auto task = task_of(kernels);
  const workload::LaunchFolder launches(folder, *task);
  exec::Machine machine(std::move(task));
  launches.write_inputs(machine);
  machine.finish();
  launches.write_results(machine);
}

/// Folders of at most `most` kernels each.
int write_folders(const Seeds& seeds, unsigned most, const std::string& folder) {
  for (std::uint64_t first = seeds.first; first <= seeds.last; first += most) {
    std::vector<Kernel> kernels;
    for (std::uint64_t seed = first; seed <= seeds.last && seed < first + most; ++seed)
      kernels.push_back(seeds.kernel(seed));
    write_folder(fmt::format("{}/seed-{}", folder, first), kernels);
  }
  return 0;
}

/// A program that gets launch folders as lines and says what a GPU leaves: `run_on_gpu -`.
class Runner {
 public:
  /// `program` is a shell command.
  explicit Runner(const std::string& program) : program_(program) {
    std::signal(SIGPIPE, SIG_IGN);  // A program that has ended shows in what it answers.
    int ends[2];
    if (::pipe(ends) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    answers_ = ::fdopen(ends[0], "r");
    questions_ = ::popen(fmt::format("{} - >&{}", program, ends[1]).c_str(), "w");
    ::close(ends[1]);
    if (answers_ == nullptr || questions_ == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot start " + program);
  }
  ~Runner() {
    ::pclose(questions_);
    std::fclose(answers_);
    std::free(line_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  bool differs(const std::string& folder) {
    fmt::print(questions_, "{}\n", folder);
    std::fflush(questions_);
    for (ssize_t length = 0; (length = ::getline(&line_, &capacity_, answers_)) > 0;) {
      const std::string_view line(line_, static_cast<std::size_t>(length - 1));
      if (line == folder + ": DIFFERS") return true;
      if (line == folder + ": as the functional machine left it") return false;
    }
    throw InputError(fmt::format("{}: {} ended without an answer; run it on this folder to see why", folder, program_));
  }

 private:
  std::string program_;
  std::FILE *questions_ = nullptr, *answers_ = nullptr;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

/// Where the reduced kernel of a folder stands as text.
std::string kernel_file(const std::string& folder) {
  return folder + "/kernel.txt";
}

int reduce_with(const Seeds& seeds, const std::string& program, const std::string& folder) {
  Runner runner(program);
  const Shows shows = [&](const Kernel& candidate) {
    try {
      write_folder(folder, {candidate});
    } catch (const InputError&) {
      return false;
    }
    return runner.differs(folder);
  };
  const Kernel kernel = seeds.kernel(seeds.first);
  if (!shows(kernel)) {
    fmt::print("seed {}: the same bytes\n", seeds.first);
    return 0;
  }
  const Kernel small = reduce(kernel, shows);
  write_folder(folder, {small});
  std::ofstream(kernel_file(folder)) << text_of(small);
  fmt::print("{}", printed(small));
  return 1;
}

std::string contents_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The record of a reduced kernel in `folder`, of which a GPU left the data in file `left`.
int print_record(const std::string& folder, const std::string& left, const std::vector<unsigned>& agrees) {
  const Kernel kernel = kernel_of(contents_of_file(kernel_file(folder)));
  const std::string data = contents_of_file(left), ptx = contents_of_file(folder + "/module-0.ptx");
  const Record record = record_of(kernel, ptx, {data.begin(), data.end()}, {agrees.begin(), agrees.end()});
  if (record.differs.empty()) throw InputError(left + ": the same bytes as the functional machine's");
  fmt::print("{}", text_of(record));
  return 0;
}

int run(int count, char** words) {
  CLI::App app("Random kernels: the functional machine against an oracle and a GPU");
  app.require_subcommand(1);
  std::string seeds = "1..200", folder, runner, opcode, left;
  unsigned most = 100;
  std::vector<unsigned> agrees;
  bool reduces = false, alone = false;
  const auto with_seeds = [&](CLI::App* command) {
    command->add_option("--seeds", seeds, "A number, or a range such as 1..200")->capture_default_str();
    command->add_flag("--alone", alone, "Kernels of one form each; seeds are the numbers of forms, from 0");
    return command;
  };
  auto* compare = with_seeds(app.add_subcommand("compare", "Machine against oracle; exit code 1 where bytes differ"));
  compare->add_flag("--reduce", reduces, "Print the smallest kernel found for each difference");
  auto* print = with_seeds(app.add_subcommand("print", "The kernels as a module of PTX"));
  auto* launches = with_seeds(app.add_subcommand("launches", "Launch folders for tools/capture/run_on_gpu"));
  launches->add_option("--kernels", most, "Kernels of one folder")->capture_default_str();
  launches->add_option("FOLDER", folder, "Gets a folder seed-N for each group")->required();
  auto* smaller = with_seeds(app.add_subcommand("reduce", "The smallest kernel that a GPU executes otherwise"));
  smaller->add_option("--runner", runner, "The program that runs launch folders: run_on_gpu")->required();
  smaller->add_option("FOLDER", folder, "Gets the smallest kernel")->required();
  auto* record = app.add_subcommand("record", "What a GPU left of a reduced kernel, for silicon/");
  record->add_option("--agrees", agrees, "Levels of optimization at which it leaves the functional machine's bytes")
      ->delimiter(',');
  record->add_option("SMALL", folder, "What reduce wrote")->required();
  record->add_option("DATA", left, "The buffer data-N that the GPU left: run_on_gpu --keep")->required();
  auto* list = with_seeds(app.add_subcommand("forms", "In how many kernels each form of the table of opcodes stands"));
  list->add_option("OPCODE", opcode, "All forms of it; without: a line per opcode");
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (record->parsed()) return print_record(folder, left, agrees);
  const Seeds range = parse_seeds(seeds, alone);
  if (compare->parsed()) return compare_all(range, reduces);
  if (launches->parsed()) return write_folders(range, most, folder);
  if (smaller->parsed()) return reduce_with(range, runner, folder);
  if (list->parsed()) {
    list_forms(range.first, range.last, opcode);
    return 0;
  }
  if (print->parsed()) {
    std::fputs(module_head().c_str(), stdout);
    for (std::uint64_t seed = range.first; seed <= range.last; ++seed) fmt::print("{}", printed(range.kernel(seed)));
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(count, words);
  } catch (const InputError& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 70;
  }
}
