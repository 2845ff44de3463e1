#pragma once
// Turns the YAML tree of a descriptor into a Descriptor and collects its errors. Internal to sim/workload.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/tree_reader.hpp"
#include "sim/workload/descriptor.hpp"

namespace lockstep::workload {

class Reader : config::TreeReader {
 public:
  Reader(const config::Value& root, std::string path);
  /// InputError with every error.
  Descriptor read();

 private:
  using Value = config::Value;

  // reader.cpp: arguments, values, requirements
  void read_arguments(const Value& map);
  ArgumentSpec read_argument(const Value& key, const Value& value);
  /// Adds the arguments that every workload has, or completes what the descriptor says of them.
  void add_built_in_arguments();
  /// Notes a name; `extra` are characters that it may have besides letters, digits and _.
  void declare(const Value& key, std::string_view extra = "");
  LocatedExpression expression(const Value& value);
  std::vector<LocatedExpression> expressions(const Value& value);
  FileSpec file(const Value& value);
  /// A path, relative to the folder of the file that it stands in (which may be one that was extended).
  std::string beside(const Value& value);
  /// Reads `value`, or each alternative of a `choose`, with read_one.
  template <typename T, typename F>
  Selected<T> selected(const Value& value, F&& read_one);
  void check_choices(const Value& choose, std::size_t argument);
  std::size_t choice_argument(const Value& name);

  // reader_buffers.cpp
  BufferContents read_contents(const Value& value);
  Options read_options(const Value& map, const std::vector<std::string>& names);
  ElementType type_named(const Value& value);
  BufferContents read_variable(const Value& value);
  /// Notes the names of buffers, whose contents read_buffer_contents reads when all names are known.
  void declare_buffers(const Value& map);
  void read_buffer_contents(const Value& map, std::size_t first);
  std::size_t buffer_index(const Value& name);
  /// The same, also of variables, which count behind the buffers.
  std::size_t memory_index(const Value& name);

  // reader_expectations.cpp
  ExpectSpec read_expected_memory(const Value& name, const Value& value);
  Expectation read_expectation(const Value& value, std::size_t memory);
  void read_reference_kernel(const Value& map, Expectation& expectation);

  // reader_textures.cpp
  void read_texture(const Value& value, TextureSpec& texture);
  TextureSpec::Word word(const Value& value, const std::vector<std::string>& possible);

  // pictures.cpp
  PictureSpec read_picture(const Value& name, const Value& value);

  // reader_launches.cpp
  /// The launches of a map, which states what they share: the descriptor, or a reference.
  std::vector<LaunchSpec> read_launches(const Value& map);
  LaunchSpec read_launch(const Value& map, const Value& shared_by_all, bool repeated);
  /// The steps of a host: of `read`; `when`; `until` with `at_most`.
  LaunchSpec read_host_step(const Value& map);
  /// Of a host, for whom an element of a buffer is what the launches so far have left.
  LocatedExpression host_expression(const Value& value);
  void refuse_host_with_graph(const Value& value);
  /// When the launches of a group are known.
  void read_until(const Value& map, LaunchSpec& group);
  ParameterSpec read_parameter(const Value& value);
  void read_members(const Value& map, ParameterSpec& parameter);

  // reader_graphs.cpp
  GraphSpec read_graph(const Value& map);
  void read_nodes(const Value& map, GraphSpec& graph);
  GraphNodeSpec read_node(const Value& key, const Value& map);
  void read_operation(const Value& map, GraphNodeSpec& node);
  void read_memory_operation(const Value& map, GraphNodeSpec& node);
  void read_increment(const Value& map, GraphNodeSpec& node);
  void read_accumulate(const Value& map, GraphNodeSpec& node);
  void read_inputs(const Value& map, std::size_t count, GraphNodeSpec& node);
  void read_predicate(const Value& map, GraphNodeSpec& node);
  void read_emit(const Value& map, GraphNodeSpec& node);
  GraphInputSpec read_input(const Value& value);
  GraphValuesSpec read_values(const Value& value);
  GraphResultSpec read_result(const Value& map);
  std::size_t node_index(const Value& name);
  void read_operation_name(const Value& name, GraphNodeSpec& node);
  /// An expression that every thread block and every copy shares.
  LocatedExpression structural(const Value& value, std::string_view what);
  /// A place in a buffer or in scratchpad memory.
  LocatedExpression address(const Value& value);

  const Value& root_;
  std::string path_;
  Descriptor result_;
  std::vector<std::string> known_;  ///< Every name that expressions may use.
  std::vector<std::string> local_;  ///< Names known only where the reader stands: iteration, i, those of graphs.
  std::vector<std::string> host_;   ///< Names that the host has read so far.
  std::vector<std::string> nodes_;  ///< Of the graph that is being read.
  bool has_graph_ = false;          ///< Somewhere in the file.
  bool refuses_elements_ = false;   ///< Of buffers, in expressions of launches that a host decides on.
  bool fills_ = false;              ///< The graph that is being read has as many copies as fit.
};

template <typename T, typename F>
Selected<T> Reader::selected(const Value& value, F&& read_one) {
  Selected<T> result;
  const Value* choose = value.kind == Value::Kind::map ? value.find("choose") : nullptr;
  if (choose == nullptr) {
    result.alternatives.push_back(read_one(value));
    return result;
  }
  const std::size_t index = choice_argument(*choose);
  const ArgumentSpec& argument = result_.arguments[index];
  check_choices(value, index);
  result.argument = index;
  constexpr std::size_t none = ~std::size_t{0};
  result.of_choice.assign(argument.choices.size(), none);
  for (const auto& entry : value.entries) {
    const std::string& name = entry.first.text;
    if (name == "choose") continue;
    part([&] {
      result.alternatives.push_back(read_one(entry.second));
      for (std::size_t i = 0; i < argument.choices.size(); ++i) {
        const std::string& choice = argument.choices[i].first;
        if (choice == name || (name == "otherwise" && value.find(choice) == nullptr)) {
          result.of_choice[i] = result.alternatives.size() - 1;
        }
      }
    });
  }
  if (std::count(result.of_choice.begin(), result.of_choice.end(), none) > 0) throw Spoilt{};
  return result;
}

}  // namespace lockstep::workload
