#include "sim/timeline/konata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "isa/program/demangled.hpp"
#include "isa/program/source_place.hpp"

namespace lockstep::timeline {

namespace {

using machine::Operation;

/// What works on an instruction after its issue.
char stage_of(Operation operation) {
  switch (operation) {
    case Operation::scratchpad_load:
    case Operation::scratchpad_store:
    case Operation::load_lock:
    case Operation::store_unlock:
    case Operation::scratchpad_atomic:
    case Operation::scratchpad_reduction: return 'S';
    case Operation::global_load:
    case Operation::global_store:
    case Operation::global_atomic:
    case Operation::global_reduction:
    case Operation::constant_load:
    case Operation::texture_load: return 'M';
    default: return 'X';
  }
}

/// A line of the log, which belongs to a cycle.
struct Line {
  Cycle cycle = 0;
  std::string text;
};

/// An instruction on its way. Cycles are those of the replay.
struct Instruction {
  const gpu::Issue* issue = nullptr;
  std::size_t thread = 0, number = 0;  ///< number: of its thread.
  bool second = false;                 ///< Of two that issue in one slot.
  Cycle from = 0, ready = 0, now = 0, issued = 0, done = 0;
  std::size_t id = 0, retired = 0;  ///< In order of begins, and of ends.
};

/// The lines of one instruction, in order.
class InstructionWriter {
 public:
  InstructionWriter(std::vector<Line>& lines, std::size_t id) : lines_(lines), id_(id) {}

  void begin(const Instruction& one, const std::string& text, const std::string& details) {
    add(one.from, fmt::format("I\t{}\t{}\t{}", id_, one.number, one.thread));
    add(one.from, fmt::format("L\t{}\t0\t{}", id_, without_tabs(text)));
    add(one.from, fmt::format("L\t{}\t1\t{}", id_, without_tabs(details)));
  }
  void stage(Cycle from, Cycle to, int lane, std::string_view name) {
    if (to <= from) return;
    add(from, fmt::format("S\t{}\t{}\t{}", id_, lane, name));
    add(to, fmt::format("E\t{}\t{}\t{}", id_, lane, name));
  }
  void retire(const Instruction& one) { add(one.done, fmt::format("R\t{}\t{}\t0", id_, one.retired)); }

 private:
  /// A line is split at tabs.
  static std::string without_tabs(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return text;
  }
  void add(Cycle cycle, std::string text) { lines_.push_back({cycle, std::move(text)}); }

  std::vector<Line>& lines_;
  std::size_t id_;
};

/// All that were issued, in order of their begins.
std::vector<Instruction> instructions_of(const gpu::Result& result, const Events& events, Cycle slot) {
  std::vector<Cycle> begins;
  Cycle end = 0;
  for (const gpu::LaunchResult& launch : result.launches) {
    begins.push_back(end);
    end += launch.cycles;
  }
  std::map<std::pair<std::uint32_t, std::uint64_t>, Cycle> starts;  // Of thread blocks, by launch.
  for (const gpu::BlockRun& block : events.blocks)
    starts[{block.launch, block.thread_block}] = begins[block.launch] + block.start;

  struct Thread {
    std::size_t number = 0, instructions = 0;
    Cycle next = 0;  ///< When its next instruction begins to wait.
    Cycle last = 0;  ///< Issue of the last one.
  };
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, Thread> threads;  // Launch, thread block, warp.
  std::vector<Instruction> all;
  for (const gpu::Issue& issue : events.issues) {
    const Cycle begin = begins[issue.launch], now = begin + issue.cycle;
    if (now >= events.window.to) continue;
    const auto [at, is_new] = threads.try_emplace({issue.launch, issue.thread_block, issue.warp});
    Thread& thread = at->second;
    if (is_new) {
      thread.number = threads.size() - 1;
      const auto start = starts.find({issue.launch, issue.thread_block});
      thread.next = std::max(events.window.from, start == starts.end() ? begin : start->second);
    }
    Instruction one;
    one.issue = &issue;
    one.thread = thread.number;
    one.number = thread.instructions++;
    one.second = !is_new && thread.last == now;
    one.from = std::min(thread.next, now);
    one.ready = std::clamp(begin + issue.ready, one.from, now);
    one.now = now;
    one.issued = now + slot;
    one.done = std::max(one.issued, issue.done == never ? end : begin + issue.done);
    all.push_back(one);
    thread.next = one.issued;
    thread.last = now;
  }
  std::stable_sort(all.begin(), all.end(), [](const Instruction& a, const Instruction& b) { return a.from < b.from; });
  std::vector<std::size_t> ends(all.size());
  for (std::size_t id = 0; id < all.size(); ++id) ends[id] = all[id].id = id;
  std::stable_sort(ends.begin(), ends.end(), [&](std::size_t a, std::size_t b) { return all[a].done < all[b].done; });
  for (std::size_t n = 0; n < ends.size(); ++n) all[ends[n]].retired = n;
  return all;
}

std::string details_of(const gpu::Issue& issue, const program::Kernel& kernel) {
  const std::string lanes = fmt::format("lanes {:#010x}", issue.lanes);
  const std::string acquired = issue.acquired == 0 ? "" : fmt::format(", acquired {:#010x}", issue.acquired);
  return fmt::format("{}, SM {}, launch {} ({}), thread block {}, warp {}, {}{}, issued in cycle {} of the launch",
                     program::source_place(kernel, issue.instruction), issue.sm, issue.launch,
                     program::short_name(kernel.name), issue.thread_block, issue.warp, lanes, acquired, issue.cycle);
}

}  // namespace

std::string konata_log(const trace::Header& header, const gpu::GpuSpec& spec, const gpu::Result& result,
                       const Events& events) {
  std::vector<Line> lines;
  for (const Instruction& one : instructions_of(result, events, spec.sm.scheduler_interval)) {
    const gpu::Issue& issue = *one.issue;
    const program::Kernel& kernel = header.kernels[header.launches[issue.launch].kernel];
    const std::string& mnemonic = kernel.strings[kernel.instructions[issue.instruction].mnemonic];
    InstructionWriter writer(lines, one.id);
    writer.begin(one, fmt::format("{}: {}", issue.instruction, mnemonic), details_of(issue, kernel));
    if (!one.second) {
      writer.stage(one.from, one.ready, 0, "D");
      writer.stage(one.from, one.ready, 1, gpu::name_of(issue.waited_for));
      writer.stage(one.ready, one.now, 0, "R");
    }
    writer.stage(one.now, one.issued, 0, "I");
    const char stage = stage_of(issue.operation);
    writer.stage(one.issued, one.done, 0, std::string_view(&stage, 1));
    writer.retire(one);
  }

  // Lines are in order of cycles, those of one instruction in their own order.
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.cycle < b.cycle; });
  std::string text = "Kanata\t0004\n";
  Cycle at = lines.empty() ? events.window.from : lines.front().cycle;
  text += fmt::format("C=\t{}\n", at);
  for (const Line& line : lines) {
    if (line.cycle > at) text += fmt::format("C\t{}\n", line.cycle - at);
    at = line.cycle;
    text += line.text + '\n';
  }
  return text;
}

}  // namespace lockstep::timeline
