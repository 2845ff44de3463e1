// Runs the launches of a folder that `lockstep trace --launches FOLDER` wrote on a real GPU and compares what they leave
// in memory with what the functional machine left. Needs the CUDA toolkit and a GPU; not part of the normal build:
//   nvcc -O2 -std=c++17 -o run_on_gpu tools/capture/run_on_gpu.cpp -lcuda
//
// The folder's memory is mapped at the very addresses of the functional machine, so pointers in parameters and in
// buffers hold as they stand.

#include <cuda.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_log.hpp"
#include "device_memory.hpp"
#include "launch_folder.hpp"
#include "texture_objects.hpp"

namespace {

using namespace lockstep::capture;

/// Compiles PTX by the driver, at its own level of optimization and with as many registers as it likes unless these are given.
CUmodule load(const std::string& path, std::optional<unsigned> optimization, std::optional<unsigned> registers = {}) {
  std::vector<char> text = contents(path);
  text.push_back('\0');
  char log[8192] = "";
  std::vector<CUjit_option> options = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  std::vector<void*> values = {log, reinterpret_cast<void*>(sizeof log)};
  const auto add = [&](CUjit_option option, std::optional<unsigned> value) {
    if (!value) return;
    options.push_back(option);
    values.push_back(reinterpret_cast<void*>(static_cast<std::uintptr_t>(*value)));
  };
  add(CU_JIT_OPTIMIZATION_LEVEL, optimization);
  add(CU_JIT_MAX_REGISTERS, registers);
  CUmodule module = nullptr;
  const CUresult result =
      cuModuleLoadDataEx(&module, text.data(), static_cast<unsigned>(options.size()), options.data(), values.data());
  if (result != CUDA_SUCCESS) std::fprintf(stderr, "%s\n", log);
  check(result, path);
  return module;
}

/// Finds where the driver has placed the variables.
void place(Folder& folder, const std::vector<CUmodule>& modules) {
  for (Variable& v : folder.variables) {
    CUdeviceptr address = 0;
    std::size_t bytes = 0;
    check(cuModuleGetGlobal(&address, &bytes, modules.at(v.module), v.memory.name.c_str()),
          "variable " + v.memory.name);
    if (bytes != v.memory.bytes) throw std::runtime_error("variable " + v.memory.name + " has another size on the GPU");
    v.memory.address = address;
    folder.buffers.push_back(v.memory);
  }
}

/// Where the reference points on this GPU.
std::uint64_t target(const Folder& folder, const Reference& r) {
  return folder.variables.at(r.variable).memory.address + r.offset;
}

std::uint64_t word_at(const std::vector<char>& bytes, std::size_t at) {
  std::uint64_t word = 0;
  if (at + sizeof word > bytes.size()) throw std::runtime_error("an address lies outside of its file");
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

/// A file with the addresses and texture objects of this GPU.
std::vector<char> placed_contents(const Folder& folder, const std::string& file) {
  std::vector<char> bytes = contents(folder.path + "/" + file);
  for (const Reference& r : folder.references) {
    if (r.file != file) continue;
    word_at(bytes, r.at);
    const std::uint64_t address = target(folder, r);
    std::memcpy(bytes.data() + r.at, &address, sizeof address);
  }
  for (const ObjectWord& o : folder.objects) {
    if (o.file != file) continue;
    word_at(bytes, o.at);
    std::memcpy(bytes.data() + o.at, &o.object, sizeof o.object);
  }
  return bytes;
}

/// What the buffer should hold: addresses that no kernel has written are those of this GPU.
std::vector<char> expected_contents(const Folder& folder, const Buffer& b) {
  std::vector<char> expected = contents(folder.path + "/" + b.after);
  std::vector<char> before;
  for (const Reference& r : folder.references) {
    if (r.file != b.before) continue;
    if (before.empty()) before = contents(folder.path + "/" + b.before);
    if (word_at(before, r.at) != word_at(expected, r.at)) continue;
    const std::uint64_t address = target(folder, r);
    std::memcpy(expected.data() + r.at, &address, sizeof address);
  }
  return expected;
}

/// A launch with its kernel and parameter block.
struct Kernel {
  CUfunction function = nullptr;
  std::vector<char> parameters;
};

/// The kernels of all launches, each with room for the most scratchpad memory that one of its launches asks for.
std::vector<Kernel> kernels_of(const Folder& folder, const std::vector<CUmodule>& modules) {
  std::vector<Kernel> kernels;
  std::map<CUfunction, unsigned> shared;
  for (const Launch& l : folder.launches) {
    Kernel kernel;
    check(cuModuleGetFunction(&kernel.function, modules.at(l.module), l.entry.c_str()), "kernel " + l.entry);
    kernel.parameters = placed_contents(folder, l.parameters);
    unsigned& most = shared[kernel.function];
    most = std::max(most, l.shared);
    kernels.push_back(std::move(kernel));
  }
  for (const auto& entry : shared)
    check(cuFuncSetAttribute(entry.first, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                             static_cast<int>(entry.second)),
          "dynamic scratchpad memory");
  return kernels;
}

/// What the buffers hold before the first launch.
using Inputs = std::vector<std::vector<char>>;

Inputs inputs_of(const Folder& folder) {
  Inputs inputs;
  for (const Buffer& b : folder.buffers) inputs.push_back(placed_contents(folder, b.before));
  return inputs;
}

void copy(const Folder& folder, const TextureObjects& textures, const Inputs& inputs) {
  textures.fill(inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i].empty())
      check(cuMemcpyHtoD(folder.buffers[i].address, inputs[i].data(), inputs[i].size()),
            "copying " + folder.buffers[i].name);
}

/// Whether a host would read on this GPU what the launches were decided on by; false, and a line, where it would not.
bool same_read(const Folder& folder, const HostRead& r) {
  const Buffer& b = r.of_variable ? folder.variables.at(r.memory).memory : folder.buffers.at(r.memory);
  std::vector<char> gpu(r.bytes.size());
  check(cuMemcpyDtoH(gpu.data(), b.address + r.at, gpu.size()), "reading " + b.name);
  if (gpu == r.bytes) return true;
  std::printf("%s: after %zu launches the host reads something else at byte %zu of %s: other launches would follow\n",
              folder.path.c_str(), r.launches, r.at, b.name.c_str());
  return false;
}

/// The number in a log of a module of the folder.
std::size_t logged_number(const Folder& folder, std::size_t module) {
  for (std::size_t n = 0; n < folder.instrumented.size(); ++n)
    if (folder.instrumented[n].module == module) return n;
  throw std::runtime_error(
      folder.path + ": has no instrumented kernels; `lockstep trace --launches FOLDER --instrument` writes them");
}

/// `before(n)` is called when n launches have been started, and logged.
template <typename F>
void launch(const Folder& folder, std::vector<Kernel>& kernels, CaptureLog* log, F&& before) {
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    before(i);
    const Launch& l = folder.launches[i];
    std::size_t size = kernels[i].parameters.size();
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, kernels[i].parameters.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    if (log != nullptr) {
      LoggedLaunch logged;
      logged.module = logged_number(folder, l.module);
      logged.entry = l.entry;
      std::copy_n(l.grid, 3, logged.grid);
      std::copy_n(l.block, 3, logged.block);
      logged.dynamic_shared_bytes = l.shared;
      log->begin(logged);
    }
    check(cuLaunchKernel(kernels[i].function, l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
                         l.shared, nullptr, nullptr, extra),
          "launching " + l.entry);
    if (log != nullptr) log->end();
  }
  before(kernels.size());
}

