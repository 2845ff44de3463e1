#include "sim/calibrate/steps.hpp"

#include <algorithm>
#include <boost/algorithm/string.hpp>

namespace lockstep::calibrate {

namespace {

using Words = std::vector<std::string>;

Words split(std::string_view text, char separator) {
  Words words;
  boost::split(words, text, [separator](char c) { return c == separator; });
  return words;
}

/// Latency of a class of instructions. Operations that a compiler folds into fewer (and, or, xor, add, sub and min of
/// constants) time no chain, and are left out.
Step latency(std::string_view path, std::string_view settings) {
  return {{{path, 1, 128}}, {{"micro-arithmetic", settings}}};
}

/// How long one warp instruction of a class occupies its unit: four chains per thread, by one warp per scheduler and by
/// several.
Step interval(std::string_view path, std::string_view settings) {
  return {{{path, 1, 64}}, {{"micro-arithmetic", settings}}};
}

}  // namespace

bool Selection::has(const Measurement& row) const {
  if (row.workload != workload) return false;
  const Words wanted = split(settings, ' ');
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& one) {
    const std::size_t equals = one.find('=');
    const std::string* value = row.setting(one.substr(0, equals));
    const Words values = split(std::string_view(one).substr(equals + 1), ',');
    return value != nullptr && std::find(values.begin(), values.end(), *value) != values.end();
  });
}

bool Step::sees(const Measurement& row) const {
  return row.clock && std::any_of(points.begin(), points.end(), [&](const Selection& one) { return one.has(row); });
}

