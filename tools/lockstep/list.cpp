// lockstep list

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>

#include "isa/did_you_mean.hpp"
#include "models/hash/address_map.hpp"
#include "sim/config/provenance.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/stats/catalog.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "sim/workload/graphs/opcodes.hpp"
#include "sim/workload/workload.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/terminal/names.hpp"
#include "tools/lockstep/terminal/pattern.hpp"

namespace lockstep::cli {

namespace {

using stats::JsonWriter;
using stats::Table;

/// One list: rows of texts, shown as a table or as JSON objects with the columns' names as keys.
struct Listing {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

Listing list_gpus() {
  Listing listing{{"name", "gpu", "instruction_set", "sms", "clock_mhz", "scratchpad_kib", "banks", "locks", "l2_kib",
                   "bandwidth_gb_s"},
                  {}};
  for (const std::string& name : config::list_named_files("configs/gpus")) {
    const gpu::GpuSpec spec = config::load_gpu(name);
    const dram::Spec& dram = spec.memory.dram;
    const bool has_locks = spec.target.scratchpad_atomics == machine::ScratchpadAtomics::lock_loop;
    listing.rows.push_back(
        {name, spec.name, spec.target.instruction_set, fmt::format("{}", spec.sms), fmt::format("{}", spec.clock_mhz),
         fmt::format("{}", spec.sm.occupancy.scratchpad_bytes / 1024.0), fmt::format("{}", spec.sm.scratchpad.banks),
         fmt::format("{}", has_locks ? spec.sm.scratchpad.locks : 0),
         fmt::format("{}", spec.memory.l2.cache.bytes / 1024.0),
         fmt::format("{:.1f}", dram.channels * dram.bytes_per_dram_cycle * dram.clock_mhz / 1000)});
  }
  return listing;
}

Listing list_workloads() {
  Listing listing{{"name", "arguments", "text"}, {}};
  std::vector<std::string> names = config::list_named_files(workload::workload_folder);
  const std::vector<std::string> graphs = config::list_named_files(workload::graph_folder);
  names.insert(names.end(), graphs.begin(), graphs.end());
  for (const std::string& name : names) {
    const workload::Workload workload = workload::Workload::load(name);
    std::vector<std::string> arguments;
    for (const workload::ArgumentInfo& argument : workload.arguments()) {
      if (!argument.built_in) arguments.push_back(argument.name);
    }
    const std::string& text = workload.description();
    listing.rows.push_back({name, fmt::format("{}", fmt::join(arguments, " ")), text.substr(0, text.find('\n'))});
  }
  return listing;
}

Listing list_experiments() {
  Listing listing{{"name", "points", "title"}, {}};
  for (const std::string& name : config::list_named_files(experiment::experiment_folder)) {
    const experiment::Experiment experiment = experiment::load_experiment(name);
    listing.rows.push_back({name, std::to_string(experiment::expand(experiment).size()), experiment.title});
  }
  return listing;
}

Listing list_hashes() {
  Listing listing{{"name", "form", "text"}, {}};
  for (const hash::Family& family : hash::families()) listing.rows.push_back({family.name, family.form, family.text});
  return listing;
}

std::string_view name_of(dataflow::UnitClass unit) {
  switch (unit) {
    case dataflow::UnitClass::integer: return "integer";
    case dataflow::UnitClass::floating: return "floating";
    case dataflow::UnitClass::special: return "special";
    case dataflow::UnitClass::load_store: return "load-store";
  }
  return "";
}

Listing list_operations() {
  Listing listing{{"name", "unit", "operands", "text"}, {}};
  for (const workload::GraphOperation& operation : workload::graph_operations()) {
    const dataflow::OpcodeFacts& facts = dataflow::facts(operation.op);
    const std::string text = operation.op == dataflow::Opcode::reduce
                                 ? fmt::format("read-modify-write of the word at an address (a) with the value (b): {}",
                                               dataflow::facts(operation.reduction).text)
                                 : facts.text;
    listing.rows.push_back(
        {workload::name_of(operation), std::string(name_of(facts.unit)), fmt::format("{}", facts.operands), text});
  }
  return listing;
}

Listing list_params() {
  Listing listing{{"name", "unit", "default", "range", "text"}, {}};
  for (const config::Parameter& p : config::gpu_parameters()) {
    listing.rows.push_back({p.path, p.unit, config::to_text(p.default_value), p.range(), p.text});
  }
  return listing;
}

Listing list_stats() {
  using Group = experiment::Column::Group;
  Listing listing{{"name", "unit", "text"}, {}};
  const auto add = [&listing](std::initializer_list<Group> groups) {
    for (const experiment::Column& column : experiment::columns())
      if (std::find(groups.begin(), groups.end(), column.group) != groups.end())
        listing.rows.push_back({column.name, column.unit, column.text});
  };
  add({Group::statistic, Group::derived, Group::gain, Group::hash, Group::reference});
  listing.rows.push_back({"reference.derived.NAME", "", "Of the best reference, any derived statistic"});
  add({Group::run, Group::clock, Group::residency, Group::probe});
  return listing;
}

/// Whether every cell of a column is a number.
bool is_number(const Listing& listing, std::size_t column) {
  bool numbers = !listing.rows.empty();
  for (const auto& row : listing.rows) {
    numbers = numbers && !row[column].empty() && row[column].find_first_not_of("0123456789.") == std::string::npos;
  }
  return numbers;
}

/// Whether an entry with these texts, the name first, is asked for: every pattern is in one of them.
bool is_chosen(const ListArguments& arguments, const std::vector<std::string>& texts) {
  return std::all_of(arguments.patterns.begin(), arguments.patterns.end(), [&](const std::string& pattern) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return fits(text, pattern); });
  });
}

