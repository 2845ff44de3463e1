#pragma once
// A descriptor with given arguments: evaluates its expressions on demand, in whatever order they need each other.
// Internal to this folder.

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/workload/descriptor.hpp"
#include "sim/workload/evaluation_errors.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::workload {

/// What `block`, `copy` and `copies` stand for in the expressions of a graph.
struct GraphPlace {
  std::int64_t block = 0, copy = 0, copies = 1;
};

/// Throws EvaluationError unless said otherwise.
class Evaluation final : public Scope {
 public:
  /// InputError with every error of the overrides. `data_fifo` and `address_fifo` stand for the entries of `fabric`.
  Evaluation(const Descriptor& descriptor, const ArgumentOverrides& overrides, const rgpu::Spec& fabric);

  /// The same arguments for a reference of the descriptor that `other` evaluates.
  Evaluation(const Descriptor& reference, const Evaluation& other);

  Number value_of(std::string_view name) const override;
  Number element(std::string_view name, std::int64_t index) const override;
  std::vector<std::string> names() const override;

  Number evaluate(const LocatedExpression& expression) const { return evaluate(expression, *this); }
  /// With names that stand for something of their own.
  Number evaluate(const LocatedExpression& expression, const Scope& scope) const;
  /// A whole number in [low, high]; `what` names it in the message.
  std::int64_t whole(const LocatedExpression& expression, std::int64_t low, std::int64_t high,
                     std::string_view what) const;
  double real(const LocatedExpression& expression, std::string_view what) const;
  /// A number of an expression, as real() gives it.
  static double real(const LocatedExpression& expression, const Number& value, std::string_view what);
  /// What the names in an expression stand for: " (bins = 64, n = 3)"; "" without names.
  std::string named_values(const LocatedExpression& expression) const;

  template <typename T>
  const T& select(const Selected<T>& selected) const {
    if (!selected.argument) return selected.alternatives.front();
    return selected.alternatives[selected.of_choice[arguments_[*selected.argument].choice]];
  }

  /// The name of the choice that an argument was given.
  const std::string& choice_of(std::size_t argument) const;

  /// The text that an argument was given.
  const std::string& text_of(std::string_view argument) const;

  /// The path of a file; for a file argument, of the file it was given.
  const std::string& path_of(const FileSpec& file) const;

  /// The initial contents of a buffer or variable (as Descriptor::memory counts), made when first asked for.
  const Elements& contents(std::size_t memory) const;
  Elements take_contents(std::size_t memory);
  /// The same of a name; null when it is neither.
  const Elements* contents_of(std::string_view name) const;

  /// `count` elements, each the value of an expression of its index `i`. InputError for a value that does not fit.
  Elements each(const LocatedExpression& expression, ElementType type, std::uint64_t count,
                std::uint64_t first = 0) const;

  /// What a name that the host reads stands for; nullopt: it has not read it yet.
  void set_host_value(const std::string& name, std::optional<Number> value) { host_values_[name] = value; }
  /// What `iteration` and `i` stand for; nullopt: nothing.
  void set_iteration(std::optional<std::int64_t> iteration) { iteration_ = iteration; }
  void set_element_index(std::optional<std::int64_t> index) { element_index_ = index; }
  /// Where in a graph it evaluates; nullopt: it does not. With a place `scratchpad` is the address of scratchpad memory,
  /// Address::scratchpad.
  void set_graph_place(const std::optional<GraphPlace>& place) { graph_place_ = place; }
  std::optional<std::int64_t> iteration() const { return iteration_; }
  /// A buffer or variable by its name, as Descriptor::memory counts.
  std::optional<std::size_t> memory_named(std::string_view name) const;
  const std::optional<GraphPlace>& graph_place() const { return graph_place_; }

  /// Every argument's name and value as text.
  std::vector<std::pair<std::string, std::string>> argument_texts() const;

 private:
  struct Argument {
    std::string text;
    Number value = std::int64_t{0};
    std::size_t choice = 0;
    std::string path;
  };
  /// A value that is made once, and must not need itself.
  template <typename T>
  struct Lazy {
    std::optional<T> value;
    bool in_progress = false;
  };

  void set_argument(std::size_t index, const std::string& text, bool is_override);
  std::string find_file(const ArgumentSpec& argument, const std::string& name, bool is_override) const;
  Elements make(std::size_t buffer, const BufferContents& contents) const;
  Elements make_image(std::size_t buffer, const BufferContents& contents) const;
  Elements make_edge_points(const BufferContents& contents) const;

  const Descriptor& descriptor_;
  std::vector<Argument> arguments_;
  mutable std::vector<Lazy<Number>> values_;
  mutable std::vector<Lazy<Elements>> contents_;
  mutable std::vector<std::pair<std::uint32_t, std::uint32_t>> image_sizes_;  ///< Per buffer; 0 when it is no image.
  std::int64_t data_fifo_, address_fifo_;
  std::map<std::string, std::optional<Number>, std::less<>> host_values_;
  std::optional<std::int64_t> iteration_;
  std::optional<GraphPlace> graph_place_;
  std::optional<std::int64_t> element_index_;
  mutable std::size_t chain_ = 0;  ///< Of expressions that are being evaluated.
};

}  // namespace lockstep::workload
