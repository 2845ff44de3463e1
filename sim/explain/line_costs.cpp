#include "sim/explain/line_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace lockstep::explain {

std::uint64_t LineCosts::lost_slots() const {
  return std::accumulate(lost.begin(), lost.end(), std::uint64_t{0});
}

std::vector<std::pair<gpu::Slot, std::uint64_t>> LineCosts::reasons() const {
  std::vector<std::pair<gpu::Slot, std::uint64_t>> all;
  for (std::size_t slot = 0; slot < lost.size(); ++slot)
    if (lost[slot] > 0) all.emplace_back(static_cast<gpu::Slot>(slot), lost[slot]);
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return all;
}

namespace {

constexpr auto launch = static_cast<std::size_t>(gpu::Slot::launch);

void add(const gpu::InstructionCounters& from, LineCosts& to) {
  to.executed += from.executed;
  to.lanes += from.lanes;
  to.issued += from.slots[static_cast<std::size_t>(gpu::Slot::issued)];
  for (std::size_t slot = 0; slot < to.lost.size(); ++slot)
    if (slot != launch) to.lost[slot] += from.caused[slot];
  counter::add(to.accesses, from.accesses);
}

}  // namespace

std::vector<LineCosts> line_costs(const trace::Header& header, const gpu::Result& result) {
  std::vector<LineCosts> all;
  // By kernel, file, line, the call of an inlined function, and instruction where no line is known.
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t, std::string, std::uint32_t, std::uint32_t>, LineCosts>
      lines;
  for (std::uint32_t k = 0; k < result.instructions.size(); ++k) {
    const program::Kernel& kernel = header.kernels[k];
    const bool has_lines = std::any_of(kernel.instructions.begin(), kernel.instructions.end(),
                                       [](const auto& i) { return i.source_line != 0; });
    LineCosts start;
    start.kernel = k;
    start.block_start = true;
    for (std::uint32_t n = 0; n < result.instructions[k].size(); ++n) {
      const gpu::InstructionCounters& counters = result.instructions[k][n];
      const program::StaticInstruction& at = kernel.instructions[n];
      const std::string& file = kernel.strings[at.source_file];
      const std::uint32_t alone = has_lines ? 0 : n;
      const std::string& call = kernel.strings[at.call_file];
      LineCosts& line = lines[{k, at.source_line == 0 ? "" : file, at.source_line, call, at.call_line, alone}];
      if (!has_lines) line.instruction = fmt::format("instruction {}: {}", n, kernel.strings[at.mnemonic]);
      line.call_file = call;
      line.call_number = at.call_line;
      line.kernel = k;
      line.file = at.source_line == 0 ? "" : file;
      line.number = at.source_line;
      add(counters, line);
      start.lost[launch] += counters.caused[launch];
      if (k >= result.examples.size()) continue;
      if (const auto found = result.examples[k].find(n); found != result.examples[k].end())
        line.examples.push_back({n, kernel.strings[at.mnemonic], counters.accesses, found->second});
    }
    if (start.slots() > 0) all.push_back(std::move(start));
  }
  for (auto& [place, line] : lines) {
    if (line.executed == 0 && line.slots() == 0) continue;
    std::stable_sort(line.examples.begin(), line.examples.end(), [](const LineAccess& a, const LineAccess& b) {
      return a.example.costlier_than(b.example) && !b.example.costlier_than(a.example);
    });
    all.push_back(std::move(line));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const LineCosts& a, const LineCosts& b) { return a.slots() > b.slots(); });
  return all;
}

}  // namespace lockstep::explain
