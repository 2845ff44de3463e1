// The declarations of what lies behind the SMs: crossbar, L2 cache, DRAM.

#include "sim/config/declaration.hpp"

namespace lockstep::config {

namespace {

void declare_noc(std::vector<Parameter>& all) {
  all.push_back(
      cycles(FIELD(memory.noc.request_latency), 60, 1, "Latency from an SM's port to a slice's, crossbar idle"));
  all.push_back(
      cycles(FIELD(memory.noc.reply_latency), 60, 1, "Latency from a slice's port to an SM's, crossbar idle"));
  all.push_back(whole(FIELD(memory.noc.header_bytes), "bytes", 8, 0, 256, "Header of a message"));
  all.push_back(whole(
      FIELD(memory.noc.flit_bytes), "bytes", 0, 0, 256,
      "Flit size of the crossbar; a flit holds a sector, so 32 at least; 0: messages occupy ports by their bytes"));
  const auto port = [&](const char* path, auto access, double value, const char* text) {
    all.push_back(number(path, access, "bytes/cycle", value, 0.001, 1e6, text));
  };
  port(FIELD(memory.noc.sm_request_bytes), 32, "Bandwidth of an SM's port for requests");
  port(FIELD(memory.noc.sm_reply_bytes), 32, "Bandwidth of an SM's port for replies");
  port(FIELD(memory.noc.slice_request_bytes), 32, "Bandwidth of a slice's port for requests");
  port(FIELD(memory.noc.slice_reply_bytes), 32, "Bandwidth of a slice's port for replies");
  all.push_back(whole(FIELD(memory.noc.credits), "requests", 16, 1, 65536,
                      "Requests of one SM that may wait at one slice; more stay in the SM"));
  all.push_back(whole(FIELD(memory.noc.injection_queue), "transactions", 64, 1, 1 << 20,
                      "Transactions that may wait in the SM; more stall its load-store units"));
}

void declare_l2(std::vector<Parameter>& all) {
  all.push_back(number(FIELD(memory.l2.clock_mhz), "MHz", 772, 1, 1e5, "Clock of the L2 cache"));
  all.push_back(
      whole(FIELD(memory.l2.slices), "", 6, 1, 1024, "Slices of the L2 cache, a multiple of the DRAM channels"));
  declare_cache(all, "memory.l2.cache", ACCESS(memory.l2.cache), {768 << 10, 128, 32, 16, "mod", 64, 64}, "L2 cache");
  all.push_back(flag(FIELD(memory.l2.texture_only), false, "The L2 cache serves only requests of texture caches"));
  all.push_back(
      choice(FIELD(memory.l2.write), write_policies(), cache::WritePolicy::back, "Write policy of the L2 cache"));
  all.push_back(
      choice(FIELD(memory.l2.partial_write),
             {{l2::PartialWrite::fill, "fill", "the rest of the sector is fetched immediately"},
              {l2::PartialWrite::mask, "mask",
               "a mask records the written words, the rest is fetched when the sector is read or written back"}},
             l2::PartialWrite::fill, "Partial write to a sector that is absent from a write-back L2 cache"));
  all.push_back(number(FIELD(memory.l2.partial_write_l2_interval), "L2 cycles", 0, 0, 1e6,
                       "With memory.l2.partial_write=mask: slice occupancy of a partial write to absent sectors, in "
                       "addition to reading and writing its data"));
  all.push_back(whole(FIELD(memory.l2.dirty_ways), "", 0, 0, 1 << 20,
                      "Maximum number of dirty lines in a set of a write-back L2 cache; beyond it, the least recently "
                      "written line is written back and stays, clean; 0: all lines"));
  all.push_back(whole(
      FIELD(memory.l2.fetch_bytes), "bytes", 0, 0, 1024,
      "Bytes fetched per L2 miss, an aligned part of the line without the sectors that are present; 0: a sector"));
  all.push_back(cycles(FIELD(memory.l2.latency), 100, 1, "Latency of a slice for a request that hits"));
  all.push_back(whole(FIELD(memory.l2.parts), "", 1, 1, 16,
                      "Partitions of the GPU, each with a share of the SMs and of the slices"));
  all.push_back(cycles(
      FIELD(memory.l2.far_latency), 0, 0,
      "Additional latency of a slice in another partition; lines read from it are copied to the reader's partition"));
  all.push_back(
      number(FIELD(memory.l2.requests_per_l2_cycle), "1/L2 cycle", 1, 0.001, 1000, "Requests that a slice accepts"));
  all.push_back(
      number(FIELD(memory.l2.bytes_per_l2_cycle), "bytes/L2 cycle", 64, 0.001, 1e6, "Data bandwidth of a slice"));
  all.push_back(number(FIELD(memory.l2.atomics_per_l2_cycle), "1/L2 cycle", 4, 0.001, 1e6,
                       "Atomic operations of a slice on different words"));
  all.push_back(number(FIELD(memory.l2.same_word_l2_interval), "L2 cycles", 1, 0, 1e6,
                       "Interval between two atomic operations on one word"));
  all.push_back(number(FIELD(memory.l2.same_word_float_l2_interval), "L2 cycles", 0, 0, 1e6,
                       "Interval between two floating-point atomics on one word; 0: memory.l2.same_word_l2_interval"));
  all.push_back(number(FIELD(memory.l2.atomic_sector_l2_interval), "L2 cycles", 0, 0, 1e6,
                       "Interval between the atomic operations of a slice on two sectors; the words of a sector are "
                       "updated together, further lanes of a word serially"));
  all.push_back(number(
      FIELD(memory.l2.whole_sector_l2_interval), "L2 cycles", 0, 0, 1e6,
      "memory.l2.atomic_sector_l2_interval of a request that changes all words of its sectors; 0: no difference"));
  all.push_back(cycles(FIELD(memory.l2.atomic_latency), 0, 0,
                       "Additional latency of an atomic over a read; later reads of its sectors wait for it"));
  all.push_back(cycles(FIELD(memory.l2.same_word_latency), 0, 0,
                       "Additional latency per further operation of a request on one word"));
  all.push_back(whole(FIELD(memory.l2.same_word_steps), "", 31, 0, 31,
                      "Further operations of a request on one word that add latency; more are combined with them"));
  all.push_back(
      whole(FIELD(memory.l2.interleave_bytes), "bytes", 256, 32, 1 << 20, "Consecutive bytes of memory in one slice"));
  all.push_back(
      whole(FIELD(memory.l2.wait_queue), "requests", 8, 1, 65536,
            "Entries of a slice's access queue through which wait-for-hit loads of R-GPU graphs recirculate"));
  all.push_back(
      text(FIELD(memory.l2.slice_hash), "mod", "Hash SPEC from the number of an interleaved block to its slice"));
}

void declare_dram(std::vector<Parameter>& all) {
  all.push_back(number(FIELD(memory.dram.clock_mhz), "MHz", 1002, 1, 1e5, "Command clock of the DRAM"));
  all.push_back(whole(FIELD(memory.dram.channels), "", 6, 1, 256, "Channels, each with its own data bus"));
  all.push_back(whole(FIELD(memory.dram.banks), "", 16, 1, 1024, "Banks of a channel"));
  all.push_back(whole(FIELD(memory.dram.row_bytes), "bytes", 2048, 64, 1 << 20, "Row of a bank"));
  all.push_back(
      number(FIELD(memory.dram.bytes_per_dram_cycle), "bytes/DRAM cycle", 32, 0.001, 1e6, "Data bus of a channel"));
  all.push_back(
      whole(FIELD(memory.dram.queue), "requests", 64, 1, 65536, "Queue entries of a channel, from which it schedules"));
  using dram::Scheduling;
  all.push_back(choice(FIELD(memory.dram.scheduling),
                       {{Scheduling::first_come, "first_come", "in order of arrival"},
                        {Scheduling::first_ready_first_come, "first_ready_first_come",
                         "requests to open rows first, then in order of arrival (FR-FCFS)"}},
                       Scheduling::first_ready_first_come, "Order in which a channel serves its requests"));
  all.push_back(choice(FIELD(memory.dram.refresh),
                       {{dram::Refresh::all_banks, "all_banks", "all banks of a channel at once"},
                        {dram::Refresh::per_bank, "per_bank", "one bank after the other; the others remain available"}},
                       dram::Refresh::all_banks, "Banks that a refresh occupies"));
  all.push_back(whole(FIELD(memory.dram.age_limit), "DRAM cycles", 1000, 0, 1'000'000,
                      "Age limit of first_ready_first_come: an older request is served before row hits"));
  const auto timing = [&](const char* path, auto access, std::uint64_t value, const char* text) {
    all.push_back(whole(path, access, "DRAM cycles", value, 0, 1'000'000, text));
  };
  timing(FIELD(memory.dram.timing.cl), 12, "Read command to first data");
  timing(FIELD(memory.dram.timing.wl), 4, "Write command to first data");
  timing(FIELD(memory.dram.timing.rcd), 12, "Activate to read or write");
  timing(FIELD(memory.dram.timing.rp), 12, "Precharge to activate");
  timing(FIELD(memory.dram.timing.ras), 28, "Activate to precharge");
  timing(FIELD(memory.dram.timing.rrd), 6, "Activate to activate of another bank");
  timing(FIELD(memory.dram.timing.ccd), 2, "Column command to column command");
  timing(FIELD(memory.dram.timing.wr), 12, "Last written data to precharge");
  timing(FIELD(memory.dram.timing.wtr), 5, "Last written data to read command");
  timing(FIELD(memory.dram.timing.rtp), 2, "Read to precharge");
  timing(FIELD(memory.dram.timing.refi), 0, "Refresh to refresh; 0: never refreshed");
  timing(FIELD(memory.dram.timing.rfc), 0, "Duration of a refresh");
  all.push_back(cycles(FIELD(memory.dram.latency), 200, 0,
                       "Latency of controller and physical interface, both directions together"));
  all.push_back(
      text(FIELD(memory.dram.bank_hash), "mod", "Hash SPEC from the number of a row-sized block to its bank"));
}

}  // namespace

void declare_memory(std::vector<Parameter>& all) {
  all.push_back(
      flag(FIELD(memory.flush_before_launch), false, "The L2 cache is flushed before each kernel, as by profilers"));
  declare_noc(all);
  declare_l2(all);
  declare_dram(all);
  declare_tlb(all, "memory.tlb", ACCESS(memory.tlb), "translation buffer of the whole GPU");
  declare_tlb(all, "memory.page_table", ACCESS(memory.page_table), "page walker's cache of parts of the page table");
}

}  // namespace lockstep::config
