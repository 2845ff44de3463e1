// The declarations. With few exceptions a parameter's path is the name of its field in gpu::GpuSpec.

#include <limits>
#include <type_traits>

#include "sim/config/parameter.hpp"

namespace lockstep::config {

namespace {

using Type = Parameter::Type;

// The accessor of a field, for constant and changeable specifications; with its path in front, where both are the same.
#define ACCESS(field)      \
  [](auto& gpu) -> auto& { \
    return gpu.field;      \
  }
#define FIELD(field) #field, ACCESS(field)

Parameter described(std::string path, Type type, Setting default_value, std::string unit, std::string text) {
  Parameter parameter;
  parameter.path = std::move(path);
  parameter.type = type;
  parameter.default_value = std::move(default_value);
  parameter.unit = std::move(unit);
  parameter.text = std::move(text);
  return parameter;
}

template <class Access>
Parameter whole(const char* path, Access access, std::string unit, std::uint64_t default_value, std::uint64_t minimum,
                std::uint64_t maximum, std::string text) {
  using Field = std::remove_reference_t<decltype(access(std::declval<gpu::GpuSpec&>()))>;
  static_assert(std::is_unsigned_v<Field>);
  Parameter parameter = described(path, Type::whole, default_value, std::move(unit), std::move(text));
  parameter.minimum = minimum;
  parameter.maximum = maximum;
  parameter.get = [access](const gpu::GpuSpec& gpu) -> Setting { return std::uint64_t{access(gpu)}; };
  parameter.set = [access](gpu::GpuSpec& gpu, const Setting& setting) {
    access(gpu) = static_cast<Field>(std::get<std::uint64_t>(setting));
  };
  return parameter;
}

/// A duration; a cycle of the SM's clock is its unit.
template <class Access>
Parameter cycles(const char* path, Access access, std::uint64_t default_value, std::uint64_t minimum,
                 std::string text) {
  return whole(path, access, "cycles", default_value, minimum, 1'000'000, std::move(text));
}

template <class Access>
Parameter number(const char* path, Access access, std::string unit, double default_value, double minimum,
                 double maximum, std::string text) {
  Parameter parameter = described(path, Type::number, default_value, std::move(unit), std::move(text));
  parameter.number_minimum = minimum;
  parameter.number_maximum = maximum;
  parameter.get = [access](const gpu::GpuSpec& gpu) -> Setting { return double{access(gpu)}; };
  parameter.set = [access](gpu::GpuSpec& gpu, const Setting& setting) { access(gpu) = std::get<double>(setting); };
  return parameter;
}

/// The names stand in the order of the enumeration.
template <class Access>
Parameter choice(const char* path, Access access, std::vector<std::string> names, std::string default_value,
                 std::string text) {
  using Field = std::remove_reference_t<decltype(access(std::declval<gpu::GpuSpec&>()))>;
  static_assert(std::is_enum_v<Field>);
  Parameter parameter = described(path, Type::choice, std::move(default_value), "", std::move(text));
  parameter.choices = names;
  parameter.get = [access, names](const gpu::GpuSpec& gpu) -> Setting {
    return names.at(static_cast<std::size_t>(access(gpu)));
  };
  parameter.set = [access, names](gpu::GpuSpec& gpu, const Setting& setting) {
    const auto& name = std::get<std::string>(setting);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) access(gpu) = static_cast<Field>(i);
    }
  };
  return parameter;
}

template <class Access>
Parameter text(const char* path, Access access, std::string default_value, std::string text) {
  Parameter parameter = described(path, Type::text, std::move(default_value), "", std::move(text));
  parameter.get = [access](const gpu::GpuSpec& gpu) -> Setting { return access(gpu); };
  parameter.set = [access](gpu::GpuSpec& gpu, const Setting& setting) { access(gpu) = std::get<std::string>(setting); };
  return parameter;
}

/// One of the machine instruction sets that have a lowering table.
template <class Access>
Parameter instruction_set(const char* path, Access access, std::string default_value, std::string line) {
  Parameter parameter = text(path, access, std::move(default_value), std::move(line));
  parameter.type = Type::choice;
  parameter.choices = machine::instruction_sets();
  return parameter;
}

