// An explanation as text.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/program/demangled.hpp"
#include "sim/explain/output.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::explain {

using stats::grouped;

namespace {

constexpr std::size_t detail_indent = 9;

/// `text` in lines of at most `columns`, each after `indent` blanks, those after the first two more.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns) {
  std::string result, line;
  std::size_t margin = indent;
  const auto flush = [&] {
    result += std::string(margin, ' ') + line + "\n";
    line.clear();
    margin = indent + 2;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && margin + line.size() + 1 + word.size() > columns) flush();
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  flush();
  return result;
}

std::string head_text(const Explanation& all, std::size_t columns) {
  std::string text =
      fmt::format("{} on {}: {} cycles, {:.6g} ms, {} warp instructions", all.workload, all.spec.name,
                  grouped(all.result.cycles), all.result.time_ms(all.spec), grouped(all.result.warp_instructions));
  std::vector<std::pair<std::string, gpu::Occupancy>> launches;
  for (const gpu::LaunchResult& launch : all.result.launches) {
    const auto same = [&](const auto& other) {
      return other.first == launch.kernel && other.second.blocks == launch.occupancy.blocks;
    };
    if (std::none_of(launches.begin(), launches.end(), same)) launches.emplace_back(launch.kernel, launch.occupancy);
  }
  std::string result = wrapped(text, 0, columns);
  constexpr std::size_t shown = 4;
  for (std::size_t n = 0; n < std::min(shown, launches.size()); ++n)
    result += wrapped(fmt::format("{}: {} thread blocks and {} warps resident per SM, limited by {}",
                                  program::demangled(launches[n].first), launches[n].second.blocks,
                                  launches[n].second.warps, launches[n].second.limit),
                      0, columns);
  if (launches.size() > shown)
    result += fmt::format("... and {} more kernels or launch shapes\n", launches.size() - shown);
  const auto& slots = all.result.counters.sm.slots;
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (std::size_t slot = 1; slot < slots.size(); ++slot)
    if (1000 * slots[slot] >= all.all_slots())
      reasons.emplace_back(slots[slot], gpu::name_of(static_cast<gpu::Slot>(slot)));
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string lost;
  for (const auto& [count, name] : reasons)
    lost += fmt::format("{}{} {:.1f} %", lost.empty() ? "" : ", ", name, all.percent_of_slots(count));
  return result + wrapped(fmt::format("issue slots: {}; issued {:.1f} %, lost to {}", grouped(all.all_slots()),
                                      all.percent_of_slots(slots[0]), lost.empty() ? "nothing" : lost),
                          0, columns);
}

std::string detail_text(const Explanation& all, const LineCosts& line, std::size_t columns) {
  std::string lost = lost_text(line);
  if (line.block_start)
    return wrapped(fmt::format("{} slots lost: {}", grouped(line.lost_slots()), lost), detail_indent, columns);
  std::string text = wrapped(
      fmt::format("{} warp instructions, {} slots issued, {} lost{}{}", grouped(line.executed), grouped(line.issued),
                  grouped(line.lost_slots()), lost.empty() ? "" : " because of it: ", lost),
      detail_indent, columns);
  for (const std::string& sentence : access_sentences(all, line)) text += wrapped(sentence, detail_indent, columns);
  return text;
}

std::string hot_lines(const Explanation& all, SourceFiles& sources, const TextOptions& options) {
  std::string text = fmt::format("Lines by issue slots (taken, and lost because of the line; % of all)\n");
  std::uint64_t rest = 0;
  std::size_t shown = 0;
  const bool several = all.header.kernels.size() > 1;
  for (const LineCosts& line : all.lines) {
    if (shown == options.lines || (shown > 0 && 200 * line.slots() < all.all_slots())) {
      rest += line.slots();
      continue;
    }
    ++shown;
    const std::string source = sources.line(line.file, line.number);
    text += fmt::format("\n{:5.1f} %  {}{}{}{}\n", all.percent_of_slots(line.slots()), place_of(line),
                        several ? " (" + program::demangled(all.header.kernels[line.kernel].name) + ")" : "",
                        source.empty() ? "" : "  ", source);
    text += detail_text(all, line, options.columns);
  }
  const std::size_t others = all.lines.size() - shown;
  if (others > 0)
    text += fmt::format("\n{:5.1f} %  {} other lines (--lines N, --whole)\n", all.percent_of_slots(rest), others);
  return text;
}

