#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::gpu {

/// What became of an issue slot: an issue, or the reason why the warp nearest to issue could not. In the order of
/// slot_texts.
enum class Slot : std::uint8_t {
  issued,
  no_warp,
  launch,
  arithmetic_result,
  scratchpad_result,
  memory_result,
  branch,
  barrier,
  scratchpad_store,
  core_busy,
  integer_busy,
  double_precision_busy,
  tensor_busy,
  special_function_busy,
  load_store_busy,
  texture_busy,
  operand_read,
  fetch,
  memory_queue,
  reconfigured
};

/// Its name in results, and a line for people.
struct SlotText {
  std::string_view name, text;
};
inline constexpr std::array slot_texts = {
    SlotText{"issued", "Issue slots that issued an instruction"},
    SlotText{"no_warp", "Issue slots without a warp: no thread block resident, or its warps have ended"},
    SlotText{"launch", "Issue slots lost while a new thread block is set up"},
    SlotText{"arithmetic_result", "Issue slots lost waiting for an arithmetic result"},
    SlotText{"scratchpad_result", "Issue slots lost waiting for scratchpad data, a further pass or a lock"},
    SlotText{"memory_result", "Issue slots lost waiting for global, local or constant memory"},
    SlotText{"branch", "Issue slots lost waiting for a branch to resolve"},
    SlotText{"barrier", "Issue slots lost waiting for other warps at a barrier"},
    SlotText{"scratchpad_store", "Issue slots lost waiting for the warp's own scratchpad store or store-unlock"},
    SlotText{"core_busy", "Issue slots lost because the core groups were busy"},
    SlotText{"integer_busy", "Issue slots lost because the integer units were busy"},
    SlotText{"double_precision_busy", "Issue slots lost because the double-precision units were busy"},
    SlotText{"tensor_busy", "Issue slots lost because the tensor cores were busy"},
    SlotText{"special_function_busy", "Issue slots lost because the special function units were busy"},
    SlotText{"load_store_busy", "Issue slots lost because the load-store units were busy"},
    SlotText{"texture_busy", "Issue slots lost because the texture units were busy"},
    SlotText{"operand_read", "Issue slots lost because the register file delivers no more operands per cycle"},
    SlotText{"fetch", "Issue slots lost waiting for instructions to be fetched"},
    SlotText{"memory_queue", "Issue slots lost because the queue to the memory was full"},
    SlotText{"reconfigured", "Issue slots that are unavailable in R-GPU mode, switching included"},
};
inline constexpr std::size_t slot_count = slot_texts.size();
static_assert(slot_count == static_cast<std::size_t>(Slot::reconfigured) + 1);

constexpr std::string_view name_of(Slot slot) {
  return slot_texts[static_cast<std::size_t>(slot)].name;
}

}  // namespace lockstep::gpu
