#include "sim/workload/evaluation.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <new>
#include <set>

#include "isa/did_you_mean.hpp"
#include "models/hash/kernel_hashes.hpp"
#include "sim/workload/buffers/edge_points.hpp"
#include "sim/workload/buffers/image.hpp"

namespace lockstep::workload {

namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed);
}

/// Calls make() into lazy.value unless it is there already. NoValue when the value needs itself.
template <typename Lazy, typename Make>
auto& once(Lazy& lazy, std::string_view name, Make&& make) {
  if (!lazy.value) {
    if (lazy.in_progress) throw NoValue{fmt::format("'{}' depends on itself", name)};
    lazy.in_progress = true;
    try {
      lazy.value.emplace(make());
    } catch (...) {
      lazy.in_progress = false;
      throw;
    }
    lazy.in_progress = false;
  }
  return *lazy.value;
}

std::string shown(const Number& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  if (const double* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return "a buffer";
}

/// The names of one expression that is evaluated for many elements: `i` is its own, everything else is looked up once.
class ElementScope final : public Scope {
 public:
  explicit ElementScope(const Evaluation& evaluation) : evaluation_(evaluation) {}
  void set_index(std::int64_t index) { index_ = index; }

  Number value_of(std::string_view name) const override {
    if (name == "i") return index_;
    for (const Value& known : values_) {
      if (known.use == name.data()) return known.value;
    }
    values_.push_back({name.data(), evaluation_.value_of(name)});
    return values_.back().value;
  }
  Number element(std::string_view name, std::int64_t index) const override {
    const Elements* elements = nullptr;
    for (const Buffer& known : buffers_) {
      if (known.use == name.data()) elements = known.elements;
    }
    if (elements == nullptr) {
      elements = evaluation_.contents_of(name);
      if (elements != nullptr) buffers_.push_back({name.data(), elements});
    }
    if (elements != nullptr && index >= 0 && static_cast<std::uint64_t>(index) < elements->count()) {
      if (const std::optional<Number> number = elements->number(static_cast<std::uint64_t>(index))) return *number;
    }
    return evaluation_.element(name, index);  // Says what is wrong.
  }
  std::vector<std::string> names() const override { return evaluation_.names(); }

 private:
  /// By the place of the name in the expression, which keeps its text.
  struct Value {
    const char* use;
    Number value;
  };
  struct Buffer {
    const char* use;
    const Elements* elements;
  };
  const Evaluation& evaluation_;
  std::int64_t index_ = 0;
  mutable std::vector<Value> values_;
  mutable std::vector<Buffer> buffers_;
};

}  // namespace

Evaluation::Evaluation(const Descriptor& descriptor, const ArgumentOverrides& overrides, const rgpu::Spec& fabric)
    : descriptor_(descriptor),
      arguments_(descriptor.arguments.size()),
      values_(descriptor.values.size()),
      contents_(descriptor.buffers.size() + descriptor.variables.size()),
      image_sizes_(contents_.size()),
      data_fifo_(fabric.data_fifo),
      address_fifo_(fabric.address_fifo) {
  Diagnostics diagnostics;
  std::vector<std::string> known;
  for (const ArgumentSpec& argument : descriptor.arguments) known.push_back(argument.name);
  std::map<std::string, std::string> given;  // Of several overrides of one argument, the last one counts.
  for (const auto& [name, text] : overrides) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      given[name] = text;
      continue;
    }
    const std::string all = known.empty() ? "; it has none" : fmt::format("; it has: {}", fmt::join(known, ", "));
    diagnostics.add({}, fmt::format("the workload {} has no argument '{}'{}", descriptor.name, name,
                                    did_you_mean(name, known, all)));
  }
  for (std::size_t i = 0; i < descriptor.arguments.size(); ++i) {
    const ArgumentSpec& argument = descriptor.arguments[i];
    const auto found = given.find(argument.name);
    try {
      set_argument(i, found != given.end() ? found->second : argument.default_text, found != given.end());
    } catch (const InputError& error) {
      diagnostics.add(found != given.end() ? SourceLocation{} : argument.where,
                      fmt::format("argument {}: {}", argument.name, error.what()));
    }
  }
  diagnostics.throw_if_any();
}

