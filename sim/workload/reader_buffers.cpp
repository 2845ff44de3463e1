// Buffers, variables and expected results.

#include "isa/did_you_mean.hpp"
#include "sim/workload/reader.hpp"

namespace lockstep::workload {

namespace {

struct ContentsKind {
  std::string_view key;
  BufferContents::Kind kind;
  std::vector<std::string> options;  ///< Besides "type".
};
const std::vector<ContentsKind>& contents_kinds() {
  using Kind = BufferContents::Kind;
  static const std::vector<ContentsKind> kinds{
      {"image", Kind::image, {"bits", "width", "height"}},
      {"raw", Kind::raw, {"length", "skip"}},
      {"zero", Kind::zero, {}},
      {"constant", Kind::constant, {"value"}},
      {"iota", Kind::iota, {"start", "step"}},
      {"random", Kind::random, {"seed", "min", "max"}},
      {"degenerate", Kind::degenerate, {"seed", "min", "max"}},
      {"equal_neighbours", Kind::equal_neighbours, {"run", "seed", "min", "max"}},
      {"values", Kind::values, {}},
      {"each", Kind::each, {"value"}},
      {"edge_points", Kind::edge_points, {"threshold", "bits", "width", "height"}},
  };
  return kinds;
}

struct ExpectationKind {
  std::string_view key;
  Expectation::Kind kind;
  std::size_t inputs;  ///< How many buffers stand after the key.
  std::vector<std::string> options;
  std::vector<std::string> flags = {};  ///< Options that are 0 when left out.
};
const std::vector<ExpectationKind>& expectation_kinds() {
  using Kind = Expectation::Kind;
  static const std::vector<ExpectationKind> kinds{
      {"file", Kind::file, 0, {}},
      {"histogram", Kind::histogram, 1, {"bins", "levels"}},
      {"vector_add", Kind::vector_add, 2, {}},
      {"convolution3x3", Kind::convolution3x3, 1, {"width", "height"}},
      {"convolution1d", Kind::convolution1d, 1, {"length", "stride"}},
      {"dft", Kind::dft, 1, {"length", "stride"}, {"bit_reversed", "twiddled"}},
      {"dct8x8", Kind::dct8x8, 1, {"width", "height"}},
      {"idct8x8", Kind::idct8x8, 1, {"width", "height"}},
      {"haar", Kind::haar, 1, {}},
      {"walsh", Kind::walsh, 1, {"length"}},
      {"dot", Kind::dot, 2, {"length"}},
      {"matrix_product", Kind::matrix_product, 2, {"rows", "columns", "inner"}, {"a_transposed"}},
      {"particle_boxes", Kind::particle_boxes, 2, {"boxes_x", "boxes_y", "boxes_z", "particles", "alpha"}},
      {"transpose", Kind::transpose, 1, {"width", "height"}},
      {"arithmetic_chain", Kind::arithmetic_chain, 1, {"chains", "length", "a", "b"}},
      {"gather", Kind::gather, 2, {}},
      {"lu_decomposition", Kind::lu_decomposition, 1, {"size", "given", "columns"}},
      {"prefix_sum", Kind::prefix_sum, 1, {"row"}, {"exclusive"}},
      {"integral_image", Kind::integral_image, 1, {"width", "pitch"}},
      {"row_sums", Kind::row_sums, 1, {"row"}},
      {"sort", Kind::sort, 2, {"first_bit", "bits"}},
      {"needleman_wunsch", Kind::needleman_wunsch, 2, {"width", "tile", "first_diagonal", "last_diagonal", "penalty"}},
      {"hough", Kind::hough, 2, {"bins", "origin"}},
      {"srad", Kind::srad, 1, {"width", "height", "steps", "lambda", "speckle"}},
      {"hotspot", Kind::hotspot, 2, {"width", "height", "steps", "warming", "x", "y", "z", "ambient"}},
      {"layer", Kind::layer, 2, {"outputs", "group"}},
      {"path_finder", Kind::path_finder, 1, {"width", "border"}},
      {"mri_q", Kind::mri_q, 2, {}, {"imaginary"}},
      {"feature_maps", Kind::feature_maps, 2, {"inputs", "width", "height", "kernel", "stride", "outputs"}},
      {"constant", Kind::constant, 0, {}},
      {"copy", Kind::copy, 1, {}},
      {"sum", Kind::sum, 1, {}},
      {"values", Kind::values, 0, {}},
      {"each", Kind::each, 0, {}},
  };
  return kinds;
}

template <typename Kinds>
std::string keys_of(const Kinds& kinds) {
  std::vector<std::string_view> keys;
  for (const auto& kind : kinds) keys.push_back(kind.key);
  return fmt::format("{}", fmt::join(keys, ", "));
}

/// The one kind whose key `map` has; null when there is none or more than one.
template <typename Kinds>
auto kind_of(const Kinds& kinds, const config::Value& map) -> decltype(&kinds.front()) {
  decltype(&kinds.front()) found = nullptr;
  for (const auto& kind : kinds) {
    if (map.find(kind.key) == nullptr) continue;
    if (found != nullptr) return nullptr;
    found = &kind;
  }
  return found;
}

}  // namespace

BufferContents Reader::read_contents(const Value& value) {
  as_map(value, "a buffer");
  const ContentsKind* kind = kind_of(contents_kinds(), value);
  if (kind == nullptr) {
    spoil(value.where, fmt::format("a buffer needs exactly one of: {}", keys_of(contents_kinds())));
  }
  BufferContents contents;
  contents.kind = kind->kind;
  contents.where = value.where;
  std::vector<std::string> known = kind->options;
  known.emplace_back(kind->key);
  known.emplace_back("type");
  check_keys(value, known);
  const Value& main = *value.find(kind->key);
  if (kind->kind == BufferContents::Kind::each) {
    const Value& each = needed(value, "value");
    local_.emplace_back("i");
    part([&] { contents.values.push_back(expression(each)); });
    local_.pop_back();
    part([&] { contents.options.emplace("length", expression(main)); });
    if (const Value* type = value.find("type")) contents.type = type_named(*type);
    return contents;
  }
  contents.options = read_options(value, kind->options);
  switch (kind->kind) {
    case BufferContents::Kind::image:
      contents.type = ElementType::u16;
      contents.file = file(main);
      break;
    case BufferContents::Kind::raw: contents.file = file(main); break;
    case BufferContents::Kind::edge_points:
      contents.file = file(main);
      needed(value, "threshold");
      break;
    case BufferContents::Kind::values: contents.values = expressions(main); break;
    default: contents.options.emplace("length", expression(main));
  }
  if (kind->kind == BufferContents::Kind::constant || kind->kind == BufferContents::Kind::equal_neighbours) {
    needed(value, kind->options.front());
  }
  if (const Value* type = value.find("type")) contents.type = type_named(*type);
  return contents;
}

BufferContents Reader::read_variable(const Value& value) {
  const bool is_word = value.kind == Value::Kind::scalar && value.text == "initial";
  if (value.kind != Value::Kind::map && !is_word) {
    spoil(value.where,
          fmt::format("a variable is 'initial', or a map with exactly one of: initial, {}", keys_of(contents_kinds())));
  }
  if (is_word || value.find("initial") != nullptr) {
    BufferContents contents;
    contents.kind = BufferContents::Kind::initial;
    contents.where = value.where;
    if (!is_word) {
      check_keys(value, {"initial"});
      contents.type = type_named(*value.find("initial"));
    }
    return contents;
  }
  return read_contents(value);
}

Options Reader::read_options(const Value& map, const std::vector<std::string>& names) {
  Options options;
  for (const std::string& name : names) {
    if (const Value* option = map.find(name)) part([&] { options.emplace(name, expression(*option)); });
  }
  return options;
}

ElementType Reader::type_named(const Value& value) {
  if (const std::optional<ElementType> type = element_type_named(text(value))) return *type;
  spoil(value.where,
        fmt::format("'{}' is not an element type; there is: {}", value.text, fmt::join(element_type_names(), ", ")));
}

std::size_t Reader::buffer_index(const Value& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < result_.buffers.size(); ++i) {
    if (result_.buffers[i].name == name.text) return i;
    names.push_back(result_.buffers[i].name);
  }
  spoil(name.where, fmt::format("there is no buffer '{}'{}", name.text, did_you_mean(name.text, names)));
}

