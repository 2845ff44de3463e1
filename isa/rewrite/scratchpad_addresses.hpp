#pragma once
// Rewrites the scratchpad addresses of kernels: every access goes to a function of the address that it had. Section 6.6.2
// of Van den Braak (2015) does so by hand, to hash addresses in software.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "isa/ptx/module.hpp"
#include "isa/rewrite/address_steps.hpp"

namespace lockstep::rewrite {

/// One kernel and what becomes of its addresses. The function is one to one and keeps the two lowest bits.
struct KernelRewrite {
  std::string kernel;
  std::string what;  ///< For messages: "hash \"xor\" in software".
  AddressSteps steps;
  /// Words that stay together, see hash::SoftwareHash: 1, 2 or 4.
  std::uint32_t contiguous_words = 1;
  /// f(x + y) = f(x) ^ f(y) where x and y have no bit in common.
  bool linear = false;
  /// Bytes of scratchpad memory that are needed where `bytes` were.
  std::function<std::uint64_t(std::uint64_t bytes)> bytes_needed;
};

/// What became of one kernel.
struct KernelReport {
  std::string kernel;
  std::uint32_t accesses = 0;  ///< Instructions that were rewritten.
  std::uint32_t split = 0;     ///< Of these, accesses of several words that became several accesses.
  std::uint32_t added_instructions = 0;
  std::uint64_t static_bytes = 0;  ///< Of its scratchpad memory before, behind which dynamic memory begins.
  std::uint64_t dynamic_offset = 0;
  std::uint64_t added_static_bytes = 0;  ///< Its last variable grew by so many bytes.
  bool has_dynamic = false;              ///< Then a launch gives what bytes_needed adds.
};

/// Where new instructions stand: each on a line of its own, or all on that of the access, so that every line of the text
/// keeps its number.
enum class Lines : std::uint8_t { added, kept };

struct RewrittenModule {
  std::string text;
  std::vector<KernelReport> kernels;  ///< As in the request.
};

/// These kernels in groups: those of a group call, directly or not, device functions that access scratchpad memory in
/// common, so that all need the same function of addresses.
std::vector<std::set<std::string>> kernels_with_common_accesses(const ptx::Module& module,
                                                                const std::vector<std::string>& kernels);

/// `module` is what `text` says. Everything but the accesses, the declarations of new registers and of variables that
/// grow stays byte for byte as it is, so that source lines stay, too. InputError, with all places at once, for an access
/// that cannot be rewritten: an atomic or other indivisible access of words that part, a state space that cannot be known
/// from the text, an instruction that reads more of the scratchpad memory than its operands say, a kernel that asks for
/// the size of its memory when that grows, or a device function that kernels with different functions call.
RewrittenModule rewrite_scratchpad_addresses(std::string_view text, const ptx::Module& module,
                                             const std::vector<KernelRewrite>& kernels, Lines lines);

}  // namespace lockstep::rewrite
