#include <fmt/format.h>

#include "sim/report/page/page.hpp"
#include "sim/report/palette.hpp"

namespace lockstep::report {

namespace {

constexpr std::string_view common = R"(
:root { color-scheme: light dark; --paper: #fff; --ink: #222; --muted: #555; --faint: #777; --rule: #e2e2e2;
        --stripe: #f7f7f7; --code: #f5f5f5; --link: #1a56a8; --bad: #9a1b1b; --bad-paper: #fdf3f3; --good: #17633a;
        --doubt: #7a5500; --heat: #f4b183; }
* { box-sizing: border-box; }
body { font: 15px/1.5 Helvetica, Arial, sans-serif; color: var(--ink); background: var(--paper); max-width: 1240px;
       margin: 1.6em auto 4em; padding: 0 1.2em; overflow-wrap: break-word; }
h1 { font-size: 1.55em; line-height: 1.25; margin-bottom: 0.4em; }
h2 { font-size: 1.15em; margin: 2.2em 0 0.5em; scroll-margin-top: 0.5em; }
h3 { font-size: 1em; margin: 1.2em 0 0.3em; }
a { color: var(--link); }
p { max-width: 62em; }
p.facts, p.caption, figcaption { color: var(--muted); font-size: 0.9em; margin: 0.3em 0 0.6em; }
nav { font-size: 0.9em; margin: 1em 0; padding: 0.5em 0; border-top: 1px solid var(--rule);
      border-bottom: 1px solid var(--rule); }
nav a { margin-right: 1.1em; display: inline-block; }
figure { margin: 0.6em 0 0; overflow-x: auto; }
figure svg { display: block; height: auto; }
.at-wide svg { max-width: 100%; }
.at-narrow { display: none; }
img { max-width: 100%; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.88em; line-height: 1.4; font-variant-numeric: tabular-nums; }
th { border-bottom: 2px solid var(--muted); text-align: left; vertical-align: bottom; padding: 0.2em 0.8em 0.2em 0; }
th span.unit { font-weight: normal; color: var(--muted); display: block; font-size: 0.92em; }
td { border-bottom: 1px solid var(--rule); padding: 0.22em 0.8em 0.22em 0; vertical-align: top;
     overflow-wrap: anywhere; }
td.number { white-space: nowrap; }
td.short { white-space: nowrap; }
tbody tr:nth-child(even) { background: var(--stripe); }
tr[hidden] { display: none; }
td span.note { display: block; color: var(--muted); font-size: 0.92em; }
.number { text-align: right; }
tr.bad td { color: var(--bad); }
.good { color: var(--good); } .doubt { color: var(--doubt); }
ul.bad { border-left: 4px solid var(--bad); padding: 0.5em 0.5em 0.5em 2em; background: var(--bad-paper); }
details { margin: 1em 0; }
summary { cursor: pointer; font-weight: bold; }
pre { background: var(--code); padding: 0.8em; overflow-x: auto; font-size: 0.85em; }
form.tools { display: flex; flex-wrap: wrap; gap: 0.4em 0.9em; align-items: baseline; font-size: 0.88em;
             margin: 0.3em 0 0.6em; }
form.tools label { color: var(--muted); }
form.tools input, form.tools select { font: inherit; color: var(--ink); background: var(--paper); padding: 0.1em 0.3em;
                                      border: 1px solid var(--faint); border-radius: 3px; max-width: 15em; }
form.tools .narrow-only { display: none; }
th button { font: inherit; font-weight: bold; color: inherit; background: none; border: 0; padding: 0; margin: 0;
            text-align: inherit; cursor: pointer; }
th button::before { content: "\2195"; color: var(--faint); font-weight: normal; margin-right: 0.25em; }
th[aria-sort=ascending] button::before { content: "\2191"; color: var(--ink); }
th[aria-sort=descending] button::before { content: "\2193"; color: var(--ink); }
@media screen and (max-width: 640px) {
  body { padding: 0 0.8em; }
  .at-wide { display: none; } .at-narrow { display: block; }
  form.tools .narrow-only { display: inline; }
  table.data, table.data tbody { display: block; }
  table.data thead { display: none; }
  table.data tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.4em, 1fr)); gap: 0.15em 0.8em;
                  padding: 0.5em 0.3em; border-bottom: 1px solid var(--rule); }
  table.data tr[hidden] { display: none; }
  table.data td { border: 0; padding: 0; text-align: left; white-space: normal; }
  table.data td.long { grid-column: 1 / -1; }
  table.data td::before { content: attr(data-label); display: block; color: var(--muted); font-size: 0.85em; }
}
@media print {
  :root { color-scheme: light; }
  body { max-width: none; margin: 0; font-size: 10pt; }
  figure, tr, h2, h3 { break-inside: avoid; } h2, h3, p.caption { break-after: avoid; } thead { display: table-header-group; }
  nav, form.tools, th button::before { display: none; }
  div.wide, figure, pre { overflow: visible; } pre { white-space: pre-wrap; }
  svg, tr, td { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
)";

constexpr std::string_view dark = R"(
  :root { --paper: #15181c; --ink: #e3e5e8; --muted: #a9b0b8; --faint: #8a929b; --rule: #343a41; --stripe: #1b1f24;
          --code: #1d2126; --link: #8ab4f8; --bad: #ff9d92; --bad-paper: #2c1b1a; --good: #7bcf9a; --doubt: #e2b85c;
          --heat: #7d4a1f; }
  svg [fill="#222"] { fill: var(--ink); }
  svg [fill="#444"], svg [fill="#555"] { fill: var(--muted); }
  svg [fill="#777"] { fill: var(--faint); }
  svg [fill="#fff"] { fill: var(--paper); }
  svg [stroke="#fff"] { stroke: var(--paper); }
  svg [stroke="#e2e2e2"] { stroke: var(--rule); }
  svg [stroke="#222"], svg [stroke="#444"], svg [stroke="#555"], svg [stroke="#777"] { stroke: var(--faint); }
)";

}  // namespace

std::string page_style() {
  std::string style(common);
  style += fmt::format("@media screen and (prefers-color-scheme: dark) {{{}", dark);
  for (std::size_t i = 0; i < series_colours; ++i) {
    const std::string_view light = series_style(i).colour, other = colour_on_dark(i);
    style += fmt::format("  svg [fill=\"{}\"] {{ fill: {}; }} svg [stroke=\"{}\"] {{ stroke: {}; }}\n", light, other,
                         light, other);
  }
  return style + "}\n";
}

}  // namespace lockstep::report
