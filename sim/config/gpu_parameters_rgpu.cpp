// The declarations of the R-GPU fabric of an SM, and the rules between them.

#include <fmt/format.h>

#include "sim/config/declaration.hpp"
#include "sim/config/rules.hpp"

namespace lockstep::config {

void declare_rgpu(std::vector<Parameter>& all) {
  all.push_back(whole(FIELD(sm.rgpu.cores), "", 0, 0, 1024, "Cores of the R-GPU fabric; 0: the SM has no R-GPU mode"));
  all.push_back(whole(FIELD(sm.rgpu.load_store_units), "", 16, 1, 1024, "Load-store units of the R-GPU fabric"));
  all.push_back(whole(FIELD(sm.rgpu.special_function_units), "", 4, 0, 1024,
                      "Cores of the R-GPU fabric that may execute a special function"));
  all.push_back(whole(FIELD(sm.rgpu.lanes), "", 6, 1, 64, "Data lanes of the R-GPU fabric"));
  all.push_back(whole(FIELD(sm.rgpu.data_fifo), "values", 8, 1, 4096, "Entries of a data FIFO"));
  all.push_back(
      whole(FIELD(sm.rgpu.address_fifo), "values", 256, 1, 65536, "Entries of the address FIFO of a load-store unit"));
  all.push_back(whole(FIELD(sm.rgpu.two_operand_latency), "cycles", 8, 1, 62,
                      "R-GPU: latency of an operation with one or two operands"));
  all.push_back(whole(FIELD(sm.rgpu.three_operand_latency), "cycles", 10, 1, 62,
                      "R-GPU: latency of an operation with three operands"));
  all.push_back(whole(FIELD(sm.rgpu.special_latency), "cycles", 20, 1, 62, "R-GPU: latency of a special function"));
  all.push_back(cycles(FIELD(sm.rgpu.slot_latency), 0, 0, "R-GPU: latency per slot of a lane beyond the first"));
  all.push_back(whole(FIELD(sm.rgpu.load_latency), "cycles", 2, 1, 62, "R-GPU: latency of a load that hits"));
  all.push_back(whole(FIELD(sm.rgpu.prefetch_scan), "addresses", 1, 0, 64,
                      "Addresses that a load-store unit's prefetcher processes per cycle; 0: no prefetcher"));
  all.push_back(
      whole(FIELD(sm.rgpu.l1_lookups), "accesses", 16, 1, 1024, "R-GPU: loads that the L1 cache serves per cycle"));
  all.push_back(cycles(FIELD(sm.rgpu.store_timeout), 64, 1,
                       "R-GPU: idle time after which a store unit sends the stores that it has gathered of a line"));
  all.push_back(cycles(FIELD(sm.rgpu.switch_latency), 32, 0, "Switch from the standard mode to R-GPU mode, and back"));
  all.push_back(whole(FIELD(sm.rgpu.configuration_words), "words", 16, 1, 1024,
                      "R-GPU: configuration registers and FIFO entries written per cycle"));
}

void check_rgpu_rules(const gpu::GpuSpec& spec, const Require& require) {
  const rgpu::Spec& fabric = spec.sm.rgpu;
  if (fabric.cores == 0) return;
  const auto at_most_cores = [&](const char* path, std::uint32_t units) {
    require(units <= fabric.cores, path,
            fmt::format("{} is {}, more than sm.rgpu.cores = {}", path, units, fabric.cores));
  };
  at_most_cores("sm.rgpu.load_store_units", fabric.load_store_units);
  at_most_cores("sm.rgpu.special_function_units", fabric.special_function_units);
}

}  // namespace lockstep::config