/// Whether everything that the host reads between the launches is as it was.
bool run(const Folder& folder, const TextureObjects& textures, std::vector<Kernel>& kernels, const Inputs& inputs,
         CaptureLog* log) {
  copy(folder, textures, inputs);
  bool same = true;
  launch(folder, kernels, log, [&](std::size_t launches) {
    for (const HostRead& r : folder.reads) {
      if (r.launches != launches) continue;
      check(cuCtxSynchronize(), "running " + folder.workload);
      same = same_read(folder, r) && same;
    }
  });
  check(cuCtxSynchronize(), "running " + folder.workload);
  return same;
}

/// Other memory, larger than an L2 cache, that is written before each timed run.
class ColdCache {
 public:
  ColdCache() { check(cuMemAlloc(&memory_, bytes), "memory to flush the L2 cache"); }
  ~ColdCache() { cuMemFree(memory_); }
  ColdCache(const ColdCache&) = delete;
  ColdCache& operator=(const ColdCache&) = delete;
  void flush() { check(cuMemsetD8(memory_, ++value_, bytes), "flushing the L2 cache"); }

 private:
  static constexpr std::size_t bytes = std::size_t{256} << 20;
  CUdeviceptr memory_ = 0;
  unsigned char value_ = 0;
};

/// Runs the launches `times` times from the same inputs with a cold L2 cache and prints what they took by the GPU's events, the
/// first word of the buffer `cycles` after the last time, and the most registers of a kernel.
void measure(const Folder& folder, const TextureObjects& textures, std::vector<Kernel>& kernels, const Inputs& inputs,
             unsigned times, ColdCache& cache) {
  CUevent start, stop;
  check(cuEventCreate(&start, CU_EVENT_DEFAULT), "event");
  check(cuEventCreate(&stop, CU_EVENT_DEFAULT), "event");
  std::vector<float> us;
  for (unsigned n = 0; n < times; ++n) {
    copy(folder, textures, inputs);
    cache.flush();
    check(cuCtxSynchronize(), "preparing " + folder.workload);
    check(cuEventRecord(start, nullptr), "event");
    launch(folder, kernels, nullptr, [](std::size_t) {});
    check(cuEventRecord(stop, nullptr), "event");
    check(cuCtxSynchronize(), "running " + folder.workload);
    float ms = 0;
    check(cuEventElapsedTime(&ms, start, stop), "elapsed time");
    us.push_back(ms * 1000);
  }
  cuEventDestroy(start);
  cuEventDestroy(stop);
  std::sort(us.begin(), us.end());
  int registers = 0;
  for (const Kernel& kernel : kernels) {
    int own = 0;
    check(cuFuncGetAttribute(&own, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel.function), "registers");
    registers = std::max(registers, own);
  }
  std::printf("%s: measured us_min=%.3f us_median=%.3f registers=%d", folder.path.c_str(),
              static_cast<double>(us.front()), static_cast<double>(us[us.size() / 2]), registers);
  for (const Buffer& b : folder.buffers) {
    if (b.name != "cycles" || b.bytes < 4) continue;
    std::uint32_t word = 0;
    check(cuMemcpyDtoH(&word, b.address, sizeof word), "reading cycles");
    std::printf(" clock_first_thread=%u", word);
  }
  std::printf("\n");
}

