#pragma once
// The subcommands, one file each. Each returns the exit code; errors are thrown.

#include <string>
#include <vector>

#include "sim/config/parameter.hpp"
#include "sim/workload/workload.hpp"
#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

inline constexpr int exit_done = 0, exit_mismatch = 1, exit_input = 2, exit_resource = 3, exit_bug = 70;

/// What commands may need to know about the invocation.
struct Invocation {
  std::vector<std::string> words;  ///< The command line.
};

int run_command(const RunArguments& arguments, const Invocation& invocation);
int trace_command(const TraceArguments& arguments, const Invocation& invocation);
int replay_command(const ReplayArguments& arguments, const Invocation& invocation);
int probe_command(const ProbeArguments& arguments, const Invocation& invocation);
int validate_command(const ValidateArguments& arguments, const Invocation& invocation);
int report_command(const ReportArguments& arguments, const Invocation& invocation);
int info_command(const InfoArguments& arguments, const Invocation& invocation);
int list_command(const ListArguments& arguments, const Invocation& invocation);
int hash_apply_command(const HashApplyArguments& arguments, const Invocation& invocation);
int hash_count_command(const HashCountArguments& arguments, const Invocation& invocation);
int hash_patterns_command(const HashPatternsArguments& arguments, const Invocation& invocation);
int hash_search_command(const HashSearchArguments& arguments, const Invocation& invocation);
int rgpu_run_command(const RgpuRunArguments& arguments, const Invocation& invocation);
int rgpu_map_command(const RgpuMapArguments& arguments, const Invocation& invocation);
int rgpu_draw_command(const RgpuDrawArguments& arguments, const Invocation& invocation);

/// The -s overrides, parsed; all malformed ones are reported together.
std::vector<config::Override> parse_overrides(const Common& common);
/// The same, those of the GPU apart from those of the workload.
struct DividedOverrides {
  std::vector<config::Override> parameters;
  workload::ArgumentOverrides arguments;
};
DividedOverrides divide_overrides(const Common& common);
/// InputError when there are -s overrides although the command takes none.
void refuse_overrides(const Common& common, const std::string& reason);

/// The commit this program was built from, with "+" when files had changed; "" when not from a checkout.
std::string built_from();

}  // namespace lockstep::cli
