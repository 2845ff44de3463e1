#pragma once
// The addresses of a memory instruction's line, and where they lie.

#include <cstdint>

#include "isa/accelsim/kernel_file.hpp"
#include "isa/accelsim/tokens.hpp"
#include "isa/program/static_program.hpp"

namespace lockstep::accelsim {

/// What the lanes of a mask access.
struct LaneAddresses {
  std::uint32_t mask = 0;
  std::uint64_t address[32];  ///< Of other lanes undefined.
};

/// Reads what follows the width of an access: a mode, then an address of each active lane (mode 0), base and stride of lanes
/// side by side (1), or base and differences (2).
void read_addresses(const TextFile& text, Tokens& tokens, std::uint32_t mask, LaneAddresses& to);

/// Where the addresses of a launch lie.
class AddressSpaces {
 public:
  explicit AddressSpaces(const KernelHeader& header) : shared_(header.shared_base), local_(header.local_base) {}

  static constexpr std::uint64_t window_bytes = std::uint64_t{1} << 24;

  /// Whether a generic address lies in the scratchpad's window, or in that of local memory.
  bool is_shared(std::uint64_t address) const { return shared_ != 0 && address - shared_ < window_bytes; }
  bool is_local(std::uint64_t address) const { return local_ != 0 && address - local_ < window_bytes; }
  /// The byte of scratchpad memory that an address of a scratchpad instruction names, in the window or by itself; one that
  /// is not below window_bytes names none.
  std::uint64_t shared_byte(std::uint64_t address) const { return is_shared(address) ? address - shared_ : address; }
  /// The same of local memory.
  std::uint64_t local_byte(std::uint64_t address) const { return is_local(address) ? address - local_ : address; }

 private:
  std::uint64_t shared_, local_;
};

}  // namespace lockstep::accelsim
