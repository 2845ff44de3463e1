#include "tools/lockstep/replay/sampling.hpp"

#include <fmt/format.h>

#include "isa/error.hpp"

namespace lockstep::cli {

void check_sampling(const ReplayArguments& arguments) {
  if (!arguments.sampling.wanted) return;
  const ObservationArguments& observation = arguments.observation;
  const char* whole = arguments.per_instruction          ? "--per-instruction"
                      : arguments.activity.interval != 0 ? "--activity"
                      : !observation.timelines.empty()   ? "--timeline"
                      : observation.konata               ? "--konata"
                      : observation.series               ? "--series"
                                                         : nullptr;
  if (whole != nullptr)
    throw InputError(
        fmt::format("{} shows every thread block, and --sample replays a part of them: leave one of them out", whole));
}

std::string sampling_text(const gpu::Result& result) {
  if (!result.sampling) return {};
  if (result.sampling->replayed == 1) return "\nNot sampled: all warp instructions were replayed\n";
  return fmt::format(
      "\nSampled: {:.1f} % of the warp instructions were replayed, the rest is projected; cycles are within {:.1f} % "
      "with {:.0f} % confidence\n",
      100 * result.sampling->replayed, 100 * result.sampling->error, 100 * result.sampling->confidence);
}

void add_sampling(stats::JsonWriter& json, const gpu::Result& result) {
  if (!result.sampling) return;
  const gpu::Sampling& all = *result.sampling;
  json.key("sampling").begin_object().field("sampled", all.replayed < 1);
  json.field("replayed_pct", 100 * all.replayed).field("error_pct", 100 * all.error);
  json.field("confidence_pct", 100 * all.confidence).field("wanted_error_pct", 100 * all.wanted_error);
  json.key("launches").begin_array();
  for (const gpu::LaunchResult& launch : result.launches) {
    json.begin_object(true).field("kernel", launch.kernel);
    json.field("projected_thread_blocks", launch.sampling.thread_blocks);
    json.field("projected_warp_instructions", launch.sampling.warp_instructions);
    json.field("error_cycles", launch.sampling.error);
    if (!launch.sampling.whole.empty()) json.field("whole", launch.sampling.whole);
    json.end_object();
  }
  json.end_array().end_object();
}

}  // namespace lockstep::cli
