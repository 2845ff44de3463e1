// From a descriptor with given arguments to the launches of a task.

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "isa/dataflow/standard_kernel.hpp"
#include "isa/program/demangled.hpp"
#include "sim/workload/evaluation.hpp"
#include "sim/workload/graphs/build.hpp"
#include "sim/workload/launches/host.hpp"
#include "sim/workload/launches/launches.hpp"
#include "sim/workload/launches/variables.hpp"

namespace lockstep::workload {

namespace {

constexpr std::int64_t most_launches = 1'000'000;

std::string declaration(const ptx::Variable& parameter) {
  const bool is_array = parameter.bytes * 8 != ptx::bits_of(parameter.type);
  return is_array ? fmt::format(".{}[{}]", ptx::name_of(parameter.type),
                                parameter.bytes * 8 / std::max(1u, ptx::bits_of(parameter.type)))
                  : fmt::format(".{}", ptx::name_of(parameter.type));
}

bool is_integer(ptx::Type type) {
  switch (type) {
    case ptx::Type::b8:
    case ptx::Type::b16:
    case ptx::Type::b32:
    case ptx::Type::b64:
    case ptx::Type::u8:
    case ptx::Type::u16:
    case ptx::Type::u32:
    case ptx::Type::u64:
    case ptx::Type::s8:
    case ptx::Type::s16:
    case ptx::Type::s32:
    case ptx::Type::s64: return true;
    default: return false;
  }
}

std::vector<std::uint8_t> bytes_of_float(const ptx::Variable& parameter, double value) {
  std::vector<std::uint8_t> bytes(parameter.bytes);
  store(parameter.type == ptx::Type::f32 ? ElementType::f32 : ElementType::f64, value, bytes.data());
  return bytes;
}

/// The members one after the other, each at a multiple of its own size, as C lays out a structure.
std::vector<std::uint8_t> structure(const Evaluation& evaluation, const ParameterSpec& spec) {
  std::vector<std::uint8_t> bytes;
  std::size_t alignment = 1;
  for (const ParameterSpec::Member& member : spec.members) {
    const std::size_t size = bytes_of(member.type);
    alignment = std::max(alignment, size);
    const std::size_t at = (bytes.size() + size - 1) / size * size;
    bytes.resize(at + size);
    const Number value = evaluation.evaluate(member.value);
    if (std::holds_alternative<Address>(value)) {
      throw EvaluationError{member.value.where,
                            "a structure cannot hold the address of a buffer; pass it as a parameter of its own"};
    }
    if (!store(member.type, value, bytes.data() + at)) {
      throw EvaluationError{member.value.where, fmt::format("\"{}\" does not fit into the type {}",
                                                            member.value.expression.text(), name_of(member.type))};
    }
  }
  bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
  return bytes;
}

/// The launches of one task, as they are collected.
class Collector {
 public:
  Collector(const LaunchSource& source, exec::Task& task, EvaluationErrors& errors)
      : descriptor_(*source.descriptor),
        evaluation_(*source.evaluation),
        task_(task),
        errors_(errors),
        graphs_(source, errors),
        host_(source, task, addresses_, errors) {}

  std::vector<AddressUse> take_addresses() { return std::move(addresses_); }
  std::uint64_t communication_bytes() const { return graphs_.communication_bytes(); }

  void add_all(const std::vector<LaunchSpec>& launches) {
    for (const LaunchSpec& launch : launches) errors_.collect([&] { add(launch); });
  }

  /// For a host: takes in the modules of all launches, of those that it may leave out too, and the names that it reads.
  void prepare(const std::vector<LaunchSpec>& launches) {
    for (const LaunchSpec& launch : launches) {
      for (const HostValueSpec& one : launch.reads) evaluation_.set_host_value(one.name, std::nullopt);
      if (launch.kernel) errors_.collect([&] { module(evaluation_.path_of(evaluation_.select(*launch.kernel))); });
      prepare(launch.sequence);
    }
  }

 private:
  void add(const LaunchSpec& spec) {
    if (!spec.reads.empty()) {
      as_host([&] { host_.read(spec.reads); });
      return;
    }
    bool left_out = false;
    if (spec.when) as_host([&] { left_out = !host_.holds(*spec.when, "the condition of 'when'"); });
    if (left_out) return;
    if (spec.until) {
      add_until(spec);
      return;
    }
    if (!spec.repeat) {
      add_once(spec);
      return;
    }
    const std::int64_t count = evaluation_.whole(*spec.repeat, 0, most_launches, "the number of repetitions");
    const std::optional<std::int64_t> outer = iteration_;
    for (std::int64_t i = 0; i < count; ++i) {
      set_iteration(i);
      const std::size_t before = errors_.count();
      errors_.collect([&] { add_once(spec); });
      if (errors_.count() > before) break;  // The other repetitions would say the same.
    }
    set_iteration(outer);
  }

