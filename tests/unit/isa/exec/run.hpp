#pragma once
// Runs PTX text on the functional machine, for tests.

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isa/exec/machine.hpp"
#include "isa/ptx/module.hpp"

namespace lockstep::exec::test {

inline constexpr const char* ptx_head = ".version 8.0\n.target sm_90\n.address_size 64\n";

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::vector<T> values_of(std::span<const std::uint8_t> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

/// A task with one module; every buffer is passed to every launch, in order, as its arguments.
struct Program {
  std::string ptx;  ///< Without the head.
  std::string entry = "k";
  program::Dim3 grid{1, 1, 1}, block{32, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<Buffer> buffers;
  unsigned launches = 1;
  std::uint64_t resident_blocks = 0;  ///< As in Task.
  CheckSet checks = {};

  std::unique_ptr<Task> task() const {
    auto task = std::make_unique<Task>();
    task->name = "test";
    task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(ptx_head + ptx, "test.ptx")));
    task->buffers = buffers;
    task->resident_blocks = resident_blocks;
    task->checks = checks;
    for (unsigned i = 0; i < launches; ++i) {
      KernelLaunch launch;
      launch.module = task->modules.back().get();
      launch.entry = entry;
      launch.grid = grid;
      launch.block = block;
      launch.dynamic_shared_bytes = dynamic_shared_bytes;
      for (std::uint32_t b = 0; b < buffers.size(); ++b) launch.arguments.push_back(BufferAddress{b, 0});
      task->launches.push_back(launch);
    }
    return task;
  }
  std::unique_ptr<Machine> machine(MachineLimits limits = {}) const {
    return std::make_unique<Machine>(task(), limits);
  }

  /// The first buffer after everything has run.
  template <class T = std::uint32_t>
  std::vector<T> run(MachineLimits limits = {}) const {
    const auto done = machine(limits);
    done->finish();
    return values_of<T>(done->buffer(0));
  }

  /// The message of the InputError that running gives; empty when there is none.
  std::string error(MachineLimits limits = {}) const {
    try {
      run(limits);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  }
};

/// A kernel around `body`. Registers: %p0-15, %h0-15 (16 bits), %r0-63, %f0-31, %rd0-31, %fd0-15. At its start %r0 is
/// tid.x, %rd0 the buffer "out", %rd1 the address of out's 8-byte element tid.x.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return before +
         "\n.visible .entry k(.param .u64 out)\n{\n"
         ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .f32 %f<32>; .reg .b64 %rd<32>; .reg .f64 "
         "%fd<16>;\n"
         "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 8; add.s64 %rd1, %rd0, %rd1;\n" +
         body + "\nret;\n}\n";
}

/// Runs `body` with `threads` threads on a zeroed "out" of 8 bytes per thread.
struct Body {
  std::string body, before;
  std::uint32_t threads = 32;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::uint64_t> initial;

  Program program() const {
    Program p;
    p.ptx = kernel(body, before);
    p.block = {threads, 1, 1};
    p.dynamic_shared_bytes = dynamic_shared_bytes;
    std::vector<std::uint64_t> out = initial;
    out.resize(std::max<std::size_t>(threads, out.size()));
    p.buffers.push_back({"out", bytes_of(out)});
    return p;
  }
};

/// What `body` leaves in out[tid] of each thread.
inline std::vector<std::uint64_t> run_body(const std::string& body, const std::string& before = "",
                                           std::uint32_t threads = 32, std::uint32_t dynamic_shared_bytes = 0) {
  return Body{body, before, threads, dynamic_shared_bytes, {}}.program().run<std::uint64_t>();
}

inline std::vector<std::uint64_t> expected(const std::function<std::uint64_t(std::uint64_t)>& of_thread,
                                           std::uint32_t threads = 32) {
  std::vector<std::uint64_t> values(threads);
  for (std::uint32_t t = 0; t < threads; ++t) values[t] = of_thread(t);
  return values;
}

}  // namespace lockstep::exec::test