std::string table_text(const Listing& listing) {
  Table table;
  for (std::size_t c = 0; c < listing.columns.size(); ++c) {
    table.column(listing.columns[c], is_number(listing, c) ? Table::Align::right : Table::Align::left);
  }
  for (const auto& row : listing.rows) table.row(row);
  return table.text();
}

void add_rows(JsonWriter& json, const Listing& listing) {
  for (const auto& row : listing.rows) {
    json.begin_object(true);
    for (std::size_t c = 0; c < row.size(); ++c) {
      json.key(listing.columns[c]);
      is_number(listing, c) ? json.raw(row[c]) : json.value(row[c]);
    }
    json.end_object();
  }
}

void add_setting(JsonWriter& json, const config::Setting& setting) {
  std::visit([&](const auto& value) { json.value(value); }, setting);
}

/// Where a value of a GPU comes from: the text of its file, or the place of a value without one.
std::string source_of(const config::Provenance& provenance) {
  return provenance.kind == config::Provenance::Kind::unstated ? to_string(provenance.where) : provenance.text;
}

/// The texts in which patterns are looked for.
std::vector<std::string> texts_of(const config::Parameter& p) {
  return {p.path, p.text};
}

/// The parameters of one GPU.
std::string params_text(const ListArguments& arguments, const config::SourcedGpu& gpu) {
  Table table;
  for (const char* name : {"name", "value", "unit", "provenance", "source"})
    table.column(name, std::string_view(name) == "value" ? Table::Align::right : Table::Align::left);
  for (std::size_t i = 0; i < gpu.provenance.size(); ++i) {
    const config::Parameter& p = config::gpu_parameters()[i];
    if (!is_chosen(arguments, texts_of(p))) continue;
    table.row({p.path, config::to_text(p.get(gpu.spec)), p.unit, std::string(name_of(gpu.provenance[i].kind)),
               source_of(gpu.provenance[i])});
  }
  return table.text();
}

