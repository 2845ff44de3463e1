#include "sim/timeline/chrome_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/program/demangled.hpp"
#include "isa/program/source_place.hpp"
#include "sim/stats/json.hpp"
#include "sim/timeline/levels.hpp"

namespace lockstep::timeline {

namespace {

constexpr std::uint32_t gpu_process = 0;

/// The process of an SM.
constexpr std::uint32_t process_of(std::uint32_t sm) {
  return sm + 1;
}

class EventWriter {
 public:
  /// Something that lasts from cycle `from` to `to`. `arguments`: the inside of a JSON object, or "".
  void slice(std::uint32_t process, std::uint64_t thread, Cycle from, Cycle to, std::string_view name,
             const std::string& arguments = "") {
    if (to <= from) return;
    add(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{}{}}})", process, thread, from, to - from,
                    stats::json_string(name), arguments.empty() ? "" : fmt::format(R"(,"args":{{{}}})", arguments)));
  }
  /// From a cycle on, until it is set again.
  void counter(std::uint32_t process, Cycle at, std::string_view name, std::string_view unit, double value) {
    add(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{{}:{:.6g}}}}})", process, at,
                    stats::json_string(name), stats::json_string(unit), value));
  }
  void name_process(std::uint32_t process, const std::string& name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process,
                    stats::json_string(name)));
    add(fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process,
                    process));
  }
  void name_thread(std::uint32_t process, std::uint64_t thread, const std::string& name) {
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", process, thread,
                    stats::json_string(name)));
    add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", process,
                    thread, thread));
  }
  std::string take() { return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + text_ + "\n]}\n"; }

 private:
  void add(const std::string& event) {
    if (!text_.empty()) text_ += ",\n";
    text_ += event;
  }
  std::string text_;
};

void write_levels(EventWriter& writer, const gpu::GpuSpec& spec, const std::vector<gpu::Sample>& samples) {
  for (std::size_t n = 1; n < samples.size(); ++n) {
    const gpu::Sample &before = samples[n - 1], &after = samples[n];
    const gpu::Counters counted = counter::difference(after.counters, before.counters);
    for (const Level& level : levels())
      writer.counter(gpu_process, before.at, level.name, "%",
                     level.percent(spec, counted, after.at - before.at).value_or(0));
  }
  if (samples.size() > 1)
    for (const Level& level : levels()) writer.counter(gpu_process, samples.back().at, level.name, "%", 0);
}

/// What lies in FIFOs, where it changes.
void write_fifos(EventWriter& writer, const std::vector<gpu::Sample>& samples) {
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> shown;
  for (const gpu::Sample& sample : samples) {
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> now;
    for (const auto& [fifo, values] : shown) now[fifo] = 0;  // A graph that has ended holds nothing.
    for (const gpu::FifoLevel& fifo : sample.fifos)
      now[{fifo.sm, fmt::format("FIFO {} operand {}", fifo.graph->nodes[fifo.node].name, fifo.operand)}] = fifo.values;
    for (const auto& [fifo, values] : now) {
      const auto before = shown.find(fifo);
      if (before != shown.end() && before->second == values) continue;
      writer.counter(process_of(fifo.first), sample.at, fifo.second, "values", values);
      shown[fifo] = values;
    }
  }
}

}  // namespace

std::string chrome_trace(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result,
                         const Events& events) {
  const History history = history_of(header, result, events, spec.sm.scheduler_interval);
  EventWriter writer;
  writer.name_process(gpu_process, "GPU");
  writer.name_thread(gpu_process, 0, "kernels");
  for (std::size_t n = 0; n < result.launches.size(); ++n) {
    const gpu::LaunchResult& launch = result.launches[n];
    writer.slice(gpu_process, 0, history.begins[n], history.begins[n] + launch.cycles,
                 program::short_name(launch.kernel),
                 fmt::format(R"("launch":{},"thread blocks":{},"cycles":{})", n, header.launches[n].thread_blocks(),
                             launch.cycles));
  }
  write_levels(writer, spec, events.samples);

  // A row for each place, and one for each warp behind it.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> threads;
  const auto row = [&](const Place& place) { return place.number * (history.warps_of_block + 1); };
  for (const BlockStretch& block : history.blocks) {
    const std::uint32_t process = process_of(block.place.sm);
    threads[{process, row(block.place)}] = fmt::format("place {}", block.place.number);
    writer.slice(process, row(block.place), block.from, block.to, fmt::format("thread block {}", block.thread_block),
                 fmt::format(R"("launch":{})", block.launch));
  }
  for (const WarpStretch& stretch : history.warps) {
    const std::uint32_t process = process_of(stretch.place.sm);
    const std::uint64_t thread = row(stretch.place) + 1 + stretch.warp;
    threads[{process, thread}] = fmt::format("place {} warp {}", stretch.place.number, stretch.warp);
    if (stretch.kind != WarpStretch::Kind::issues) {
      const bool waits = stretch.kind == WarpStretch::Kind::waits;
      writer.slice(process, thread, stretch.from, stretch.to, waits ? gpu::name_of(stretch.waited_for) : "ready");
      continue;
    }
    const gpu::Issue& issue = *stretch.issue;
    const program::Kernel& kernel = header.kernels[header.launches[issue.launch].kernel];
    writer.slice(process, thread, stretch.from, stretch.to,
                 kernel.strings[kernel.instructions[issue.instruction].mnemonic],
                 fmt::format(R"("source":{},"pc":{},"lanes":"{:#010x}")",
                             stats::json_string(program::source_place(kernel, issue.instruction)), issue.instruction,
                             issue.lanes));
  }
  write_fifos(writer, events.samples);
  for (const auto& [place, name] : threads) writer.name_thread(place.first, place.second, name);
  std::uint32_t named = gpu_process;
  for (const auto& [place, name] : threads)
    if (place.first != named) writer.name_process(named = place.first, fmt::format("SM {}", place.first - 1));
  return writer.take();
}

}  // namespace lockstep::timeline
