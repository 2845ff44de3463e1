#pragma once
// Runs PTX text with textures on the functional machine, for tests.

#include <bit>
#include <catch2/catch.hpp>

#include "isa/trace/stream.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::exec::test {

/// A kernel k(t, out) of one warp over the texture `t` on the buffer "data"; each thread has 16 bytes of "out".
/// Registers as in kernel() of exec_run.hpp, and %rd2 the texture object; %rd1 points to the thread's 16 bytes.
struct TextureProgram {
  std::string body, before;
  std::vector<std::uint8_t> data;
  Texture texture;
  std::uint32_t threads = 4;
  bool pass_texture = true;
  std::string head = ptx_head;

  std::unique_ptr<Machine> machine() const {
    auto task = std::make_unique<Task>();
    task->name = "test";
    const std::string text =
        head + before +
        "\n.visible .entry k(.param .u64 t, .param .u64 out)\n{\n"
        ".reg .pred %p<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .f32 %f<32>; .reg .b64 %rd<32>;\n"
        "ld.param.u64 %rd0, [out]; ld.param.u64 %rd2, [t]; mov.u32 %r0, %tid.x; cvt.rn.f32.u32 %f0, %r0;\n"
        "mul.wide.u32 %rd1, %r0, 16; add.s64 %rd1, %rd0, %rd1;\n" +
        body + "\nret;\n}\n";
    task->modules.push_back(std::make_unique<const ptx::Module>(ptx::parse(text, "test.ptx")));
    task->buffers.push_back({"data", data});
    task->buffers.push_back({"out", std::vector<std::uint8_t>(16 * threads)});
    task->textures.push_back(texture);
    task->textures.back().buffer = 0;
    KernelLaunch launch;
    launch.module = task->modules.back().get();
    launch.entry = "k";
    launch.block = {threads, 1, 1};
    if (pass_texture) {
      launch.arguments.emplace_back(TextureHandle{0});
    } else {
      launch.arguments.emplace_back(BufferAddress{0, 0});
    }
    launch.arguments.emplace_back(BufferAddress{1, 0});
    task->launches.push_back(launch);
    return std::make_unique<Machine>(std::move(task));
  }

  template <class T>
  std::vector<T> run(std::uint32_t buffer = 1) const {
    const auto done = machine();
    done->finish();
    return values_of<T>(done->buffer(buffer));
  }
  /// The first of the four results of each thread.
  template <class T>
  std::vector<T> first() const {
    const std::vector<T> all = run<T>();
    std::vector<T> result;
    for (std::size_t i = 0; i < all.size(); i += 16 / sizeof(T)) result.push_back(all[i]);
    return result;
  }
  std::string error() const {
    try {
      machine()->finish();
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  }

  struct Recorded {
    program::StaticInstruction instruction;
    trace::AccessEntry access;
  };
  /// The access entries of space texture.
  std::vector<Recorded> recorded() const {
    const auto m = machine();
    const auto streams = m->open(0, 0);
    const program::Kernel& kernel = m->header().kernels[0];
    trace::StreamCursor cursor(streams->warp(0));
    std::vector<Recorded> result;
    trace::BlockEntry block;
    while (cursor.next_block(block)) {
      const program::StaticBlock& entry = kernel.blocks[block.block];
      for (std::uint32_t i = entry.first; i < entry.first + entry.count; ++i) {
        for (std::uint32_t n = 0; n < program::access_entries(kernel.instructions[i]); ++n) {
          trace::AccessEntry access;
          cursor.next_access(access);
          if (kernel.instructions[i].space == program::MemorySpace::texture)
            result.push_back({kernel.instructions[i], access});
        }
      }
    }
    return result;
  }
};

inline Texture texture_of(const std::string& format, TextureLayout layout, std::uint64_t width,
                          std::uint64_t height = 0, std::uint64_t depth = 0) {
  Texture texture;
  texture.name = "t";
  REQUIRE(texel_format_named(format, texture.format));
  texture.layout = layout;
  texture.width = width;
  texture.height = height;
  texture.depth = depth;
  return texture;
}

}  // namespace lockstep::exec::test
