// Any bytes as a workload's descriptor or a dataflow graph: a workload with its arguments, or an InputError.

#include <cstddef>
#include <cstdint>

#include "sim/workload/workload.hpp"
#include "tests/fuzz/input_as_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    workload::Workload::load(fuzz::as_file(data, size)).arguments();
  } catch (const InputError&) {
  }
  return 0;
}
