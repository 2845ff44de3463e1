#pragma once
// Rewrites a kernel such that the words of its scratchpad arrays stand elsewhere.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/ptx/module.hpp"
#include "isa/rewrite/array_layout.hpp"
#include "isa/rewrite/scratchpad_addresses.hpp"

namespace lockstep::rewrite {

struct ArrayChange {
  std::string array;  ///< Name of the variable.
  ArrayLayout layout;
};

struct ArraysRequest {
  std::string kernel;
  std::vector<ArrayChange> changes;
  /// How often warps execute each basic block of the kernel, to compute addresses where that happens least; empty: once.
  std::vector<std::uint64_t> executions;
  /// The thread block of all launches, where that is one: alignment and ranges of addresses may follow from it. If so,
  /// the kernel gets a .reqntid, with which no other launch of it starts.
  std::optional<program::Dim3> block;
};

struct RewrittenArrays {
  std::string text;
  std::uint32_t accesses = 0;            ///< Instructions with a new address.
  std::uint32_t added_instructions = 0;  ///< Of PTX; it may have others that are not needed any more.
  bool requires_block = false;           ///< The kernel got a .reqntid.
};

/// Warp instructions that compute the changed addresses, as estimated from `executions`.
std::uint64_t address_cost(const ptx::Module& module, const ArraysRequest& request);

/// `module` is what `text` says. Everything else stays byte for byte. InputError when the kernel has no such array, or
/// find_array_accesses says that it is fixed, or it is accessed in pieces that its layout does not keep together.
RewrittenArrays rewrite_arrays(std::string_view text, const ptx::Module& module, const ArraysRequest& request,
                               Lines lines);

}  // namespace lockstep::rewrite
