#pragma once
// Who decodes what: one function for each class of opcodes, which fills Decoder::op or fails.

#include <vector>

#include "isa/exec/decoder.hpp"

namespace lockstep::exec {

void decode_arithmetic(Decoder& decoder);
void decode_address(Decoder& decoder);
void decode_load_store(Decoder& decoder);
void decode_prefetch(Decoder& decoder);
void decode_copy(Decoder& decoder);
void decode_atomic(Decoder& decoder);
void decode_texture(Decoder& decoder);
void decode_surface(Decoder& decoder);
void decode_exchange(Decoder& decoder);
void decode_matrix(Decoder& decoder);
void decode_barrier(Decoder& decoder);
void decode_mbarrier(Decoder& decoder);
/// cp.async.mbarrier.arrive, a part of decode_copy().
void decode_copies_arrive(Decoder& decoder);
void decode_control(Decoder& decoder);
void decode_without_effect(Decoder& decoder);

/// Decodes the instruction that the decoder has turned to, by the class of its opcode.
void decode_instruction(Decoder& decoder);

/// Decodes a kernel and every function it calls. `records` says per instruction of the program whether it has an access
/// entry. InputError for the first instruction that is not supported.
void decode_kernel(Kernel& kernel, const VariablePlaces& places, const std::vector<bool>& records);

}  // namespace lockstep::exec
