// Any bytes as a suite of measurements, or as the table that lockstep calibrate reads: what they say, or an InputError.

#include <cstddef>
#include <cstdint>

#include "sim/measurements/measurements.hpp"
#include "sim/validate/suite.hpp"
#include "tests/fuzz/input_as_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  const std::string& path = fuzz::as_file(data, size);
  try {
    const measurements::Measurements measurements = measurements::load_measurements(path);
    for (const measurements::Measurement& row : measurements.rows) row.label();
  } catch (const InputError&) {
  }
  try {
    const validate::Suite suite = validate::load_suite(path);
    suite.numbers();
    suite.statements();
  } catch (const InputError&) {
  }
  return 0;
}
