// lockstep occupancy

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "isa/machine/lowering.hpp"
#include "isa/output_file.hpp"
#include "isa/program/demangled.hpp"
#include "sim/explain/line_costs.hpp"
#include "sim/limits/occupancy.hpp"
#include "sim/stats/json.hpp"
#include "sim/stats/table.hpp"
#include "tools/lockstep/commands.hpp"
#include "tools/lockstep/console.hpp"
#include "tools/lockstep/why/subject.hpp"

namespace lockstep::cli {

namespace {

using stats::grouped;
using stats::Table;

/// A kernel with a launch of its own shape.
struct Shape {
  program::Kernel kernel;
  trace::Launch launch;
  bool estimates_registers = false;  ///< No workload or option states them.
  std::uint64_t launches = 1;        ///< That have it.

  std::uint32_t registers() const {
    return launch.registers_per_thread != 0 ? launch.registers_per_thread : std::max(1u, kernel.live_registers);
  }
  std::uint64_t scratchpad_bytes() const {
    return std::uint64_t{kernel.static_shared_bytes} + launch.dynamic_shared_bytes;
  }
  bool same_as(const Shape& other) const {
    return kernel.name == other.kernel.name && launch.block == other.launch.block && launch.grid == other.launch.grid &&
           registers() == other.registers() && scratchpad_bytes() == other.scratchpad_bytes();
  }
};

/// A line of the table over block sizes.
struct Size {
  std::uint32_t threads = 0;
  std::optional<gpu::Occupancy> occupancy;
  std::string failure;
};

std::vector<Shape> shapes_of(const gpu::GpuSpec& spec, const OccupancyArguments& arguments,
                             const trace::Header& header) {
  std::vector<Shape> shapes;
  std::vector<machine::Program> programs;
  for (const program::Kernel& kernel : header.kernels) programs.push_back(machine::lower(kernel, spec.target));
  for (const trace::Launch& launch : header.launches) {
    Shape shape{header.kernels[launch.kernel], launch};
    if (!shape.kernel.graphs.empty()) continue;  // One thread block, in R-GPU mode.
    if (arguments.registers) shape.launch.registers_per_thread = *arguments.registers;
    shape.estimates_registers = shape.launch.registers_per_thread == 0;
    shape.launch = gpu::with_registers(shape.launch, programs[launch.kernel]);
    if (arguments.scratchpad_bytes) {
      shape.kernel.static_shared_bytes = *arguments.scratchpad_bytes;
      shape.launch.dynamic_shared_bytes = 0;
    }
    if (arguments.block) shape.launch.block = {*arguments.block, 1, 1};
    const auto known =
        std::find_if(shapes.begin(), shapes.end(), [&](const Shape& other) { return shape.same_as(other); });
    if (known == shapes.end()) {
      shapes.push_back(std::move(shape));
    } else {
      ++known->launches;
    }
  }
  return shapes;
}

double share(const gpu::GpuSpec& spec, const gpu::Occupancy& occupancy) {
  return static_cast<double>(occupancy.warps) / spec.sm.occupancy.warps;
}

std::vector<Size> sizes_of(const gpu::GpuSpec& spec, const Shape& shape) {
  std::vector<std::uint32_t> all;
  for (std::uint32_t threads = 32; threads <= spec.sm.occupancy.threads_per_block; threads += threads < 256   ? 32
                                                                                              : threads < 512 ? 64
                                                                                                              : 128)
    all.push_back(threads);
  all.push_back(shape.launch.threads_per_block());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<Size> sizes;
  for (const std::uint32_t threads : all) {
    Size size{threads, std::nullopt, ""};
    trace::Launch launch = shape.launch;
    launch.block = {threads, 1, 1};
    try {
      size.occupancy = gpu::occupancy(spec.sm.occupancy, shape.kernel, launch);
    } catch (const InputError& error) {
      size.failure = error.what();
    }
    sizes.push_back(std::move(size));
  }
  return sizes;
}

/// The most of a resource, below what the shape has, with which more thread blocks are resident.
template <class Give>
std::optional<std::uint64_t> next_step(const gpu::GpuSpec& spec, const Shape& shape, std::uint64_t now,
                                       std::uint64_t step, std::uint32_t blocks, Give&& give) {
  for (std::uint64_t amount = (now - 1) / step * step; now > 0 && amount > 0; amount -= step) {
    Shape other = shape;
    give(other, amount);
    if (gpu::occupancy(spec.sm.occupancy, other.kernel, other.launch).blocks > blocks) return amount;
    if (amount < step) break;
  }
  return std::nullopt;
}

/// What the shape would have to need less of.
struct Steps {
  std::optional<std::uint64_t> registers, scratchpad_bytes;
};

Steps steps_of(const gpu::GpuSpec& spec, const Shape& shape, const gpu::Occupancy& occupancy) {
  Steps steps;
  steps.registers = next_step(spec, shape, std::min(shape.registers(), spec.sm.occupancy.registers_per_thread), 1,
                              occupancy.blocks, [](Shape& other, std::uint64_t amount) {
                                other.launch.registers_per_thread = static_cast<std::uint32_t>(amount);
                              });
  steps.scratchpad_bytes = next_step(spec, shape, shape.scratchpad_bytes(), spec.sm.occupancy.scratchpad_unit,
                                     occupancy.blocks, [](Shape& other, std::uint64_t amount) {
                                       other.kernel.static_shared_bytes = static_cast<std::uint32_t>(amount);
                                       other.launch.dynamic_shared_bytes = 0;
                                     });
  return steps;
}

std::string shape_text(const gpu::GpuSpec& spec, const Shape& shape) {
  const auto limits = gpu::residency_limits(spec.sm.occupancy, shape.kernel, shape.launch);
  const gpu::Occupancy occupancy = gpu::occupancy(spec.sm.occupancy, shape.kernel, shape.launch);
  const auto& block = shape.launch.block;
  std::string text = fmt::format(
      "{} on {}: blocks of {}x{}x{} = {} threads ({} warps), {} registers per thread{}, {} bytes of scratchpad{}\n\n",
      program::demangled(shape.kernel.name), spec.name, block[0], block[1], block[2],
      grouped(shape.launch.threads_per_block()), shape.launch.warps_per_block(), shape.registers(),
      shape.estimates_registers ? " (estimated)" : "", grouped(shape.scratchpad_bytes()),
      shape.launches > 1 ? fmt::format("; {} launches", shape.launches) : "");
  Table table;
  table.column("limit", Table::Align::left);
  table.column("an SM has", Table::Align::right);
  table.column("a block takes", Table::Align::right);
  table.column("blocks", Table::Align::right);
  table.column("", Table::Align::left);
  for (const gpu::ResidencyLimit& limit : limits)
    table.row({limit.name, grouped(limit.has), grouped(limit.needs), limit.needs == 0 ? "any" : grouped(limit.blocks),
               limit.name == occupancy.limit ? "<- binds" : ""});
  text += table.text();
  const std::uint64_t resident = std::uint64_t{occupancy.blocks} * spec.sms;
  text += fmt::format("\n{} blocks and {} of {} warps resident per SM: occupancy {:.1f} %\n", occupancy.blocks,
                      occupancy.warps, spec.sm.occupancy.warps, 100 * share(spec, occupancy));
  text += fmt::format("{} blocks in the grid, {} resident on {} SMs at a time: {:.2f} waves\n",
                      grouped(shape.launch.thread_blocks()), grouped(resident), spec.sms,
                      static_cast<double>(shape.launch.thread_blocks()) / static_cast<double>(resident));
  const Steps steps = steps_of(spec, shape, occupancy);
  if (steps.registers) text += fmt::format("More blocks fit with at most {} registers per thread\n", *steps.registers);
  if (steps.scratchpad_bytes)
    text += fmt::format("More blocks fit with at most {} bytes of scratchpad per block\n",
                        grouped(*steps.scratchpad_bytes));
  Table sizes;
  sizes.column("threads per block", Table::Align::right);
  sizes.column("blocks", Table::Align::right);
  sizes.column("warps", Table::Align::right);
  sizes.column("occupancy", Table::Align::right, "%");
  sizes.column("limit", Table::Align::left);
  for (const Size& size : sizes_of(spec, shape)) {
    const char* own = size.threads == shape.launch.threads_per_block() ? "  <- this launch" : "";
    if (size.occupancy) {
      sizes.row({grouped(size.threads), grouped(size.occupancy->blocks), grouped(size.occupancy->warps),
                 fmt::format("{:.1f}", 100 * share(spec, *size.occupancy)), size.occupancy->limit + own});
    } else {
      sizes.row({grouped(size.threads), "0", "0", "0.0", fmt::format("does not fit{}", own)});
    }
  }
  return text + "\nOver block sizes, registers per thread and scratchpad per block as they are\n\n" + sizes.text();
}

void add_occupancy(stats::JsonWriter& json, const gpu::GpuSpec& spec, const gpu::Occupancy& occupancy) {
  json.field("blocks", occupancy.blocks).field("warps", occupancy.warps);
  json.field("occupancy", share(spec, occupancy)).field("limit", occupancy.limit);
}

void add_shape(stats::JsonWriter& json, const gpu::GpuSpec& spec, const Shape& shape) {
  const gpu::Occupancy occupancy = gpu::occupancy(spec.sm.occupancy, shape.kernel, shape.launch);
  json.begin_object().field("kernel", shape.kernel.name).field("function", program::demangled(shape.kernel.name));
  json.field("launches", shape.launches).field("threads_per_block", shape.launch.threads_per_block());
  json.field("grid_blocks", shape.launch.thread_blocks()).field("registers_per_thread", shape.registers());
  json.field("registers_estimated", shape.estimates_registers);
  json.field("scratchpad_bytes", shape.scratchpad_bytes());
  add_occupancy(json, spec, occupancy);
  json.key("limits").begin_array();
  for (const gpu::ResidencyLimit& limit : gpu::residency_limits(spec.sm.occupancy, shape.kernel, shape.launch)) {
    json.begin_object(true).field("name", std::string(limit.name)).field("has", limit.has).field("needs", limit.needs);
    json.key("blocks");
    limit.needs == 0 ? json.null() : json.value(limit.blocks);
    json.end_object();
  }
  json.end_array();
  const Steps steps = steps_of(spec, shape, occupancy);
  json.key("registers_for_more_blocks");
  steps.registers ? json.value(*steps.registers) : json.null();
  json.key("scratchpad_bytes_for_more_blocks");
  steps.scratchpad_bytes ? json.value(*steps.scratchpad_bytes) : json.null();
  json.key("block_sizes").begin_array();
  for (const Size& size : sizes_of(spec, shape)) {
    json.begin_object(true).field("threads_per_block", size.threads);
    if (size.occupancy) {
      add_occupancy(json, spec, *size.occupancy);
    } else {
      json.field("blocks", 0u).field("failure", size.failure);
    }
    json.end_object();
  }
  json.end_array().end_object();
}

void write_chart(const std::string& file, const gpu::GpuSpec& spec, const std::vector<Shape>& shapes) {
  std::vector<limits::OccupancyChart> charts;
  for (const Shape& shape : shapes)
    charts.push_back({fmt::format("{} on {}", program::demangled(shape.kernel.name), spec.name),
                      spec.sm.occupancy.warps,
                      limits::occupancy_curves(spec.sm.occupancy, shape.kernel, shape.launch)});
  write_whole_file(file, limits::occupancy_svg(charts));
}

}  // namespace

int execute(const OccupancyArguments& arguments, const Invocation&) {
  const SubjectLaunches subject = load_launches({arguments.subject, arguments.gpu, arguments.point}, arguments);
  const std::vector<Shape> shapes = shapes_of(subject.spec, arguments, subject.header);
  if (shapes.empty())
    throw InputError(
        fmt::format("{} launches no kernel without a graph; in R-GPU mode one thread block is resident", subject.name));
  if (arguments.json) {
    stats::JsonWriter json;
    json.begin_object().field("schema", "lockstep.occupancy/1").field("gpu", subject.spec.name);
    json.field("workload", subject.header.workload).key("kernels").begin_array();
    for (const Shape& shape : shapes) add_shape(json, subject.spec, shape);
    print(json.end_array().end_object().take());
  } else {
    std::string text;
    for (const Shape& shape : shapes) text += (text.empty() ? "" : "\n\n") + shape_text(subject.spec, shape);
    print(text);
  }
  if (arguments.chart) write_chart(*arguments.chart, subject.spec, shapes);
  return exit_done;
}

}  // namespace lockstep::cli
