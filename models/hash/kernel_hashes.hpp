#pragma once
// One hash for all kernels, or one for each: what the parameters bank_hash and lock_hash hold.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::hash {

/// "SPEC" for all kernels, or "KERNEL=SPEC KERNEL=SPEC ... SPEC": those of the named kernels (their entry names), and the
/// last one for all others ("mod" when it is left out). YAML may say the same as a map with the key `otherwise`. Section
/// 6.4 of Van den Braak (2015): a hash is configured per kernel.
class KernelHashes {
 public:
  /// InputError when the text is malformed or names a kernel twice; the SPECs themselves are not looked at.
  explicit KernelHashes(std::string_view text);

  const std::string& spec_of(std::string_view kernel) const;
  /// Every SPEC in it, for checks: the kernel ("" for all others) and its SPEC. That for all others comes last.
  const std::vector<std::pair<std::string, std::string>>& all() const { return hashes_; }

 private:
  std::vector<std::pair<std::string, std::string>> hashes_;
};

}  // namespace lockstep::hash
