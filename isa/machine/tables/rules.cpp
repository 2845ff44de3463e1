#include "isa/machine/tables/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "isa/error.hpp"
#include "isa/ptx/mnemonic.hpp"

namespace lockstep::machine {

using ptx::split;

namespace {

Operation operation_named(std::string_view name) {
  for (std::size_t i = 0; i < operation_count; ++i)
    if (name_of(static_cast<Operation>(i)) == name) return static_cast<Operation>(i);
  throw Bug(fmt::format("lowering table names unknown operation \"{}\"", name));
}

bool starts_at(const ModifierRun& run, const std::vector<std::string_view>& modifiers, std::size_t at) {
  if (at + run.size() > modifiers.size()) return false;
  for (std::size_t n = 0; n < run.size(); ++n)
    if (std::find(run[n].begin(), run[n].end(), modifiers[at + n]) == run[n].end()) return false;
  return true;
}

bool applies(const Rule& rule, const std::vector<std::string_view>& modifiers) {
  return std::all_of(rule.modifiers.begin(), rule.modifiers.end(), [&](const ModifierRun& run) {
    for (std::size_t at = 0; at < modifiers.size(); ++at)
      if (starts_at(run, modifiers, at)) return true;
    return false;
  });
}

}  // namespace

std::vector<Step> parse_operations(std::string_view text) {
  std::vector<Step> steps;
  bool chained = false, rare = false, rare_chained = false;
  for (std::string_view word : split(text, ' ')) {
    if (word == "none") continue;
    if (word == "{" || word == "}") {
      rare = word == "{";
      if (rare && (rare_chained || steps.empty() || steps.back().operation != Operation::branch))
        throw Bug(fmt::format("lowering table: no branch skips the rare code of \"{}\"", text));
      continue;
    }
    const bool beside = word.front() == '+';
    const bool without_first = word.front() == '-';
    const bool guarded = word.front() == '@';
    if (beside || without_first || guarded) word.remove_prefix(1);
    if (guarded && !(rare ? rare_chained : chained))
      throw Bug(fmt::format("lowering table: nothing guards \"{}\" in \"{}\"", word, text));
    if (rare) {
      rare_chained = rare_chained || !word.starts_with("branch");
    } else {
      chained = chained || !beside;
    }
    const auto parts = split(word, '*');
    std::size_t count = 1;
    if (parts.size() == 2) std::from_chars(parts[1].data(), parts[1].data() + parts[1].size(), count);
    const auto names = split(parts[0] == "either" ? "integer|integer_multiply" : parts[0], '|');
    Step step{operation_named(names[0]), beside, without_first, guarded};
    step.rare = rare;
    if (names.size() == 2) step.alternative = operation_named(names[1]);
    steps.insert(steps.end(), count, step);
  }
  if (!steps.empty() && !chained) throw Bug(fmt::format("lowering table: nothing makes the result of \"{}\"", text));
  return steps;
}

Rules::Rules(const LoweringTable& table)
    : constants_are_operands_(table.constants_are_operands),
      prologue_(table.prologue),
      aggregates_atomics_(table.aggregates_atomics),
      of_machine_code_(table.of_machine_code) {
  compile(table.own);
  compile(table.inherited);
  compile(table.shared);
  for (const auto& rows : {table.fusions, table.inherited_fusions})
    for (const FusionRow& row : rows) fusions_.emplace(row.pattern, parse_operations(row.operations));
}

void Rules::compile(std::span<const LoweringRow> rows) {
  for (const LoweringRow& row : rows) {
    Rule rule{{}, parse_operations(row.operations), row.later_generation};
    for (Step& step : rule.steps) {
      step.through_data_stage = row.through_data_stage;
      step.late_predicates = row.late_predicates;
    }
    for (const std::string_view word : split(row.modifiers, ' ')) {
      ModifierRun& run = rule.modifiers.emplace_back();
      for (const std::string_view one : split(word, '~')) run.push_back(split(one, '|'));
    }
    rules_.emplace(row.opcode, std::move(rule));
  }
}

const Rule* Rules::find(std::string_view mnemonic) const {
  const auto parts = split(mnemonic, '.');
  if (parts.empty()) return nullptr;
  const std::vector<std::string_view> modifiers(parts.begin() + 1, parts.end());
  const auto range = rules_.equal_range(parts[0]);
  for (auto rule = range.first; rule != range.second; ++rule)
    if (applies(rule->second, modifiers)) return &rule->second;
  return nullptr;
}

const std::vector<Step>* Rules::fused(Fusion pattern) const {
  const auto found = fusions_.find(pattern);
  return found == fusions_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::machine
