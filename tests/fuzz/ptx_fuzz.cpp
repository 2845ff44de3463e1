// Any bytes as PTX: the parser, the linker and the static program either take them or throw an InputError.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/ptx/static_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  try {
    const ptx::Module module = ptx::parse({reinterpret_cast<const char*>(data), size}, "fuzz.ptx");
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      try {
        ptx::to_static_program(ptx::link(module, function.name));
      } catch (const InputError&) {
      }
    }
  } catch (const InputError&) {
  }
  return 0;
}
