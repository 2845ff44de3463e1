// The declarations of an SM's pipeline.

#include "models/scheduler/policies.hpp"
#include "sim/config/declaration.hpp"
#include "sim/gpu/sm/front_end/access_pipeline.hpp"

namespace lockstep::config {

namespace {

using machine::Operation;
using machine::Unit;

const std::vector<Named<Unit>> unit_names = {{Unit::core, "cores", ""},
                                             {Unit::integer, "integer_units", ""},
                                             {Unit::double_precision, "double_precision_units", ""},
                                             {Unit::tensor, "tensor_cores", ""},
                                             {Unit::special_function, "special_function_units", ""},
                                             {Unit::load_store, "load_store_units", ""},
                                             {Unit::texture, "texture_units", ""},
                                             {Unit::control, "control", "none: always free"}};

/// Latency, interval and unit of one class of instructions.
void timing(std::vector<Parameter>& all, Operation operation, std::uint64_t latency, std::uint64_t interval, Unit unit,
            const std::string& instructions) {
#define TIMING_FIELD(field)                    \
  [operation](auto& gpu) -> auto& {            \
    return gpu.sm.operations[operation].field; \
  }
  const std::string path = fmt::format("sm.{}", machine::name_of(operation));
  all.push_back(
      cycles((path + ".latency").c_str(), TIMING_FIELD(latency), latency, 1, "Issue to result: " + instructions));
  all.push_back(cycles((path + ".interval").c_str(), TIMING_FIELD(interval), interval, 1,
                       "Time one warp instruction occupies its unit group: " + instructions));
  all.push_back(
      choice((path + ".unit").c_str(), TIMING_FIELD(unit), unit_names, unit, "Functional unit of " + instructions));
#undef TIMING_FIELD
}

template <class Access>
void units(std::vector<Parameter>& all, const std::string& path, Access access, std::uint64_t groups, bool shared,
           const std::string& name) {
#define UNIT_FIELD(field)        \
  [access](auto& gpu) -> auto& { \
    return access(gpu).field;    \
  }
  all.push_back(whole((path + ".groups").c_str(), UNIT_FIELD(groups), "", groups, 0, 64, "Groups of " + name));
  all.push_back(flag((path + ".shared").c_str(), UNIT_FIELD(shared), shared,
                     "Every scheduler may use every group of " + name +
                         "; otherwise group g serves scheduler g modulo "
                         "their number"));
#undef UNIT_FIELD
}

void declare_fetch(std::vector<Parameter>& all) {
  all.push_back(whole(FIELD(sm.fetch.buffer), "instructions", 0, 0, 64,
                      "Instructions per fetch into a warp's buffer; 0: instruction fetch is not modelled"));
  all.push_back(whole(FIELD(sm.fetch.instruction_bytes), "bytes", 8, 4, 32, "Size of a machine instruction"));
  all.push_back(cycles(FIELD(sm.fetch.latency), 4, 1, "Latency of a fetch that hits the instruction cache"));
  all.push_back(cycles(FIELD(sm.fetch.interval), 2, 1, "Interval between two fetches of a port"));
  all.push_back(
      whole(FIELD(sm.fetch.ports), "", 1, 1, 16, "Fetch ports of an SM; scheduler s uses port s modulo their number"));
  all.push_back(whole(
      FIELD(sm.fetch.l0_groups), "", 0, 0, 1024,
      "Groups in the L0 instruction cache of each port; jumps to what it holds cost nothing; 0: no such cache, a warp "
      "fetches the next group ahead when it begins one"));
  all.push_back(whole(FIELD(sm.fetch.l0_prefetch), "groups", 2, 0, 16,
                      "Groups behind the one that a warp turns to that come into the L0 instruction cache, too"));
  all.push_back(
      cycles(FIELD(sm.fetch.l0_prefetch_interval), 1, 0,
             "Interval between those, until a warp can jump to them; to issue the instructions behind its last "
             "one, it need not wait for that"));
  all.push_back(cycles(FIELD(sm.fetch.l0_back_interval), 1, 1,
                       "Interval of a port with an L0 instruction cache after a jump back to an earlier group"));
  declare_cache(all, "sm.fetch.cache", ACCESS(sm.fetch.cache), {8192, 128, 128, 4, "mod", 4, 64}, "instruction cache");
  all.push_back(cycles(FIELD(sm.fetch.miss_latency), 100, 0, "Additional latency of a fetch that misses"));
  all.push_back(
      cycles(FIELD(sm.fetch.fill_interval), 0, 0, "Interval between two lines that come into the instruction cache"));
  all.push_back(whole(FIELD(sm.fetch.prefetch), "lines", 0, 0, 16,
                      "Lines behind each fetched group that come into the instruction cache, too"));
  all.push_back(
      flag(FIELD(sm.fetch.warm), false,
           "The instruction cache holds what an earlier launch of the kernel has left; otherwise each launch begins "
           "without code"));
}

}  // namespace

void declare_sm(std::vector<Parameter>& all) {
  all.push_back(whole(FIELD(sm.schedulers), "", 2, 1, 16, "Warp schedulers"));
  all.push_back(cycles(FIELD(sm.scheduler_interval), 2, 1, "Interval between two issue slots of a scheduler"));
  all.push_back(whole(FIELD(sm.issue_width), "instructions", 1, 1, 2,
                      "Independent instructions of one warp that may issue in one slot"));
  std::vector<Parameter::Choice> policies;
  for (const PolicyText& policy : scheduler::Policies::all)
    policies.push_back({std::string(policy.name), std::string(policy.text)});
  all.push_back(name_of(FIELD(sm.policy), policies, "loose_round_robin",
                        "Which ready warp a scheduler issues from; random is for tests"));
  all.push_back(
      whole(FIELD(sm.policy_seed), "", 1, 0, std::numeric_limits<std::uint32_t>::max(), "Seed of the policy random"));
  all.push_back(
      whole(FIELD(sm.active_warps), "warps", 8, 1, 64, "Policy two_level: size of a scheduler's active set of warps"));
  using gpu::WarpAssignment;
  all.push_back(choice(FIELD(sm.warp_assignment),
                       {{WarpAssignment::modulo, "modulo", "warp slot modulo schedulers"},
                        {WarpAssignment::least_loaded, "least_loaded", "the first scheduler with the fewest warps"}},
                       WarpAssignment::modulo,
                       "Scheduler of a new warp: warp slot modulo schedulers, or the one with the fewest warps"));
  declare_fetch(all);
  all.push_back(whole(FIELD(sm.register_file.banks), "", 0, 0, 64,
                      "Register banks; 0: bank conflicts of registers are not modelled"));
  all.push_back(whole(FIELD(sm.register_file.ports), "registers", 1, 1, 8, "Registers read from a bank per cycle"));
  all.push_back(whole(
      FIELD(sm.register_file.reads), "registers", 0, 0, 64,
      "32-bit registers read per cycle by a scheduler's arithmetic instructions, except operands that the previous "
      "instruction has in the same position, if it is of the same warp and was the last to issue; 0: unlimited"));
  units(all, "sm.cores", ACCESS(sm.cores), 2, false, "cores");
  units(all, "sm.integer_units", ACCESS(sm.integer_units), 0, false, "integer units");
  units(all, "sm.double_precision_units", ACCESS(sm.double_precision_units), 0, true, "double-precision units");
  units(all, "sm.tensor_cores", ACCESS(sm.tensor_cores), 0, false, "tensor cores");
  units(all, "sm.special_function_units", ACCESS(sm.special_function_units), 1, true, "special function units");
  units(all, "sm.load_store_units", ACCESS(sm.load_store_units), 1, true, "load-store units");
  units(all, "sm.texture_units", ACCESS(sm.texture_units), 1, true, "texture units");
  const Unit cores = Unit::core, special = Unit::special_function;
  timing(all, Operation::integer, 18, 2, cores, "integer add, logic, select, move");
  timing(all, Operation::integer_multiply, 18, 4, cores, "integer multiply and multiply-add");
  timing(all, Operation::wide_multiply, 18, 4, cores,
         "integer multiply for 64 bits or their upper half, where a lowering table says so");
  timing(all, Operation::shift, 18, 4, cores, "shifts, bit fields, byte permutes");
  timing(all, Operation::compare, 18, 2, cores, "integer and single-precision comparison");
  timing(all, Operation::min_max, 18, 2, cores, "integer and single-precision minimum, maximum");
  timing(all, Operation::bit_count, 18, 4, cores, "population count");
  timing(all, Operation::bit_find, 18, 4, cores, "leading zeros, bit reversal");
  timing(all, Operation::floating, 18, 2, cores, "single-precision add, fused multiply-add");
  timing(all, Operation::floating_multiply, 18, 2, cores, "single-precision multiply");
  timing(all, Operation::half_precision, 18, 2, cores, "half-precision arithmetic");
  timing(all, Operation::double_precision, 36, 16, cores, "double-precision arithmetic");
  timing(all, Operation::tensor, 24, 8, Unit::tensor, "matrix products of 16 rows of 32 bytes: m16n8k16 of f16");
  timing(all, Operation::tensor_short, 17, 4, Unit::tensor, "matrix products of rows of 16 bytes: m16n8k8 of f16");
  timing(all, Operation::tensor_double, 26, 16, Unit::tensor, "matrix products of f64: m8n8k4");
  timing(all, Operation::conversion, 18, 4, cores, "conversions between types");
  timing(all, Operation::special_function, 40, 8, special, "reciprocal, square root, sine, exponential, logarithm");
  timing(all, Operation::range_reduction, 18, 2, cores, "range reduction before sine, cosine, exponential");
  timing(all, Operation::special_register, 18, 2, cores, "reads of thread index, lane number, clock");
  timing(all, Operation::exchange, 18, 4, Unit::load_store, "shuffle, vote, match and reduction across lanes");
  all.push_back(cycles(FIELD(sm.branch_taken_latency), 32, 1, "Issue of a taken branch to the warp's next issue"));
  all.push_back(
      cycles(FIELD(sm.branch_not_taken_latency), 18, 1, "Issue of a branch not taken to the warp's next issue"));
  all.push_back(
      cycles(FIELD(sm.jump_behind_exit_latency), 0, 0,
             "Issue of a branch directly after a guarded exit that is not taken to the warp's next issue, if longer"));
  all.push_back(cycles(FIELD(sm.barrier_latency), 16, 1, "Last warp's arrival at a barrier to the next issue"));
  all.push_back(cycles(FIELD(sm.fence.block), 0, 0, "Issue of a fence for the thread block to the warp's next issue"));
  all.push_back(cycles(
      FIELD(sm.fence.gpu), 0, 0,
      "Issue of a fence for the GPU, which also waits until the warp's accesses are done, to the warp's next issue"));
  all.push_back(cycles(FIELD(sm.fence.system), 0, 0,
                       "Issue of a fence for the host and other GPUs, which also waits until the warp's accesses are "
                       "done, to the warp's next issue"));
  all.push_back(
      cycles(FIELD(sm.load_store_warp_interval), 0, 0, "Interval between two load-store instructions of one warp"));
  all.push_back(whole(FIELD(sm.load_store_operand_interval), "cycles", 0, 0, 1024,
                      "Interval between two register operands that one scheduler sends the load-store units; an "
                      "instruction without any counts as one operand"));
  all.push_back(
      whole(FIELD(sm.load_store_queue), "operands", 1, 1, 4096,
            "Register operands of the memory accesses that wait for the load-store units or pass through them, "
            "from which on no other issues; where accesses alternate (sm.load_store_alternation)"));
  all.push_back(whole(FIELD(sm.load_store_alternation), "accesses", 1, 1, gpu::AccessPipeline::most,
                      "Memory accesses whose passes alternate in the load-store units: the passes of one access are as "
                      "many cycles apart, and those of a warp's next access follow them"));
  all.push_back(cycles(FIELD(sm.divergence_latency), 0, 0,
                       "Additional delay of a divergent branch, after which some of the active lanes wait for the "
                       "others at the reconvergence point"));
  all.push_back(cycles(FIELD(sm.guard_latency), 0, 0,
                       "Additional latency of a guard over a predicate that is read as an operand"));
  all.push_back(cycles(FIELD(sm.crossing_latency), 0, 0,
                       "Additional latency of a result that another pipeline consumes: of the cores for the integer "
                       "units, of these for the cores, of either for the load-store units"));
  all.push_back(
      cycles(FIELD(sm.barrier_interval), 1, 1, "Interval between the arrivals of two warps at barriers of an SM"));
  all.push_back(cycles(FIELD(sm.mbarrier_latency), 23, 1,
                       "Issue of an mbarrier instruction, or the end of the phase that it waits for, to its result"));
  all.push_back(cycles(FIELD(sm.launch_latency), 200, 0, "Dispatch of a thread block to its first issue"));
}

}  // namespace lockstep::config
