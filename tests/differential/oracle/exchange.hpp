#pragma once

#include "tests/differential/oracle/thread.hpp"

namespace lockstep::differential {

/// A shuffle, vote, match, reduction or election of the lanes of one warp that take part. `values` has what each read.
void exchange_within_warp(const Exchange& exchange, const Threads& lanes,
                          const std::vector<std::vector<std::uint64_t>>& values);

}  // namespace lockstep::differential
