#pragma once

#include <cstdint>
#include <string>

#include "isa/cycle.hpp"

namespace lockstep::scratchpad {

/// Which lanes of a request a pass serves beyond one word per bank.
enum class Broadcast : std::uint8_t {
  every_word,  ///< All lanes that name a word which the pass reads (compute capability 2.0 and later).
  one_word     ///< Those of one word of the request; a further lane of any other word waits, even for the same word
               ///< (1.x).
};

/// From where on the bank hash counts words. Lock bits are shared by the thread blocks of an SM, so the lock hash always
/// counts from the beginning of the memory.
enum class HashOrigin : std::uint8_t {
  block,  ///< From the beginning of the thread block's scratchpad; where the block lies is added to the hashed bank.
  memory  ///< From the beginning of the SM's scratchpad.
};

/// Parameters of a scratchpad memory, its lock unit and its native atomic units. Defaults, ranges and texts are declared
/// in sim/config.
struct Spec {
  std::uint32_t banks{}, bank_bytes{}, locks{};
  std::uint32_t request_lanes{};     ///< Lanes served together: a warp (32) or half of one (16).
  Broadcast broadcast{};             ///< Of loads.
  bool neighbours_share{};           ///< Of wide loads: see RequestShape.
  std::string bank_hash, lock_hash;  ///< Hash SPECs, by kernel: hash::KernelHashes.
  HashOrigin bank_hash_origin{};
  Cycle load_latency{};                             ///< Issue of a conflict-free load to its result.
  Cycle load_pass_spacing{}, store_pass_spacing{};  ///< Delay of the own warp per further pass.
  Cycle replay_latency{};                           ///< Delay of the issuing warp before the first further pass.
  std::uint32_t quad_word_passes{};                 ///< Further passes of an access of 128 bits per lane.
  Cycle load_split_spacing{};    ///< Delay of the own warp per request that wide loads add; 0: pass_interval.
  Cycle matrix_spacing{};        ///< Delay of a matrix load's warp per further eight rows; 0: as load_split_spacing.
  Cycle pass_interval{};         ///< Cycles that one pass occupies the load-store unit.
  Cycle store_latency{};         ///< Issue of a one-pass store to the next instruction of the same warp.
  Cycle load_lock_latency{};     ///< Issue of a conflict-free load-lock to its result.
  Cycle lock_request_spacing{};  ///< Delay of a load-lock or store-unlock per further request of a part of a warp.
  Cycle store_unlock_latency{};  ///< Issue of a one-pass store-unlock to the next instruction of the same warp.
  Cycle atomic_latency{};        ///< Issue of a native atomic of one pass to its result.
  Cycle atomic_interval{};       ///< Load-store unit time of the first pass of a native atomic.
  Cycle atomic_lane_interval{};  ///< Unit time per further lane of the word that most lanes name.
  Cycle atomic_lane_spacing{};   ///< Delay of the own warp per such lane.
  /// How long the warp of an atomic of one lane on each word keeps its next access back; 0: no longer than further lanes do.
  Cycle atomic_hold{};
  /// Issue of a native compare-and-swap of one pass to its result; 0: as of another atomic. In a loop that does what the
  /// units lack: 0: as of another compare-and-swap.
  Cycle swap_latency{}, loop_swap_latency{};
  std::uint32_t swap_passes{};  ///< Times that a compare-and-swap takes the unit's time and delays of another atomic.
  bool aggregate_increments{};  ///< Native additions of one to one word take a single update.
  Cycle hash_latency{};         ///< Extra pipeline cycles of a configurable hash.
  bool ideal_banks{};     ///< A request takes one pass, wherever its words lie. Of no real GPU: what conflicts cost.
  bool ideal_atomics{};   ///< No lane of an atomic waits for another lane or warp: what locks and retries cost.
  Cycle lock_watchdog{};  ///< A lock that is held for longer while a warp retries is reported as a deadlock.
};

}  // namespace lockstep::scratchpad
