#include "sim/report/page/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/report/svg.hpp"

namespace lockstep::report {

namespace {

bool is_number(const Cell& cell) {
  return cell.note.empty() && cell.text.find_first_not_of("0123456789.,-+e%") == std::string::npos;
}

/// A name, safe for markup, that may be broken behind its dots and underscores.
std::string breakable(const std::string& name) {
  std::string html;
  for (const char c : escaped(name)) {
    html += c;
    if (c == '.' || c == '_') html += "<wbr/>";
  }
  return html;
}

/// A cell that stays on one line, and one that needs a line of a card.
constexpr std::size_t short_text = 24, long_text = 18;

}  // namespace

std::string HtmlTable::html() const {
  std::string head, body;
  std::vector<std::string> classes, labels;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    std::size_t longest = 0;
    bool numbers = true, notes = false;
    for (const Row& row : rows_) {
      numbers = numbers && is_number(row.cells[c]);
      notes = notes || !row.cells[c].note.empty();
      longest = std::max(longest, row.cells[c].text.size());
    }
    std::string style = numbers ? "number" : longest <= short_text && !notes ? "short" : "";
    if (!numbers && (longest > long_text || notes)) style += style.empty() ? "long" : " long";
    const bool said = column.unit.empty() || column.unit == column.header;
    const std::string name = escaped(column.header);
    classes.push_back(style.empty() ? "" : fmt::format(" class=\"{}\"", style));
    labels.push_back(said ? name : fmt::format("{} ({})", name, escaped(column.unit)));
    head += fmt::format("<th{}{}{} data-name=\"{}\">{}", numbers ? " class=\"number\"" : "",
                        column.tooltip.empty() ? "" : fmt::format(" title=\"{}\"", escaped(column.tooltip)),
                        column.chosen ? " data-choose=\"\"" : "", labels.back(), breakable(column.header));
    head += said ? "</th>" : fmt::format("<span class=\"unit\">{}</span></th>", escaped(column.unit));
  }
  for (const Row& row : rows_) {
    body += row.bad ? "<tr class=\"bad\">" : "<tr>";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell& cell = row.cells[c];
      std::string text = escaped(cell.text);
      if (!cell.style.empty()) text = fmt::format("<span class=\"{}\">{}</span>", cell.style, text);
      if (!cell.note.empty()) text += fmt::format("<span class=\"note\">{}</span>", escaped(cell.note));
      body += fmt::format("<td{} data-label=\"{}\">{}</td>", classes[c], labels[c], text);
    }
    body += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"wide\"><table class=\"data\">\n<thead><tr>{}</tr></thead>\n<tbody>\n{}</tbody></table>"
      "</div>\n",
      head, body);
}

}  // namespace lockstep::report