const std::vector<Step>& steps() {
  static const std::vector<Step> all = {
      // Latencies of the arithmetic units: chains of one warp.
      latency("sm.floating.latency", "operation=ffma,fadd mode=latency"),
      latency("sm.floating_multiply.latency", "operation=fmul mode=latency"),
      latency("sm.shift.latency", "operation=shl,shr,prmt mode=latency"),
      latency("sm.integer_multiply.latency", "operation=mad mode=latency"),
      latency("sm.wide_multiply.latency", "operation=mulhi,umulhi mode=latency"),
      latency("sm.min_max.latency", "operation=fmin,fmax mode=latency"),
      latency("sm.bit_count.latency", "operation=popc mode=latency"),
      latency("sm.bit_find.latency", "operation=brev mode=latency"),
      latency("sm.half_precision.latency", "operation=hadd2,hfma2 mode=latency"),
      latency("sm.double_precision.latency", "operation=dadd,dmul,dfma mode=latency"),
      latency("sm.conversion.latency", "operation=f2i,f2f mode=latency"),
      latency("sm.special_function.latency", "operation=sin,cos,exp2 mode=latency"),
      latency("sm.exchange.latency", "operation=shfl mode=latency"),
      // An extraction of bits, and a comparison with the selection that its chain needs.
      latency("sm.integer.latency", "operation=bfe mode=latency"),
      latency("sm.compare.latency", "operation=compare,fset mode=latency"),
      // What their loops add, a taken branch in each round.
      {{{"sm.branch_taken_latency", 1, 128}}, {{"micro-arithmetic", "operation=shl,shr,ffma,mad,fmul mode=latency"}}},

      // Intervals of the arithmetic units, given the latencies.
      interval("sm.floating.interval", "operation=ffma,fadd mode=throughput threads=32,128"),
      interval("sm.floating_multiply.interval", "operation=fmul mode=throughput threads=32,128"),
      interval("sm.shift.interval", "operation=shl,shr,prmt mode=throughput threads=32,128,512"),
      interval("sm.integer_multiply.interval", "operation=mad mode=throughput threads=32,128,512"),
      interval("sm.wide_multiply.interval", "operation=mulhi,umulhi mode=throughput threads=32,128,512"),
      interval("sm.min_max.interval", "operation=fmin,fmax mode=throughput threads=32,128,512"),
      interval("sm.bit_count.interval", "operation=popc mode=throughput threads=32,128,512"),
      interval("sm.bit_find.interval", "operation=brev mode=throughput threads=32,128,512"),
      interval("sm.half_precision.interval", "operation=hadd2,hfma2 mode=throughput threads=32,128"),
      interval("sm.double_precision.interval", "operation=dadd,dmul,dfma mode=throughput threads=32,128,512"),
      interval("sm.conversion.interval", "operation=f2i,f2f mode=throughput threads=32,128,512"),
      interval("sm.special_function.interval", "operation=sin,cos,exp2 mode=throughput threads=128,512"),
      interval("sm.exchange.interval", "operation=shfl mode=throughput threads=128,512,1024"),
      {{{"sm.compare.interval", 1, 32}, {"sm.integer.interval", 1, 32}},
       {{"micro-arithmetic", "operation=compare,fset mode=throughput threads=32,128,512"}}},

      // Matrix products: one chain of one warp, then four chains per warp.
      {{{"sm.tensor.latency", 1, 128}}, {{"micro-matrix", "operation=f16_k16,bf16_k16,tf32_k8,s8_k32 mode=latency"}}},
      {{{"sm.tensor_short.latency", 1, 128}},
       {{"micro-matrix", "operation=f16_k8,bf16_k8,tf32_k4,s8_k16 mode=latency"}}},
      {{{"sm.tensor_double.latency", 1, 128}}, {{"micro-matrix", "operation=f64_k4 mode=latency"}}},
      {{{"sm.tensor.interval", 1, 64}},
       {{"micro-matrix", "operation=f16_k16,bf16_k16,tf32_k8,s8_k32 mode=throughput threads=256,512"}}},
      {{{"sm.tensor_short.interval", 1, 64}},
       {{"micro-matrix", "operation=f16_k8,bf16_k8,tf32_k4,s8_k16 mode=throughput threads=256,512"}}},
      {{{"sm.tensor_double.interval", 1, 64}}, {{"micro-matrix", "operation=f64_k4 mode=throughput threads=256,512"}}},

      // Registers read per cycle, where units would do more.
      {{{"sm.register_file.reads", 1, 16}},
       {{"micro-mix", "mix=dfma_of_three,ffma_of_three,dfma_ffma_of_three threads=256"}}},

      // Barriers: one warp, then what each further one adds.
      {{{"sm.barrier_latency", 1, 256}}, {{"micro-barrier", "warps=1"}}},
      {{{"sm.barrier_interval", 1, 64}}, {{"micro-barrier", "warps=2,4,8,16,32"}}},

      // The scratchpad: a load without conflict, its further passes, and passes of many warps.
      {{{"sm.scratchpad.load_latency", 1, 256}}, {{"micro-scratchpad-chase", "addressing=byte stride=1,3,5,7,9,11"}}},
      {{{"sm.scratchpad.load_pass_spacing", 0, 128}, {"sm.scratchpad.replay_latency", 0, 128}},
       {{"micro-scratchpad-chase", "addressing=byte stride=2,4,8,16,32"}}},
      {{{"sm.scratchpad.load_split_spacing", 0, 64}},
       {{"micro-access-overlap", "operation=chase bits=128 stride=4,8"}}},
      {{{"sm.scratchpad.matrix_spacing", 0, 64}}, {{"micro-matrix-load", "matrices=x2,x4 stride=1,3 threads=32"}}},
      {{{"sm.scratchpad.pass_interval", 1, 32}},
       {{"micro-scratchpad-ways", "ways=8,16,32 stride=32 threads=256,1024"}}},
      {{{"sm.scratchpad.store_pass_spacing", 0, 128}},
       {{"micro-scratchpad-pattern", "operation=store stride=32 conflicts=2,4,8,16,32"}}},
      {{{"sm.scratchpad.atomic_latency", 1, 512}}, {{"micro-atomic-chain", "operation=scratchpad_exch sharing=1"}}},
      {{{"sm.scratchpad.atomic_lane_spacing", 0, 128}},
       {{"micro-atomic-chain", "operation=scratchpad_exch sharing=4,8,16,32"}}},
      {{{"sm.scratchpad.swap_latency", 1, 512}}, {{"micro-atomic-chain", "operation=scratchpad_cas sharing=1"}}},
      {{{"sm.scratchpad.loop_swap_latency", 1, 512}},
       {{"micro-atomic-chain", "operation=scratchpad_add_f32 sharing=1"}}},

      // A register's way to the load-store units, and how far apart the passes of one warp are there.
      {{{"sm.load_store_operand_interval", 0, 64}},
       {{"micro-access-overlap", "operation=store other=store warps=8 apart=4"}}},
      {{{"sm.load_store_alternation", 1, 8}},
       {{"micro-access-overlap", "operation=store other=store stride=32 other_stride=32 warps=1,2"}}},
      {{{"sm.scratchpad.atomic_interval", 1, 64}},
       {{"micro-scratchpad-atomic-rate", "operation=exch sharing=1 threads=1024"}}},
      {{{"sm.scratchpad.atomic_lane_interval", 0, 64}},
       {{"micro-scratchpad-atomic-rate", "operation=exch sharing=8,32 threads=1024"}}},
      {{{"sm.scratchpad.swap_passes", 1, 8}},
       {{"micro-scratchpad-atomic-rate", "operation=cas sharing=1 threads=1024"}}},

      // Constant memory: the first level, then the second.
      {{{"sm.constant.latency", 1, 512}}, {{"micro-constant", "footprint=512,1024 stride=64"}}},
      {{{"sm.constant.l15_latency", 1, 1024}}, {{"micro-constant", "footprint=16384 stride=64"}}},

      // Memory, by the level that serves a chain of loads.
      {{{"sm.l1.latency", 1, 512}}, {{"micro-chase", "cache=ca stride=128 warm=1 footprint=4096,8192"}}},
      {{{"memory.l2.latency", 1, 1024}}, {{"micro-chase", "cache=cg stride=128 warm=1 footprint=131072,262144"}}},
      {{{"memory.dram.latency", 1, 2048}}, {{"micro-chase", "cache=ca stride=128 warm=0 footprint=134217728"}}},
      {{{"memory.l2.atomic_latency", 0, 2048}}, {{"micro-atomic-chain", "operation=global_exch threads=1"}}},
      {{{"memory.l2.same_word_latency", 0, 256}},
       {{"micro-global-atomic", "operation=exch mode=pair contention=2,4,8,16,32"}}},
      {{{"memory.noc.sm_request_bytes", 1, 256}}, {{"micro-global-atomic-rate", "blocks=1 threads=256,1024"}}},
  };
  return all;
}

}  // namespace lockstep::calibrate
