#pragma once

#include "models/scratchpad/scratchpad.hpp"

namespace lockstep::scratchpad::test {

/// 32 banks of 4 bytes, chosen by the address; a lock bit for every 1,024th word; a warp in one request.
inline Spec fermi() {
  Spec spec;
  spec.banks = 32;
  spec.bank_bytes = 4;
  spec.locks = 1024;
  spec.request_lanes = 32;
  spec.bank_hash = spec.lock_hash = "mod";
  return spec;
}

}  // namespace lockstep::scratchpad::test