/// Latency and interval of one class of instructions.
template <class Access>
void timing(std::vector<Parameter>& all, const char* path, Access access, std::uint64_t latency, std::uint64_t interval,
            const std::string& instructions) {
  const auto latency_of = [access](auto& gpu) -> auto& {
    return access(gpu).latency;
  };
  const auto interval_of = [access](auto& gpu) -> auto& {
    return access(gpu).interval;
  };
  const std::string base = path;
  all.push_back(cycles((base + ".latency").c_str(), latency_of, latency, 1, "Issue to result: " + instructions));
  all.push_back(cycles((base + ".interval").c_str(), interval_of, interval, 1,
                       "Time one warp instruction occupies its unit group: " + instructions));
}

void declare_sm(std::vector<Parameter>& all) {
  all.push_back(whole(FIELD(sm.schedulers), "", 2, 1, 16, "Warp schedulers; warp w belongs to scheduler w mod this"));
  all.push_back(cycles(FIELD(sm.scheduler_interval), 2, 1, "Each scheduler has one issue slot every so many cycles"));
  all.push_back(choice(FIELD(sm.policy), {"loose_round_robin", "greedy_then_oldest", "random"}, "loose_round_robin",
                       "Which ready warp a scheduler issues from; random is for tests"));
  all.push_back(
      whole(FIELD(sm.policy_seed), "", 1, 0, std::numeric_limits<std::uint32_t>::max(), "Seed of the policy random"));
  all.push_back(whole(FIELD(sm.core_groups), "", 2, 1, 64, "Groups of cores (integer and floating-point units)"));
  all.push_back(whole(FIELD(sm.special_function_groups), "", 1, 1, 64, "Groups of special function units"));
  all.push_back(whole(FIELD(sm.load_store_groups), "", 1, 1, 64, "Groups of load-store units"));
  timing(all, FIELD(sm.integer), 18, 2, "integer add, logic, compare, select, move");
  timing(all, FIELD(sm.integer_multiply), 18, 4, "integer multiply and multiply-add");
  timing(all, FIELD(sm.shift), 18, 4, "shifts, bit fields, bit counts, byte permutes");
  timing(all, FIELD(sm.floating), 18, 2, "single-precision add, multiply, fused multiply-add, compare");
  timing(all, FIELD(sm.double_precision), 36, 16, "double-precision arithmetic");
  timing(all, FIELD(sm.conversion), 18, 4, "conversions between types");
  timing(all, FIELD(sm.special_function), 40, 8, "reciprocal, square root, sine, cosine, exponential, logarithm");
  timing(all, FIELD(sm.special_register), 18, 2, "reads of thread index, lane number, clock");
  timing(all, FIELD(sm.exchange), 18, 4, "shuffle, vote, match and reduction across lanes");
  all.push_back(cycles(FIELD(sm.branch_taken_latency), 32, 1, "Issue of a taken branch to the warp's next issue"));
  all.push_back(
      cycles(FIELD(sm.branch_not_taken_latency), 18, 1, "Issue of a branch not taken to the warp's next issue"));
  all.push_back(cycles(FIELD(sm.barrier_latency), 16, 1, "Last warp's arrival at a barrier to the next issue"));
  all.push_back(cycles(FIELD(sm.constant_latency), 18, 1, "Issue of a constant or parameter load to its result"));
  all.push_back(
      cycles(FIELD(sm.address_interval), 2, 1, "Load-store unit time per global-memory transaction of a warp"));
  all.push_back(cycles(FIELD(sm.launch_latency), 200, 0, "Dispatch of a thread block to its first issue"));
}

void declare_occupancy(std::vector<Parameter>& all) {
  constexpr std::uint64_t bytes_maximum = 16 << 20;
  all.push_back(whole(FIELD(sm.occupancy.threads), "threads", 1536, 32, 65536, "Resident threads per SM"));
  all.push_back(whole(FIELD(sm.occupancy.warps), "warps", 48, 1, 2048, "Resident warps per SM"));
  all.push_back(whole(FIELD(sm.occupancy.blocks), "thread blocks", 8, 1, 1024, "Resident thread blocks per SM"));
  all.push_back(whole(FIELD(sm.occupancy.threads_per_block), "threads", 1024, 1, 65536, "Largest thread block"));
  all.push_back(whole(FIELD(sm.occupancy.registers), "registers", 32768, 32, 16 << 20, "32-bit registers per SM"));
  all.push_back(
      whole(FIELD(sm.occupancy.registers_per_thread), "registers", 63, 1, 1024, "Most registers a thread may have"));
  all.push_back(
      whole(FIELD(sm.occupancy.register_unit), "registers", 64, 1, 65536, "Registers are given out in multiples"));
  all.push_back(choice(FIELD(sm.occupancy.register_allocation), {"per_warp", "per_block"}, "per_warp",
                       "Whether registers are rounded up for each warp or for the whole thread block"));
  all.push_back(
      whole(FIELD(sm.occupancy.warp_unit), "warps", 2, 1, 64, "Warps of a thread block are rounded up to a multiple"));
  all.push_back(
      whole(FIELD(sm.occupancy.scratchpad_bytes), "bytes", 49152, 128, bytes_maximum, "Scratchpad memory per SM"));
  all.push_back(whole(FIELD(sm.occupancy.scratchpad_bytes_per_block), "bytes", 49152, 0, bytes_maximum,
                      "Most scratchpad memory a thread block may have"));
  all.push_back(whole(FIELD(sm.occupancy.scratchpad_unit), "bytes", 128, 1, 65536,
                      "Scratchpad memory is given out in multiples"));
}