Evaluation::Evaluation(const Descriptor& reference, const Evaluation& other)
    : descriptor_(reference),
      arguments_(other.arguments_),
      values_(reference.values.size()),
      contents_(reference.buffers.size() + reference.variables.size()),
      image_sizes_(contents_.size()),
      data_fifo_(other.data_fifo_),
      address_fifo_(other.address_fifo_) {}

void Evaluation::set_argument(std::size_t index, const std::string& text, bool is_override) {
  const ArgumentSpec& spec = descriptor_.arguments[index];
  Argument& argument = arguments_[index];
  argument.text = text;
  switch (spec.kind) {
    case ArgumentSpec::Kind::number: argument.value = number_argument(spec, text); return;
    case ArgumentSpec::Kind::file: argument.path = find_file(spec, text, is_override); return;
    case ArgumentSpec::Kind::hash: hash::KernelHashes{text}; return;
    case ArgumentSpec::Kind::choice: break;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < spec.choices.size(); ++i) {
    if (spec.choices[i].first == text) {
      argument.choice = i;
      argument.value = spec.choices[i].second;
      return;
    }
    names.push_back(spec.choices[i].first);
  }
  throw InputError(
      fmt::format("'{}' is not one of the choices {}{}", text, fmt::join(names, ", "), did_you_mean(text, names)));
}

std::string Evaluation::find_file(const ArgumentSpec& argument, const std::string& name, bool is_override) const {
  if (is_override && is_file(name)) return name;
  const fs::path beside = fs::path(argument.where.file).parent_path() / name;
  if (!is_override && is_file(beside)) return beside.lexically_normal().string();
  const fs::path in_folder = fs::path(argument.folder) / name;
  if (is_file(in_folder)) return in_folder.string();
  // A name without its ending.
  std::set<std::string> names;
  std::set<std::string> fitting;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(argument.folder, failed)) {
    if (!is_file(entry.path()) || entry.path().extension() == ".md") continue;
    names.insert(entry.path().stem().string());
    if (entry.path().stem() == name) fitting.insert(entry.path().string());
  }
  if (fitting.size() == 1) return *fitting.begin();
  if (fitting.size() > 1) {
    throw InputError(fmt::format("'{}' may be {}; write the ending", name, fmt::join(fitting, " or ")));
  }
  throw InputError(fmt::format("'{}' is neither a file nor a name in {}{} (there is: {})", name, argument.folder,
                               did_you_mean(name, {names.begin(), names.end()}), fmt::join(names, ", ")));
}

const std::string& Evaluation::choice_of(std::size_t argument) const {
  return descriptor_.arguments[argument].choices[arguments_[argument].choice].first;
}

const std::string& Evaluation::text_of(std::string_view argument) const {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (descriptor_.arguments[i].name == argument) return arguments_[i].text;
  }
  throw Bug(fmt::format("a workload without the argument '{}'", argument));
}

const std::string& Evaluation::path_of(const FileSpec& file) const {
  return file.argument ? arguments_[*file.argument].path : file.path;
}

std::vector<std::pair<std::string, std::string>> Evaluation::argument_texts() const {
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgumentSpec& spec = descriptor_.arguments[i];
    if (spec.built_in && arguments_[i].text == spec.default_text) continue;
    texts.emplace_back(spec.name, arguments_[i].text);
  }
  return texts;
}

// ---- names ----------------------------------------------------------------------------------------------------------

std::optional<std::size_t> Evaluation::memory_named(std::string_view name) const {
  for (std::size_t i = 0; i < descriptor_.buffers.size(); ++i) {
    if (descriptor_.buffers[i].name == name) return i;
  }
  for (std::size_t i = 0; i < descriptor_.variables.size(); ++i) {
    if (descriptor_.variables[i].name == name) return descriptor_.buffers.size() + i;
  }
  return std::nullopt;
}

