#pragma once
// Texture fetches, surface accesses and queries in the oracle (PTX ISA 9.7.10 and 9.7.11; CUDA C++ Programming Guide,
// "Texture Fetching").

#include <array>
#include <cstdint>
#include <span>

#include "tests/differential/oracle/thread.hpp"

namespace lockstep::differential {

/// Of one thread. `texels` are those of all images of the kernel.
void access_image(const ImageAccess& access, const Image& image, std::span<std::uint8_t> texels, Thread& thread,
                  Registers& registers);

}  // namespace lockstep::differential
