#pragma once
// What instrumented kernels have logged, as a source of traces.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "isa/capture/warp_log.hpp"
#include "isa/trace/source.hpp"

namespace lockstep::capture {

struct CaptureOptions {
  std::string origin;  ///< For the trace; where the log comes from follows it.
  /// Called now and then: bytes of the log read, and in all (it is read twice).
  std::function<void(std::uint64_t done, std::uint64_t all)> progress = {};
};

/// What was read.
struct CaptureSummary {
  std::uint64_t records = 0;  ///< Basic blocks that threads have executed.
  UnknownAddresses unknown;
};

/// Reads the file once to check it, and its records a second time as thread blocks are opened. Takes memory for the modules,
/// the launches and one warp's records in a window, and what a trace::Recorder takes. InputError with the file, the byte, the
/// thread and what was expected.
class CaptureSource final : public trace::Source {
 public:
  explicit CaptureSource(const std::string& path, CaptureOptions options = {});
  ~CaptureSource() override;

  const trace::Header& header() const override;
  std::unique_ptr<trace::ThreadBlockStreams> open(std::uint32_t launch, std::uint64_t number) override;
  const CaptureSummary& summary() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::capture
