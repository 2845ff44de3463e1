#include "tools/lockstep/replay/observation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/error.hpp"
#include "isa/output_file.hpp"
#include "sim/timeline/chrome_trace.hpp"
#include "sim/timeline/gzip.hpp"
#include "sim/timeline/konata.hpp"
#include "sim/timeline/picture.hpp"

namespace lockstep::cli {

namespace {

/// Reads a number off the front of a text; whether there was one.
template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_character(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

void read_cycles(const std::string& given, Cycle& from, Cycle& to) {
  std::string_view text = given;
  if (take_number(text, from) && take_character(text, '-') && take_number(text, to) && text.empty() && from < to)
    return;
  throw InputError(fmt::format("--cycles {}: expected FROM-TO, two numbers of cycles such as 0-10000", given));
}

gpu::WarpRange read_warps(const std::string& given) {
  gpu::WarpRange range;
  std::string_view text = given;
  bool whole = take_number(text, range.thread_block);
  if (whole && take_character(text, ':')) {
    whole = take_number(text, range.first);
    range.last = range.first;
    if (whole && take_character(text, '-')) whole = take_number(text, range.last) && range.first <= range.last;
  }
  if (whole && text.empty()) return range;
  throw InputError(
      fmt::format("--warps {}: expected the number of a thread block, BLOCK:WARP or BLOCK:FIRST-LAST", given));
}

}  // namespace

Observation::Observation(const ObservationArguments& arguments, const gpu::GpuSpec& spec)
    : arguments_(arguments), spec_(spec) {
  const bool of_warps = !arguments.timelines.empty() || arguments.konata;
  const auto needs = [](const char* option, const char* others) {
    throw InputError(fmt::format("{} needs {}", option, others));
  };
  if (!of_warps && !arguments.series) {
    if (!arguments.cycles.empty()) needs("--cycles", "--timeline, --konata or --series");
    if (!arguments.sms.empty()) needs("--sms", "--timeline, --konata or --series");
  }
  if (!of_warps && !arguments.warps.empty()) needs("--warps", "--timeline or --konata");
  if (arguments.timelines.empty() && !arguments.series && arguments.every) needs("--every", "--timeline or --series");
  if (arguments.series.has_value() != !arguments.statistics.empty())
    needs(arguments.series ? "--series" : "--statistic", arguments.series ? "--statistic" : "--series");

  gpu::IssueWindow& window = events_.window;
  window.to = ObservationArguments::standard_cycles;
  if (!arguments.cycles.empty()) {
    read_cycles(arguments.cycles, window.from, window.to);
    series_from_ = window.from;
    series_to_ = window.to;
  }
  for (const std::uint32_t sm : arguments.sms)
    if (sm >= spec.sms) throw InputError(fmt::format("--sms {}: {} has SMs 0 to {}", sm, spec.name, spec.sms - 1));
  window.sms = arguments.sms.empty() ? std::vector<std::uint32_t>{0} : arguments.sms;
  for (const std::string& warps : arguments.warps) window.warps.push_back(read_warps(warps));
  if (arguments.series) series_.emplace(spec, arguments.statistics);
}

void Observation::observe(gpu::Options& options) {
  if (!arguments_.timelines.empty() || arguments_.konata) {
    options.issue_window = events_.window;
    options.issues = &events_.issues;
    options.blocks = &events_.blocks;
  }
  if (arguments_.timelines.empty() && !series_) return;
  gpu::SampleOptions& samples = options.samples;
  samples.interval = arguments_.every.value_or(ObservationArguments::standard_interval);
  samples.sms = arguments_.sms;
  samples.from = series_ ? series_from_ : events_.window.from;
  samples.to = series_ ? series_to_ : events_.window.to;
  if (!arguments_.timelines.empty()) {
    samples.from = std::min(samples.from, events_.window.from);
    samples.to = std::max(samples.to, events_.window.to);
    samples.fifos = true;
  }
  if (series_) series_->begin(samples.from);
  samples.take = [this](const gpu::Sample& sample) { take(sample); };
  if (samples.from == 0) take({});  // All counters begin at 0.
}

void Observation::take(const gpu::Sample& sample) {
  if (series_ && sample.at != 0) series_->take(sample);
  if (!arguments_.timelines.empty() && events_.window.from <= sample.at && sample.at <= events_.window.to)
    events_.samples.push_back(sample);
}

std::string Observation::note() const {
  const bool of_warps = !arguments_.timelines.empty() || arguments_.konata;
  if (!of_warps || !events_.issues.empty()) return {};
  const gpu::IssueWindow& window = events_.window;
  const std::string warps =
      arguments_.warps.empty() ? "no warp" : fmt::format("no warp of --warps {}", fmt::join(arguments_.warps, ","));
  return fmt::format("{} issues on SM {} in cycles {}-{}: nothing is shown of warps (--sms, --cycles, --warps)", warps,
                     fmt::join(window.sms, ", "), window.from, window.to);
}

void Observation::write(const trace::Header& header, const gpu::Result& result) const {
  for (const std::string& file : arguments_.timelines)
    write_whole_file(file, file.ends_with(".svg")
                               ? timeline::timeline_svg(header, spec_, result, events_)
                               : timeline::as_file(file, timeline::chrome_trace(header, spec_, result, events_)));
  if (arguments_.konata)
    write_whole_file(*arguments_.konata,
                     timeline::as_file(*arguments_.konata, timeline::konata_log(header, spec_, result, events_)));
  if (arguments_.series) write_whole_file(*arguments_.series, series_->csv());
}

}  // namespace lockstep::cli
