#pragma once
// For how many bytes a message occupies the ports on its way.
//
// Where the crossbar moves flits, each holds a sector. A read is one flit. A write has one for each of its sectors; a further one
// says which bytes change, or, where its sectors change as a whole, half of one. An atomic is as a write of parts; the operand
// of a single lane needs no flit of its own. Otherwise a message is its header and data.
// Measured on an H200 by stores of 1, 2 and 4 sectors (configs/gpus/generations/hopper.yaml).

#include <algorithm>
#include <bit>
#include <cstdint>

#include "models/noc/message.hpp"
#include "models/noc/spec.hpp"

namespace lockstep::noc {

/// Of a request, from its kind, sectors, lanes, same_word, operations and whole_sectors, or from its kind and bytes where nothing
/// moves in flits. The operands of an atomic go in passes, one lane of each word in each: a flit for each sector and one before
/// them, or one alone where every pass has one lane.
inline std::uint32_t message_bytes(const Spec& spec, const Request& request) {
  const bool asks = request.kind == RequestKind::read || request.kind == RequestKind::wait;
  if (spec.flit_bytes == 0) return spec.header_bytes + (asks ? 0 : request.bytes);
  if (asks) return spec.flit_bytes;
  if (request.kind == RequestKind::write) {
    const auto data = static_cast<std::uint32_t>(std::popcount(request.sectors));
    return request.whole_sectors ? data * spec.flit_bytes + spec.flit_bytes / 2 : (1 + data) * spec.flit_bytes;
  }
  return (request.same_word + (request.lanes == request.same_word ? 0 : request.operations)) * spec.flit_bytes;
}

/// Of a reply with so many bytes of data, none of an acknowledgement.
inline std::uint32_t reply_bytes(const Spec& spec, std::uint32_t data) {
  if (spec.flit_bytes == 0) return spec.header_bytes + data;
  return std::max(1u, (data + spec.flit_bytes - 1) / spec.flit_bytes) * spec.flit_bytes;
}

}  // namespace lockstep::noc
