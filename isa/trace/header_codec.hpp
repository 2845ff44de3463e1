#pragma once
// The header of a trace file and its order dependences as bytes, and what makes a header valid.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "isa/trace/bytes.hpp"
#include "isa/trace/file.hpp"
#include "isa/trace/header.hpp"
#include "isa/trace/order_dependence.hpp"

namespace lockstep::trace {

/// Limits of a valid header; beyond them, sums that consumers form could overflow.
inline constexpr std::uint64_t max_thread_blocks = std::uint64_t{1} << 48;  ///< Of all launches together.
inline constexpr std::uint64_t max_threads_per_block = 65536;
inline constexpr std::uint32_t max_memory_bytes = std::uint32_t{1} << 30;  ///< Of scratchpad, and local per thread.
inline constexpr std::uint32_t max_registers = std::uint32_t{1} << 24;

/// "" when every index and shape of the header is in range, so that a consumer may use it unchecked; otherwise the
/// first thing that is not.
std::string header_problem(const Header& header);

void encode_header(const Header& header, ByteWriter& out);
/// Of a file of this version. Throws MalformedBytes when the bytes are no header. The result is yet to be checked by
/// header_problem.
Header decode_header(std::span<const std::byte> bytes, std::uint32_t version = format_version);

void encode_order_dependences(const std::vector<OrderDependence>& dependences, ByteWriter& out);
/// Throws MalformedBytes. Whether its kernels and instructions exist is yet to be checked.
std::vector<OrderDependence> decode_order_dependences(std::span<const std::byte> bytes);

}  // namespace lockstep::trace
