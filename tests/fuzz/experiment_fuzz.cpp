// Any bytes as an experiment: its points, or an InputError.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sim/experiment/experiment.hpp"
#include "tests/fuzz/input_as_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    const experiment::Experiment experiment = experiment::load_experiment(fuzz::as_file(data, size));
    std::size_t points = 1;
    for (const experiment::Axis& axis : experiment.axes) points *= std::min<std::size_t>(axis.values.size(), 1000);
    if (experiment.axes.size() < 6 && points <= 100) experiment::expand(experiment);
  } catch (const InputError&) {
  }
  return 0;
}
