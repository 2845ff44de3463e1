#pragma once
// The names of things, for shells that complete them.

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

/// What has names.
struct NamedTopic {
  std::string_view name;
  std::vector<std::string> (*names)();
};
/// gpus, workloads, experiments, hashes, operations, params, stats and suites.
const std::vector<NamedTopic>& named_topics();

}  // namespace lockstep::cli
