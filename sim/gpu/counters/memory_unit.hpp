#pragma once

#include <cstdint>

#include "models/noc/counters.hpp"

namespace lockstep::gpu {

/// Events on the way from an SM's load-store and texture units to the memory. Names behind the dot are those of NVIDIA's
/// profilers where these count the same.
struct MemoryUnitCounters {
  std::uint64_t gld_request = 0, gst_request = 0, atom_count = 0, gred_count = 0, atom_transactions = 0;
  std::uint64_t gld_32b = 0, gld_64b = 0, gld_128b = 0, gst_32b = 0, gst_64b = 0, gst_128b = 0;
  std::uint64_t gld_requested_bytes = 0, gld_moved_bytes = 0, gst_requested_bytes = 0, gst_moved_bytes = 0;
  std::uint64_t local_load = 0, local_store = 0;
  std::uint64_t uncached_global_load_transaction = 0, uncached_local_load_transaction = 0;
  std::uint64_t l1_global_load_hit = 0, l1_global_load_miss = 0, l1_global_store_hit = 0, l1_global_store_miss = 0;
  std::uint64_t l1_local_load_hit = 0, l1_local_load_miss = 0, l1_local_store_hit = 0, l1_local_store_miss = 0;
  std::uint64_t l1_evictions = 0, l1_write_backs = 0;
  std::uint64_t tex_cache_requests = 0, tex_cache_hit = 0, tex_cache_miss = 0;
  std::uint64_t constant_words = 0, constant_hit = 0, constant_l15_hit = 0, constant_miss = 0;
  std::uint64_t tlb_hit = 0, tlb_miss = 0;
  std::uint64_t mshr_full_stalls = 0, mshr_merge_stalls = 0, mshr_stall_cycles = 0;
  noc::InjectionCounters port;
  std::uint64_t l2_read_requests = 0, l2_write_requests = 0, l2_atomic_requests = 0, request_bytes = 0;

  template <class Declare>
  static constexpr void describe(Declare& declare) {
    using C = MemoryUnitCounters;
    declare(&C::gld_request, "global.gld_request", "accesses", "Warp loads of global memory");
    declare(&C::gst_request, "global.gst_request", "accesses", "Warp stores to global memory");
    declare(&C::atom_count, "global.atom_count", "accesses", "Warp atomics with a result");
    declare(&C::gred_count, "global.gred_count", "accesses", "Warp reductions: atomics without a result");
    declare(&C::atom_transactions, "global.atom_transactions", "transactions",
            "Transactions of atomics and reductions");
    declare(&C::gld_32b, "global.gld_32b", "transactions", "Load transactions of 32 bytes");
    declare(&C::gld_64b, "global.gld_64b", "transactions", "Load transactions of 64 bytes");
    declare(&C::gld_128b, "global.gld_128b", "transactions", "Load transactions of more than 64 bytes");
    declare(&C::gst_32b, "global.gst_32b", "transactions", "Store transactions of 32 bytes");
    declare(&C::gst_64b, "global.gst_64b", "transactions", "Store transactions of 64 bytes");
    declare(&C::gst_128b, "global.gst_128b", "transactions", "Store transactions of more than 64 bytes");
    declare(&C::gld_requested_bytes, "global.gld_requested_bytes", "bytes",
            "Distinct bytes requested by the lanes of each load transaction");
    declare(&C::gld_moved_bytes, "global.gld_moved_bytes", "bytes", "Bytes of the sectors of load transactions");
    declare(&C::gst_requested_bytes, "global.gst_requested_bytes", "bytes",
            "Distinct bytes written by the lanes of each store transaction");
    declare(&C::gst_moved_bytes, "global.gst_moved_bytes", "bytes", "Bytes of the sectors of store transactions");
    declare(&C::uncached_global_load_transaction, "global.uncached_global_load_transaction", "transactions",
            "Load transactions of global memory that bypass all caches of the SM");
    declare(&C::local_load, "local.local_load", "accesses", "Warp loads of local memory");
    declare(&C::local_store, "local.local_store", "accesses", "Warp stores to local memory");
    declare(&C::uncached_local_load_transaction, "local.uncached_local_load_transaction", "transactions",
            "Load transactions of local memory that bypass all caches of the SM");
    declare(&C::l1_global_load_hit, "l1.global_load_hit", "lines", "Lines of global loads found in the L1 cache");
    declare(&C::l1_global_load_miss, "l1.global_load_miss", "lines",
            "Lines of global loads that missed the L1 cache, wholly or in part");
    declare(&C::l1_global_store_hit, "l1.global_store_hit", "lines", "Lines of global stores found in the L1 cache");
    declare(&C::l1_global_store_miss, "l1.global_store_miss", "lines",
            "Lines of global stores that missed the L1 cache");
    declare(&C::l1_local_load_hit, "l1.local_load_hit", "lines", "Lines of local loads found in the L1 cache");
    declare(&C::l1_local_load_miss, "l1.local_load_miss", "lines",
            "Lines of local loads that missed the L1 cache, wholly or in part");
    declare(&C::l1_local_store_hit, "l1.local_store_hit", "lines", "Lines of local stores found in the L1 cache");
    declare(&C::l1_local_store_miss, "l1.local_store_miss", "lines", "Lines of local stores that missed the L1 cache");
    declare(&C::l1_evictions, "l1.evictions", "lines", "Lines evicted");
    declare(&C::l1_write_backs, "l1.write_backs", "lines", "Lines with sectors written back");
    declare(&C::tex_cache_requests, "texture.tex_cache_requests", "accesses", "Warp texture fetches");
    declare(&C::tex_cache_hit, "texture.tex_cache_hit", "lines", "Lines of a quad found in the texture cache");
    declare(&C::tex_cache_miss, "texture.tex_cache_miss", "lines",
            "Lines of a quad that missed the texture cache, wholly or in part");
    declare(&C::constant_words, "constant.words", "words", "Distinct addresses of constant loads, per warp access");
    declare(&C::constant_hit, "constant.hit", "words", "Of these, found in the constant cache");
    declare(&C::constant_l15_hit, "constant.l15_hit", "words", "Of these, found in the second constant cache");
    declare(&C::constant_miss, "constant.miss", "words", "Of these, found in neither constant cache");
    declare(&C::tlb_hit, "tlb.hit", "requests", "Requests to the memory that hit the SM's translation buffer");
    declare(&C::tlb_miss, "tlb.miss", "requests", "Requests to the memory that missed the SM's translation buffer");
    declare(&C::mshr_full_stalls, "mshr.full_stalls", "stalls", "Lines stalled because every MSHR was in use");
    declare(&C::mshr_merge_stalls, "mshr.merge_stalls", "stalls",
            "Lines stalled because their MSHR accepts no further access");
    declare(&C::mshr_stall_cycles, "mshr.stall_cycles", "cycles", "Time that stalled lines waited, summed");
    declare.part(&C::port, "port.");
    declare(&C::l2_read_requests, "port.l2_read_requests", "requests", "Reads that left the SMs");
    declare(&C::l2_write_requests, "port.l2_write_requests", "requests", "Writes that left the SMs");
    declare(&C::l2_atomic_requests, "port.l2_atomic_requests", "requests", "Atomics and reductions that left the SMs");
    declare(&C::request_bytes, "port.request_bytes", "bytes", "Bytes of headers and data that left the SMs");
  }
};

}  // namespace lockstep::gpu
