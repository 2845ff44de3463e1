#include "sim/report/rgpu/mapping_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sim/report/rgpu/graph_dot.hpp"
#include "sim/report/svg.hpp"

namespace lockstep::report {
namespace {

using dataflow::Graph;
using dataflow::Node;
using dataflow::UnitClass;

// Pixels.
constexpr double slot_width = 66, left = 64, box_height = 40, box_width = 58;
constexpr double units_top = 64, lanes_top = units_top + box_height + 34, lane_height = 26;

// Where in a slot: what the core before writes, a load-store unit reads and writes, and the core reads, so that values
// flow from left to right.
constexpr double core_writes = 5, unit_reads = 14, unit_reads_data = 22, unit_writes = 33;
constexpr std::array<double, 3> core_reads = {43, 51, 59};

/// Distinguishable on white, and not the colours of the nodes.
constexpr std::array<std::string_view, 10> value_colours = {"#1f77b4", "#d62728", "#9467bd", "#8c564b", "#e377c2",
                                                            "#17a2b8", "#bc8f00", "#ff7f0e", "#4b5bd6", "#6b6b6b"};

class Drawing {
 public:
  Drawing(const Graph& graph, const rgpu::Spec& spec, const rgpu::Mapping& mapping)
      : graph_(graph), spec_(spec), mapping_(mapping), receivers_(dataflow::receivers(graph)) {
    const std::uint32_t shown_lanes = std::max({spec.lanes, mapping.lanes, std::uint32_t{1}});
    lanes_bottom_ = lanes_top + lane_height * shown_lanes;
    cores_top_ = lanes_bottom_ + 34;
    shown_lanes_ = shown_lanes;
  }

  SizedPicture run() {
    const double width = left + slot_width * spec_.cores + 30;
    const double height = cores_top_ + box_height + 78;
    picture_.rectangle({0, 0}, width, height, "#ffffff");
    heading();
    fabric();
    for (std::size_t i = 0; i < mapping_.routes.size(); ++i) route(i);
    for (const Label& label : labels_) {
      const auto [x, y] = label.place;
      picture_.rectangle({x - 1, y - 9}, text_width(label.text, 10) + 2, 11, "#ffffff");
      picture_.text(label.place, label.text, {.size = 10, .colour = label.colour}, label.tooltip);
    }
    for (std::uint32_t node = 0; node < graph_.nodes.size(); ++node) box(node);
    legend(cores_top_ + box_height + 52);
    return {picture_.finish(width, height, "Mapping of " + graph_.name), width, height};
  }

 private:
  double slot_left(std::uint32_t slot) const { return left + slot_width * slot; }
  double lane_y(std::uint32_t lane) const { return lanes_top + lane_height * (lane + 0.5) + 4; }
  bool memory(std::uint32_t node) const { return dataflow::is_memory(graph_.nodes[node].op); }
  std::uint32_t reads_at(std::uint32_t node) const { return rgpu::read_slot(graph_, spec_, mapping_, node); }

  void heading() {
    std::string text = fmt::format("{}: {} cores, {} load-store units, {} lanes", graph_.name, mapping_.cores,
                                   mapping_.load_store_units, mapping_.lanes);
    text += mapping_.lanes == mapping_.lower_bound ? " (fewer are not possible)"
                                                   : fmt::format(" (at least {})", mapping_.lower_bound);
    text += fmt::format(", {} of {} slots", mapping_.span, spec_.cores);
    if (graph_.copies > 1) text += fmt::format(", {} copies", graph_.copies);
    picture_.text({left, 26}, text, {.size = 16, .bold = true});
  }

  void outline(double x, double y, double width, double height, std::string_view colour) {
    picture_.path({{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}, {x, y}}, {.colour = colour});
  }

