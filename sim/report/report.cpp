#include "sim/report/report.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/report/svg.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::report {

namespace {

using experiment::PointResult;
using experiment::Status;

constexpr std::string_view style = R"(
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: #222; background: #fff; max-width: 960px;
       margin: 2em auto; padding: 0 1.2em; }
h1 { font-size: 1.55em; line-height: 1.25; margin-bottom: 0.4em; }
h2 { font-size: 1.15em; margin: 2em 0 0.5em; }
h3 { font-size: 1em; font-weight: normal; color: #444; margin: 1.2em 0 0; }
p.facts, p.caption { color: #555; font-size: 0.9em; }
figure { margin: 0.5em 0 0; overflow-x: auto; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.9em; font-variant-numeric: tabular-nums; }
th { border-bottom: 2px solid #444; text-align: left; vertical-align: bottom; padding: 0.2em 0.9em; }
th span.unit { font-weight: normal; color: #555; display: block; font-size: 0.92em; }
td:first-child { white-space: nowrap; }
td { border-bottom: 1px solid #e2e2e2; padding: 0.2em 0.9em; }
tbody tr:nth-child(even) { background: #f7f7f7; }
.number { text-align: right; }
tr.bad td { color: #9a1b1b; }
ul.bad { border-left: 4px solid #9a1b1b; padding: 0.5em 0.5em 0.5em 2em; background: #fdf3f3; }
details { margin: 1em 0; }
summary { cursor: pointer; font-weight: bold; }
pre { background: #f5f5f5; padding: 0.8em; overflow-x: auto; font-size: 0.85em; }
@media print { body { max-width: none; margin: 0; } figure, tr { break-inside: avoid; } }
)";

/// A table under construction: a column is set right when all its cells are numbers.
class HtmlTable {
 public:
  void column(std::string header, std::string unit, std::string tooltip = "") {
    columns_.push_back({std::move(header), std::move(unit), std::move(tooltip)});
  }
  void row(std::vector<std::string> cells, bool bad = false) { rows_.push_back({std::move(cells), bad}); }

  std::string html() const {
    std::string head, body;
    std::vector<bool> numbers;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      numbers.push_back(std::all_of(rows_.begin(), rows_.end(), [c](const Row& row) {
        return row.cells[c].find_first_not_of("0123456789.,-+e%") == std::string::npos;
      }));
      const Column& column = columns_[c];
      head += fmt::format("<th{}{}>{}", numbers[c] ? " class=\"number\"" : "",
                          column.tooltip.empty() ? "" : fmt::format(" title=\"{}\"", escaped(column.tooltip)),
                          escaped(column.header));
      const bool said = column.unit.empty() || column.unit == column.header;
      head += fmt::format("<span class=\"unit\">{}</span></th>", said ? "\u00a0" : escaped(column.unit));
    }
    for (const Row& row : rows_) {
      body += row.bad ? "<tr class=\"bad\">" : "<tr>";
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        body += fmt::format("<td{}>{}</td>", numbers[c] ? " class=\"number\"" : "", escaped(row.cells[c]));
      }
      body += "</tr>\n";
    }
    return fmt::format("<div class=\"wide\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table></div>\n",
                       head, body);
  }

 private:
  struct Column {
    std::string header, unit, tooltip;
  };
  struct Row {
    std::vector<std::string> cells;
    bool bad;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

std::string figure(const std::string& svg) {
  return fmt::format("<figure>\n{}</figure>\n", svg);
}

std::string caption(const std::string& text) {
  return fmt::format("<p class=\"caption\">{}</p>\n", escaped(text));
}

std::string plural(std::size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// How many points there are, and what is known about their output.
std::string facts(const Results& all) {
  std::size_t checked = 0, done = 0;
  std::vector<std::string> gpus, workloads;
  const auto add = [](std::vector<std::string>& names, const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    add(gpus, all.points[i].gpu.name);
    add(workloads, all.results[i].workload);
    if (all.results[i].status != Status::done) continue;
    ++done;
    if (all.results[i].checked) ++checked;
  }
  std::string text = plural(all.points.size(), "point");
  if (!workloads.empty()) text += fmt::format(" of {}", fmt::join(workloads, ", "));
  text += fmt::format(" on {}. ", fmt::join(gpus, ", "));
  if (checked > 0 && checked == all.points.size()) {
    text += "The output of every point is what its workload expects.";
  } else {
    text +=
        fmt::format("{} done, {} without a good result; the output of {} was compared with what the workload expects.",
                    done, all.points.size() - done, checked);
  }
  return fmt::format("<p class=\"facts\">{}</p>\n", escaped(text));
}

std::string folded(const std::string& summary, const std::string& content) {
  return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", escaped(summary), content);
}

/// Points without a good result, with the reason.
std::string problems(const Results& all) {
  constexpr std::size_t unfolded = 8;
  std::vector<std::string> items;
  std::size_t missing = 0;
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    const PointResult& result = all.results[i];
    const std::string label = all.points[i].label();
    if (result.status == Status::missing) ++missing;
    if (result.status != Status::failed && result.status != Status::refused) continue;
    const char* what = result.status == Status::failed ? "the output is not the expected one: " : "could not run: ";
    items.push_back(
        fmt::format("<li>{}{}{}</li>\n", escaped(label.empty() ? "" : label + ": "), what, escaped(result.message)));
  }
  if (missing > 0) {
    items.insert(items.begin(), fmt::format("<li>{} not run yet, or run by another version of the program</li>\n",
                                            missing == 1 ? "One point is" : fmt::format("{} points are", missing)));
  }
  if (items.empty()) return "";
  const auto list = [](auto begin, auto end) {
    return fmt::format("<ul class=\"bad\">\n{}</ul>\n", fmt::join(begin, end, ""));
  };
  const auto cut = items.begin() + static_cast<std::ptrdiff_t>(std::min(items.size(), unfolded));
  std::string html = list(items.begin(), cut);
  if (cut != items.end()) {
    html += folded(fmt::format("{} more", items.end() - cut), list(cut, items.end()));
  }
  return html;
}

std::string figures(const Results& all) {
  std::string html;
  std::size_t left_out = 0;
  for (const PointResult& result : all.results) left_out += result.status == Status::done ? 0 : 1;
  for (const Quantity& quantity : quantities(all)) {
    std::string heading = quantity.name;
    heading[0] = static_cast<char>(heading[0] - 'a' + 'A');
    html += fmt::format("<h2>{}</h2>\n", escaped(heading));
    if (quantity.name == "speed-up") {
      std::vector<std::string> base;
      for (const config::Override& given : all.experiment.baseline) {
        base.push_back(fmt::format("{} = {}", axis_name(all.experiment, given.path), given.value.text));
      }
      html += caption(fmt::format("Time of the point with {} and otherwise the same values, over the point's own time.",
                                  fmt::join(base, ", ")));
    }
    for (const Panel& panel : panels(all, quantity)) {
      if (!panel.heading.empty()) html += fmt::format("<h3>{}</h3>\n", escaped(panel.heading));
      html += figure(chart_svg(panel.chart));
    }
    if (left_out > 0) html += caption(plural(left_out, "point") + " without a good result left out.");
  }
  return html;
}

std::string table(const Results& all) {
  const bool bad = std::any_of(all.results.begin(), all.results.end(),
                               [](const PointResult& result) { return result.status != Status::done; });
  const std::vector<experiment::Gain> gained = experiment::gains(all.experiment, all.points, all.results);
  HtmlTable table;
  for (const experiment::TableColumn& column : all.experiment.columns)
    table.column(column.header, column.unit, column.column.text);
  if (bad) table.column("status", "");
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    std::vector<std::string> cells;
    const experiment::Row row = experiment::row_of(all.points[i], all.results[i], gained[i]);
    for (const experiment::TableColumn& column : all.experiment.columns) cells.push_back(column.cell(row));
    const Status status = all.results[i].status;
    if (bad) cells.emplace_back(name_of(status));
    table.row(std::move(cells), status != Status::done);
  }
  return "<h2>Results</h2>\n" + table.html() + caption("All statistics of every point: results.csv, results.json.");
}

std::string checks(const Results& all) {
  const auto outcomes = experiment::evaluate_checks(all.experiment, all.points, all.results);
  if (outcomes.empty()) return "";
  HtmlTable table;
  for (const char* header : {"statement", "source", "simulated", "published", "case", "verdict"})
    table.column(header, "");
  for (const experiment::CheckOutcome& check : outcomes) {
    std::string simulated, published;
    for (const experiment::CheckOutcome::Shown& value : check.values) {
      const char* separator = simulated.empty() ? "" : ", ";
      simulated += fmt::format("{}{} = {:.4g}", separator, value.name, value.simulated);
      if (value.published)
        published += fmt::format("{}{} = {:.4g}", published.empty() ? "" : ", ", value.name, *value.published);
    }
    std::string found(experiment::verdict(check));
    if (!check.deviates.empty()) found += ": " + check.deviates;
    table.row({check.says, check.source, check.holds ? simulated : check.message, published, check.at, found},
              experiment::failed(check));
  }
  return "<h2>Checks</h2>\n" + table.html() +
         caption("The claims of the sources about these results, compared with the simulation.");
}

/// A picture of many rows would be too tall for a browser: several pictures.
std::string in_pieces(const Shares& shares) {
  constexpr std::size_t most = 60;
  std::string html;
  for (std::size_t begin = 0; begin < shares.rows.size(); begin += most) {
    Shares piece = shares;
    const auto first = shares.rows.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = std::min(most, shares.rows.size() - begin);
    piece.rows.assign(first, first + static_cast<std::ptrdiff_t>(count));
    html += figure(shares_svg(piece));
  }
  return html;
}

std::string issue_slot_section(const Results& all) {
  return "<h2>Where the issue slots went</h2>\n" +
         caption(
             "Every scheduler of every SM has issue slots in every cycle; each slot issued an instruction or was "
             "lost for one reason.") +
         in_pieces(issue_slots(all));
}

std::string conflict_section(const Results& all) {
  const Shares shares = conflict_degrees(all);
  std::string html = "<h2>Scratchpad conflicts</h2>\n";
  const bool used = std::any_of(shares.rows.begin(), shares.rows.end(), [](const Shares::Row& row) {
    return std::any_of(row.counts.begin(), row.counts.end(), [](std::uint64_t count) { return count > 0; });
  });
  if (!used) return html + caption("No point accessed the scratchpad.");
  html += caption(
      "Warp accesses to the scratchpad by bank conflict degree (the loops of atomics included): degree "
      "1 is free of conflicts, an access of degree n takes n passes.");
  html += in_pieces(shares);

  HtmlTable table;
  table.column(shares.label_title, "");
  std::vector<experiment::TableColumn> columns;
  const auto add = [&](const std::string& header, const std::string& unit, const char* name) {
    columns.emplace_back(experiment::column(name));
    table.column(header, unit, columns.back().column.text);
    return &columns.back();
  };
  add("mean degree", "", "derived.bank_conflict_degree")->decimals = 2;
  add("lock iterations per atomic", "", "derived.lock_iterations")->decimals = 2;
  add("atomics", "of a warp", "sm.scratchpad.atomics");
  add("locks asked for", "lanes", "sm.scratchpad.lock_lanes");
  add("refused: same word", "lanes", "sm.scratchpad.lock_failed_position");
  add("refused: same lock, other word", "lanes", "sm.scratchpad.lock_failed_alias");
  add("refused: held by another warp", "lanes", "sm.scratchpad.lock_failed_warp");
  for (const std::size_t point : measured_points(all)) {
    const experiment::Row row = experiment::row_of(all.points[point], all.results[point]);
    std::vector<std::string> cells{point_name(all, point)};
    for (const experiment::TableColumn& column : columns) cells.push_back(column.cell(row));
    table.row(std::move(cells));
  }
  return html + table.html();
}

std::string launches(const Results& all) {
  HtmlTable table;
  table.column(point_title(all), "");
  for (const char* header : {"launch", "kernel"}) table.column(header, "");
  table.column("cycles", "");
  table.column("warp instructions", "");
  table.column("thread blocks", "per SM");
  table.column("warps", "per SM");
  table.column("limited by", "");
  for (const std::size_t point : measured_points(all)) {
    std::size_t number = 0;
    for (const gpu::LaunchResult& launch : all.results[point].launches) {
      table.row({point_name(all, point), fmt::format("{}", ++number), launch.kernel, stats::grouped(launch.cycles),
                 stats::grouped(launch.warp_instructions), fmt::format("{}", launch.occupancy.blocks),
                 fmt::format("{}", launch.occupancy.warps), launch.occupancy.limit});
    }
  }
  return table.html();
}

std::string notes(const Results& all) {
  std::vector<std::string> seen;
  std::string items;
  for (const PointResult& result : all.results) {
    for (const std::string& note : result.notes) {
      if (std::find(seen.begin(), seen.end(), note) != seen.end()) continue;
      seen.push_back(note);
      items += fmt::format("<li>{}</li>\n", escaped(note));
    }
  }
  return items.empty() ? "" : fmt::format("<h2>Notes</h2>\n<ul>\n{}</ul>\n", items);
}

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero.
  text.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                                       static_cast<int>(bytes.size()))));
  return text;
}

std::string pictures(const std::vector<PictureFile>& files) {
  if (files.empty()) return "";
  std::string html = "<h2>Pictures</h2>\n";
  for (const PictureFile& file : files) {
    const std::string name = escaped(file.name);
    html += file.png.empty() ? caption(name + " (only in the folder of results)")
                             : fmt::format(
                                   "<figure><img src=\"data:image/png;base64,{}\" alt=\"{}\" style=\"max-width: "
                                   "100%\"/>\n<figcaption>{}</figcaption></figure>\n",
                                   base64(file.png), name, name);
  }
  return html;
}

std::string preformatted(const std::string& text) {
  return fmt::format("<pre>{}</pre>\n", escaped(text));
}

}  // namespace

std::string report_html(const Results& all, const Attachments& attachments) {
  const experiment::Experiment& experiment = all.experiment;
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  html += fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", escaped(experiment.title), style);
  html += fmt::format("<h1>{}</h1>\n", escaped(experiment.title));
  if (!experiment.text.empty()) html += fmt::format("<p>{}</p>\n", escaped(experiment.text));
  html += facts(all) + problems(all);
  html += figures(all) + table(all) + pictures(attachments.pictures) + checks(all);
  if (!measured_points(all).empty()) html += issue_slot_section(all) + conflict_section(all);
  html += attachments.explained + notes(all);
  html += "<h2>Origin</h2>\n";
  if (!measured_points(all).empty()) html += folded("Kernel launches and occupancy", launches(all));
  html += folded("Effective configuration", preformatted(attachments.effective));
  html += folded("Provenance", attachments.provenance.empty() ? caption("The run has not ended yet.")
                                                              : preformatted(attachments.provenance));
  return html + "</body>\n</html>\n";
}

}  // namespace lockstep::report