/// What the GPU has left in buffer `n`.
std::vector<char> left_in(const Folder& folder, const TextureObjects& textures, std::size_t n) {
  const Buffer& b = folder.buffers[n];
  std::vector<char> gpu(b.bytes);
  if (b.bytes > 0) check(cuMemcpyDtoH(gpu.data(), b.address, b.bytes), "reading " + b.name);
  textures.collect(n, gpu);
  return gpu;
}

/// Prints one line per buffer that differs; `shown` buffers are printed instead, as unsigned words. What differs, with its contents.
std::map<std::size_t, std::vector<char>> compare(const Folder& folder, const TextureObjects& textures,
                                                 const std::vector<std::string>& shown,
                                                 const std::vector<std::string>& kept) {
  std::map<std::size_t, std::vector<char>> differing;
  for (std::size_t n = 0; n < folder.buffers.size(); ++n) {
    const Buffer& b = folder.buffers[n];
    const std::vector<char> gpu = left_in(folder, textures, n);
    if (std::find(kept.begin(), kept.end(), b.name) != kept.end()) {
      std::ofstream file(b.name + ".gpu", std::ios::binary);
      file.write(gpu.data(), static_cast<std::streamsize>(gpu.size()));
    }
    if (std::find(shown.begin(), shown.end(), b.name) != shown.end()) {
      std::printf("%s %s:", folder.path.c_str(), b.name.c_str());
      for (std::size_t at = 0; at + 4 <= gpu.size() && at < 4 * 1024; at += 4) {
        std::uint32_t word;
        std::memcpy(&word, gpu.data() + at, 4);
        std::printf(" %u", word);
      }
      std::printf("\n");
      continue;
    }
    const std::vector<char> expected = expected_contents(folder, b);
    const auto first = std::mismatch(gpu.begin(), gpu.end(), expected.begin(), expected.end()).first;
    if (first == gpu.end()) continue;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < gpu.size(); ++i) bytes += gpu[i] != expected[i] ? 1 : 0;
    std::printf("%s: buffer %s differs in %zu of %zu bytes, first at byte %td\n", folder.path.c_str(), b.name.c_str(),
                bytes, gpu.size(), first - gpu.begin());
    differing.emplace(n, gpu);
  }
  return differing;
}

