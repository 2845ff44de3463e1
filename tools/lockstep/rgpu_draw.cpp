// lockstep rgpu draw

#include <fmt/format.h>

#include <graphviz/gvc.h>
#include <filesystem>

#include <charconv>
#include <memory>
#include <utility>

#include "isa/output_file.hpp"
#include "models/rgpu/mapper.hpp"
#include "sim/report/rgpu/graph_dot.hpp"
#include "sim/report/rgpu/mapping_picture.hpp"
#include "sim/report/svg.hpp"
#include "sim/stats/json.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/rgpu_graphs.hpp"

namespace lockstep::cli {

namespace {

using dataflow::Graph;

/// The SVG element that Graphviz makes of a DOT text, without what comes before it in a file.
std::string rendered(const std::string& dot) {
  const std::unique_ptr<GVC_t, int (*)(GVC_t*)> context(gvContext(), gvFreeContext);
  const std::unique_ptr<Agraph_t, int (*)(Agraph_t*)> graph(agmemread(dot.c_str()), agclose);
  if (!graph) throw Bug("Graphviz cannot read the drawing of a graph");
  if (gvLayout(context.get(), graph.get(), "dot") != 0) {
    throw ResourceError("Graphviz cannot lay out the graph: is its 'dot' plugin installed?");
  }
  char* text = nullptr;
  unsigned length = 0;
  const int failed = gvRenderData(context.get(), graph.get(), "svg", &text, &length);
  std::string svg = failed ? "" : std::string(text, length);
  if (!failed) gvFreeRenderData(text);
  gvFreeLayout(context.get(), graph.get());
  const std::size_t start = svg.find("<svg");
  if (start == std::string::npos) throw ResourceError("Graphviz cannot draw SVG: is its 'core' plugin installed?");
  return svg.substr(start);
}

/// A length attribute of the first element, in pixels; Graphviz gives points.
double pixels(const std::string& svg, std::string_view attribute) {
  const std::string key = fmt::format(" {}=\"", attribute);
  const std::size_t at = svg.find(key);
  double points = 0;
  if (at != std::string::npos) std::from_chars(svg.data() + at + key.size(), svg.data() + svg.size(), points);
  return points * 4 / 3;
}

/// Puts an SVG element at a place within another.
std::string placed(const std::string& svg, double x, double y) {
  return fmt::format("<svg x=\"{:.0f}\" y=\"{:.0f}\"{}", x, y, svg.substr(std::string_view("<svg").size()));
}

/// Graph above, mapping below.
std::string both(const std::string& graph, const report::SizedPicture& mapping, const std::string& title) {
  constexpr double margin = 12;
  const double graph_height = pixels(graph, "height");
  const double width = std::max(pixels(graph, "width"), mapping.width) + 2 * margin;
  const double height = graph_height + mapping.height + 3 * margin;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\" "
      "aria-label=\"{0}\" width=\"{1:.0f}\" height=\"{2:.0f}\" viewBox=\"0 0 {1:.0f} {2:.0f}\">\n"
      "<rect width=\"{1:.0f}\" height=\"{2:.0f}\" fill=\"#ffffff\"/>\n{3}{4}</svg>\n",
      report::escaped(title), width, height, placed(graph, margin, margin),
      mapping.svg.empty() ? "" : placed(mapping.svg, margin, graph_height + 2 * margin));
}

/// The numbers of the first thread block that runs a graph.
dataflow::Instance instance_of(const exec::Task& task, const std::shared_ptr<const Graph>& graph) {
  for (const exec::KernelLaunch& launch : task.launches) {
    if (!launch.graph) continue;
    for (std::size_t part = 0; part < launch.graph->parts.size(); ++part) {
      if (launch.graph->parts[part] == graph) return launch.graph->instance(part);
    }
  }
  throw Bug("a graph that no launch of its task runs");
}

}  // namespace

int execute(const RgpuDrawArguments& arguments, const Invocation&) {
  const auto [parameters, workload_arguments] = divide_overrides(arguments);
  const gpu::GpuSpec spec = load_rgpu(arguments.gpu, parameters);
  const auto task = workload::Workload::load(find_graph(arguments.graph)).build(workload_arguments, &spec.sm.rgpu);
  const std::shared_ptr<const Graph> graph = graph_of(*task, arguments.number);
  const std::size_t all = different_graphs(*task).size();
  if (all > 1 && !arguments.quiet) {
    note(fmt::format("note: this is graph {} of {}; --graph N shows another", arguments.number, all));
  }
  std::vector<std::string> buffers;
  for (const auto& buffer : task->buffers) buffers.push_back(buffer.name);
  const std::string dot = report::graph_dot(*graph, instance_of(*task, graph), buffers);
  // A name may look like a path: the picture stays in this folder.
  const std::string name = std::filesystem::path(task->name).filename().string();
  const std::string path = !arguments.file.empty() ? arguments.file : name + (arguments.dot ? ".dot" : ".svg");
  bool fits = true;
  if (arguments.dot) {
    write_whole_file(path, dot);
  } else {
    const rgpu::MapOutcome outcome = rgpu::map(*graph, spec.sm.rgpu);
    fits = outcome.mapping.has_value();
    for (const rgpu::Shortage& shortage : outcome.shortages) {
      note(fmt::format("{} does not fit on {}: too few {}: {}", graph->name, spec.name, shortage.resource,
                       shortage.text));
    }
    const report::SizedPicture mapping =
        fits ? report::mapping_picture(*graph, spec.sm.rgpu, *outcome.mapping) : report::SizedPicture{};
    write_whole_file(
        path, both(rendered(dot), mapping, fits ? "Graph and mapping of " + graph->name : "Graph " + graph->name));
  }
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.rgpu-draw/1").field("graph", graph->name).field("fits", fits);
    print(json.field("file", path).end_object().take());
  } else if (!arguments.quiet) {
    print(fmt::format("{}\n", path));
  }
  return fits ? exit_done : exit_mismatch;
}

}  // namespace lockstep::cli
