#pragma once
// A trace composed in memory, instruction by instruction: for access patterns and for tests that must know every cycle.

#include <functional>
#include <string>
#include <vector>

#include "isa/trace/source.hpp"
#include "isa/trace/stream.hpp"

namespace lockstep::trace {

/// One kernel, launched once, and what each warp of each thread block executes.
class ComposedTrace : public Source {
 public:
  /// `name` is that of the workload and of the kernel. The launch is one thread block of one warp until launch() says
  /// otherwise.
  explicit ComposedTrace(const std::string& name);

  program::Kernel& kernel() { return header_.kernels[0]; }
  Launch& launch() { return header_.launches[0]; }

  /// A new virtual register.
  std::uint32_t reg(std::uint8_t bits = 32);
  /// Starts the next basic block.
  ComposedTrace& block();
  /// Appends an instruction to the current basic block; its source line is its number, from 1.
  program::StaticInstruction& add(const std::string& mnemonic, std::vector<std::uint32_t> destinations = {},
                                  std::vector<std::uint32_t> sources = {});
  void control(const std::string& mnemonic, program::Control control, std::vector<std::uint32_t> sources = {});
  void access(const std::string& mnemonic, program::AccessKind kind, program::MemorySpace space,
              std::vector<std::uint32_t> destinations, std::vector<std::uint32_t> sources, std::uint8_t bytes = 4);

  /// One warp's execution: basic blocks, and after each the accesses of its memory instructions.
  class Script {
   public:
    explicit Script(StreamEncoder& encoder) : encoder_(encoder) {}
    Script& enter(std::uint32_t block, std::uint32_t mask = ~0u);
    /// Byte addresses lane by lane; lanes past the end take no part.
    Script& touch(const std::vector<std::uint64_t>& addresses);
    /// Byte addresses of the lanes of `mask`.
    Script& touch(std::uint32_t mask, const std::uint64_t* addresses);

   private:
    StreamEncoder& encoder_;
    std::uint32_t mask_ = ~0u;
  };
  /// Called for every warp when its thread block is opened: (thread block, warp, script).
  std::function<void(std::uint64_t, std::uint32_t, Script)> execute = [](std::uint64_t, std::uint32_t, Script script) {
    script.enter(0);
  };

  const Header& header() const override { return header_; }
  std::unique_ptr<ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override;

 private:
  Header header_;
};

}  // namespace lockstep::trace
