#include "tools/lockstep/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "tools/lockstep/console.hpp"

namespace lockstep::cli {

namespace {

void add_place(stats::JsonWriter& json, const exec::FindingPlace& place) {
  json.begin_object(true).field("instruction", place.instruction).field("file", place.source.file);
  json.field("line", static_cast<std::uint32_t>(place.source.line)).field("ptx_file", place.ptx.file);
  json.field("ptx_line", static_cast<std::uint32_t>(place.ptx.line));
  for (const auto& [name, at] : {std::pair("thread_block", &place.block), std::pair("thread", &place.thread)}) {
    json.key(name).begin_array(true);
    for (const std::uint32_t coordinate : *at) json.value(coordinate);
    json.end_array();
  }
  json.field("target", place.target).end_object();
}

}  // namespace

exec::CheckSet checks_named(const std::string& names) {
  if (names == "all") return exec::all_checks;
  exec::CheckSet checks;
  if (names == "none") return checks;
  for (std::size_t from = 0; from <= names.size();) {
    const std::size_t end = std::min(names.find(',', from), names.size());
    const std::string name = names.substr(from, end - from);
    const auto found = std::find_if(exec::check_texts.begin(), exec::check_texts.end(),
                                    [&](const exec::CheckText& check) { return check.name == name; });
    if (found == exec::check_texts.end()) {
      std::vector<std::string> all;
      for (const exec::CheckText& check : exec::check_texts) all.emplace_back(check.name);
      all.insert(all.end(), {"all", "none"});
      throw InputError(fmt::format("--check: unknown check '{}'{}", name,
                                   did_you_mean(name, all, fmt::format("; there are: {}", fmt::join(all, ", ")))));
    }
    checks = checks.with(static_cast<exec::Check>(found - exec::check_texts.begin()));
    from = end + 1;
  }
  return checks;
}

void add_findings(stats::JsonWriter& json, const std::vector<exec::Finding>& findings) {
  json.key("findings").begin_array();
  for (const exec::Finding& finding : findings) {
    json.begin_object().field("check", exec::name_of(finding.check)).field("kernel", finding.kernel);
    json.field("what", finding.what).field("remedy", finding.remedy).field("count", finding.count).key("place");
    add_place(json, finding.place);
    json.key("other");
    if (finding.other) {
      add_place(json, *finding.other);
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
}

void print_findings(const std::vector<exec::Finding>& findings) {
  for (const exec::Finding& finding : findings) print_error(describe(finding));
}

}  // namespace lockstep::cli
