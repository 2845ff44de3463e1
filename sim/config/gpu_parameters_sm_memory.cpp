// The declarations of the memories of an SM: scratchpad, caches, coalescing.

#include "sim/config/declaration.hpp"

namespace lockstep::config {

void declare_scratchpad(std::vector<Parameter>& all) {
  all.push_back(whole(FIELD(sm.scratchpad.banks), "", 32, 1, 1024, "Banks of the scratchpad memory"));
  all.push_back(whole(FIELD(sm.scratchpad.bank_bytes), "bytes", 4, 4, 16, "Width of a bank"));
  all.push_back(whole(FIELD(sm.scratchpad.locks), "", 1024, 1, 65535, "Lock bits behind scratchpad atomics"));
  all.push_back(whole(FIELD(sm.scratchpad.request_lanes), "lanes", 32, 8, 32,
                      "Lanes that are served together: a warp (32), half (16) or a quarter of one (8)"));
  using scratchpad::Broadcast;
  all.push_back(choice(
      FIELD(sm.scratchpad.broadcast),
      {{Broadcast::every_word, "every_word", "all lanes whose word the pass reads"},
       {Broadcast::one_word, "one_word", "lanes of one word of the request; others wait, even for the same word"}},
      Broadcast::every_word,
      "Lanes with equal words share a pass of a load: for every word, or for one word of the request"));
  all.push_back(flag(FIELD(sm.scratchpad.neighbours_share), false,
                     "A load wider than a bank serves twice as many lanes at once if lanes whose numbers differ only "
                     "in bit 0, or only in bit 1, read the same element"));
  all.push_back(
      text_by_kernel(FIELD(sm.scratchpad.bank_hash), "mod", "Hash SPEC from word address to bank, by kernel"));
  all.push_back(
      text_by_kernel(FIELD(sm.scratchpad.lock_hash), "mod", "Hash SPEC from word address to lock bit, by kernel"));
  all.push_back(choice(FIELD(sm.scratchpad.bank_hash_origin),
                       {{scratchpad::HashOrigin::block, "block", "the beginning of the thread block's scratchpad"},
                        {scratchpad::HashOrigin::memory, "memory", "the beginning of the SM's scratchpad"}},
                       scratchpad::HashOrigin::block,
                       "Origin of the word addresses of the bank hash: the thread block's scratchpad or the SM's"));
  all.push_back(cycles(FIELD(sm.scratchpad.load_latency), 44, 1, "Issue of a conflict-free load to its result"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.load_pass_spacing), 32, 0, "Delay of the issuing warp per further pass of a load"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.store_pass_spacing), 36, 0, "Delay of the issuing warp per further pass of a store"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.replay_latency), 0, 0, "Delay of the issuing warp before the first further pass"));
  all.push_back(whole(FIELD(sm.scratchpad.quad_word_passes), "passes", 0, 0, 32,
                      "Further passes of a full access of 128 bits per lane"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.load_split_spacing), 0, 0,
             "Delay of the issuing warp per request that 64 or 128 bits per lane add to a load; 0: as pass_interval"));
  all.push_back(cycles(
      FIELD(sm.scratchpad.matrix_spacing), 0, 0,
      "Delay of the issuing warp per further eight rows of a matrix load; 0: as that of further parts of a wide load"));
  all.push_back(cycles(FIELD(sm.scratchpad.pass_interval), 2, 1, "Load-store unit time per pass"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.store_latency), 36, 1, "Issue of a store of one pass to the warp's next instruction"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.load_lock_latency), 44, 1, "Issue of a conflict-free load-lock to its result"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.lock_request_spacing), 0, 0,
             "Delay of a load-lock or store-unlock per further request, of request_lanes lanes, of the warp"));
  all.push_back(cycles(FIELD(sm.scratchpad.store_unlock_latency), 36, 1,
                       "Issue of a store-unlock of one pass to the warp's next instruction"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.atomic_latency), 44, 1, "Issue of a native atomic of one pass to its result"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.atomic_interval), 2, 1, "Load-store unit time of the first pass of a native atomic"));
  all.push_back(cycles(FIELD(sm.scratchpad.atomic_lane_interval), 2, 0,
                       "Load-store unit time of a native atomic per further lane on its most contended word"));
  all.push_back(cycles(FIELD(sm.scratchpad.atomic_lane_spacing), 2, 0,
                       "Delay of the issuing warp per further lane on the most contended word of a native atomic"));
  all.push_back(cycles(FIELD(sm.scratchpad.atomic_hold), 0, 0,
                       "Delay from a native atomic with one lane per word to the same warp's next scratchpad access"));
  all.push_back(cycles(FIELD(sm.scratchpad.swap_latency), 0, 0,
                       "Issue of a native compare-and-swap of one pass to its result; 0: atomic_latency"));
  all.push_back(cycles(FIELD(sm.scratchpad.loop_swap_latency), 0, 0,
                       "Issue to result of the compare-and-swap in the loop of an atomic without a native operation; "
                       "0: as of any compare-and-swap"));
  all.push_back(whole(FIELD(sm.scratchpad.swap_passes), "", 1, 1, 8,
                      "Multiple of the unit time and delays of another atomic that a native compare-and-swap takes"));
  all.push_back(flag(FIELD(sm.scratchpad.aggregate_increments), false,
                     "Native additions of one by several lanes to the same word are a single update"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.hash_latency), 0, 0, "Additional latency of an access for a configurable hash"));
  all.push_back(flag(FIELD(sm.scratchpad.ideal_banks), false,
                     "Every request takes one pass: shows what bank conflicts cost; true of no real GPU"));
  all.push_back(flag(
      FIELD(sm.scratchpad.ideal_atomics), false,
      "No lane of an atomic waits for another lane or warp: shows what locks and retries cost; true of no real GPU"));
  all.push_back(cycles(FIELD(sm.scratchpad.lock_watchdog), 100000, 1,
                       "A lock that is held for longer while a warp retries is reported as a deadlock"));
}

