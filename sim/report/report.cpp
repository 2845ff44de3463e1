#include "sim/report/report.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "isa/program/demangled.hpp"
#include "sim/experiment/checks/check.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/columns/gain.hpp"
#include "sim/experiment/columns/repetitions.hpp"
#include "sim/report/figures/figure_files.hpp"
#include "sim/report/page/html_table.hpp"
#include "sim/report/page/page.hpp"
#include "sim/report/svg.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/table.hpp"

namespace lockstep::report {

namespace {

using experiment::PointResult;
using experiment::Status;

/// A relative path as an address.
std::string in_address(const std::string& path) {
  std::string address;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    address += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return address;
}

/// A picture for wide windows and one for narrow ones.
std::string figure(const std::string& wide, const std::string& narrow) {
  return fmt::format("<figure>\n<div class=\"at-wide\">\n{}</div>\n<div class=\"at-narrow\">\n{}</div>\n</figure>\n",
                     wide, narrow);
}

std::string link(const std::string& path, const std::string& text) {
  return fmt::format("<a href=\"{}\">{}</a>", escaped(in_address(path)), escaped(text));
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

/// One figure, with links to its files.
std::string figure_content(const Plot& plot, const std::vector<std::string>& endings) {
  std::string html;
  for (const std::string& note : plot.notes) html += caption(note);
  html += figure(panels_svg(plot.panels), panels_svg(plot.panels, narrow_width));
  if (endings.empty()) return html;
  std::vector<std::string> links;
  for (const std::string& ending : endings)
    links.push_back(link(fmt::format("{}/{}.{}", figure_folder, plot.file, ending), plot.file + "." + ending));
  return html + fmt::format("<p class=\"caption\">{}</p>\n", fmt::join(links, ", "));
}

std::string table(const Results& all) {
  const bool bad = std::any_of(all.results.begin(), all.results.end(),
                               [](const PointResult& result) { return result.status != Status::done; });
  const std::vector<experiment::Gain> gained = experiment::gains(all.experiment, all.points, all.results);
  HtmlTable table;
  for (const experiment::TableColumn& column : all.experiment.columns) {
    const bool chosen = std::any_of(all.experiment.axes.begin(), all.experiment.axes.end(),
                                    [&](const experiment::Axis& axis) { return axis.path == column.column.name; });
    table.column(column.header, column.unit, column.column.text, chosen);
  }
  if (bad) table.column("status", "", "", true);
  for (const std::vector<std::size_t>& place : experiment::places(all.experiment, all.points)) {
    std::vector<Cell> cells;
    std::vector<experiment::Row> rows;
    for (const std::size_t i : place) rows.push_back(experiment::row_of(all.points[i], all.results[i], gained[i]));
    for (const experiment::TableColumn& column : all.experiment.columns)
      cells.emplace_back(experiment::cell(column, rows));
    const auto wrong =
        std::find_if(place.begin(), place.end(), [&](std::size_t i) { return all.results[i].status != Status::done; });
    const Status status = wrong == place.end() ? Status::done : all.results[*wrong].status;
    if (bad) cells.emplace_back(std::string(name_of(status)));
    table.row(std::move(cells), status != Status::done);
  }
  return table.html();
}

std::string checks(const std::vector<experiment::CheckOutcome>& outcomes) {
  HtmlTable table;
  table.column("verdict", "", "", true);
  table.column("statement");
  table.column("source", "", "", true);
  for (const char* header : {"simulated", "published", "case"}) table.column(header);
  for (const experiment::CheckOutcome& check : outcomes) {
    std::string simulated, published;
    for (const experiment::CheckOutcome::Shown& value : check.values) {
      const char* separator = simulated.empty() ? "" : ", ";
      simulated += fmt::format("{}{} = {:.4g}", separator, value.name, value.simulated);
      if (value.published)
        published += fmt::format("{}{} = {:.4g}", published.empty() ? "" : ", ", value.name, *value.published);
    }
    Cell verdict{std::string(experiment::verdict(check))}, statement{check.says};
    const bool bad = experiment::failed(check);
    if (!bad && check.holds) verdict.style = *check.holds ? "good" : "doubt";
    if (!check.deviates.empty()) statement.note = "known: " + check.deviates;
    table.row({verdict, statement, check.source, check.holds ? simulated : check.message, published, check.at}, bad);
  }
  return caption("The claims of the sources about these results, compared with the simulation.") + table.html();
}

/// A picture of many rows would be too tall for a browser: several pictures, all but the first folded.
std::string in_pieces(const Shares& shares) {
  constexpr std::size_t most = 60;
  std::string html, more;
  for (std::size_t begin = 0; begin < shares.rows.size(); begin += most) {
    Shares piece = shares;
    const auto first = shares.rows.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto count = std::min(most, shares.rows.size() - begin);
    piece.rows.assign(first, first + static_cast<std::ptrdiff_t>(count));
    (begin == 0 ? html : more) += figure(shares_svg(piece), shares_svg(piece, narrow_width));
  }
  if (more.empty()) return html;
  return html + folded(fmt::format("{} more points", shares.rows.size() - most), more);
}

std::string issue_slot_section(const Results& all) {
  return caption(
             "Every scheduler of every SM has issue slots in every cycle; each slot issued an instruction or was "
             "lost for one reason.") +
         in_pieces(issue_slots(all));
}

std::string conflict_section(const Results& all) {
  const Shares shares = conflict_degrees(all);
  const bool used = std::any_of(shares.rows.begin(), shares.rows.end(), [](const Shares::Row& row) {
    return std::any_of(row.counts.begin(), row.counts.end(), [](std::uint64_t count) { return count > 0; });
  });
  if (!used) return caption("No point accessed the scratchpad.");
  std::string html = caption(
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
    std::vector<Cell> cells{point_name(all, point)};
    for (const experiment::TableColumn& column : columns) cells.emplace_back(column.cell(row));
    table.row(std::move(cells));
  }
  return html + table.html();
}

std::string launches(const Results& all) {
  HtmlTable table;
  table.column(point_title(all));
  table.column("launch");
  table.column("kernel", "", "", true);
  table.column("cycles");
  table.column("warp instructions");
  table.column("thread blocks", "per SM");
  table.column("warps", "per SM");
  table.column("limited by", "", "", true);
  for (const std::size_t point : measured_points(all)) {
    std::size_t number = 0;
    for (const gpu::LaunchResult& launch : all.results[point].launches) {
      table.row({point_name(all, point), fmt::format("{}", ++number), program::short_name(launch.kernel),
                 stats::grouped(launch.cycles), stats::grouped(launch.warp_instructions),
                 fmt::format("{}", launch.occupancy.blocks), fmt::format("{}", launch.occupancy.warps),
                 launch.occupancy.limit});
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
  return items.empty() ? "" : fmt::format("<ul>\n{}</ul>\n", items);
}

std::string base64(const std::string& bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // OpenSSL ends it with a zero.
  text.resize(static_cast<std::size_t>(EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                                       static_cast<int>(bytes.size()))));
  return text;
}

std::string pictures(const std::vector<PictureFile>& files) {
  std::string html;
  for (const PictureFile& file : files) {
    const std::string name = escaped(file.name);
    html +=
        file.png.empty()
            ? caption(name + " (only in the folder of results)")
            : fmt::format(
                  "<figure><img src=\"data:image/png;base64,{}\" alt=\"{}\"/>\n<figcaption>{}</figcaption></figure>\n",
                  base64(file.png), name, name);
  }
  return html;
}

std::string preformatted(const std::string& text) {
  return fmt::format("<pre>{}</pre>\n", escaped(text));
}

std::string file_list(const std::vector<FileLink>& files) {
  std::string items;
  for (const FileLink& file : files)
    items += fmt::format("<li>{}: {}</li>\n", link(file.path, file.path), escaped(file.text));
  return fmt::format("<ul>\n{}</ul>\n", items);
}

/// Sections with headings, and links to them.
class Sections {
 public:
  /// Nothing where there is no content.
  void add(const std::string& heading, const std::string& content) {
    if (content.empty()) return;
    add_place(heading, fmt::format("<h2 id=\"part-{}\">{}</h2>\n{}", count_ + 1, escaped(heading), content));
  }
  /// Content that has headings of its own.
  void add_headed(const std::string& name, const std::string& content) {
    if (content.empty()) return;
    add_place(name, fmt::format("<div id=\"part-{}\">\n{}</div>\n", count_ + 1, content));
  }
  std::string html() const { return fmt::format("<nav>\n{}</nav>\n{}", links_, content_); }

 private:
  void add_place(const std::string& name, const std::string& html) {
    links_ += fmt::format("<a href=\"#part-{}\">{}</a>\n", ++count_, escaped(name));
    content_ += html;
  }
  std::size_t count_ = 0;
  std::string links_, content_;
};

}  // namespace

std::string report_html(const Results& all, const Attachments& attachments) {
  const experiment::Experiment& experiment = all.experiment;
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  html +=
      fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n", escaped(experiment.title), page_style());
  html += fmt::format("<h1>{}</h1>\n", escaped(experiment.title));
  if (!experiment.text.empty()) html += fmt::format("<p>{}</p>\n", escaped(experiment.text));
  html += facts(all) + problems(all);
  Sections sections;
  for (const Plot& plot : plots(all)) sections.add(plot.title, figure_content(plot, attachments.figure_endings));
  sections.add("Results", table(all) + caption("All statistics of every point: results.csv, results.json."));
  sections.add("Pictures", pictures(attachments.pictures));
  const auto outcomes = experiment::evaluate_checks(experiment, all.points, all.results);
  if (!outcomes.empty()) sections.add("Checks", checks(outcomes));
  if (!measured_points(all).empty()) {
    sections.add("Where the issue slots went", issue_slot_section(all));
    sections.add("Scratchpad conflicts", conflict_section(all));
  }
  sections.add_headed("Source lines", attachments.explained);
  sections.add("Notes", notes(all));
  std::string origin;
  if (!attachments.files.empty()) origin += file_list(attachments.files);
  if (!attachments.complaint.empty()) origin += caption(attachments.complaint);
  if (!measured_points(all).empty()) origin += folded("Kernel launches and occupancy", launches(all));
  origin += folded("Effective configuration", preformatted(attachments.effective));
  origin += folded("Provenance", attachments.provenance.empty() ? caption("The run has not ended yet.")
                                                                : preformatted(attachments.provenance));
  sections.add("Origin and files", origin);
  return html + sections.html() + fmt::format("<script>{}</script>\n</body>\n</html>\n", page_script());
}

}  // namespace lockstep::report
