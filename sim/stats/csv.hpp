#pragma once
// Fields of CSV (RFC 4180).

#include <string>

namespace lockstep::stats {

/// The text as it is, or in quotes where it needs them.
std::string csv_field(const std::string& text);

}  // namespace lockstep::stats