void declare_sm_memory(std::vector<Parameter>& all) {
  using coalescer::Rule;
  all.push_back(choice(
      FIELD(sm.coalescer),
      {{Rule::half_warp_in_order, "half_warp_in_order",
        "thread k takes word k of an aligned segment, or 16 transactions"},
       {Rule::half_warp_segments, "half_warp_segments",
        "a transaction per segment that a half-warp touches, shrunk to what is used"},
       {Rule::warp_lines, "warp_lines", "a transaction per line that a warp touches, with the sectors it needs"}},
      Rule::warp_lines, "How accesses become transactions: rule of compute capability 1.0, of 1.2, of 2.0 and later"));
  all.push_back(
      cycles(FIELD(sm.address_interval), 2, 1, "Load-store unit time per global-memory transaction of a warp"));
  all.push_back(
      whole(FIELD(sm.address_lines), "", 1, 1, 32, "Transactions of one access that share one sm.address_interval"));
  all.push_back(text(FIELD(sm.address_hash), "",
                     "Linear hash SPEC from the number of a transaction's 128-byte line to one of sm.address_lines tag "
                     "banks, each of which looks up one line per interval; empty: any lines share an interval"));
  all.push_back(cycles(FIELD(sm.store_interval), 0, 0,
                       "Minimum load-store unit time of a store, which then takes one sm.address_interval per "
                       "transaction; 0: as a load"));
  all.push_back(flag(
      FIELD(sm.atomic_replay.on), false,
      "An atomic on global memory takes a pass for every lane on one word; otherwise all lanes are in one request"));
  all.push_back(
      cycles(FIELD(sm.atomic_replay.latency), 0, 0, "Delay before the second pass, in addition to the spacing"));
  all.push_back(cycles(FIELD(sm.atomic_replay.pass_spacing), 1, 1, "Interval between two passes of a warp's atomic"));
  all.push_back(
      whole(FIELD(sm.store_buffer.lines), "lines", 0, 0, 1024,
            "Lines of the SM's store buffer, into which later stores to the same line are merged; 0: no store buffer"));
  all.push_back(cycles(FIELD(sm.store_buffer.hold), 0, 0,
                       "Time without a further store to a line after which the store buffer sends it"));
  declare_cache(all, "sm.l1.cache", ACCESS(sm.l1.cache), {16384, 128, 128, 4, "mod", 32, 8}, "L1 data cache");
  all.push_back(
      whole(FIELD(sm.l1.unified_bytes), "bytes", 0, 0, 16 << 20,
            "Memory shared by L1 cache and scratchpad; the L1 cache gets what the scratchpad leaves. 0: separate"));
  all.push_back(text(FIELD(sm.l1.scratchpad_kib), "",
                     "Scratchpad sizes (KiB, separated by commas); a launch gets the smallest that holds all thread "
                     "blocks that can be resident, the L1 cache the rest; empty: always the largest"));
  all.push_back(flag(FIELD(sm.l1.global), true, "Loads of global memory go through the L1 cache"));
  all.push_back(flag(FIELD(sm.l1.local), true, "Accesses to local memory go through the L1 cache"));
  all.push_back(choice(FIELD(sm.l1.global_write), l1_write_policies(), cache::WritePolicy::evict,
                       "Write policy of the L1 cache for global memory"));
  all.push_back(choice(FIELD(sm.l1.local_write), l1_write_policies(), cache::WritePolicy::back,
                       "Write policy of the L1 cache for local memory"));
  all.push_back(cycles(FIELD(sm.l1.latency), 80, 1, "Issue to result of a load that hits the L1 cache"));
  all.push_back(number(FIELD(sm.l1.bytes_per_cycle), "bytes/cycle", 64, 0.001, 1e6, "Bandwidth of the L1 cache"));
  all.push_back(whole(FIELD(sm.l1.banks), "", 0, 0, 32,
                      "Four-byte banks of the L1 cache, each of which reads one word per cycle for a load; 0: only the "
                      "bandwidth limits loads"));
  declare_cache(all, "sm.constant.l1", ACCESS(sm.constant.l1), {2048, 64, 64, 4, "mod", 4, 64}, "constant cache");
  declare_cache(all, "sm.constant.l15", ACCESS(sm.constant.l15), {32768, 256, 256, 4, "mod", 4, 64},
                "second constant cache");
  all.push_back(cycles(FIELD(sm.constant.latency), 18, 1, "Issue to result of a load that hits the constant cache"));
  all.push_back(
      cycles(FIELD(sm.constant.l15_latency), 80, 1, "Issue to result of a load that hits the second constant cache"));
  all.push_back(cycles(FIELD(sm.constant.access_interval), 0, 0,
                       "Unit time of a warp's constant load for its first word; 0: sm.address_interval"));
  all.push_back(
      cycles(FIELD(sm.constant.interval), 4, 1, "Unit time per further distinct word of a warp's constant load"));
  all.push_back(cycles(FIELD(sm.constant.word_spacing), 0, 0,
                       "Delay of the warp per further distinct word of its constant load; 0: sm.constant.interval"));
  declare_cache(all, "sm.texture.cache", ACCESS(sm.texture.cache), {12288, 128, 32, 4, "mod", 64, 64}, "texture cache");
  all.push_back(cycles(FIELD(sm.texture.latency), 100, 1, "Issue to result of a fetch that hits the texture cache"));
  all.push_back(
      cycles(FIELD(sm.texture.miss_latency), 0, 0, "Issue to request of a fetch that misses the texture cache"));
  all.push_back(cycles(FIELD(sm.texture.interval), 1, 1, "Texture unit time per quad of lanes"));
  all.push_back(cycles(
      FIELD(sm.texture.block_interval), 0, 0,
      "Texture unit time per aligned block of 64 bytes in which texels of a quad lie; sm.texture.interval at least"));
  all.push_back(whole(FIELD(sm.texture.texel_bytes_per_cycle), "bytes/cycle", 0, 0, 1024,
                      "Texture throughput in bytes of texels, halved with bilinear filtering; 0: unlimited"));
  all.push_back(cycles(FIELD(sm.texture.fetch_interval), 0, 0,
                       "Minimum texture unit time of a fetch, however few lanes are active"));
  all.push_back(
      number(FIELD(sm.texture.bytes_per_cycle), "bytes/cycle", 64, 0.001, 1e6, "Bandwidth of the texture cache"));
  all.push_back(
      flag(FIELD(sm.texture.read_only_loads), false,
           "Loads of read-only global memory (ld.global.nc) use the texture cache, or the L1 cache when there "
           "is none"));
  declare_tlb(all, "sm.tlb", ACCESS(sm.tlb), "translation buffer of an SM");
}

}  // namespace lockstep::config
