// The declarations. With few exceptions a parameter's path is the name of its field in gpu::GpuSpec.

#include "sim/config/declaration.hpp"

namespace lockstep::config {

void declare_occupancy(std::vector<Parameter>& all) {
  constexpr std::uint64_t bytes_maximum = 16 << 20;
  all.push_back(whole(FIELD(sm.occupancy.threads), "threads", 1536, 32, 65536, "Resident threads per SM"));
  all.push_back(whole(FIELD(sm.occupancy.warps), "warps", 48, 1, 2048, "Resident warps per SM"));
  all.push_back(whole(FIELD(sm.occupancy.blocks), "thread blocks", 8, 1, 1024, "Resident thread blocks per SM"));
  all.push_back(whole(FIELD(sm.occupancy.threads_per_block), "threads", 1024, 1, 65536,
                      "Maximum number of threads of a thread block"));
  all.push_back(whole(FIELD(sm.occupancy.registers), "registers", 32768, 32, 16 << 20, "32-bit registers per SM"));
  all.push_back(whole(FIELD(sm.occupancy.registers_per_thread), "registers", 63, 1, 1024,
                      "Maximum number of registers of a thread"));
  all.push_back(whole(FIELD(sm.occupancy.register_unit), "registers", 64, 1, 65536, "Allocation unit of registers"));
  all.push_back(
      choice(FIELD(sm.occupancy.register_allocation),
             {{gpu::RegisterAllocation::per_warp, "per_warp", "for each warp"},
              {gpu::RegisterAllocation::per_block, "per_block", "for the whole thread block"}},
             gpu::RegisterAllocation::per_warp,
             "Registers are allocated, in multiples of the unit, for each warp or for the whole thread block"));
  all.push_back(whole(FIELD(sm.occupancy.warp_unit), "warps", 2, 1, 64,
                      "Granularity of register allocation: per_block rounds a block's warps up to a multiple; per_warp "
                      "has as many partitions of the register file, each of which holds whole warps"));
  all.push_back(
      whole(FIELD(sm.occupancy.scratchpad_bytes), "bytes", 49152, 128, bytes_maximum, "Scratchpad memory per SM"));
  all.push_back(whole(FIELD(sm.occupancy.scratchpad_bytes_per_block), "bytes", 49152, 0, bytes_maximum,
                      "Maximum scratchpad memory of a thread block"));
  all.push_back(
      whole(FIELD(sm.occupancy.scratchpad_unit), "bytes", 128, 1, 65536, "Allocation unit of scratchpad memory"));
  all.push_back(whole(FIELD(sm.occupancy.scratchpad_reserved), "bytes", 0, 0, 65536,
                      "Scratchpad memory that the system reserves per thread block"));
}

void declare_analytic(std::vector<Parameter>& all) {
  all.push_back(cycles(FIELD(analytic.load_base), 0, 0, "Closed-form model: load without conflict; 0: no model"));
  all.push_back(cycles(FIELD(analytic.store_base), 0, 0, "Closed-form model: store without conflict; 0: no model"));
  all.push_back(cycles(FIELD(analytic.read_modify_write_base), 0, 0,
                       "Closed-form model: load, add, store without conflict; 0: no model"));
  all.push_back(cycles(FIELD(analytic.atomic_base), 0, 0,
                       "Closed-form model, t_base: atomic addition without conflict; 0: no model"));
  all.push_back(cycles(FIELD(analytic.position), 0, 0, "Closed-form model, t_position: each further lock iteration"));
  all.push_back(cycles(FIELD(analytic.bank_read), 0, 0, "Closed-form model, t_bank: per further pass of a read"));
  all.push_back(cycles(FIELD(analytic.bank_write), 0, 0, "Closed-form model, t_bank: per further pass of a write"));
  all.push_back(
      cycles(FIELD(analytic.state_machine.read), 0, 0, "Four-state model: Read, per bank conflict level; 0: no model"));
  all.push_back(cycles(FIELD(analytic.state_machine.update), 0, 0, "Four-state model: Update"));
  all.push_back(cycles(FIELD(analytic.state_machine.write), 0, 0, "Four-state model: Write, per bank conflict level"));
  all.push_back(cycles(FIELD(analytic.state_machine.branch), 0, 0, "Four-state model: Branch"));
}

namespace {

std::vector<Parameter> declare() {
  std::vector<Parameter> all;
  all.push_back(text(FIELD(name), "", "Name of the GPU in results"));
  all.push_back(number(FIELD(clock_mhz), "MHz", 1544, 1, 1e5, "The SM's (shader) clock, the unit of all cycles"));
  all.push_back(whole(FIELD(sms), "", 16, 1, 1024, "Streaming multiprocessors"));
  all.push_back(number(FIELD(kernel_launch_us), "us", 3, 0, 1e6,
                       "Host time per launch in addition to the kernel's, in a sequence of launches"));
  all.push_back(cycles(FIELD(launch_overhead), 0, 0, "Delay from launch to first thread block"));
  all.push_back(cycles(FIELD(drain_overhead), 0, 0,
                       "Delay from the last thread block to completion, while stores may still be under way"));
  all.push_back(cycles(FIELD(store_drain_overhead), 0, 0,
                       "Delay from the acknowledgement of the last store to completion, if that is later"));
  all.push_back(number(FIELD(dispatch_interval), "cycles", 0, 0, 1e6,
                       "Interval between the dispatches of two thread blocks to the SMs"));
  all.push_back(text(FIELD(dispatch.gpcs), "",
                     "SMs of each GPC, such as \"16 16 18\", in the order of their turns; in a turn each SM of the GPC "
                     "that has room is given a thread block; empty: one GPC with all SMs"));
  all.back().check = [](const std::string& gpcs) { gpu::parse_gpcs(gpcs); };
  all.push_back(
      whole(FIELD(dispatch.first_gpc_turns), "", 0, 0, 1024,
            "Turns of the other GPCs between two turns of the first; 0: the first has as many turns as each of them"));
  std::vector<Parameter::Choice> instruction_sets;
  for (const std::string& name : machine::instruction_sets()) instruction_sets.push_back({name, ""});
  all.push_back(name_of(FIELD(target.instruction_set), instruction_sets, "fermi",
                        "Machine instruction set that programs are lowered to"));
  using Atomics = machine::ScratchpadAtomics;
  all.push_back(choice(FIELD(target.scratchpad_atomics),
                       {{Atomics::none, "none", "there are none"},
                        {Atomics::lock_loop, "lock_loop", "by a loop around a load-lock and a store-unlock"},
                        {Atomics::native, "native", "by atomic units in the scratchpad"}},
                       Atomics::lock_loop, "How atomics on scratchpad memory are performed"));
  using Schedule = machine::Schedule;
  all.push_back(choice(FIELD(target.schedule),
                       {{Schedule::program_order, "program_order", "that of the program"},
                        {Schedule::list, "list", "loops are unrolled, and a list schedule hides latencies"}},
                       Schedule::program_order, "Order of the instructions of a basic block"));
  all.push_back(whole(
      FIELD(target.load_counters), "", 0, 0, machine::Instruction::most_counters,
      "Load counters per warp, of its six; a consumer waits for every load on its counter; 0: only for its own load"));
  declare_sm(all);
  declare_sm_memory(all);
  declare_occupancy(all);
  declare_scratchpad(all);
  declare_rgpu(all);
  declare_memory(all);
  declare_analytic(all);
  declare_energy(all);
  return all;
}

}  // namespace

const std::vector<Parameter>& gpu_parameters() {
  static const std::vector<Parameter> all = declare();
  return all;
}

}  // namespace lockstep::config