void declare_scratchpad(std::vector<Parameter>& all) {
  all.push_back(whole(FIELD(sm.scratchpad.banks), "", 32, 1, 1024, "Banks of the scratchpad memory"));
  all.push_back(whole(FIELD(sm.scratchpad.bank_bytes), "bytes", 4, 4, 16, "Width of a bank"));
  all.push_back(whole(FIELD(sm.scratchpad.locks), "", 1024, 1, 65535, "Lock bits behind scratchpad atomics"));
  all.push_back(text(FIELD(sm.scratchpad.bank_hash), "mod", "Hash SPEC from word address to bank"));
  all.push_back(text(FIELD(sm.scratchpad.lock_hash), "mod", "Hash SPEC from word address to lock bit"));
  all.push_back(cycles(FIELD(sm.scratchpad.load_latency), 44, 1, "Issue of a conflict-free load to its result"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.load_pass_spacing), 32, 0, "Delay of the own warp per further pass of a load"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.store_pass_spacing), 36, 0, "Delay of the own warp per further pass of a store"));
  all.push_back(cycles(FIELD(sm.scratchpad.pass_interval), 2, 1, "Load-store unit time per pass"));
  all.push_back(
      cycles(FIELD(sm.scratchpad.store_latency), 36, 1, "Issue of a store of one pass to the warp's next instruction"));
  all.push_back(cycles(FIELD(sm.scratchpad.hash_latency), 0, 0, "Extra time per access for a configurable hash"));
  all.push_back(cycles(FIELD(sm.scratchpad.lock_watchdog), 100000, 1,
                       "A lock held for longer while a warp asks for it is reported as a deadlock"));
}

void declare_memory(std::vector<Parameter>& all) {
  all.push_back(cycles("memory.latency", ACCESS(memory.bandwidth.latency), 600, 1,
                       "A request leaving the SM to its reply, memory idle"));
  all.push_back(number("memory.bytes_per_cycle", ACCESS(memory.bandwidth.bytes_per_cycle), "bytes/cycle", 128, 0.001,
                       1e6, "Bandwidth of the memory"));
  all.push_back(whole(FIELD(memory.transaction_bytes), "bytes", 128, 32, 4096, "Size of a memory transaction"));
  all.push_back(number("memory.atomics_per_cycle", ACCESS(memory.bandwidth.atomics_per_cycle), "1/cycle", 12, 0.001,
                       1e6, "Atomic operations of the whole memory"));
  all.push_back(whole(FIELD(memory.queue_depth), "transactions", 64, 1, 1 << 20,
                      "Outstanding transactions per SM before its load-store unit stalls"));
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

std::vector<Parameter> declare() {
  std::vector<Parameter> all;
  all.push_back(text(FIELD(name), "", "Name of the GPU in results"));
  all.push_back(number(FIELD(clock_mhz), "MHz", 1544, 1, 1e5, "The SM's (shader) clock, which all cycles count"));
  all.push_back(whole(FIELD(sms), "", 16, 1, 1024, "Streaming multiprocessors"));
  all.push_back(
      instruction_set(FIELD(target.instruction_set), "fermi", "Machine instruction set that programs are lowered to"));
  all.push_back(choice(FIELD(target.scratchpad_atomics), {"none", "lock_loop"}, "lock_loop",
                       "How atomics on scratchpad memory are performed"));
  declare_sm(all);
  declare_occupancy(all);
  declare_scratchpad(all);
  declare_memory(all);
  declare_analytic(all);
  return all;
}

#undef FIELD
#undef ACCESS

}  // namespace

const std::vector<Parameter>& gpu_parameters() {
  static const std::vector<Parameter> all = declare();
  return all;
}

}  // namespace lockstep::config