Number Evaluation::value_of(std::string_view name) const {
  if (name == "i" && element_index_) return *element_index_;
  if (name == "iteration" && iteration_) return *iteration_;
  if (const auto host = host_values_.find(name); host != host_values_.end()) {
    if (host->second) return *host->second;
    throw NoValue{fmt::format("'{}' has no value: the step that reads it was left out", name)};
  }
  if (graph_place_) {
    if (name == "block") return graph_place_->block;
    if (name == "copy") return graph_place_->copy;
    if (name == "copies") return graph_place_->copies;
    if (name == "scratchpad") return Address{Address::scratchpad, 0};
  }
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgumentSpec& spec = descriptor_.arguments[i];
    if (spec.name != name) continue;
    if (spec.kind == ArgumentSpec::Kind::file) throw NoValue{fmt::format("'{}' is a file, not a number", name)};
    if (spec.kind == ArgumentSpec::Kind::hash) throw NoValue{fmt::format("'{}' is a hash, not a number", name)};
    return arguments_[i].value;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (descriptor_.values[i].first != name) continue;
    return once(values_[i], name, [&] { return evaluate(select(descriptor_.values[i].second)); });
  }
  if (const std::optional<std::size_t> buffer = memory_named(name)) {
    return Address{static_cast<std::uint32_t>(*buffer), 0};
  }
  for (const TextureSpec& texture : descriptor_.textures) {
    if (texture.name == name) {
      throw NoValue{fmt::format("'{}' is a texture, which has no value; it can be a parameter as it is", name)};
    }
  }
  if (name == "data_fifo") return data_fifo_;
  if (name == "address_fifo") return address_fifo_;
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    if (const std::optional<std::size_t> buffer = memory_named(name.substr(0, dot))) {
      const std::string_view property = name.substr(dot + 1);
      const Elements& elements = contents(*buffer);
      if (property == "count") return static_cast<std::int64_t>(elements.count());
      const auto [width, height] = image_sizes_[*buffer];
      if (width == 0) throw NoValue{fmt::format("'{}' is not an image", name.substr(0, dot))};
      if (property == "width") return std::int64_t{width};
      if (property == "height") return std::int64_t{height};
    }
  }
  throw UnknownName{};
}

const Elements* Evaluation::contents_of(std::string_view name) const {
  const std::optional<std::size_t> memory = memory_named(name);
  return memory ? &contents(*memory) : nullptr;
}

Number Evaluation::element(std::string_view name, std::int64_t index) const {
  const Elements* const found = contents_of(name);
  if (found == nullptr) throw UnknownName{};
  const Elements& elements = *found;
  if (index < 0 || static_cast<std::uint64_t>(index) >= elements.count()) {
    throw NoValue{fmt::format("{}[{}] is outside: it has {} elements", name, index, elements.count())};
  }
  return elements.number(static_cast<std::uint64_t>(index));
}

std::vector<std::string> Evaluation::names() const {
  std::vector<std::string> result;
  for (const ArgumentSpec& argument : descriptor_.arguments) result.push_back(argument.name);
  for (const auto& value : descriptor_.values) result.push_back(value.first);
  for (const TextureSpec& texture : descriptor_.textures) result.push_back(texture.name);
  for (const BufferSpec& buffer : descriptor_.buffers) {
    for (const char* property : {"", ".count", ".width", ".height"}) result.push_back(buffer.name + property);
  }
  for (const BufferSpec& variable : descriptor_.variables) {
    for (const char* property : {"", ".count"}) result.push_back(variable.name + property);
  }
  return result;
}

// ---- expressions ----------------------------------------------------------------------------------------------------