/// Prints one line per buffer in which another run from the same inputs has left something else: the order of threads decides there.
void compare_runs(const Folder& folder, const TextureObjects& textures,
                  const std::map<std::size_t, std::vector<char>>& before) {
  for (const auto& [n, contents] : before)
    if (left_in(folder, textures, n) != contents)
      std::printf("%s: buffer %s changes from run to run\n", folder.path.c_str(), folder.buffers[n].name.c_str());
}

/// The command line is wrong.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What the command line says.
struct Options {
  std::vector<std::string> folders, shown, kept;
  unsigned times = 0;                                ///< Of measured runs; 0: none.
  bool once = false;                                 ///< A folder whose buffers differ is not run again.
  std::optional<unsigned> optimization;              ///< Of the driver's compiler: 0 to 4.
  std::string capture;                               ///< File for the log of a folder's instrumented kernels, or "".
  std::uint64_t log_bytes = std::uint64_t{1} << 30;  ///< Of the buffer that they log to.
  std::string command;                               ///< All words.
};

constexpr char usage[] =
    "usage: run_on_gpu [--show BUFFER]... [--keep BUFFER]... [--once] [--measure TIMES] [--optimize LEVEL] "
    "FOLDER...|-\n"
    "       run_on_gpu --capture LOG [--log-bytes BYTES] [--optimize LEVEL] FOLDER\n"
    "Where a buffer differs the folder is run again, to see whether it changes from run to run; with --once it is "
    "not.\n"
    "LEVEL, 0 to 4, is that of the driver's compiler; without: its own, 4\n"
    "BYTES are those of the GPU's memory in which a launch logs; without: 1 GiB\n";

Options parse(int count, char** words) {
  Options options;
  options.command = "run_on_gpu";
  for (int i = 1; i < count; ++i) options.command += std::string(" ") + words[i];
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--show") == 0 && i + 1 < count) {
      options.shown.emplace_back(words[++i]);
    } else if (std::strcmp(words[i], "--keep") == 0 && i + 1 < count) {
      options.kept.emplace_back(words[++i]);
    } else if (std::strcmp(words[i], "--once") == 0) {
      options.once = true;
    } else if (std::strcmp(words[i], "--measure") == 0 && i + 1 < count) {
      options.times = static_cast<unsigned>(std::strtoul(words[++i], nullptr, 10));
    } else if (std::strcmp(words[i], "--optimize") == 0 && i + 1 < count) {
      const std::string level = words[++i];
      if (level.size() != 1 || level[0] < '0' || level[0] > '4')
        throw UsageError("--optimize " + level + ": expected a level from 0 to 4");
      options.optimization = static_cast<unsigned>(level[0] - '0');
    } else if (std::strcmp(words[i], "--capture") == 0 && i + 1 < count) {
      options.capture = words[++i];
    } else if (std::strcmp(words[i], "--log-bytes") == 0 && i + 1 < count) {
      char* end = nullptr;
      options.log_bytes = std::strtoull(words[++i], &end, 10);
      if (end == words[i] || *end != '\0' || options.log_bytes == 0)
        throw UsageError(std::string("--log-bytes ") + words[i] + ": expected a number of bytes");
    } else {
      options.folders.emplace_back(words[i]);
    }
  }
  if (!options.capture.empty() && (options.folders.size() != 1 || options.folders[0] == "-" || options.times > 0))
    throw UsageError("--capture takes one folder, and no --measure: instrumented kernels take longer");
  return options;
}