  /// Slots, lanes and every unit as an outline.
  void fabric() {
    const double right = slot_left(spec_.cores);
    for (std::uint32_t slot = 0; slot < spec_.cores; ++slot) {
      if (slot % 2) {
        picture_.rectangle({slot_left(slot), lanes_top}, slot_width, lanes_bottom_ - lanes_top + 8, "#f4f4f4");
      }
      picture_.text({slot_left(slot) + slot_width / 2, cores_top_ + box_height + 16}, fmt::format("{}", slot),
                    {.anchor = "middle", .size = 11, .colour = "#666"});
      outline(slot_left(slot) + 4, cores_top_, box_width, box_height, "#bbb");
    }
    for (std::uint32_t unit = 0; unit < spec_.load_store_units; ++unit) {
      const auto [x, y] = unit_corner(unit);
      outline(x, y, box_width, box_height, "#bbb");
    }
    for (std::uint32_t lane = 0; lane < shown_lanes_; ++lane) {
      picture_.line({left, lane_y(lane)}, {right, lane_y(lane)}, {.colour = "#ddd", .width = 1, .dashes = "2,3"});
      const std::string name = lane < 26 ? std::string(1, static_cast<char>('A' + lane)) : fmt::format("{}", lane);
      picture_.text({left - 12, lane_y(lane) + 5}, name, {.anchor = "end", .size = 14, .bold = true});
    }
    picture_.text({left - 8, units_top + 24}, "LD/ST", {.anchor = "end", .size = 12, .colour = "#666"});
    picture_.text({left - 8, cores_top_ + 24}, "cores", {.anchor = "end", .size = 12, .colour = "#666"});
    picture_.text({left - 8, cores_top_ + box_height + 16}, "slot", {.anchor = "end", .size = 11, .colour = "#666"});
  }

  Place unit_corner(std::uint32_t unit) const {
    const std::uint32_t slot = rgpu::slot_of_unit(unit, spec_.load_store_units, spec_.cores);
    // Units that share a slot stand a little behind each other.
    std::uint32_t before = 0;
    while (unit > before && rgpu::slot_of_unit(unit - before - 1, spec_.load_store_units, spec_.cores) == slot)
      ++before;
    return {slot_left(slot) + 4 + 3.0 * before, units_top - 6.0 * before};
  }

  void box(std::uint32_t number) {
    const Node& node = graph_.nodes[number];
    const Place corner =
        memory(number) ? unit_corner(mapping_.place[number]) : Place{slot_left(mapping_.place[number]) + 4, cores_top_};
    const NodeColours colours = node_colours(node);
    const std::string tip = fmt::format("{}: {} at {} {}", node.name, dataflow::facts(node.op).name,
                                        memory(number) ? "load-store unit" : "core", mapping_.place[number]);
    picture_.rectangle(corner, box_width, box_height, colours.fill, tip);
    outline(corner.first, corner.second, box_width, box_height, "#444");
    const double middle = corner.first + box_width / 2;
    picture_.text({middle, corner.second + 16}, shortened(node.name, box_width - 4, 11),
                  {.anchor = "middle", .size = 11, .bold = true, .colour = colours.text}, tip);
    picture_.text({middle, corner.second + 31}, shortened(dataflow::facts(node.op).name, box_width - 4, 10),
                  {.anchor = "middle", .size = 10, .colour = colours.text}, tip);
    for (const dataflow::Receiver& receiver : receivers_[number]) {
      if (receiver.node == number) feedback(corner, memory(number));
    }
  }

  /// A unit that writes to its own FIFO: a loop on the side that has no lanes.
  void feedback(Place corner, bool above) {
    const double edge = above ? corner.second : corner.second + box_height, out = above ? -9 : 9;
    const double a = corner.first + 12, b = corner.first + box_width - 12;
    if (above) {
      picture_.path({{b, edge}, {b, edge + out}, {a, edge + out}, {a, edge}}, {.colour = "#444", .width = 1.3});
    } else {
      picture_.path({{b, edge}, {b, edge + 4}, {a, edge + 4}, {a, edge}}, {.colour = "#444", .width = 1.3});
    }
  }

  /// A value from its source over its lane to every operand that reads it.
  void route(std::size_t index) {
    const rgpu::Route& way = mapping_.routes[index];
    const std::string_view colour = value_colours[index % value_colours.size()];
    const double y = lane_y(way.lane);
    const bool from_unit = memory(way.source);
    const double start = slot_left(way.first) + (from_unit ? unit_writes : core_writes);
    rise(way.source, start, y, colour);
    double reach = 0;  // From `start`, on the ring laid out without an end.
    for (const dataflow::Receiver& receiver : receivers_[way.source]) {
      if (receiver.node == way.source) continue;
      const std::uint32_t slot = reads_at(receiver.node);
      const std::uint32_t distance = (slot + spec_.cores - way.first) % spec_.cores;
      const double x = slot_left(slot) + read_offset(receiver);
      const double edge =
          memory(receiver.node) ? unit_corner(mapping_.place[receiver.node]).second + box_height : cores_top_;
      picture_.line({x, y}, {x, edge}, {.colour = colour, .width = 1.4});
      arrow({x, edge}, memory(receiver.node), colour);
      dot({x, y}, colour);
      reach = std::max(reach, slot_left(way.first) + slot_width * distance + read_offset(receiver) - start);
    }
    track(way, start, std::max(reach, 4.0), colour);
  }

