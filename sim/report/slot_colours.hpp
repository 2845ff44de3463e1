#pragma once
// What became of issue slots, in colours.

#include <algorithm>
#include <array>
#include <string_view>

#include "sim/gpu/counters/slot.hpp"

namespace lockstep::report {

struct SlotColour {
  gpu::Slot slot;
  const char* colour;
};

/// In the order of bars: issue first, then waiting for units, for results, for others, and no work at the end. Neighbours
/// differ in lightness.
inline constexpr std::array<SlotColour, gpu::slot_count> slot_colours{{{gpu::Slot::issued, "#1d3f72"},
                                                                       {gpu::Slot::core_busy, "#7fa8d9"},
                                                                       {gpu::Slot::integer_busy, "#35598f"},
                                                                       {gpu::Slot::double_precision_busy, "#9fc2e6"},
                                                                       {gpu::Slot::tensor_busy, "#2b4c80"},
                                                                       {gpu::Slot::special_function_busy, "#4a6fa5"},
                                                                       {gpu::Slot::load_store_busy, "#b9d3ee"},
                                                                       {gpu::Slot::texture_busy, "#5f86ba"},
                                                                       {gpu::Slot::operand_read, "#d6e6f7"},
                                                                       {gpu::Slot::fetch, "#1f6650"},
                                                                       {gpu::Slot::arithmetic_result, "#2f8f6b"},
                                                                       {gpu::Slot::branch, "#a9dcc3"},
                                                                       {gpu::Slot::scratchpad_result, "#c8501e"},
                                                                       {gpu::Slot::scratchpad_store, "#f0a868"},
                                                                       {gpu::Slot::memory_result, "#7b3f8c"},
                                                                       {gpu::Slot::memory_queue, "#cfa3d9"},
                                                                       {gpu::Slot::barrier, "#8c6d1f"},
                                                                       {gpu::Slot::reconfigured, "#4f9aa8"},
                                                                       {gpu::Slot::launch, "#bdb38c"},
                                                                       {gpu::Slot::no_warp, "#e6e6e6"}}};

constexpr std::string_view colour_of(gpu::Slot slot) {
  return std::find_if(slot_colours.begin(), slot_colours.end(), [slot](const SlotColour& c) { return c.slot == slot; })
      ->colour;
}

}  // namespace lockstep::report
