// trace_and_replay FOLDER WORKLOAD [ARGUMENT=VALUE...]: executes a workload, and writes to the folder its trace and the statistics of
// replays on GPUs of an old and a new generation with one, two and three threads: GPU.THREADS.json. tools/compare-builds compares
// what builds write.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>

#include "isa/exec/machine.hpp"
#include "isa/output_file.hpp"
#include "isa/trace/file.hpp"
#include "sim/config/parameter.hpp"
#include "sim/experiment/results/output.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/stats/json.hpp"
#include "sim/workload/workload.hpp"

using namespace lockstep;

namespace {

void trace_and_replay(const std::string& folder, const std::string& name,
                      const workload::ArgumentOverrides& arguments) {
  const std::string file = folder + "/trace";
  exec::Machine machine(workload::Workload::load(name).build(arguments));
  trace::write_file(file, machine);
  for (const char* gpu : {"gtx580", "h200"}) {
    const gpu::GpuSpec spec = config::load_gpu(gpu);
    for (const unsigned threads : {1u, 2u, 3u}) {
      gpu::Options options;
      options.threads = threads;
      const auto source = trace::open_file(file);
      const gpu::Result result = gpu::simulate(spec, *source, options);
      stats::JsonWriter json;
      json.begin_object();
      experiment::add_fields(json, experiment::summarize(spec, name, result, 0));
      write_whole_file(fmt::format("{}/{}.{}.json", folder, gpu, threads), json.end_object().take());
    }
  }
}

}  // namespace

int main(int count, char** words) try {
  if (count < 3) return std::fputs("usage: trace_and_replay FOLDER WORKLOAD [ARGUMENT=VALUE...]\n", stderr), 2;
  workload::ArgumentOverrides arguments;
  for (int n = 3; n < count; ++n) {
    const std::string word = words[n];
    arguments.emplace_back(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  }
  trace_and_replay(words[1], words[2], arguments);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "trace_and_replay: %s\n", error.what());
  return 1;
}
