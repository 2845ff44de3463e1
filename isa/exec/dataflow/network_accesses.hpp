#pragma once
// What successive firings of a memory operation read.

#include "isa/exec/dataflow/network.hpp"

namespace lockstep::dataflow {

struct Network::Accesses {
  const std::uint32_t* address = nullptr;
  const std::uint8_t* voids = nullptr;  ///< Which addresses are void; null: none.
  const std::uint32_t* data = nullptr;
  const std::uint32_t* predicate = nullptr;
  bool inverted = false;
  std::uint32_t* results = nullptr;

  bool executes(std::uint32_t i) const {
    return (voids == nullptr || voids[i] == 0) && (predicate == nullptr || (predicate[i] != 0) != inverted);
  }
};

}  // namespace lockstep::dataflow
