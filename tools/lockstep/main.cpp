// The program: parses the command line, calls the subcommand, and alone decides about exit codes and signals.

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>
#include <system_error>

#include "isa/command_files.hpp"
#include "isa/error.hpp"
#include "isa/output_file.hpp"
#include "sim/stats/page.hpp"
#include "tools/lockstep/arguments.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/interruption.hpp"

using namespace lockstep::cli;

namespace {

/// A file opened later must not get the number of a standard stream that is closed: messages would be written into it.
void open_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", stream == STDIN_FILENO ? O_RDONLY : O_WRONLY);
}

/// The signal's own effect follows when this returns.
extern "C" void end_by(int signal) {
  lockstep::remove_unfinished_files();
  say_interrupted(signal);
  std::raise(signal);
}

void set_signals() {
  // A reader that closes the pipe must not end a run before its results are stored. A file that grows beyond the limit of
  // the shell is a failed write.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) continue;  // nohup ignores SIGHUP.
    action.sa_handler = end_by;
    action.sa_flags = SA_RESETHAND;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

int main(int count, char** words) {
  open_standard_streams();
  set_signals();
  const lockstep::CommandFiles files;
  try {
    if (const auto columns = terminal_columns()) lockstep::stats::set_page_width(*columns);
    const auto arguments = parse(count, words);
    if (!arguments) return exit_done;
    const Invocation invocation{{words, words + count}};
    const int code = std::visit([&](const auto& of_command) { return execute(of_command, invocation); }, *arguments);
    throw_if_lines_were_lost();
    return code;
  } catch (const lockstep::InputError& error) {
    print_error(error.what());
    return exit_input;
  } catch (const lockstep::ResourceError& error) {
    print_error(error.what());
    return exit_resource;
  } catch (const std::system_error& error) {
    print_error(error.what());
    return exit_resource;
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return exit_resource;
  } catch (const lockstep::Bug& bug) {
    print_error(bug.what());
    print_error("this is a bug of the simulator");
    return exit_bug;
  } catch (const std::exception& error) {
    print_error(error.what());
    print_error("this is a bug of the simulator: an unexpected exception");
    return exit_bug;
  }
}
