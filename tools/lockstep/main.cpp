// The program: parses the command line, calls the subcommand, and alone decides about exit codes.

#include <csignal>
#include <exception>
#include <new>

#include "isa/error.hpp"
#include "tools/lockstep/arguments.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

using namespace lockstep::cli;

int main(int count, char** words) {
  // A reader that closes the pipe must not end a run before its results are stored.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto arguments = parse(count, words);
    if (!arguments) return exit_done;
    const Invocation invocation{{words, words + count}};
    return std::visit([&](const auto& of_command) { return execute(of_command, invocation); }, *arguments);
  } catch (const lockstep::InputError& error) {
    print_error(error.what());
    return exit_input;
  } catch (const lockstep::ResourceError& error) {
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
