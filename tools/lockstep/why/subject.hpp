#pragma once
// What explain, compare and occupancy look at: a trace, a workload or a point of a results folder, on a GPU.

#include <memory>
#include <string>
#include <vector>

#include "sim/explain/explanation.hpp"
#include "tools/lockstep/arguments.hpp"

namespace lockstep::cli {

/// A kernel execution that can be replayed any number of times.
struct Subject {
  std::string name;   ///< As the user named it.
  std::string label;  ///< Of a point, what tells it from the others of its folder; else "".
  gpu::GpuSpec spec;
  explain::OpenTrace open;
  std::vector<std::string> source_folders;  ///< Where the sources of its kernels may be.
};

/// Which one.
struct SubjectChoice {
  std::string text;   ///< Trace file, workload (file or name), or results folder.
  std::string gpu;    ///< Of a trace or workload; of a folder, in place of the point's own; "": none is given.
  std::string point;  ///< Of a folder: a part of the label of one of its points; "": the slowest.
  const char* gpu_option = "--gpu";
};

/// Whether the text names a results folder.
bool is_results_folder(const std::string& text);
/// What launches ask of an SM, without executing a workload.
struct SubjectLaunches {
  std::string name, label;  ///< As of Subject.
  gpu::GpuSpec spec;
  trace::Header header;
};
SubjectLaunches load_launches(const SubjectChoice& choice, const Common& common);
/// Executes a workload. InputError when there is no such thing, or no GPU for it.
Subject load_subject(const SubjectChoice& choice, const Common& common);

}  // namespace lockstep::cli
