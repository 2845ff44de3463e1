#include <fmt/format.h>

#include "isa/error.hpp"
#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

Elements layer_reference(const Elements& inputs, const Elements& weights, std::uint64_t outputs, std::uint64_t group,
                         ElementType type) {
  if (outputs == 0 || group == 0 || inputs.count() % group != 0 || weights.count() != inputs.count() * outputs) {
    throw InputError(fmt::format("{} inputs in groups of {} and {} weights are no layer with {} outputs",
                                 inputs.count(), group, weights.count(), outputs));
  }
  Elements result(type, inputs.count() / group * outputs);
  for (std::uint64_t i = 0; i < result.count(); ++i) {
    const std::uint64_t first = i / outputs * group;
    double sum = 0;
    for (std::uint64_t input = first; input < first + group; ++input) {
      sum += inputs.real(input) * weights.real(input * outputs + i % outputs);
    }
    result.set(i, sum);
  }
  return result;
}

}  // namespace lockstep::workload