std::size_t Reader::memory_index(const Value& name) {
  for (std::size_t i = 0; i < result_.variables.size(); ++i) {
    if (result_.variables[i].name == name.text) return result_.buffers.size() + i;
  }
  return buffer_index(name);
}

Expectation Reader::read_expectation(const Value& value) {
  Expectation expectation;
  expectation.where = value.where;
  if (value.kind == Value::Kind::scalar && value.text == "unchecked") return expectation;
  as_map(value, "an expected result");
  const ExpectationKind* kind = kind_of(expectation_kinds(), value);
  if (kind == nullptr) {
    spoil(value.where,
          fmt::format("an expected result is 'unchecked', or needs exactly one of: {}", keys_of(expectation_kinds())));
  }
  expectation.kind = kind->kind;
  std::vector<std::string> options = kind->options;
  options.insert(options.end(), kind->flags.begin(), kind->flags.end());
  options.insert(options.end(), {"first", "count", "absolute", "relative"});
  std::vector<std::string> known = options;
  known.emplace_back(kind->key);
  const bool weighted =
      kind->kind == Expectation::Kind::convolution3x3 || kind->kind == Expectation::Kind::convolution1d;
  if (weighted) known.emplace_back("weights");
  if (kind->kind == Expectation::Kind::arithmetic_chain) known.emplace_back("operation");
  check_keys(value, known);
  expectation.options = read_options(value, options);
  for (const std::string& option : kind->options) needed(value, option);

  const Value& main = *value.find(kind->key);
  if (kind->inputs == 1) expectation.inputs.push_back(memory_index(main));
  if (kind->inputs == 2) {
    if (main.kind != Value::Kind::list || main.items.size() != 2) {
      spoil(main.where, fmt::format("'{}' takes a list of two buffers", kind->key));
    }
    for (const Value& item : main.items) expectation.inputs.push_back(memory_index(item));
  }
  switch (kind->kind) {
    case Expectation::Kind::file: expectation.file = file(main); break;
    case Expectation::Kind::values: expectation.values = expressions(main); break;
    case Expectation::Kind::constant: expectation.each = expression(main); break;
    case Expectation::Kind::each:
      local_.emplace_back("i");
      part([&] { expectation.each = expression(main); });
      local_.pop_back();
      break;
    case Expectation::Kind::arithmetic_chain: expectation.argument = choice_argument(needed(value, "operation")); break;
    case Expectation::Kind::convolution1d: expectation.values = expressions(needed(value, "weights")); break;
    case Expectation::Kind::convolution3x3:
      expectation.values = expressions(needed(value, "weights"));
      if (expectation.values.size() != 9) spoil(value.find("weights")->where, "3x3 weights are a list of nine");
      break;
    default: break;
  }
  return expectation;
}

}  // namespace lockstep::workload
