#pragma once
// The commands, one file each. Each is a function of its arguments that returns the exit code; errors are thrown.

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

int execute(const RunArguments& arguments, const Invocation& invocation);
int execute(const TraceArguments& arguments, const Invocation& invocation);
int execute(const ReplayArguments& arguments, const Invocation& invocation);
int execute(const ProbeArguments& arguments, const Invocation& invocation);
int execute(const ValidateArguments& arguments, const Invocation& invocation);
int execute(const ReportArguments& arguments, const Invocation& invocation);
int execute(const MergeArguments& arguments, const Invocation& invocation);
int execute(const ExportArguments& arguments, const Invocation& invocation);
int execute(const InfoArguments& arguments, const Invocation& invocation);
int execute(const ListArguments& arguments, const Invocation& invocation);
int execute(const CalibrateArguments& arguments, const Invocation& invocation);
int execute(const ExplainArguments& arguments, const Invocation& invocation);
int execute(const CompareArguments& arguments, const Invocation& invocation);
int execute(const OccupancyArguments& arguments, const Invocation& invocation);
int execute(const RooflineArguments& arguments, const Invocation& invocation);
int execute(const HashApplyArguments& arguments, const Invocation& invocation);
int execute(const HashCountArguments& arguments, const Invocation& invocation);
int execute(const HashPatternsArguments& arguments, const Invocation& invocation);
int execute(const HashSearchArguments& arguments, const Invocation& invocation);
int execute(const SwizzleArguments& arguments, const Invocation& invocation);
int execute(const RgpuRunArguments& arguments, const Invocation& invocation);
int execute(const RgpuMapArguments& arguments, const Invocation& invocation);
int execute(const RgpuDrawArguments& arguments, const Invocation& invocation);
int execute(const ImportAccelsimArguments& arguments, const Invocation& invocation);
int execute(const ImportCaptureArguments& arguments, const Invocation& invocation);
int execute(const InstrumentArguments& arguments, const Invocation& invocation);
int execute(const CompletionArguments& arguments, const Invocation& invocation);
int execute(const ManArguments& arguments, const Invocation& invocation);

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
