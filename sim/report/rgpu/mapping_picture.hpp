#pragma once
// Where a graph is on the fabric, like Figures 7.5b and 7.6b of Van den Braak: the ring laid flat, cores and load-store
// units at their slots, lanes as tracks with the values on them.

#include <string>

#include "models/rgpu/mapping.hpp"

namespace lockstep::report {

struct SizedPicture {
  std::string svg;
  double width = 0, height = 0;
};
SizedPicture mapping_picture(const dataflow::Graph& graph, const rgpu::Spec& spec, const rgpu::Mapping& mapping);

}  // namespace lockstep::report
