#include "tests/differential/kernel_text.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <type_traits>

#include "isa/error.hpp"
#include "tests/differential/print_instruction.hpp"

namespace lockstep::differential {

namespace {

/// Words of a text that are read or written, one after the other.
class Words {
 public:
  Words() = default;  ///< Writes.
  explicit Words(std::string_view text) : reads_(true), in_{std::string(text)} {}

  bool reads() const { return reads_; }
  std::string text() const { return text_; }

  void write(std::string_view word) { (text_ += word) += ' '; }
  void end_line() {
    if (!text_.empty()) text_.back() = '\n';
  }
  std::string read() {
    std::string result;
    if (!(in_ >> result)) throw InputError("the text of a kernel ends too early");
    return result;
  }
  /// The next word, which stays the next one.
  std::string peek() {
    const auto at = in_.tellg();
    std::string result = read();
    in_.seekg(at);
    return result;
  }
  /// A word that stands there in every kernel.
  void fixed(std::string_view word) {
    if (!reads_) return write(word);
    if (const std::string found = read(); found != word)
      throw InputError(fmt::format("the text of a kernel has '{}', not '{}'", found, word));
  }

 private:
  bool reads_ = false;
  std::istringstream in_;
  std::string text_;
};

std::uint64_t number_in(const std::string& text) {
  try {
    std::size_t end = 0;
    const std::uint64_t value = std::stoull(text, &end, 0);
    if (end == text.size()) return value;
  } catch (const std::logic_error&) {
  }
  throw InputError(fmt::format("the text of a kernel has '{}', not a number", text));
}

/// Modifiers point to names that last.
std::string_view lasting(const std::string& name) {
  static std::set<std::string> names;
  return *names.insert(name).first;
}

Register register_named(const std::string& name) {
  const std::string_view letters = "phrd";
  const std::size_t letter = name.size() < 3 || name[0] != '%' ? std::string_view::npos : letters.find(name[1]);
  if (letter == std::string_view::npos) throw InputError(fmt::format("'{}' is no register of a kernel", name));
  constexpr std::array<unsigned, 4> bits{1, 16, 32, 64};
  return {bits[letter], static_cast<unsigned>(number_in(name.substr(2)))};
}

// ---- parts of statements, in the order of kernel.hpp ----

void field(Words& w, std::string& value) {
  if (w.reads()) {
    value = w.read();
  } else {
    w.write(value);
  }
}
template <class T>
requires std::is_integral_v<T>
void field(Words& w, T& value) {
  std::string text = fmt::format("{}", static_cast<std::int64_t>(value));
  field(w, text);
  const bool is_negative = text[0] == '-';
  const auto magnitude = static_cast<std::int64_t>(number_in(is_negative ? text.substr(1) : text));
  value = static_cast<T>(is_negative ? -magnitude : magnitude);
}
/// One of a list of values, by its name.
template <class T, std::size_t N>
void choice(Words& w, T& value, const std::array<std::pair<std::string_view, T>, N>& all) {
  const std::string found = w.reads() ? w.read() : "";
  for (const auto& [name, one] : all) {
    if (w.reads() ? name == found : one == value) {
      value = one;
      if (!w.reads()) w.write(name);
      return;
    }
  }
  throw InputError(fmt::format("the text of a kernel has '{}', which is none of its words", found));
}

template <class T, std::size_t N>
void field(Words& w, std::array<T, N>& all);
template <class T>
void field(Words& w, std::optional<T>& value);
template <class T>
void field(Words& w, std::vector<T>& all);
void field(Words& w, Statement& statement);

void field(Words& w, Register& reg) {
  std::string name = name_of(reg);
  field(w, name);
  reg = register_named(name);
}

/// %r1, !%p1, i32:0x5, f32:0x3f800000, s32:tid.x.
void field(Words& w, Operand& operand) {
  using Kind = Operand::Kind;
  if (!w.reads()) {
    switch (operand.kind) {
      case Kind::reg: return w.write((operand.negated ? "!" : "") + name_of(operand.reg));
      case Kind::integer: return w.write(fmt::format("i{}:{:#x}", operand.reg.bits, operand.value));
      case Kind::real: return w.write(fmt::format("f{}:{:#x}", operand.reg.bits, operand.value));
      case Kind::special: return w.write(fmt::format("s{}:{}", operand.reg.bits, operand.special));
    }
  }
  const std::string word = w.read();
  operand = {};
  operand.negated = word[0] == '!';
  if (operand.negated || word[0] == '%') {
    operand.reg = register_named(word.substr(operand.negated ? 1 : 0));
    return;
  }
  const std::size_t colon = word.find(':');
  if (colon == std::string::npos) throw InputError(fmt::format("'{}' is no operand of a kernel", word));
  operand.reg.bits = static_cast<unsigned>(number_in(word.substr(1, colon - 1)));
  operand.kind = word[0] == 'i' ? Kind::integer : word[0] == 'f' ? Kind::real : Kind::special;
  if (operand.kind == Kind::special) {
    operand.special = lasting(word.substr(colon + 1));
  } else {
    operand.value = number_in(word.substr(colon + 1));
  }
}

void field(Words& w, Instruction& one) {
  std::string form = w.reads() ? "" : form_text({one.opcode, one.modifiers, {}, {}, {}});
  field(w, form);
  if (w.reads()) {
    one = {};
    std::istringstream parts(form);
    std::string part;
    std::getline(parts, part, '.');
    const auto opcode = ptx::find_opcode(part);
    if (!opcode) throw InputError(fmt::format("the text of a kernel has '{}', which is no opcode", part));
    one.opcode = *opcode;
    while (std::getline(parts, part, '.')) one.modifiers.push_back(lasting(part));
  }
  field(w, one.writes);
  field(w, one.reads);
  field(w, one.guard);
}

void field(Words& w, Area& area) {
  using Named = std::pair<std::string_view, Area>;
  choice(w, area,
         std::to_array<Named>({{"input", Area::input},
                               {"own", Area::own},
                               {"results", Area::results},
                               {"counters", Area::counters},
                               {"constants", Area::constants},
                               {"parameters", Area::parameters},
                               {"scratchpad", Area::scratchpad},
                               {"shared_counters", Area::shared_counters},
                               {"stack", Area::stack}}));
}

template <class... Fields>
void fields(Words& w, Fields&... all) {
  (field(w, all), ...);
}
void field(Words& w, Place& x) {
  fields(w, x.area, x.index, x.first, x.bytes, x.neighbour);
}
void field(Words& w, Coordinate& x) {
  fields(w, x.from, x.first, x.is_inside);
}
void field(Words& w, Masks& x) {
  fields(w, x.outside, x.inside, x.otherwise);
}
void field(Words& w, Compute& x) {
  fields(w, x.chain);
}
void field(Words& w, Access& x) {
  fields(w, x.instruction, x.place);
}
void field(Words& w, ImageAccess& x) {
  fields(w, x.instruction, x.image, x.at, x.scale, x.offset);
}
void field(Words& w, Copy& x) {
  fields(w, x.instruction, x.from, x.to, x.grouped);
}
void field(Words& w, Exchange& x) {
  fields(w, x.instruction, x.mask, x.from_mask);
}
void field(Words& w, Barrier& x) {
  fields(w, x.instruction, x.number, x.mask, x.counted);
}
void field(Words& w, NoEffect& x) {
  fields(w, x.instruction, x.mask);
}
void field(Words& w, Branch& x) {
  fields(w, x.condition, x.masks, x.inside, x.otherwise);
}
void field(Words& w, Loop& x) {
  fields(w, x.trips_of, x.trips, x.number, x.body);
}
void field(Words& w, Selection& x) {
  fields(w, x.selector, x.cases);
}
void field(Words& w, Call& x) {
  fields(w, x.function, x.other, x.condition, x.a, x.b, x.result, x.depth, x.is_uniform);
}
void field(Words& w, Exit& x) {
  fields(w, x.condition, x.masks);
}
void field(Words& w, Group& x) {
  fields(w, x.body);
}
void field(Words& w, Function& x) {
  fields(w, x.recursive, x.body);
}

void field(Words& w, exec::Texture& t) {
  using Layout = exec::TextureLayout;
  using Mode = exec::AddressMode;
  using Filter = exec::FilterMode;
  std::string format = w.reads() ? "" : name_of(t.format);
  fields(w, t.offset, format);
  if (!exec::texel_format_named(format, t.format))
    throw InputError(fmt::format("'{}' is not a format of texels", format));
  const auto named = []<class T>(T value) { return std::pair(name_of(value), value); };
  choice(w, t.layout, std::array{named(Layout::linear), named(Layout::pitch), named(Layout::array)});
  fields(w, t.width, t.height, t.depth, t.layers, t.pitch_bytes);
  for (Mode& mode : t.sampling.address)
    choice(w, mode, std::array{named(Mode::wrap), named(Mode::clamp), named(Mode::mirror), named(Mode::border)});
  choice(w, t.sampling.filter, std::array{named(Filter::point), named(Filter::linear)});
  fields(w, t.sampling.normalized_coordinates, t.sampling.normalized_read);
}
void field(Words& w, Image& x) {
  using Use = Image::Use;
  using Named = std::pair<std::string_view, Use>;
  choice(
      w, x.use,
      std::to_array<Named>({{"texture", Use::texture}, {"surface", Use::surface}, {"own_surface", Use::own_surface}}));
  field(w, x.texture);
}

constexpr auto statement_names =
    std::to_array<std::string_view>({"compute", "access", "image", "copy", "exchange", "barrier", "no_effect", "branch",
                                     "loop", "selection", "call", "exit", "group"});
static_assert(statement_names.size() == std::variant_size_v<decltype(Statement::is)>);

/// Makes the statement one of the kind with this number.
template <std::size_t N = 0>
void become(Statement& statement, std::size_t kind) {
  if constexpr (N < statement_names.size()) {
    if (kind == N) {
      statement.is.emplace<N>();
    } else {
      become<N + 1>(statement, kind);
    }
  }
}

void field(Words& w, Statement& statement) {
  if (w.reads()) {
    const std::string name = w.read();
    const auto found = std::find(statement_names.begin(), statement_names.end(), name);
    if (found == statement_names.end())
      throw InputError(fmt::format("the text of a kernel has '{}', which is no statement", name));
    become(statement, static_cast<std::size_t>(found - statement_names.begin()));
  } else {
    w.end_line();
    w.write(statement_names[statement.is.index()]);
  }
  std::visit([&](auto& one) { field(w, one); }, statement.is);
}

template <class T, std::size_t N>
void field(Words& w, std::array<T, N>& all) {
  for (T& one : all) field(w, one);
}
template <class T>
void field(Words& w, std::optional<T>& value) {
  if (w.reads() ? w.peek() == "-" : !value) {
    w.fixed("-");
    value.reset();
    return;
  }
  if (w.reads()) value.emplace();
  field(w, *value);
}
template <class T>
void field(Words& w, std::vector<T>& all) {
  w.fixed("(");
  if (w.reads()) {
    all.clear();
    while (w.peek() != ")") field(w, all.emplace_back());
  } else {
    for (T& one : all) field(w, one);
  }
  w.fixed(")");
}

void field(Words& w, Kernel& x) {
  fields(w, x.seed, x.grid, x.block, x.is_exact, x.images, x.functions, x.body);
}

}  // namespace

std::string text_of(const Kernel& kernel) {
  Kernel copy = kernel;
  Words words;
  field(words, copy);
  words.end_line();
  return words.text();
}

Kernel kernel_of(std::string_view text) {
  Kernel kernel;
  Words words(text);
  field(words, kernel);
  return kernel;
}

}  // namespace lockstep::differential
