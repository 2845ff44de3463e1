#include "sim/report/timeline.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "isa/error.hpp"
#include "isa/program/source_place.hpp"
#include "sim/stats/json.hpp"

namespace lockstep::report {

namespace {

constexpr std::uint32_t kernels_process = 0;

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

/// Where a warp stands in the picture.
struct Row {
  std::uint32_t process = 0;
  std::uint64_t thread = 0;
  Cycle start = 0;  ///< Of its thread block.
};

}  // namespace

std::string timeline_json(const trace::Header& header, const gpu::Result& result, const TimelineEvents& events,
                          Cycle slot_interval) {
  EventWriter writer;
  writer.name_process(kernels_process, "kernels");
  writer.name_thread(kernels_process, 0, "launches");
  std::vector<Cycle> begins;
  std::uint64_t most_warps = 0;
  Cycle at = 0;
  for (std::size_t n = 0; n < result.launches.size(); ++n) {
    begins.push_back(at);
    const gpu::LaunchResult& launch = result.launches[n];
    writer.slice(kernels_process, 0, at, at + launch.cycles, launch.kernel,
                 fmt::format(R"("launch":{},"thread blocks":{},"cycles":{})", n, header.launches[n].thread_blocks(),
                             launch.cycles));
    at += launch.cycles;
    most_warps = std::max<std::uint64_t>(most_warps, header.launches[n].warps_per_block());
  }

  // By launch and thread block, the place where its warps are shown.
  std::map<std::pair<std::uint32_t, std::uint64_t>, Row> rows;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::string> threads;
  for (const gpu::BlockRun& block : events.blocks) {
    const Cycle start = begins[block.launch] + block.start, end = begins[block.launch] + block.end;
    if (end <= events.window.from || start >= events.window.to) continue;
    const Row row{process_of(block.sm), block.slot * (most_warps + 1), start};
    rows[{block.launch, block.thread_block}] = row;
    threads[{row.process, row.thread}] = fmt::format("place {}", block.slot);
    writer.slice(row.process, row.thread, start, end, fmt::format("thread block {}", block.thread_block),
                 fmt::format(R"("launch":{})", block.launch));
  }

  std::map<std::pair<std::uint32_t, std::uint64_t>, Cycle> since;  // By process and thread: shown up to there.
  for (const gpu::Issue& issue : events.issues) {
    const auto found = rows.find({issue.launch, issue.thread_block});
    if (found == rows.end()) continue;
    const Row& row = found->second;
    const std::uint64_t thread = row.thread + 1 + issue.warp;
    const Cycle begin = begins[issue.launch], now = begin + issue.cycle;
    threads[{row.process, thread}] = fmt::format("place {} warp {}", row.thread / (most_warps + 1), issue.warp);
    Cycle& shown = since[{row.process, thread}];
    // A new thread block's warp, or one that issued before the window, waits from its start on.
    shown = std::max({shown, row.start, events.window.from});
    const Cycle ready = std::clamp(begin + issue.ready, shown, std::max(shown, now));
    writer.slice(row.process, thread, shown, ready, gpu::name_of(issue.waited_for));
    writer.slice(row.process, thread, ready, now, "ready");
    const program::Kernel& kernel = header.kernels[header.launches[issue.launch].kernel];
    const Cycle end = now + slot_interval;
    if (now >= shown)  // Of two that issue in a slot, the first is shown.
      writer.slice(row.process, thread, now, end, kernel.strings[kernel.instructions[issue.instruction].mnemonic],
                   fmt::format(R"("source":{},"pc":{},"lanes":"{:#010x}")",
                               stats::json_string(program::source_place(kernel, issue.instruction)), issue.instruction,
                               issue.lanes));
    shown = std::max(shown, end);
  }
  for (const auto& [place, name] : threads) writer.name_thread(place.first, place.second, name);
  std::uint32_t named = kernels_process;
  for (const auto& [place, name] : threads)
    if (place.first != named) writer.name_process(named = place.first, fmt::format("SM {}", place.first - 1));
  return writer.take();
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int gzip_window = 15 + 16;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw ResourceError("gzip: no memory");
  std::string compressed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.next_out = reinterpret_cast<Bytef*>(compressed.data());
  // zlib counts in 32 bits.
  std::size_t in = text.size(), out = compressed.size();
  int status = Z_OK;
  while (status == Z_OK) {
    const auto some = [](std::size_t left) { return static_cast<uInt>(std::min<std::size_t>(left, 1u << 30)); };
    const uInt given = some(in), room = some(out);
    stream.avail_in = given;
    stream.avail_out = room;
    status = deflate(&stream, given == in ? Z_FINISH : Z_NO_FLUSH);
    in -= given - stream.avail_in;
    out -= room - stream.avail_out;
  }
  compressed.resize(compressed.size() - out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw Bug("gzip did not finish");
  return compressed;
}

}  // namespace lockstep::report