/// Every file with a line that ran: all its lines, or those that ran where its text is not found.
std::string whole_sources(const Explanation& all, SourceFiles& sources, const TextOptions& options) {
  std::map<std::string, std::map<std::uint32_t, std::vector<const LineCosts*>>> files;
  for (const LineCosts& line : all.lines)
    if (!line.block_start) files[line.file][line.number].push_back(&line);
  std::string text;
  for (const auto& one : files) {
    const std::string& file = one.first;
    const auto& by_number = one.second;
    const std::vector<std::string>* lines = sources.lines(file);
    text += fmt::format("{}{}\n",
                        file.empty() ? "instructions without a source line (the compiler added or moved them)" : file,
                        lines == nullptr && !file.empty() ? " (its text was not found: --source DIR)" : "");
    text += "    % of slots\n";
    const auto show = [&](std::uint32_t number, const std::string& source) {
      const auto found = by_number.find(number);
      std::uint64_t slots = 0;
      if (found != by_number.end())
        for (const LineCosts* line : found->second) slots += line->slots();
      const std::string share = found == by_number.end() ? "" : fmt::format("{:.1f}", all.percent_of_slots(slots));
      std::string shown = fmt::format("{:>7}  {:>5} | {}", share, number == 0 ? "-" : std::to_string(number), source);
      text += shown.substr(0, shown.find_last_not_of(' ') + 1) + "\n";
      if (found == by_number.end()) return;
      for (const LineCosts* line : found->second) {
        if (1000 * line->slots() < all.all_slots()) continue;
        if (line->call_number != 0 || !line->instruction.empty())
          text += wrapped(place_of(*line), detail_indent, options.columns);
        text += detail_text(all, *line, options.columns);
      }
    };
    if (lines == nullptr) {
      for (const auto& [number, costs] : by_number) show(number, "");
    } else {
      for (std::uint32_t number = 1; number <= lines->size(); ++number) show(number, (*lines)[number - 1]);
    }
    text += "\n";
  }
  return text;
}

std::string remedies_text(const Explanation& all, std::size_t columns) {
  if (all.remedies.empty()) return "";
  std::string table = fmt::format("{:>8}  {:>13}    {}\n", "speed-up", "cycles", "what, each replayed alone");
  const Effects effects = effects_of(all);
  for (const Outcome* one : effects.helpful) {
    const std::string text = wrapped(one->text, 0, columns - std::min<std::size_t>(columns / 2, 27));
    std::string front =
        fmt::format("{:8.2f}  {:>13}  {} ", static_cast<double>(all.result.cycles) / static_cast<double>(*one->cycles),
                    grouped(*one->cycles), one->kind == Remedy::Kind::change ? "*" : " ");
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
      table += front + text.substr(at, text.find('\n', at) - at) + "\n";
      front.assign(front.size(), ' ');
    }
  }
  std::string text = "What would help (* can be changed by you; the others lift a limit of the machine)\n";
  text += !effects.helpful.empty() ? "\n" + table : "Nothing that was tried.\n";
  if (!effects.slower.empty()) text += "\n" + wrapped("Slower: " + effects.slower, 0, columns);
  if (!effects.idle.empty()) text += "\n" + wrapped("No effect: " + effects.idle, 0, columns);
  for (const std::string& failure : effects.failures)
    text +=
        (&failure == &effects.failures.front() ? "\n" : "") + wrapped("Could not be replayed: " + failure, 0, columns);
  return text;
}

}  // namespace

std::string to_text(const Explanation& explanation, SourceFiles& sources, const TextOptions& options) {
  std::string text = head_text(explanation, options.columns) + "\n";
  text +=
      options.whole ? whole_sources(explanation, sources, options) : hot_lines(explanation, sources, options) + "\n";
  return text + remedies_text(explanation, options.columns);
}

}  // namespace lockstep::explain
