#pragma once
// Fingerprints (SHA-1) that tell whether a finished point is still the answer to the same question.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "isa/exec/launch.hpp"

namespace lockstep::experiment {

/// Feeds parts, each with its length, into one fingerprint.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  Digest& add(std::string_view bytes);
  Digest& add(std::uint64_t number);
  /// 40 hexadecimal digits. Ends the digest.
  std::string hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Of the contents of a regular file; InputError when there is none.
std::string file_digest(const std::string& path);
/// Of everything a task computes from: PTX files, buffers and their contents, launches and arguments.
std::string task_digest(const exec::Task& task);
/// Of the running program's own file: another build may time differently.
const std::string& program_digest();

}  // namespace lockstep::experiment
