#pragma once
// Runs instrumented kernels on a GPU and writes what they log to a file, for `lockstep import capture`. For programs that use
// CUDA's driver interface; README.md has an example.

#include <cuda.h>

#include <cstdint>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "../../isa/capture/device_log.hpp"

namespace lockstep::capture {

/// The buffer of the log on the GPU of the current context, and the file. Errors are runtime_errors; a log that does not fit is a
/// LogOverflow, behind which the file is of no use.
class CaptureLog {
 public:
  CaptureLog(const std::string& path, std::uint64_t buffer_bytes) : writer_(path), bytes_(buffer_bytes / 8 * 8) {
    call(cuMemAlloc(&buffer_, bytes_), "memory for the log");
    call(cuMemsetD8(buffer_, 0, bytes_), "clearing the log");
    describe_gpu();
  }
  ~CaptureLog() { cuMemFree(buffer_); }
  CaptureLog(const CaptureLog&) = delete;
  CaptureLog& operator=(const CaptureLog&) = delete;

  /// A line of the file's beginning, such as "note ...".
  void line(const std::string& text) { writer_.line(text); }
  /// A module that was loaded from what `lockstep instrument` or `lockstep trace --instrument` made of `ptx`. In the order of
  /// their numbers.
  void add_module(CUmodule module, const std::string& name, const std::string& ptx) {
    Module added;
    std::size_t size = 0;
    call(cuModuleGetGlobal(&added.place, &size, module, log_variable), "the variable lockstep_log of " + name);
    if (size != sizeof added.variable) throw std::runtime_error(name + " was instrumented by another version");
    call(cuMemcpyDtoH(&added.variable, added.place, size), "reading lockstep_log");
    if (added.variable.version != log_version) throw std::runtime_error(name + " was instrumented by another version");
    added.variable.buffer = buffer_;
    call(cuMemcpyHtoD(added.place, &added.variable, sizeof buffer_), "setting lockstep_log");
    modules_.push_back(added);
    writer_.add_module(name, ptx);
  }
  /// Right before a launch; nothing else may log until end().
  void begin(const LoggedLaunch& launch) {
    launch_ = launch;
    std::uint64_t threads = 1;
    for (int d = 0; d < 3; ++d) threads *= std::uint64_t{launch.grid[d]} * launch.block[d];
    const LogVariable& variable = modules_.at(launch.module).variable;
    if (least_log_bytes(variable, threads) > bytes_) throw LogOverflow(least_log_bytes(variable, threads), bytes_);
    const std::array<std::uint64_t, 2> first = first_words(variable, threads, bytes_);
    call(cuMemcpyHtoD(buffer_, first.data(), sizeof first), "preparing the log");
  }
  /// Behind it: waits for the launch, and writes its log to the file.
  void end() {
    call(cuCtxSynchronize(), "running " + launch_.entry);
    const LogVariable& variable = modules_.at(launch_.module).variable;
    std::uint64_t used = 0;
    call(cuMemcpyDtoH(&used, buffer_, sizeof used), "reading the log");
    if (used > bytes_) throw LogOverflow(used, bytes_);
    words_.resize(used / 8);
    call(cuMemcpyDtoH(words_.data(), buffer_, used), "reading the log");
    call(cuMemsetD8(buffer_, 0, used), "clearing the log");
    writer_.add_launch(launch_, DeviceLog(words_.data(), bytes_, variable), words_.data(), variable);
  }
  /// Behind the last launch.
  void finish() { writer_.finish(); }

 private:
  struct Module {
    CUdeviceptr place = 0;  ///< Of its variable.
    LogVariable variable;
  };

  static void call(CUresult result, const std::string& what) {
    if (result == CUDA_SUCCESS) return;
    const char* text = nullptr;
    cuGetErrorString(result, &text);
    throw std::runtime_error(what + ": " + (text == nullptr ? "unknown error" : text));
  }

  void describe_gpu() {
    CUdevice device = 0;
    char name[256] = "";
    call(cuCtxGetDevice(&device), "the GPU");
    call(cuDeviceGetName(name, sizeof name, device), "name of the GPU");
    writer_.line(std::string("gpu ") + name);
    int version = 0;
    call(cuDriverGetVersion(&version), "version of the driver");
    std::string driver = "CUDA " + std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...", where the system tells.
    std::ifstream about("/proc/driver/nvidia/version");
    for (std::string word; about >> word;)
      if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos) {
        driver = word + ", " + driver;
        break;
      }
    writer_.line("driver " + driver);
    const std::time_t now = std::time(nullptr);
    char date[32];
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    writer_.line(std::string("date ") + date);
  }

  LogWriter writer_;
  std::uint64_t bytes_;
  CUdeviceptr buffer_ = 0;
  std::vector<Module> modules_;
  LoggedLaunch launch_;
  std::vector<std::uint64_t> words_;
};

/// Registers of a thread, as CU_JIT_MAX_REGISTERS takes them, with which thread blocks of so many threads still fit into an SM:
/// instrumented kernels need more than others.
inline unsigned most_registers(std::uint64_t threads_per_block) {
  constexpr std::uint64_t file = 65536, warp = 32, unit = 8, most = 255;
  const std::uint64_t threads = (threads_per_block + warp - 1) / warp * warp;
  const std::uint64_t registers = threads == 0 ? most : file / threads / unit * unit;
  return static_cast<unsigned>(registers < most ? registers : most);
}

}  // namespace lockstep::capture
