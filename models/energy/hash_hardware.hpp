#pragma once
// Power and area of configurable hash functions (Van den Braak 2015, section 6.3.5 and Table 6.4).

#include <optional>
#include <string_view>

#include "models/energy/spec.hpp"

namespace lockstep::energy {

/// The hardware of one bank that can be configured to a hash; with a hash for each kernel ("KERNEL=SPEC ... SPEC"), the
/// costlier one of theirs. None for families whose hardware is not known, as fixed ones, and
/// without a hash.
std::optional<HashUnitSpec> hash_unit(const HashSpec& hash, std::string_view bank_hash);

}  // namespace lockstep::energy
