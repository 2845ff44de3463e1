// Any bytes as the file of a GPU: a specification, or an InputError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/config/parameter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const config::Value tree = config::parse_yaml(text, "fuzz.yaml");
    config::effective_yaml(config::read_gpu(tree, {}, "fuzz"));
  } catch (const InputError&) {
  }
  return 0;
}