Number Evaluation::evaluate(const LocatedExpression& located, const Scope& scope) const {
  // Of the expressions that need each other: what each takes of the stack, counted in characters.
  constexpr std::size_t of_each = 100, most = 32'000;
  const std::size_t before = chain_;
  if (before + of_each + located.expression.text().size() > most)
    throw EvaluationError{located.where, "too long a chain of values that depend on one another"};
  chain_ += of_each + located.expression.text().size();
  const auto restore = [&](std::size_t* chain) { *chain = before; };
  const std::unique_ptr<std::size_t, decltype(restore)> guard(&chain_, restore);
  try {
    return located.expression.evaluate(scope);
  } catch (const ExpressionError& error) {
    throw EvaluationError{located.where, fmt::format("\"{}\", character {}: {}", located.expression.text(),
                                                     error.position() + 1, error.what())};
  }
}

std::int64_t Evaluation::whole(const LocatedExpression& located, std::int64_t low, std::int64_t high,
                               std::string_view what) const {
  const Number value = evaluate(located);
  const std::int64_t* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) {
    throw EvaluationError{
        located.where,
        fmt::format("{} is a whole number, but \"{}\" is {}", what, located.expression.text(),
                    std::holds_alternative<Address>(value) ? "a buffer" : fmt::format("{}", std::get<double>(value)))};
  }
  if (*number < low || *number > high) {
    const std::string limits = high == std::numeric_limits<std::int64_t>::max() ? fmt::format("{} or more", low)
                                                                                : fmt::format("{} to {}", low, high);
    throw EvaluationError{located.where,
                          fmt::format("{} is {}, but \"{}\" is {}", what, limits, located.expression.text(), *number)};
  }
  return *number;
}

double Evaluation::real(const LocatedExpression& located, std::string_view what) const {
  return real(located, evaluate(located), what);
}

double Evaluation::real(const LocatedExpression& located, const Number& value, std::string_view what) {
  if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const double* number = std::get_if<double>(&value)) return *number;
  throw EvaluationError{located.where,
                        fmt::format("{} is a number, but \"{}\" is a buffer", what, located.expression.text())};
}

std::string Evaluation::named_values(const LocatedExpression& located) const {
  std::set<std::string> named;
  std::string values;
  for (const Expression::Use& use : located.expression.uses()) {
    if (use.indexed || !named.insert(use.name).second) continue;
    values += fmt::format("{}{} = {}", values.empty() ? " (" : ", ", use.name, shown(value_of(use.name)));
  }
  return values + (values.empty() ? "" : ")");
}

Elements Evaluation::each(const LocatedExpression& expression, ElementType type, std::uint64_t count,
                          std::uint64_t first) const {
  ElementScope scope(*this);
  Elements elements(type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    scope.set_index(static_cast<std::int64_t>(first + i));
    elements.set(i, evaluate(expression, scope));
  }
  return elements;
}

// ---- buffers --------------------------------------------------------------------------------------------------------

const Elements& Evaluation::contents(std::size_t memory) const {
  const BufferSpec& spec = descriptor_.memory(memory);
  const char* const what = memory < descriptor_.buffers.size() ? "buffer" : "variable";
  return once(contents_[memory], spec.name, [&] {
    const BufferContents& chosen = select(spec.contents);
    try {
      return make(memory, chosen);
    } catch (const InputError& error) {
      throw EvaluationError{chosen.where, fmt::format("{} {}: {}", what, spec.name, error.what())};
    } catch (const std::bad_alloc&) {
      throw ResourceError(fmt::format("{}: not enough memory for {} {}", to_string(chosen.where), what, spec.name));
    }
  });
}

Elements Evaluation::take_contents(std::size_t memory) {
  contents(memory);
  Elements result = std::move(*contents_[memory].value);
  contents_[memory].value.reset();
  return result;
}

Elements Evaluation::make_image(std::size_t buffer, const BufferContents& contents) const {
  const auto option = [&](std::string_view name, std::int64_t low, std::int64_t high, std::int64_t standard) {
    const auto found = contents.options.find(name);
    return found == contents.options.end() ? standard : whole(found->second, low, high, name);
  };
  const std::string& path = path_of(*contents.file);
  const Image image = read_image(path, static_cast<unsigned>(option("bits", 1, 16, 0)));
  const auto width = option("width", 1, 1 << 30, image.width), height = option("height", 1, 1 << 30, image.height);
  if (width != image.width || height != image.height) {
    throw InputError(SourceLocation{path}, fmt::format("the image has {}x{} pixels, but {}x{} are needed", image.width,
                                                       image.height, width, height));
  }
  Elements elements(contents.type, image.pixels.size());
  for (std::size_t i = 0; i < image.pixels.size(); ++i) elements.set(i, std::int64_t{image.pixels[i]});
  image_sizes_[buffer] = {image.width, image.height};
  return elements;
}

