// An explanation as JSON.

#include "sim/stats/json.hpp"
#include "isa/program/demangled.hpp"
#include "sim/explain/collision.hpp"
#include "sim/explain/output.hpp"

namespace lockstep::explain {

namespace {

/// Writes every counter under its declared name.
struct FieldWriter {
  stats::JsonWriter& json;
  const gpu::AccessCounters& counters;

  void operator()(std::uint64_t gpu::AccessCounters::*member, const char* name, const char*, const char*,
                  const counter::Properties& = {}) {
    json.field(name, counters.*member);
  }
};

void add_slots(stats::JsonWriter& json, const std::array<std::uint64_t, gpu::slot_count>& slots) {
  json.begin_object(true);
  for (std::size_t slot = 0; slot < slots.size(); ++slot)
    if (slots[slot] > 0) json.field(gpu::name_of(static_cast<gpu::Slot>(slot)), slots[slot]);
  json.end_object();
}

void add_numbers(stats::JsonWriter& json, const auto& numbers) {
  json.begin_array(true);
  for (const auto number : numbers) json.value(number);
  json.end_array();
}

void add_example(stats::JsonWriter& json, const LineAccess& access, const scratchpad::Spec& spec,
                 const scratchpad::Maps& maps) {
  const gpu::AccessExample& example = access.example;
  json.begin_object().field("pc", access.instruction).field("instruction", access.mnemonic);
  json.field("space", example.scratchpad ? "scratchpad" : "memory").field("thread_block", example.thread_block);
  json.field("warp", example.warp).field("bytes_per_lane", example.bytes_per_lane).field("cost", example.cost);
  json.key("addresses").begin_array(true);
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    (example.lanes >> lane & 1) != 0 ? json.value(example.address[lane]) : json.null();
  json.end_array();
  if (const auto collision = collision_of(example, spec, maps)) {
    json.field("degree", collision->degree).field("bank", collision->bank);
    json.key("words");
    add_numbers(json, collision->words);
    json.key("lanes");
    add_numbers(json, collision->lanes);
    json.field("shared_word", collision->shared_word).key("shared_lanes");
    add_numbers(json, collision->shared_lanes);
  }
  json.end_object();
}

void add_line(stats::JsonWriter& json, const Explanation& all, const LineCosts& line, SourceFiles& sources) {
  const std::string& kernel = all.header.kernels[line.kernel].name;
  json.begin_object().field("kernel", kernel).field("function", program::demangled(kernel)).field("file", line.file);
  json.field("line", line.number)
      .field("thread_block_start", line.block_start)
      .field("source", sources.line(line.file, line.number));
  if (!line.instruction.empty()) json.field("instruction", line.instruction);
  if (line.call_number != 0) json.field("inlined_at_file", line.call_file).field("inlined_at_line", line.call_number);
  json.field("executed", line.executed).field("lanes", line.lanes).field("slots", line.slots());
  json.field("share",
             all.all_slots() == 0 ? 0 : static_cast<double>(line.slots()) / static_cast<double>(all.all_slots()));
  json.field("issued", line.issued).key("lost");
  add_slots(json, line.lost);
  json.key("accesses").begin_object();
  FieldWriter fields{json, line.accesses};
  gpu::AccessCounters::describe(fields);
  json.end_object().key("examples").begin_array();
  const scratchpad::Maps maps = make_maps(all.spec.sm.scratchpad, all.spec.sm.occupancy.scratchpad_bytes, kernel);
  for (const LineAccess& access : line.examples) add_example(json, access, all.spec.sm.scratchpad, maps);
  json.end_array().end_object();
}

}  // namespace

std::string to_json(const Explanation& all, SourceFiles& sources) {
  stats::JsonWriter json;
  json.begin_object().field("schema", "lockstep.explain/1").field("gpu", all.spec.name);
  json.field("workload", all.workload).field("cycles", all.result.cycles);
  json.field("time_ms", all.result.time_ms(all.spec)).field("warp_instructions", all.result.warp_instructions);
  json.field("all_slots", all.all_slots()).key("slots");
  add_slots(json, all.result.counters.sm.slots);
  json.key("lines").begin_array();
  for (const LineCosts& line : all.lines) add_line(json, all, line, sources);
  json.end_array().key("remedies").begin_array();
  for (const Outcome& one : all.remedies) {
    json.begin_object(true).field("name", one.name);
    json.field("kind", one.kind == Remedy::Kind::change ? "change" : "limit").field("text", one.text).key("cycles");
    one.cycles ? json.value(*one.cycles) : json.null();
    json.key("speedup");
    one.cycles&&* one.cycles != 0
        ? json.value(static_cast<double>(all.result.cycles) / static_cast<double>(*one.cycles))
        : json.null();
    if (!one.failure.empty()) json.field("failure", one.failure);
    json.end_object();
  }
  return json.end_array().end_object().take();
}

}  // namespace lockstep::explain
