// The declarations of what lies behind the SMs: crossbar, L2 cache, DRAM.

#include "sim/config/declaration.hpp"

namespace lockstep::config {

namespace {

void declare_noc(std::vector<Parameter>& all) {
  all.push_back(cycles(FIELD(memory.noc.request_latency), 60, 1, "An SM's port to a slice's, crossbar idle"));
  all.push_back(cycles(FIELD(memory.noc.reply_latency), 60, 1, "A slice's port to an SM's, crossbar idle"));
  all.push_back(whole(FIELD(memory.noc.header_bytes), "bytes", 8, 0, 256, "Of every message, besides its data"));
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
                      "Transactions that wait in the SM before its load-store units stall"));
}

void declare_l2(std::vector<Parameter>& all) {
  all.push_back(number(FIELD(memory.l2.clock_mhz), "MHz", 772, 1, 1e5, "Clock of the L2 cache"));
  all.push_back(
      whole(FIELD(memory.l2.slices), "", 6, 1, 1024, "Slices of the L2 cache, a multiple of the DRAM channels"));
  declare_cache(all, "memory.l2.cache", ACCESS(memory.l2.cache), {768 << 10, 128, 32, 16, "mod", 64, 64}, "L2 cache");
  all.push_back(flag(FIELD(memory.l2.texture_only), false, "The L2 cache serves requests of texture caches alone"));
  all.push_back(
      choice(FIELD(memory.l2.write), {"evict", "through", "back"}, "back", "What a store does to the L2 cache"));
  all.push_back(cycles(FIELD(memory.l2.latency), 100, 1, "In a slice, of a request that hits"));
  all.push_back(
      number(FIELD(memory.l2.requests_per_l2_cycle), "1/L2 cycle", 1, 0.001, 1000, "Requests that a slice takes"));
  all.push_back(
      number(FIELD(memory.l2.bytes_per_l2_cycle), "bytes/L2 cycle", 64, 0.001, 1e6, "Data bandwidth of a slice"));
  all.push_back(number(FIELD(memory.l2.atomics_per_l2_cycle), "1/L2 cycle", 4, 0.001, 1e6,
                       "Atomic operations of a slice on different words"));
  all.push_back(number(FIELD(memory.l2.same_word_l2_interval), "L2 cycles", 1, 0, 1e6,
                       "Between two atomic operations on one word"));
  all.push_back(
      cycles(FIELD(memory.l2.atomic_latency), 0, 0, "That an atomic takes longer than a read; reads behind it wait"));
  all.push_back(cycles(FIELD(memory.l2.same_word_latency), 0, 0,
                       "That each further operation of a request on one word adds to it"));
  all.push_back(whole(FIELD(memory.l2.same_word_steps), "", 31, 0, 31,
                      "Further operations of a request on one word that do; more are combined with them"));
  all.push_back(whole(FIELD(memory.l2.interleave_bytes), "bytes", 256, 32, 1 << 20,
                      "Successive bytes of memory that lie in one slice"));
  all.push_back(whole(FIELD(memory.l2.wait_queue), "requests", 8, 1, 65536,
                      "Places of a slice's access queue that wait-for-hit loads of R-GPU graphs circle through"));
  all.push_back(text(FIELD(memory.l2.slice_hash), "mod", "Hash SPEC from the number of such a piece to its slice"));
}

void declare_dram(std::vector<Parameter>& all) {
  all.push_back(number(FIELD(memory.dram.clock_mhz), "MHz", 1002, 1, 1e5, "Command clock of the DRAM"));
  all.push_back(whole(FIELD(memory.dram.channels), "", 6, 1, 256, "Channels, each with its own data bus"));
  all.push_back(whole(FIELD(memory.dram.banks), "", 16, 1, 1024, "Banks of a channel"));
  all.push_back(whole(FIELD(memory.dram.row_bytes), "bytes", 2048, 64, 1 << 20, "Row of a bank"));
  all.push_back(
      number(FIELD(memory.dram.bytes_per_dram_cycle), "bytes/DRAM cycle", 32, 0.001, 1e6, "Data bus of a channel"));
  all.push_back(whole(FIELD(memory.dram.queue), "requests", 64, 1, 65536, "Requests that a channel chooses among"));
  all.push_back(choice(FIELD(memory.dram.scheduling), {"first_come", "first_ready_first_come"},
                       "first_ready_first_come", "Order in which a channel serves its requests"));
  all.push_back(whole(FIELD(memory.dram.age_limit), "DRAM cycles", 1000, 0, 1'000'000,
                      "Wait after which first_ready_first_come lets a request go before requests to open rows"));
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
  all.push_back(cycles(FIELD(memory.dram.latency), 200, 0, "Of controller and physical interface, both ways together"));
  all.push_back(
      text(FIELD(memory.dram.bank_hash), "mod", "Hash SPEC from the number of a row-sized piece to its bank"));
}

}  // namespace

void declare_memory(std::vector<Parameter>& all) {
  declare_noc(all);
  declare_l2(all);
  declare_dram(all);
  declare_tlb(all, "memory.tlb", ACCESS(memory.tlb), "translation buffer of the whole GPU");
  declare_tlb(all, "memory.page_table", ACCESS(memory.page_table), "page walker's buffer of parts of the page table");
}

}  // namespace lockstep::config
