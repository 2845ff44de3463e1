#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "tools/lockstep/declaration.hpp"

namespace lockstep::cli {

namespace {

void add_graph(CLI::App& command, std::string& graph, std::string& gpu) {
  command.add_option("GRAPH", graph, "File, or name in configs/rgpu")->required();
  command.add_option("--gpu", gpu, "GPU with the fabric: file, or name in configs/gpus [gtx480-rgpu]")
      ->type_name("NAME|FILE");
}

void declare_graph_run(CLI::App& command, RgpuRunArguments& arguments) {
  add_graph(command, arguments.graph, arguments.gpu);
  add_jobs(command, arguments.jobs, "Threads [number of cores]; results do not depend on it");
  add_activity(command, arguments.activity);
  add_observation(command, arguments.observation);
  command.add_flag("--nodes", arguments.nodes,
                   "Show for each node how often it fired, and what it waited for in the other cycles");
  command.footer(
      "The exit code is 1 if the output differs from the expected one.\n\n"
      "Example: lockstep rgpu run fir -s args.n=4096 -s sm.rgpu.address_fifo=64");
}

void declare_map(CLI::App& command, RgpuMapArguments& arguments) {
  add_graph(command, arguments.graph, arguments.gpu);
  command
      .add_option("--goal", arguments.goal,
                  "What to minimise: the data lanes, or the slots between the first and the last core [lanes]")
      ->type_name("lanes|slots")
      ->check(CLI::IsMember({"lanes", "slots"}).description(""));
  command.add_flag("--split", arguments.split,
                   "Map the parts of a graph that is split because it needs more units than an SM has");
  command
      .add_option("--graph", arguments.number, "Number of the graph, or part, among the different ones of the file [1]")
      ->type_name("N")
      ->check(above_zero());
  command.footer(
      "The exit code is 1 if the graph does not fit; the output then names the resource that is short.\n\n"
      "Example: lockstep rgpu map fir -s sm.rgpu.lanes=2");
}

void declare_draw(CLI::App& command, RgpuDrawArguments& arguments) {
  add_graph(command, arguments.graph, arguments.gpu);
  command.add_option("-o,--output", arguments.file, "File to write [NAME.svg]")->type_name("FILE")->each(name_output);
  command.add_flag("--dot", arguments.dot, "Write the graph as text for Graphviz instead of a picture");
  command.add_option("--graph", arguments.number, "Number of the graph among the different ones of the file [1]")
      ->type_name("N")
      ->check(above_zero());
  command.footer(
      "The picture shows the graph with the numbers of its first thread block and, below, its mapping.\n\n"
      "Example: lockstep rgpu draw fir -o fir.svg");
}

}  // namespace

const CLI::App& add_rgpu_commands(CLI::App& app, std::optional<Arguments>& chosen) {
  CLI::App& rgpu = *app.add_subcommand("rgpu", "Work with graphs for R-GPU, the cores of an SM as a dataflow network");
  rgpu.require_subcommand(1);
  rgpu.footer("`lockstep rgpu COMMAND -h` explains each command.");
  add_command(rgpu, "run", "Execute a graph, check its output, and simulate it", declare_graph_run, chosen);
  add_command(rgpu, "map", "Map a graph onto cores, load-store units and data lanes", declare_map, chosen);
  add_command(rgpu, "draw", "Draw a graph and its mapping as SVG", declare_draw, chosen);
  return rgpu;
}

}  // namespace lockstep::cli