/// Parameters with typed defaults and limits; with a GPU also its values and where they come from.
void add_params(JsonWriter& json, const ListArguments& arguments, const config::SourcedGpu* gpu) {
  for (std::size_t i = 0; i < config::gpu_parameters().size(); ++i) {
    const config::Parameter& p = config::gpu_parameters()[i];
    if (!is_chosen(arguments, texts_of(p))) continue;
    json.begin_object(true).field("name", p.path).field("unit", p.unit).key("default");
    add_setting(json, p.default_value);
    if (gpu != nullptr) {
      json.key("value");
      add_setting(json, p.get(gpu->spec));
      const config::Provenance& provenance = gpu->provenance[i];
      json.field("provenance", name_of(provenance.kind)).field("source", source_of(provenance));
      json.field("place", to_string(provenance.where));
    }
    if (p.type == config::Parameter::Type::whole) json.field("minimum", p.minimum).field("maximum", p.maximum);
    if (p.type == config::Parameter::Type::number) {
      json.field("minimum", p.number_minimum).field("maximum", p.number_maximum);
    }
    if (!p.choices.empty()) {
      json.key("choices").begin_array(true);
      for (const config::Parameter::Choice& choice : p.choices) json.value(choice.name);
      json.end_array().key("choice_texts").begin_array(true);
      for (const config::Parameter::Choice& choice : p.choices) json.value(choice.text);
      json.end_array();
    }
    json.field("text", p.text).end_object();
  }
}

/// Nothing has all the patterns in it.
[[noreturn]] void refuse(const ListArguments& arguments, const std::vector<std::string>& names) {
  throw InputError(fmt::format("no entry of {} has '{}' in it{}", arguments.topic,
                               fmt::join(arguments.patterns, "' and '"),
                               did_you_mean(arguments.patterns.front(), names)));
}

/// The names alone, for scripts and shells.
void show_names(const ListArguments& arguments) {
  const auto& topics = named_topics();
  const auto topic =
      std::find_if(topics.begin(), topics.end(), [&](const NamedTopic& one) { return one.name == arguments.topic; });
  std::string text;
  for (const std::string& name : topic->names())
    if (is_chosen(arguments, {name})) text += name + '\n';
  print(text);
}

}  // namespace

int execute(const ListArguments& arguments, const Invocation&) {
  if (arguments.gpu.empty())
    refuse_overrides(arguments, "`lockstep list` takes overrides only for `lockstep list params --gpu NAME`");
  static const std::map<std::string, Listing (*)()> topics = {
      {"gpus", list_gpus},     {"workloads", list_workloads},   {"experiments", list_experiments},
      {"hashes", list_hashes}, {"operations", list_operations}, {"params", list_params},
      {"stats", list_stats}};
  // More have names, which shells complete.
  const bool only_names = arguments.topic == "graphs" || arguments.topic == "suites";
  const auto topic = topics.find(arguments.topic);
  if (topic == topics.end() && !(arguments.names && only_names)) {
    std::vector<std::string> names;
    for (const auto& [name, list] : topics) names.push_back(name);
    throw InputError(fmt::format("unknown topic '{}'{}; there are: {}", arguments.topic,
                                 did_you_mean_aside(arguments.topic, names), fmt::join(names, ", ")));
  }
  if (!arguments.gpu.empty() && arguments.topic != "params")
    throw InputError(fmt::format("--gpu is for `lockstep list params`, not for {}", arguments.topic));
  if (arguments.names) {
    if (arguments.json) throw InputError("--names is plain text: without --json");
    show_names(arguments);
    return exit_done;
  }
  std::optional<config::SourcedGpu> gpu;
  if (!arguments.gpu.empty()) gpu = config::load_sourced_gpu(arguments.gpu, parse_overrides(arguments));
  Listing listing = topic->second();
  std::vector<std::string> names;
  for (const auto& row : listing.rows) names.push_back(row.front());
  const bool of_params = arguments.topic == "params";  // Not in units and ranges.
  std::erase_if(listing.rows, [&](const auto& row) {
    return !is_chosen(arguments, of_params ? std::vector{row.front(), row.back()} : row);
  });
  if (listing.rows.empty() && !arguments.patterns.empty()) refuse(arguments, names);
  if (!arguments.json) {
    print(gpu ? params_text(arguments, *gpu) : table_text(listing));
    return exit_done;
  }
  JsonWriter json;
  json.begin_object().field("schema", "lockstep.list/1").field("topic", arguments.topic);
  if (gpu) json.field("gpu", gpu->spec.name);
  json.key(arguments.topic).begin_array();
  if (of_params) {
    add_params(json, arguments, gpu ? &*gpu : nullptr);
  } else {
    add_rows(json, listing);
  }
  print(json.end_array().end_object().take());
  return exit_done;
}

}  // namespace lockstep::cli
