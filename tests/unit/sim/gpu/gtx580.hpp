#pragma once

#include "sim/config/parameter.hpp"

namespace lockstep::test {

/// The GTX 580 of configs/gpus, read once.
inline const gpu::GpuSpec& gtx580() {
  static const gpu::GpuSpec spec = config::load_gpu("gtx580");
  return spec;
}

}  // namespace lockstep::test
