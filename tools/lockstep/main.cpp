// The program: parses the command line, calls the subcommand, and alone decides about exit codes.

#include <csignal>
#include <exception>
#include <new>

#include "isa/error.hpp"
#include "tools/lockstep/arguments.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"

namespace {

using namespace lockstep::cli;

struct Dispatch {
  const Invocation& invocation;
  int operator()(const RunArguments& arguments) const { return run_command(arguments, invocation); }
  int operator()(const TraceArguments& arguments) const { return trace_command(arguments, invocation); }
  int operator()(const ReplayArguments& arguments) const { return replay_command(arguments, invocation); }
  int operator()(const ProbeArguments& arguments) const { return probe_command(arguments, invocation); }
  int operator()(const ValidateArguments& arguments) const { return validate_command(arguments, invocation); }
  int operator()(const ReportArguments& arguments) const { return report_command(arguments, invocation); }
  int operator()(const InfoArguments& arguments) const { return info_command(arguments, invocation); }
  int operator()(const ListArguments& arguments) const { return list_command(arguments, invocation); }
  int operator()(const HashApplyArguments& arguments) const { return hash_apply_command(arguments, invocation); }
  int operator()(const HashCountArguments& arguments) const { return hash_count_command(arguments, invocation); }
  int operator()(const HashPatternsArguments& arguments) const { return hash_patterns_command(arguments, invocation); }
  int operator()(const HashSearchArguments& arguments) const { return hash_search_command(arguments, invocation); }
  int operator()(const RgpuRunArguments& arguments) const { return rgpu_run_command(arguments, invocation); }
  int operator()(const RgpuMapArguments& arguments) const { return rgpu_map_command(arguments, invocation); }
  int operator()(const RgpuDrawArguments& arguments) const { return rgpu_draw_command(arguments, invocation); }
};

}  // namespace

int main(int count, char** words) {
  // A reader that closes the pipe must not end a run before its results are stored.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto arguments = parse(count, words);
    if (!arguments) return exit_done;
    const Invocation invocation{{words, words + count}};
    return std::visit(Dispatch{invocation}, *arguments);
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
