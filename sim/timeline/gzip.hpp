#pragma once

#include <string>

namespace lockstep::timeline {

/// Compressed by gzip (RFC 1952).
std::string gzipped(const std::string& text);
/// What a file of this name holds: the text, compressed where the name ends in .gz.
std::string as_file(const std::string& name, std::string text);

}  // namespace lockstep::timeline