/// The modules that the launches run, in the folder's order: instrumented ones of a capture.
std::vector<CUmodule> load_modules(const Folder& folder, const Options& options) {
  std::vector<CUmodule> modules;
  for (std::size_t m = 0; m < folder.modules.size(); ++m) {
    const auto found = std::find_if(folder.instrumented.begin(), folder.instrumented.end(),
                                    [&](const InstrumentedModule& i) { return i.module == m; });
    if (options.capture.empty() || found == folder.instrumented.end()) {
      modules.push_back(load(folder.path + "/" + folder.modules[m], options.optimization));
      continue;
    }
    std::uint64_t threads = 1;
    for (const Launch& l : folder.launches)
      if (l.module == m)
        threads = std::max<std::uint64_t>(threads, std::uint64_t{l.block[0]} * l.block[1] * l.block[2]);
    modules.push_back(load(folder.path + "/" + found->file, options.optimization, most_registers(threads)));
  }
  return modules;
}

/// A log with what is known before the first launch.
std::unique_ptr<CaptureLog> begin_log(const Folder& folder, const std::vector<CUmodule>& modules,
                                      const Options& options) {
  auto log = std::make_unique<CaptureLog>(options.capture, options.log_bytes);
  log->line("command " + options.command);
  log->line("workload " + folder.workload);
  for (const InstrumentedModule& one : folder.instrumented) {
    const std::vector<char> text = contents(folder.path + "/" + folder.modules.at(one.module));
    log->add_module(modules.at(one.module), one.name, std::string(text.begin(), text.end()));
  }
  for (const std::string& line : folder.log_lines) log->line(line);
  return log;
}

/// Runs a folder once, or again where it differs, compares, and measures it. True when its buffers hold what they should.
bool process(const std::string& path, CUdevice device, const Options& options, std::optional<ColdCache>& cache) {
  Folder folder = read_folder(path);
  const Memory memory(folder, device);
  const std::vector<CUmodule> modules = load_modules(folder, options);
  place(folder, modules);
  const TextureObjects textures(folder);
  std::vector<Kernel> kernels = kernels_of(folder, modules);
  const Inputs inputs = inputs_of(folder);
  const std::unique_ptr<CaptureLog> log = options.capture.empty() ? nullptr : begin_log(folder, modules, options);
  const bool same_reads = run(folder, textures, kernels, inputs, log.get());
  if (log) log->finish();
  const auto differing = compare(folder, textures, options.shown, options.kept);
  const bool same = differing.empty() && same_reads;
  if (!differing.empty() && !log && !options.once) {
    run(folder, textures, kernels, inputs, nullptr);
    compare_runs(folder, textures, differing);
  }
  std::printf("%s: %s\n", path.c_str(), same ? "as the functional machine left it" : "DIFFERS");
  if (options.times > 0) {
    if (!cache) cache.emplace();
    measure(folder, textures, kernels, inputs, options.times, *cache);
  }
  for (CUmodule module : modules) cuModuleUnload(module);
  return same;
}

}  // namespace

int main(int count, char** words) {
  try {
    const Options options = parse(count, words);
    if (options.folders.empty()) throw UsageError("no folder is given");
    check(cuInit(0), "CUDA");
    CUdevice device;
    check(cuDeviceGet(&device, 0), "first GPU");
    CUcontext context;
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    // Calls through registers and recursion have a depth that no compiler tells the driver.
    check(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 16384), "room for the stacks of threads");
    char name[256];
    check(cuDeviceGetName(name, sizeof name, device), "name of the GPU");
    std::printf("%s\n", name);
    std::optional<ColdCache> cache;
    bool same = true;
    const auto run_one = [&](const std::string& path) {
      same = process(path, device, options, cache) && same;
      std::fflush(stdout);
    };
    for (const std::string& path : options.folders) {
      if (path != "-") run_one(path);
      for (std::string line; path == "-" && std::getline(std::cin, line);) run_one(line);
    }
    return same ? 0 : 1;
  } catch (const UsageError& error) {
    std::fprintf(stderr, "run_on_gpu: %s\n%s", error.what(), usage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "run_on_gpu: %s\n", error.what());
    return 3;
  }
}
