#include "tests/differential/oracle/semantics.hpp"

#include "tests/differential/forms.hpp"

namespace lockstep::differential {

Evaluate semantics_of(const Instruction& instruction) {
  if (is_approximate(instruction)) return {};
  for (const auto family :
       {comparison_semantics, conversion_semantics, float_semantics, integer_semantics, bit_semantics}) {
    if (Evaluate found = family(instruction)) return found;
  }
  return {};
}

}  // namespace lockstep::differential
