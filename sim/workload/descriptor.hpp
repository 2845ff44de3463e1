#pragma once
// A launch descriptor as read: every expression parsed, every name known, nothing evaluated yet.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "sim/workload/buffers/buffers.hpp"
#include "sim/workload/expression/located_expression.hpp"
#include "sim/workload/graphs/spec.hpp"
#include "sim/workload/workload.hpp"

namespace lockstep::workload {

/// One T, or one of several according to the choice that an argument was given ({choose: ARGUMENT, CHOICE: T, ...}).
template <typename T>
struct Selected {
  std::optional<std::size_t> argument;  ///< Index into Descriptor::arguments.
  std::vector<std::size_t> of_choice;   ///< Per choice of that argument: index into alternatives.
  std::vector<T> alternatives;
};

struct ArgumentSpec {
  enum class Kind : std::uint8_t { number, choice, file, hash };
  std::string name, text, default_text;
  SourceLocation where;
  Kind kind = Kind::number;
  Number default_value = std::int64_t{0};
  std::optional<Number> minimum, maximum;
  std::vector<std::pair<std::string, std::int64_t>> choices;  ///< Name and value.
  std::string folder;                                         ///< Of a file argument: where plain names are looked up.
  bool built_in = false;                                      ///< Every workload has it.
};

/// A file: a path, or the value of a file argument.
struct FileSpec {
  std::string path;  ///< Relative ones are already relative to the descriptor's folder.
  std::optional<std::size_t> argument;
  SourceLocation where;
};

struct RequireSpec {
  LocatedExpression condition;
  std::string message;
};

struct BufferContents {
  enum class Kind : std::uint8_t {
    image,
    edge_points,
    raw,
    zero,
    constant,
    iota,
    random,
    degenerate,
    equal_neighbours,
    values,
    each,
    initial  ///< Of a variable: what its module says.
  };
  Kind kind = Kind::zero;
  ElementType type = ElementType::u32;
  SourceLocation where;
  std::optional<FileSpec> file;           ///< image, edge_points, raw
  Options options;                        ///< "length" and what else the kind takes
  std::vector<LocatedExpression> values;  ///< values; each: the one expression of `i`
};

/// A buffer, or a variable of a kernel's module.
struct BufferSpec {
  std::string name;
  SourceLocation where;
  Selected<BufferContents> contents;
};

/// A texture or surface over a buffer. What is left out has the default that the README of the workloads states.
struct TextureSpec {
  struct Word {
    std::string text;
    SourceLocation where;
  };
  std::string name;
  SourceLocation where;
  std::optional<Selected<LocatedExpression>> buffer;                        ///< Its address.
  std::map<std::string, Selected<LocatedExpression>, std::less<>> numbers;  ///< width, height, depth, layers, pitch
  /// format, layout, filter, read, normalized: one of the words that each may be.
  std::map<std::string, Selected<Word>, std::less<>> words;
  std::optional<Selected<std::vector<Word>>> address;  ///< Of x, y, z; one word is for all.
};

/// A kernel argument: one expression, a texture, or the typed members of a structure passed by value.
struct ParameterSpec {
  struct Member {
    ElementType type;
    LocatedExpression value;
  };
  SourceLocation where;
  std::optional<LocatedExpression> value;
  std::optional<std::size_t> texture;  ///< Index into Descriptor::textures.
  std::vector<Member> members;
};

/// A size of a grid or thread block in one to three dimensions.
using SizeSpec = std::vector<Selected<LocatedExpression>>;

/// A value that the host makes of what the launches so far have left.
struct HostValueSpec {
  std::string name;
  LocatedExpression value;
};

/// An entry of a list of launches: a launch, a group of them, or a step of the host.
struct LaunchSpec {
  SourceLocation where;
  std::optional<LocatedExpression> when;  ///< A condition of the host; without it left out, once for all repetitions.
  std::optional<LocatedExpression> repeat;
  std::optional<LocatedExpression> until,
      at_most;                               ///< Of a group: a condition of the host after each round; both or none.
  std::vector<HostValueSpec> reads;          ///< Not empty: a step of the host, and what follows is unused.
  std::vector<LaunchSpec> sequence;          ///< Not empty: a group, and what follows is unused.
  std::optional<Selected<FileSpec>> kernel;  ///< None: only the graph.
  std::optional<Selected<GraphSpec>> graph;
  std::optional<Selected<std::string>> entry;
  Selected<SizeSpec> grid;
  std::optional<Selected<SizeSpec>> block;  ///< Of a launch with a kernel.
  std::optional<Selected<LocatedExpression>> shared, registers;
  std::optional<Selected<std::string>> cooperative;  ///< "true" or "false"
  Selected<std::vector<Selected<ParameterSpec>>> parameters;
  std::optional<SourceLocation> where_parameters;  ///< None are written.
};

struct Descriptor;

struct Expectation {
  enum class Kind : std::uint8_t { unchecked, kernel, file, constant, copy, values, each, arithmetic_chain };
  Kind kind = Kind::unchecked;
  SourceLocation where;
  std::optional<std::size_t> input;  ///< copy, arithmetic_chain: a buffer; behind them count the variables.
  std::optional<FileSpec> file;
  Options options;
  std::vector<LocatedExpression> values;
  std::optional<LocatedExpression> each;  ///< each, constant
  std::optional<std::size_t> argument;    ///< arithmetic_chain: whose choice names the operation.
  /// kernel: the launches of the reference, with the arguments, values and buffers of the descriptor in which it stands,
  /// and behind these the buffers that only the reference has.
  std::shared_ptr<const Descriptor> reference;
};

struct ExpectSpec {
  std::size_t buffer = 0;  ///< Or variable, as Descriptor::memory counts.
  SourceLocation where;
  Selected<Expectation> expectation;
};

/// A picture that execution leaves in a buffer.
struct PictureSpec {
  std::string name;
  SourceLocation where;
  std::size_t buffer = 0;
  bool rgb = false;  ///< Three elements a pixel; otherwise one, a grey level.
  LocatedExpression width, height;
  std::optional<LocatedExpression> first;  ///< Element; without it 0.
  std::optional<LocatedExpression> bits;   ///< Of a level. Without bits and white: those of the element, 8 or 16.
  std::optional<LocatedExpression> white;  ///< The element that is white.
  bool white_is_largest = false;           ///< The largest element of the picture is white.
};

struct Descriptor {
  std::string path, name, description;
  std::vector<std::string> files;  ///< The descriptor's own and those that it extends.
  std::vector<ArgumentSpec> arguments;
  std::vector<std::pair<std::string, Selected<LocatedExpression>>> values;  ///< let
  std::vector<RequireSpec> requirements;
  std::vector<BufferSpec> buffers, variables;
  std::vector<TextureSpec> textures;
  std::vector<LaunchSpec> launches;
  std::vector<ExpectSpec> expectations;
  std::vector<PictureSpec> pictures;
  std::optional<Selected<LocatedExpression>> instruction_limit, resident_blocks, call_depth;

  /// Buffer or, behind the buffers, variable `index`, as Address counts.
  const BufferSpec& memory(std::size_t index) const {
    return index < buffers.size() ? buffers[index] : variables[index - buffers.size()];
  }
  bool is_variable(const Address& address) const { return address.buffer >= buffers.size(); }
};

/// Reads a descriptor file. InputError with all its errors.
Descriptor read_descriptor(const std::string& path);

/// The value of an expression without names, as "16 MiB". InputError (without a place) when it is none.
Number constant_of(const std::string& text);

/// The value of a number argument given as text: a constant expression. InputError (without a place) when it is none,
/// or a fraction where the default is whole, or outside the argument's limits.
Number number_argument(const ArgumentSpec& argument, const std::string& text);

}  // namespace lockstep::workload
