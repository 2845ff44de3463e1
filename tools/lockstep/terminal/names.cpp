#include "tools/lockstep/terminal/names.hpp"

#include "models/hash/address_map.hpp"
#include "sim/config/parameter.hpp"
#include "sim/experiment/columns/column.hpp"
#include "sim/experiment/experiment.hpp"
#include "sim/validate/suite.hpp"
#include "sim/workload/graphs/opcodes.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::cli {

namespace {

using Names = std::vector<std::string>;

Names files_in(const config::NamedFolder& folder) {
  return config::list_named_files(folder);
}

Names hash_names() {
  Names names;
  for (const hash::Family& family : hash::families()) names.push_back(family.name);
  return names;
}

Names operation_names() {
  Names names;
  for (const workload::GraphOperation& operation : workload::graph_operations())
    names.push_back(workload::name_of(operation));
  return names;
}

Names parameter_names() {
  Names names;
  for (const config::Parameter& parameter : config::gpu_parameters()) names.push_back(parameter.path);
  return names;
}

/// Counters and derived statistics.
Names statistic_names() {
  using Group = experiment::Column::Group;
  Names names;
  for (const experiment::Column& column : experiment::columns())
    if (column.group == Group::statistic || column.group == Group::derived) names.push_back(column.name);
  return names;
}

}  // namespace

const std::vector<NamedTopic>& named_topics() {
  static const std::vector<NamedTopic> all = {{"gpus", [] { return files_in({"configs/gpus"}); }},
                                              {"workloads",
                                               [] {
                                                 Names names = files_in(workload::workload_folder),
                                                       graphs = files_in(workload::graph_folder);
                                                 names.insert(names.end(), graphs.begin(), graphs.end());
                                                 return names;
                                               }},
                                              {"experiments", [] { return files_in(experiment::experiment_folder); }},
                                              {"hashes", hash_names},
                                              {"operations", operation_names},
                                              {"params", parameter_names},
                                              {"stats", statistic_names},
                                              {"graphs", [] { return files_in(workload::graph_folder); }},
                                              {"suites", [] { return validate::suite_names(); }}};
  return all;
}

}  // namespace lockstep::cli
