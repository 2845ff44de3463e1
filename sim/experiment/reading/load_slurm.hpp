#pragma once

#include "sim/config/tree_reader.hpp"
#include "sim/experiment/slurm_settings.hpp"

namespace lockstep::experiment {

/// The section `slurm` of an experiment file.
SlurmSettings read_slurm(const config::Value& map, config::ErrorList& errors);

}  // namespace lockstep::experiment
