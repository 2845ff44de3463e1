#pragma once
// Runs graphs through the real program.

#include <string>
#include <vector>

#include "tests/system/program.hpp"

namespace lockstep::system_test {

/// `lockstep rgpu run NAME --quiet` with these settings, and one more unless it is empty.
inline Outcome run_graph(const std::string& name, std::vector<std::string> settings, const std::string& further = {}) {
  if (!further.empty()) settings.push_back(further);
  std::vector<std::string> arguments{"rgpu", "run", name, "--quiet"};
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"-s", setting});
  return run(arguments);
}

}  // namespace lockstep::system_test
