// An explanation as a section of the HTML report.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/explain/output.hpp"
#include "sim/report/svg.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::explain {

using report::escaped;
using stats::grouped;

namespace {

using ByNumber = std::map<std::uint32_t, std::vector<const LineCosts*>>;

/// Lines of a file that are shown; of a longer file those around lines that ran.
constexpr std::uint32_t context_lines = 3;

std::uint64_t slots_of(const std::vector<const LineCosts*>& lines) {
  std::uint64_t slots = 0;
  for (const LineCosts* line : lines) slots += line->slots();
  return slots;
}

/// A cell whose left part is coloured, as far as the share goes.
std::string share_cell(double share, double largest) {
  const double width = largest == 0 ? 0 : 100 * share / largest;
  return fmt::format(
      "<td class=\"number\" style=\"background: linear-gradient(to right, var(--heat) {:.1f}%, transparent {:.1f}%)\">"
      "{:.1f}</td>",
      width, width, share);
}

std::string details(const Explanation& all, const LineCosts& line) {
  std::string text = fmt::format("{} warp instructions, {} slots issued, {} lost", grouped(line.executed),
                                 grouped(line.issued), grouped(line.lost_slots()));
  if (const std::string lost = lost_text(line); !lost.empty()) text += ": " + lost;
  std::string html = line.call_number == 0 ? "" : fmt::format("<li>{}</li>", escaped(place_of(line)));
  html += fmt::format("<li>{}</li>", escaped(text));
  for (const std::string& sentence : access_sentences(all, line)) html += fmt::format("<li>{}</li>", escaped(sentence));
  return fmt::format("<ul>{}</ul>", html);
}

std::string row(const Explanation& all, std::uint32_t number, const std::string& source,
                const std::vector<const LineCosts*>* lines, double largest) {
  const std::string line_number = number == 0 ? "-" : fmt::format("{}", number);
  const std::string code = fmt::format("<code style=\"white-space: pre\">{}</code>", escaped(source));
  if (lines == nullptr)
    return fmt::format("<tr><td></td><td class=\"number\">{}</td><td>{}</td></tr>\n", line_number, code);
  std::string notes;
  for (const LineCosts* line : *lines)
    if (200 * line->slots() >= all.all_slots()) notes += details(all, *line);
  const std::string told =
      notes.empty()
          ? code
          : fmt::format(
                "<details style=\"margin: 0\"{}><summary style=\"font-weight: normal\">{}</summary>{}</details>",
                10 * slots_of(*lines) >= all.all_slots() ? " open=\"open\"" : "", code, notes);
  return fmt::format("<tr>{}<td class=\"number\">{}</td><td>{}</td></tr>\n",
                     share_cell(all.percent_of_slots(slots_of(*lines)), largest), line_number, told);
}

std::string file_table(const Explanation& all, const std::string& file, const ByNumber& by_number,
                       const std::vector<std::string>* text, double largest) {
  std::string rows;
  if (text == nullptr) {
    for (const auto& [number, lines] : by_number) rows += row(all, number, "", &lines, largest);
  } else {
    bool gap = false;
    for (std::uint32_t number = 1; number <= text->size(); ++number) {
      const auto ran = by_number.find(number);
      const auto near = by_number.lower_bound(number > context_lines ? number - context_lines : 1);
      if (near == by_number.end() || near->first > number + context_lines) {
        gap = true;
        continue;
      }
      if (gap) rows += "<tr><td></td><td></td><td>...</td></tr>\n";
      gap = false;
      rows += row(all, number, (*text)[number - 1], ran == by_number.end() ? nullptr : &ran->second, largest);
    }
  }
  const std::string name =
      file.empty() ? "Instructions without a source line" : file + (text == nullptr ? " (its text was not found)" : "");
  return fmt::format(
      "<h3>{}</h3>\n<div class=\"wide\"><table>\n<thead><tr><th class=\"number\">% of slots</th><th "
      "class=\"number\">line</th><th>source</th></tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
      escaped(name), rows);
}

std::string remedies_table(const Explanation& all) {
  if (all.remedies.empty()) return "";
  std::string rows;
  const Effects effects = effects_of(all);
  for (const Outcome* one : effects.helpful)
    rows +=
        fmt::format("<tr><td class=\"number\">{:.2f}</td><td class=\"number\">{}</td><td>{}</td><td>{}</td></tr>\n",
                    static_cast<double>(all.result.cycles) / static_cast<double>(*one->cycles), grouped(*one->cycles),
                    one->kind == Remedy::Kind::change ? "change" : "limit of the machine", escaped(one->text));
  std::string others;
  if (!effects.slower.empty()) others = "Slower: " + effects.slower + ". ";
  if (!effects.idle.empty()) others += "No effect: " + effects.idle + ". ";
  if (!effects.failures.empty()) others += fmt::format("Could not be replayed: {}.", fmt::join(effects.failures, "; "));
  return fmt::format(
      "<h3>What would help, each replayed alone</h3>\n<div class=\"wide\"><table>\n<thead><tr><th "
      "class=\"number\">speed-up</th><th class=\"number\">cycles</th><th>kind</th><th>what</th></tr></thead>\n<tbody>\n"
      "{}</tbody></table></div>\n{}",
      rows, others.empty() ? "" : fmt::format("<p class=\"caption\">{}</p>\n", escaped(others)));
}

}  // namespace

std::string to_html(const Explanation& all, const std::string& label, SourceFiles& sources) {
  std::map<std::string, ByNumber> files;
  std::uint64_t largest = 0, start = 0;
  for (const LineCosts& line : all.lines) {
    if (line.block_start) {
      start += line.slots();
      continue;
    }
    std::vector<const LineCosts*>& at = files[line.file][line.number];
    at.push_back(&line);
    largest = std::max(largest, slots_of(at));
  }
  const auto no_warp = all.result.counters.sm.slots[static_cast<std::size_t>(gpu::Slot::no_warp)];
  std::string html = fmt::format(
      "<h2>Issue slots by source line{}</h2>\n<p class=\"caption\">{}: {} cycles. A slot is charged to the line that "
      "issued in it, or for whose result, unit, branch or store it was lost; {:.1f} % had no warp, {:.1f} % were lost "
      "while thread blocks started. A line with a triangle opens.</p>\n",
      label.empty() ? "" : ": " + escaped(label), escaped(all.workload + " on " + all.spec.name),
      grouped(all.result.cycles), all.percent_of_slots(no_warp), all.percent_of_slots(start));
  html += remedies_table(all);
  for (const auto& [file, by_number] : files)
    html += file_table(all, file, by_number, sources.lines(file), all.percent_of_slots(largest));
  return html;
}

}  // namespace lockstep::explain
