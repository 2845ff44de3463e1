#pragma once
// Valid and invalid UTF-8.

#include <cstddef>
#include <string_view>

namespace lockstep::stats {

/// Length of the valid UTF-8 sequence at the front of `text`, which is not empty; 0 when there is none (RFC 3629: no
/// overlong forms, no surrogates).
std::size_t utf8_sequence_length(std::string_view text);

}  // namespace lockstep::stats
