#pragma once
// What stands for one wmma, which the writer has turned to.

#include "isa/ptx/wmma/writer.hpp"

namespace lockstep::ptx::wmma {

/// Of wmma.load and wmma.store.
void transfer(Writer& writer, const Transfer& form);
/// Of wmma.mma.
void multiply(Writer& writer, const Product& form);

}  // namespace lockstep::ptx::wmma
