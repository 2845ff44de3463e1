#pragma once
// Valid and invalid UTF-8.

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::stats {

/// Length of the valid UTF-8 sequence at the front of `text`, which is not empty; 0 when there is none (RFC 3629: no
/// overlong forms, no surrogates).
std::size_t utf8_sequence_length(std::string_view text);

/// Whether the valid sequence at the front of `text` is a control character: C0, DEL or C1, of which terminals take orders.
bool is_control(std::string_view text);

/// The text with \xNN for every byte of a control character, but line feed and tabulator, and of what is not valid.
std::string printable(std::string_view text);

}  // namespace lockstep::stats
