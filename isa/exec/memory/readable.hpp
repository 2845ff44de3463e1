#pragma once
// Memory that messages and printf look into, where an address that leads nowhere is no error.

#include <cstdint>
#include <span>
#include <string>

#include "isa/exec/thread_block.hpp"

namespace lockstep::exec {

/// What a thread can read from a generic address on, up to the end of the allocation; empty where there is nothing.
std::span<const std::byte> readable(const Warp& warp, unsigned lane, std::uint64_t address);

/// The string there up to its zero, at most `longest` characters; "" where there is nothing.
std::string readable_string(const Warp& warp, unsigned lane, std::uint64_t address, std::size_t longest);

}  // namespace lockstep::exec
