#include "tools/lockstep/order_dependences.hpp"

#include <fmt/format.h>

namespace lockstep::cli {

void add_order_dependences(stats::JsonWriter& json, const trace::Source& source) {
  json.key("order_dependences");
  const auto dependences = source.order_dependences();
  if (!dependences) {
    json.null();
    return;
  }
  json.begin_array();
  for (const trace::OrderDependence& dependence : *dependences) {
    const program::Kernel& kernel = source.header().kernels[dependence.kernel];
    const program::StaticInstruction& first = kernel.instructions[dependence.first];
    json.begin_object(true).field("kernel", kernel.name).field("branches", dependence.branches);
    json.field("addresses", dependence.addresses).field("pc", dependence.first);
    json.field("instruction", kernel.strings[first.mnemonic]).field("file", kernel.strings[first.source_file]);
    json.field("line", first.source_line).end_object();
  }
  json.end_array();
}

std::string order_dependences_text(const trace::Source& source) {
  std::string text;
  const auto dependences = source.order_dependences();
  if (!dependences) return text;
  for (const trace::OrderDependence& dependence : *dependences) {
    text += fmt::format("note: {}\n", trace::describe(source.header(), dependence));
  }
  return text;
}

}  // namespace lockstep::cli
