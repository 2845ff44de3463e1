#pragma once

#include "isa/cycle.hpp"

namespace lockstep::analytic {

/// Times of the four-state model of section 5.2 of Van den Braak (2015). read == 0: no such model of this GPU.
struct StateMachineSpec {
  Cycle read{};    ///< Per bank conflict level.
  Cycle update{};  ///< Fixed.
  Cycle write{};   ///< Per bank conflict level.
  Cycle branch{};  ///< Fixed.
};

/// Constants of the closed-form models of a GPU's scratchpad accesses, as measurements give them. A base of 0 means that
/// no model of that access is known. Names, texts and ranges are declared in sim/config.
struct Spec {
  Cycle load_base{}, store_base{}, read_modify_write_base{};  ///< Without conflict.
  Cycle atomic_base{};                                        ///< t_base of listing 4.5 of Gomez-Luna (2012).
  Cycle position{};                                           ///< t_position: load, addition, store and branch again.
  Cycle bank_read{}, bank_write{};                            ///< t_bank of the read and of the write access.
  StateMachineSpec state_machine;
};

}  // namespace lockstep::analytic