  /// Rounds of a group until the host finds its condition true.
  void add_until(const LaunchSpec& spec) {
    const std::int64_t most = evaluation_.whole(*spec.at_most, 1, most_launches, "the number of rounds");
    const std::optional<std::int64_t> outer = iteration_;
    bool reached = false;
    as_host([&] {
      for (std::int64_t i = 0; i < most && !reached; ++i) {
        set_iteration(i);
        add_all(spec.sequence);
        if (errors_.count() > 0) throw HostStopped{};
        reached = host_.holds(*spec.until, "the condition of 'until'");
      }
      if (reached) return;
      throw EvaluationError{spec.until->where,
                            fmt::format("\"{}\" is still false after {} rounds, the most that 'at_most' allows{}",
                                        spec.until->expression.text(), most, evaluation_.named_values(*spec.until))};
    });
    set_iteration(outer);
  }

  void set_iteration(std::optional<std::int64_t> iteration) {
    iteration_ = iteration;
    evaluation_.set_iteration(iteration);
  }

  /// Runs a step of the host. Without its outcome the launches that follow are not known.
  template <typename F>
  void as_host(F&& f) {
    const std::size_t before = errors_.count();
    errors_.collect(f);
    if (errors_.count() > before) throw HostStopped{};
  }

  void add_once(const LaunchSpec& spec) {
    if (!spec.sequence.empty()) {
      add_all(spec.sequence);
      return;
    }
    if (task_.launches.size() >= most_launches) {
      throw EvaluationError{spec.where, fmt::format("more than {} launches", most_launches)};
    }
    exec::KernelLaunch launch;
    const ptx::Function* entry = nullptr;
    GraphPlace place;
    if (spec.graph) {
      errors_.collect([&] { launch.graph = graphs_.program(evaluation_.select(*spec.graph), iteration_, place); });
      evaluation_.set_graph_place(place);
    }
    errors_.collect([&] {
      if (!spec.kernel) {
        if (launch.graph == nullptr) return;
        launch.module = standard_kernel(launch.graph->barrier);
        entry = &launch.module->functions.front();
        launch.entry = entry->name;
        launch.block = {32, 1, 1};
        return;
      }
      const FileSpec& kernel = evaluation_.select(*spec.kernel);
      launch.module = module(evaluation_.path_of(kernel));
      if (launch.module == nullptr) return;
      entry = &find_entry(*launch.module, spec, kernel.where);
      launch.entry = entry->name;
    });
    errors_.collect([&] {
      launch.grid = size(spec.grid, "a size of the grid", 0x7fffffff);
      if (const auto& sizes = evaluation_.select(spec.grid); spec.graph && sizes.size() > 1) {
        throw EvaluationError{evaluation_.select(sizes[1]).where,
                              "the thread blocks of a graph are counted by one number"};
      }
    });
    if (launch.graph != nullptr) {
      errors_.collect([&] {
        launch.graph = graphs_.split(launch.graph, launch.grid[0]);
        const std::size_t parts = launch.graph->parts.size();
        if (parts > 1 && spec.kernel) {
          throw EvaluationError{evaluation_.select(*spec.graph).where,
                                fmt::format("the graph needs more units than an SM has and would be split over {} "
                                            "thread blocks; in a launch with a kernel it must fit one",
                                            parts)};
        }
        if (launch.grid[0] > 0x7fffffff / parts) {
          throw EvaluationError{
              evaluation_.select(evaluation_.select(spec.grid).front()).where,
              fmt::format("the graph is split into {} parts, one thread block each; the grid is too large "
                          "for that",
                          parts)};
        }
        launch.grid[0] *= static_cast<std::uint32_t>(parts);
      });
    }
    errors_.collect([&] {
      if (!spec.kernel) return;
      launch.block = size(*spec.block, "a size of the thread block", 1024);
      if (program::volume(launch.block) > 1024) {
        throw EvaluationError{
            evaluation_.select(evaluation_.select(*spec.block).front()).where,
            fmt::format("a thread block has at most 1024 threads, but these are {}", program::volume(launch.block))};
      }
    });
    if (spec.shared) {
      errors_.collect([&] {
        launch.dynamic_shared_bytes = static_cast<std::uint32_t>(evaluation_.whole(
            evaluation_.select(*spec.shared), 0, 0xffffffff, "the dynamic scratchpad memory in bytes"));
      });
    }
    if (spec.cooperative) launch.cooperative = evaluation_.select(*spec.cooperative) == "true";
    if (spec.registers && spec.kernel) {
      errors_.collect([&] {
        launch.registers_per_thread = static_cast<std::uint32_t>(
            evaluation_.whole(evaluation_.select(*spec.registers), 0, 1024, "the number of registers per thread"));
      });
    }
    if (entry != nullptr && spec.kernel) errors_.collect([&] { add_arguments(spec, *entry, launch); });
    evaluation_.set_graph_place(std::nullopt);
    task_.launches.push_back(std::move(launch));
  }

