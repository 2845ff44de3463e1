#pragma once
// Accel-Sim's traces as a source of Lockstep's.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/accelsim/kernel_file.hpp"
#include "isa/accelsim/kernels_list.hpp"
#include "isa/trace/source.hpp"

namespace lockstep::accelsim {

/// What was read, and what of it Lockstep sees otherwise than the traced GPU.
struct Summary {
  std::uint64_t files = 0, instruction_lines = 0;
  std::uint64_t copies = 0, copied_bytes = 0;    ///< From the host to the device; they have no effect on a replay.
  std::vector<std::string> ignored_commands;     ///< Of the list.
  std::uint64_t streams = 0;                     ///< CUDA streams; kernels are replayed one after the other.
  std::map<std::string, std::uint64_t> unknown;  ///< Opcodes that are not known: executions by warps.
  std::uint64_t without_addresses = 0;           ///< Executions of constant and texture loads.
  std::uint64_t half_copies = 0;                 ///< Executions of LDGSTS with one line: without scratchpad addresses.
};

struct ImportOptions {
  /// Operation that unknown instructions become (names of machine::arithmetic_operations()).
  std::string unknown = "integer";
  std::string origin;  ///< For the trace.
  /// Called now and then while files are read: bytes of them read, and in all (twice their size).
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

/// Reads all files once to learn the code and the memory of the kernels, and a second time as thread blocks are opened. Takes
/// memory for the code, and for one thread block what a trace::Recorder takes; 24 bytes for each run of thread blocks that
/// are in order. InputError with file, line and what was expected.
class AccelsimSource final : public trace::Source {
 public:
  AccelsimSource(const std::string& path, ImportOptions options);
  ~AccelsimSource() override;

  const trace::Header& header() const override;
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override;
  const Summary& summary() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::accelsim