Elements Evaluation::make_edge_points(const BufferContents& contents) const {
  const auto option = [&](std::string_view name, std::int64_t low, std::int64_t high, std::int64_t standard) {
    const auto found = contents.options.find(name);
    return found == contents.options.end() ? standard : whole(found->second, low, high, name);
  };
  const Image image = read_image(path_of(*contents.file), static_cast<unsigned>(option("bits", 1, 16, 0)));
  const auto width = static_cast<std::uint32_t>(option("width", 1, 65536, image.width));
  const auto height = static_cast<std::uint32_t>(option("height", 1, 65536, image.height));
  const std::vector<std::uint32_t> points =
      edge_points(image, width, height, option("threshold", 0, std::int64_t{1} << 32, 0));
  Elements elements(contents.type, points.size());
  for (std::size_t i = 0; i < points.size(); ++i) elements.set(i, std::int64_t{points[i]});
  return elements;
}

Elements Evaluation::make(std::size_t buffer, const BufferContents& contents) const {
  using Kind = BufferContents::Kind;
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  const auto option = [&](std::string_view name) -> const LocatedExpression* {
    const auto found = contents.options.find(name);
    return found == contents.options.end() ? nullptr : &found->second;
  };
  const auto number = [&](std::string_view name, std::int64_t standard) -> Number {
    const LocatedExpression* given = option(name);
    if (given == nullptr) return standard;
    const Number value = evaluate(*given);
    if (std::holds_alternative<Address>(value)) real(*given, name);
    return value;
  };
  std::optional<std::uint64_t> length;
  if (const LocatedExpression* given = option("length")) {
    const std::int64_t most = (std::int64_t{1} << 40) / bytes_of(contents.type);
    length = static_cast<std::uint64_t>(whole(*given, 0, most, "the length of a buffer"));
  }
  const auto distribution = [&] {
    Distribution result;
    const LocatedExpression* seed = option("seed");
    if (seed != nullptr) result.seed = static_cast<std::uint64_t>(whole(*seed, 0, largest, "the seed"));
    result.minimum = number("min", 0);
    result.maximum = number("max", is_floating(contents.type) ? 1 : 255);
    return result;
  };
  switch (contents.kind) {
    case Kind::image: return make_image(buffer, contents);
    case Kind::edge_points: return make_edge_points(contents);
    case Kind::raw: {
      const LocatedExpression* skip = option("skip");
      return raw_file(contents.type, path_of(*contents.file),
                      skip == nullptr ? 0 : static_cast<std::uint64_t>(whole(*skip, 0, largest, "skip")), length);
    }
    case Kind::initial: return Elements(contents.type, 0);
    case Kind::zero: return Elements(contents.type, *length);
    case Kind::constant: return constant(contents.type, *length, evaluate(*option("value")));
    case Kind::iota: return iota(contents.type, *length, number("start", 0), number("step", 1));
    case Kind::random: return uniform(contents.type, *length, distribution());
    case Kind::degenerate: return degenerate(contents.type, *length, distribution());
    case Kind::equal_neighbours: {
      const auto run = static_cast<std::uint64_t>(whole(*option("run"), 1, largest, "the length of a run"));
      return equal_neighbours(contents.type, *length, run, distribution());
    }
    case Kind::values: {
      Elements elements(contents.type, contents.values.size());
      for (std::size_t i = 0; i < contents.values.size(); ++i) elements.set(i, evaluate(contents.values[i]));
      return elements;
    }
    case Kind::each: return each(contents.values.front(), contents.type, *length);
  }
  throw Bug("a buffer of unknown kind");
}

}  // namespace lockstep::workload