  /// Null when the file was found to be wrong before.
  const ptx::Module* module(const std::string& path) {
    const auto [found, is_new] = modules_.try_emplace(path, nullptr);
    if (is_new) {
      task_.modules.push_back(std::make_shared<const ptx::Module>(ptx::parse_file(path)));
      found->second = task_.modules.back().get();
    }
    return found->second;
  }

  /// The kernel of launches that have only a graph.
  const ptx::Module* standard_kernel(std::uint32_t barrier) {
    const auto [found, is_new] = standard_kernels_.try_emplace(barrier, nullptr);
    if (is_new) {
      const std::string text = dataflow::standard_kernel_text(barrier);
      task_.modules.push_back(
          std::make_shared<const ptx::Module>(ptx::parse(text, fmt::format("standard-kernel-{}.ptx", barrier))));
      found->second = task_.modules.back().get();
      task_.module_texts[found->second] = text;
    }
    return found->second;
  }

  const ptx::Function& find_entry(const ptx::Module& module, const LaunchSpec& spec, const SourceLocation& where) {
    std::vector<std::string> names;
    const ptx::Function* only = nullptr;
    for (const ptx::Function& function : module.functions) {
      if (!function.is_entry) continue;
      only = &function;
      names.push_back(function.name);
    }
    if (!spec.entry) {
      if (only != nullptr && names.size() == 1) return *only;
      throw EvaluationError{where, names.empty() ? fmt::format("{} has no kernel", module.file)
                                                 : fmt::format("{} has several kernels; 'entry' says which one: {}",
                                                               module.file, fmt::join(names, ", "))};
    }
    try {
      return *module.find_function(program::kernel_called(evaluation_.select(*spec.entry), names, module.file));
    } catch (const InputError& error) {
      throw EvaluationError{where, error.what()};
    }
  }

  program::Dim3 size(const Selected<SizeSpec>& selected, std::string_view what, std::int64_t most) {
    program::Dim3 result{1, 1, 1};
    const SizeSpec& sizes = evaluation_.select(selected);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      result[i] = static_cast<std::uint32_t>(evaluation_.whole(evaluation_.select(sizes[i]), 1, most, what));
    }
    return result;
  }

  void add_arguments(const LaunchSpec& spec, const ptx::Function& entry, exec::KernelLaunch& launch) {
    const auto& given = evaluation_.select(spec.parameters);
    if (given.size() != entry.parameters.size()) {
      std::vector<std::string> types;
      for (const ptx::Variable& parameter : entry.parameters) types.push_back(declaration(parameter));
      throw EvaluationError{spec.where_parameters.value_or(spec.where),
                            fmt::format("kernel {} has {} parameter{} ({}), but {} {} given",
                                        program::short_name(entry.name), types.size(), types.size() == 1 ? "" : "s",
                                        fmt::join(types, ", "), given.size(), given.size() == 1 ? "is" : "are")};
    }
    for (std::size_t i = 0; i < given.size(); ++i) {
      errors_.collect([&] {
        launch.arguments.push_back(
            argument(evaluation_.select(given[i]), entry.parameters[i],
                     fmt::format("parameter {} of kernel {}", i + 1, program::short_name(entry.name))));
      });
    }
  }