  double read_offset(const dataflow::Receiver& receiver) const {
    if (memory(receiver.node)) return receiver.operand == 0 ? unit_reads : unit_reads_data;
    return core_reads[std::min<std::size_t>(receiver.operand, core_reads.size() - 1)];
  }

  /// From the source to its lane.
  void rise(std::uint32_t source, double x, double y, std::string_view colour) {
    if (memory(source)) {
      const double edge = unit_corner(mapping_.place[source]).second + box_height;
      picture_.line({x, edge}, {x, y}, {.colour = colour, .width = 2.4});
    } else {
      // Around the corner from the core's right side into the next slot; from the last core to slot 0.
      const double side = slot_left(mapping_.place[source]) + 4 + box_width, bend = cores_top_ + 8;
      if (mapping_.place[source] + 1 == spec_.cores) {
        picture_.line({side, bend}, {side + 22, bend}, {.colour = colour, .width = 2.4});
        picture_.line({left - 14, bend}, {x, bend}, {.colour = colour, .width = 2.4});
      } else {
        picture_.line({side, bend}, {x, bend}, {.colour = colour, .width = 2.4});
      }
      picture_.line({x, bend}, {x, y}, {.colour = colour, .width = 2.4});
    }
    dot({x, y}, colour);
  }

  void track(const rgpu::Route& way, double start, double length, std::string_view colour) {
    const double right = slot_left(spec_.cores), y = lane_y(way.lane);
    const std::string& name = graph_.nodes[way.source].name;
    const auto piece = [&](double from, double to) {
      picture_.line({from, y}, {to, y}, {.colour = colour, .width = 5});
      const double room = to - from - 6;
      if (room > 12) {
        labels_.push_back({{from + 5, y - 5}, shortened(name, room, 10), name, colour});
      }
    };
    if (start + length <= right) {
      piece(start, start + length);
      return;
    }
    piece(start, right + 6);
    picture_.text({right + 8, y + 5}, "\u2192", {.size = 14, .colour = colour});
    piece(left - 6, left + (start + length - right));
  }

  void dot(Place place, std::string_view colour) {
    picture_.rectangle({place.first - 3, place.second - 4}, 6, 8, colour);
  }

  void arrow(Place tip, bool up, std::string_view colour) {
    const double back = up ? 6 : -6;
    picture_.path({{tip.first - 3, tip.second + back}, tip, {tip.first + 3, tip.second + back}},
                  {.colour = colour, .width = 1.4});
  }

  void legend(double y) {
    const auto sample = [](dataflow::Opcode op) {
      Node node;
      node.op = op;
      return node_colours(node).fill;
    };
    const std::array<std::pair<const char*, std::string_view>, 5> kinds = {
        {{"integer", sample(dataflow::Opcode::add)},
         {"floating point", sample(dataflow::Opcode::add_f32)},
         {"special function", sample(dataflow::Opcode::sine)},
         {"load", sample(dataflow::Opcode::load)},
         {"store, reduction", sample(dataflow::Opcode::store)}}};
    double x = left;
    for (const auto& [text, colour] : kinds) {
      picture_.rectangle({x, y - 11}, 16, 14, colour);
      outline(x, y - 11, 16, 14, "#444");
      picture_.text({x + 22, y}, text, {.size = 12});
      x += 40 + text_width(text, 12);
    }
    outline(x, y - 11, 16, 14, "#bbb");
    picture_.text({x + 22, y}, "not in use", {.size = 12});
    x += 110;
    picture_.line({x, y - 4}, {x + 30, y - 4}, {.colour = value_colours[0], .width = 5});
    picture_.text({x + 38, y}, "a value on its lane, from left to right", {.size = 12});
  }

  const Graph& graph_;
  const rgpu::Spec& spec_;
  const rgpu::Mapping& mapping_;
  const std::vector<std::vector<dataflow::Receiver>> receivers_;
  /// Names of values, on top of all lines.
  struct Label {
    Place place;
    std::string text, tooltip;
    std::string_view colour;
  };
  std::vector<Label> labels_;
  Picture picture_;
  double lanes_bottom_ = 0, cores_top_ = 0;
  std::uint32_t shown_lanes_ = 0;
};

}  // namespace

SizedPicture mapping_picture(const Graph& graph, const rgpu::Spec& spec, const rgpu::Mapping& mapping) {
  return Drawing(graph, spec, mapping).run();
}

}  // namespace lockstep::report