  exec::Argument argument(const ParameterSpec& spec, const ptx::Variable& parameter, const std::string& what) {
    if (spec.texture) {
      const bool opaque = parameter.opaque == ptx::Opaque::texture || parameter.opaque == ptx::Opaque::surface;
      if (parameter.bytes != 8 || (!opaque && !is_integer(parameter.type))) {
        throw EvaluationError{spec.where,
                              fmt::format("{} is {}, which holds no texture object, but {} is a texture", what,
                                          declaration(parameter), descriptor_.textures[*spec.texture].name)};
      }
      return exec::TextureHandle{static_cast<std::uint32_t>(*spec.texture)};
    }
    if (!spec.value) {
      std::vector<std::uint8_t> bytes = structure(evaluation_, spec);
      if (bytes.size() != parameter.bytes) {
        throw EvaluationError{
            spec.where, fmt::format("{} has {} bytes, but these members have {}", what, parameter.bytes, bytes.size())};
      }
      return bytes;
    }
    const Number value = evaluation_.evaluate(*spec.value);
    const std::string& text = spec.value->expression.text();
    if (const Address* address = std::get_if<Address>(&value)) {
      if (parameter.bytes != 8 || !is_integer(parameter.type)) {
        throw EvaluationError{spec.where, fmt::format("{} is {}, which holds no address, but \"{}\" is a {}", what,
                                                      declaration(parameter), text,
                                                      descriptor_.is_variable(*address) ? "variable" : "buffer")};
      }
      addresses_.push_back({*address, spec.where, text});
      return std::visit([](const auto& to) -> exec::Argument { return to; }, device_address(descriptor_, *address));
    }
    if (parameter.bytes * 8 != ptx::bits_of(parameter.type)) {
      throw EvaluationError{
          spec.where, fmt::format("{} is a structure of {} bytes; write its members, such as {{f32: [1, 2]}}", what,
                                  parameter.bytes)};
    }
    if (parameter.type == ptx::Type::f32 || parameter.type == ptx::Type::f64) {
      return bytes_of_float(parameter, evaluation_.real(*spec.value, what));
    }
    if (!is_integer(parameter.type)) {
      throw EvaluationError{spec.where, fmt::format("{} has the type {}; write its bits, such as {{u16: 0x3c00}}", what,
                                                    declaration(parameter))};
    }
    // PTX does not tell signed from unsigned parameters: either range is right.
    const auto bits = static_cast<int>(8 * parameter.bytes);
    const std::int64_t low = bits == 64 ? INT64_MIN : -(std::int64_t{1} << (bits - 1));
    const std::int64_t high = bits == 64 ? INT64_MAX : (std::int64_t{1} << bits) - 1;
    const std::int64_t number = evaluation_.whole(*spec.value, low, high, what);
    std::vector<std::uint8_t> bytes(parameter.bytes);
    std::memcpy(bytes.data(), &number, bytes.size());
    return bytes;
  }

  const Descriptor& descriptor_;
  Evaluation& evaluation_;
  exec::Task& task_;
  EvaluationErrors& errors_;
  Graphs graphs_;
  std::map<std::string, const ptx::Module*> modules_;
  std::map<std::uint32_t, const ptx::Module*> standard_kernels_;  ///< By barrier.
  std::vector<AddressUse> addresses_;
  std::optional<std::int64_t> iteration_;
  Host host_;
};

}  // namespace

std::vector<AddressUse> add_launches(const LaunchSource& source, exec::Task& task, EvaluationErrors& errors,
                                     std::uint64_t& communication_bytes) {
  const auto take = [&](const std::optional<Selected<LocatedExpression>>& given, std::string_view what,
                        std::uint64_t& to) {
    if (!given) return;
    errors.collect([&] {
      const Evaluation& evaluation = *source.evaluation;
      to = static_cast<std::uint64_t>(evaluation.whole(evaluation.select(*given), 1, std::int64_t{1} << 62, what));
    });
  };
  take(source.descriptor->instruction_limit, "the limit of warp instructions", task.instruction_limit);
  if (task.resident_blocks == 0)
    take(source.descriptor->resident_blocks, "the number of resident thread blocks", task.resident_blocks);
  if (source.descriptor->call_depth) {
    errors.collect([&] {
      const Evaluation& evaluation = *source.evaluation;
      const LocatedExpression& depth = evaluation.select(*source.descriptor->call_depth);
      task.call_depth =
          static_cast<std::uint32_t>(evaluation.whole(depth, 1, std::int64_t{1} << 24, "the depth of recursive calls"));
    });
  }
  Collector collector(source, task, errors);
  const std::vector<LaunchSpec>& launches = source.descriptor->launches;
  if (has_host_steps(launches)) collector.prepare(launches);
  try {
    collector.add_all(launches);
  } catch (const HostStopped&) {
    if (errors.count() == 0) throw Bug("the host of a workload stopped without an error");
  }
  communication_bytes = collector.communication_bytes();
  return collector.take_addresses();
}

}  // namespace lockstep::workload
