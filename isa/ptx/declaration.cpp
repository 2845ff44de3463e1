// Declarations of variables: ".global .align 4 .b8 table[16] = {1, 2};".

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/did_you_mean.hpp"
#include "isa/ptx/parse_state.hpp"

namespace lockstep::ptx {

namespace {

constexpr std::uint64_t largest_variable = std::uint64_t{1} << 40;
constexpr std::uint64_t largest_initialiser = std::uint64_t{1} << 26;
constexpr std::uint64_t largest_alignment = 1 << 20;

/// Parses an initialiser into the bytes and relocations of a variable.
class Initialiser {
 public:
  Initialiser(ParseState& state, Variable& variable, std::vector<std::uint64_t> dimensions)
      : state_(state), tokens_(state.tokens), variable_(variable), dimensions_(std::move(dimensions)) {
    element_bytes_ = std::max(1U, bits_of(variable.type) / 8);
    strides_.assign(dimensions_.size() + 1, element_bytes_);
    for (std::size_t i = dimensions_.size(); i-- > 0;)
      strides_[i] = strides_[i + 1] * std::max<std::uint64_t>(1, dimensions_[i]);
  }

  /// The number of elements in the first dimension that the initialiser gives values for.
  std::uint64_t parse() {
    if (tokens_.peek().kind == TokenKind::string && !dimensions_.empty()) {
      string(0, 0);
    } else if (tokens_.peek().is('{')) {
      list(0, 0);
    } else {
      element(0);
    }
    join_masked_bytes();
    return first_dimension_;
  }

 private:
  void list(std::size_t level, std::uint64_t offset) {
    const NestingGuard guard(depth_, tokens_);
    const Token open = tokens_.take();
    if (level > 0 && level >= dimensions_.size()) {
      tokens_.fail(open, fmt::format("'{}' has no further dimension for a nested list", variable_.name));
    }
    const std::uint64_t end = level < dimensions_.size() && !(level == 0 && dimensions_[0] == 0)
                                  ? offset + strides_[level]
                                  : (level < dimensions_.size() ? ~std::uint64_t{0} : offset + element_bytes_);
    std::uint64_t at = offset;
    if (!tokens_.peek().is('}')) {
      do {
        const Token token = tokens_.peek();
        const bool nested = token.is('{');
        const bool text = token.kind == TokenKind::string;
        if (at >= end) tokens_.fail(token, fmt::format("too many initial values for '{}'", variable_.name));
        if (nested) {
          list(level + 1, at);
          at += strides_[std::min(level + 1, dimensions_.size())];
        } else if (text && level + 1 < dimensions_.size()) {
          string(level + 1, at);
          at += strides_[level + 1];
        } else {
          element(at);
          at += element_bytes_;
        }
      } while (tokens_.accept(','));
    }
    tokens_.expect('}', "the initial values");
    if (level == 0 && !dimensions_.empty()) first_dimension_ = (at - offset + strides_[1] - 1) / strides_[1];
  }

  void string(std::size_t level, std::uint64_t offset) {
    const Token token = tokens_.expect_string("a string");
    if (element_bytes_ != 1) tokens_.fail(token, "a string can only initialise an array of 8-bit elements");
    const std::string bytes = unescape(token.text);
    const bool open_ended = level == 0 && dimensions_[0] == 0;
    if (!open_ended && bytes.size() > strides_[level]) {
      tokens_.fail(token, fmt::format("the string has {} bytes, its array has {}", bytes.size(), strides_[level]));
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) store(offset + i, static_cast<unsigned char>(bytes[i]), 1, token);
    if (open_ended) store(offset + bytes.size(), 0, 1, token);
    if (level == 0) first_dimension_ = bytes.size() + (open_ended ? 1 : 0);
  }

  static std::string unescape(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '\\' || i + 1 == text.size()) {
        bytes += text[i];
        continue;
      }
      const char c = text[++i];
      if (c >= '0' && c <= '7') {
        unsigned value = 0;
        std::size_t digits = 0;
        while (digits < 3 && i + digits < text.size() && text[i + digits] >= '0' && text[i + digits] <= '7') {
          value = value * 8 + static_cast<unsigned>(text[i + digits++] - '0');
        }
        i += digits - 1;
        bytes += static_cast<char>(value);
      } else {
        constexpr std::string_view letters = "abfnrtv";
        constexpr std::string_view codes = "\a\b\f\n\r\t\v";
        const std::size_t place = letters.find(c);
        bytes += place == std::string_view::npos ? c : codes[place];
      }
    }
    return bytes;
  }

  void element(std::uint64_t offset) {
    const Token token = tokens_.peek();
    if (token.kind == TokenKind::number && tokens_.peek_second().is('(')) {
      masked(offset);
    } else if (token.is_identifier() && token.text != "WARP_SZ") {
      address(offset, 0, element_bytes_);
    } else {
      if (!starts_constant(token)) tokens_.fail_expected("an initial value");
      number(parse_constant(tokens_), offset, token);
    }
  }

  void number(const Constant& value, std::uint64_t offset, const Token& token) {
    std::uint64_t bits = value.bits;
    if (variable_.type == Type::f64) {
      bits = std::bit_cast<std::uint64_t>(value.real());
      if (value.is_real) bits = value.bits;
    } else if (variable_.type == Type::f32) {
      if (value.is_real && value.real_bits == 32) {
        bits = narrow(value.bits);
      } else {
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(value.real()));
      }
    } else if (value.is_real) {
      if (value.real_bits != bits_of(variable_.type)) {
        tokens_.fail(token, fmt::format("a floating-point value cannot initialise .{} '{}'", name_of(variable_.type),
                                        variable_.name));
      }
      if (value.real_bits == 32) bits = narrow(value.bits);
    }
    store(offset, bits, element_bytes_, token);
  }

  /// The f32 bits that widen_f32() made these f64 bits from.
  static std::uint32_t narrow(std::uint64_t bits) {
    if ((bits >> 52 & 0x7FF) != 0x7FF) {
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    }
    return static_cast<std::uint32_t>(bits >> 63 << 31 | 0x7F800000U | (bits >> 29 & 0x7FFFFF));
  }

  /// 0xFF00(generic(symbol) + 4): one byte of an address, PTX ISA 5.4.4.
  void masked(std::uint64_t offset) {
    const Token token = tokens_.peek();
    Constant mask;
    std::string_view reason;
    if (!read_literal(token.text, mask, reason)) tokens_.fail(token, fmt::format("{} {}", describe(token), reason));
    const int shift = mask.bits == 0 ? 0 : std::countr_zero(mask.bits);
    if (mask.is_real || mask.bits >> shift != 0xFF || shift % 8 != 0) {
      tokens_.fail(token, fmt::format("{} does not select one byte of an address", describe(token)));
    }
    if (element_bytes_ != 1) tokens_.fail(token, "a byte of an address can only initialise an 8-bit element");
    tokens_.take();
    tokens_.take();
    address(offset, static_cast<unsigned>(shift), 1);
    tokens_.expect(')', "the masked address");
  }

  void address(std::uint64_t offset, unsigned shift, unsigned bytes) {
    const Token first = tokens_.peek();
    Variable::Relocation relocation{offset, "", 0, bytes, false, shift};
    if (first.text == "generic" && tokens_.peek_second().is('(')) {
      relocation.generic = true;
      tokens_.take();
      tokens_.take();
    }
    const Token symbol = tokens_.expect_identifier("the name of a variable or function");
    relocation.symbol = symbol.text;
    state_.symbol_uses.push_back({symbol.text, symbol.line, symbol.column, ""});
    relocation.addend = addend();
    if (relocation.generic) {
      tokens_.expect(')', "the operand of generic()");
      relocation.addend += addend();
    }
    if (shift == 0 && bytes < 4 && element_bytes_ != 1) {
      tokens_.fail(first, fmt::format(".{} is too small for an address", name_of(variable_.type)));
    }
    store(offset, 0, bytes, first);
    variable_.relocations.push_back(std::move(relocation));
  }

  std::int64_t addend() {
    std::uint64_t sum = 0;
    while (tokens_.peek().is('+') || tokens_.peek().is('-')) {
      const bool negative = tokens_.take().is('-');
      const Token token = tokens_.peek();
      const Constant value = parse_unary_constant(tokens_);
      if (value.is_real) tokens_.fail(token, "an address offset must be an integer");
      sum += negative ? ~value.bits + 1 : value.bits;
    }
    return static_cast<std::int64_t>(sum);
  }

  /// Eight single bytes of one address are one address of eight bytes.
  void join_masked_bytes() {
    std::vector<Variable::Relocation> joined;
    for (auto& part : variable_.relocations) {
      if (!joined.empty() && element_bytes_ == 1) {
        auto& last = joined.back();
        if (last.bytes < 8 && part.symbol == last.symbol && part.addend == last.addend &&
            part.generic == last.generic && part.offset == last.offset + last.bytes &&
            part.shift == last.shift + 8 * last.bytes) {
          ++last.bytes;
          continue;
        }
      }
      joined.push_back(std::move(part));
    }
    variable_.relocations = std::move(joined);
  }

  void store(std::uint64_t offset, std::uint64_t bits, unsigned bytes, const Token& token) {
    if (offset + bytes > largest_initialiser) {
      tokens_.fail(token, fmt::format("the initial values of '{}' take more than {} bytes", variable_.name,
                                      largest_initialiser));
    }
    if (variable_.initial.size() < offset + bytes) variable_.initial.resize(offset + bytes);
    for (unsigned i = 0; i < bytes && i < 8; ++i) {
      variable_.initial[offset + i] = static_cast<std::uint8_t>(bits >> 8 * i);
    }
  }

  ParseState& state_;
  TokenStream& tokens_;
  Variable& variable_;
  std::vector<std::uint64_t> dimensions_;  ///< 0 in front: from the initialiser.
  std::vector<std::uint64_t> strides_;     ///< Bytes of one element of each level; [0] is the whole variable.
  unsigned element_bytes_ = 1;
  std::uint64_t first_dimension_ = 1;
  int depth_ = 0;
};

}  // namespace

bool variable_space(const Token& token, Space& space) {
  if (token.kind != TokenKind::dotted) return false;
  for (const Space candidate : {Space::global, Space::constant, Space::local, Space::param, Space::shared}) {
    if (token.text == name_of(candidate)) {
      space = candidate;
      return true;
    }
  }
  if (token.text != "tex") return false;
  space = Space::global;
  return true;
}

DeclarationHead parse_declaration_head(ParseState& state, Space space, bool is_extern) {
  TokenStream& tokens = state.tokens;
  DeclarationHead head;
  head.space = space;
  head.is_extern = is_extern;
  if (space == Space::constant && tokens.accept('[')) {  // PTX before 2.2: the bank of .const
    parse_count(tokens, "the number of the constant bank", 10);
    tokens.expect(']', "the constant bank");
  }
  while (tokens.peek().kind == TokenKind::dotted) {
    const Token word = tokens.take();
    Space pointed{};
    if (word.text == "align") {
      const Token number = tokens.peek();
      const std::uint64_t alignment = parse_plain_number(state, "the alignment", largest_alignment);
      if (!std::has_single_bit(alignment)) tokens.fail(number, "the alignment must be a power of two");
      head.alignment = static_cast<std::uint32_t>(alignment);
    } else if (word.text == "v2" || word.text == "v4" || word.text == "v8") {
      head.vector_elements = static_cast<unsigned>(word.text[1] - '0');
    } else if (word.text == "texref" || word.text == "samplerref" || word.text == "surfref") {
      head.type = Type::b64;
      head.opaque = word.text == "texref"       ? Opaque::texture
                    : word.text == "samplerref" ? Opaque::sampler
                                                : Opaque::surface;
    } else if (word.text == "attribute") {
      tokens.expect('(', "'.attribute'");
      for (int depth = 1; depth > 0;) {
        if (tokens.at_end()) tokens.fail_expected("')' after the attributes");
        const Token token = tokens.take();
        depth += token.is('(') ? 1 : (token.is(')') ? -1 : 0);
      }
    } else if (word.text == "ptr") {  // PTX ISA 5.1.6.3: what the parameter points to; no part of the parameter itself
      if (variable_space(tokens.peek(), pointed)) tokens.take();
      if (tokens.accept_dotted("align")) parse_plain_number(state, "the alignment", largest_alignment);
    } else if (type_named(word.text) != Type::none) {
      if (head.type != Type::none)
        tokens.fail(word, fmt::format("a second type, {}, in one declaration", describe(word)));
      head.type = type_named(word.text);
    } else {
      tokens.fail(word, fmt::format("{} is not a type or an attribute of a variable", describe(word)));
    }
  }
  if (head.type == Type::none) tokens.fail_expected("the type of the variable");
  if (head.type == Type::pred) tokens.fail(tokens.peek(), "only registers can be of type .pred");
  return head;
}

namespace {

/// { filter_mode = linear, addr_mode_0 = wrap }: PTX ISA 5.3.
void parse_fields(TokenStream& tokens, Variable& variable) {
  static const std::vector<std::string> known{
      "width",        "height",      "depth",       "channel_data_type", "channel_order", "normalized_coords",
      "filter_mode",  "addr_mode_0", "addr_mode_1", "addr_mode_2",       "array_size",    "force_unnormalized_coords",
      "memory_layout"};
  tokens.expect('{', fmt::format("the initial values of '{}'", variable.name));
  do {
    const Token field = tokens.expect_identifier("the name of a field");
    if (std::find(known.begin(), known.end(), field.text) == known.end()) {
      tokens.fail(field, fmt::format("a .{} has no field '{}'{}", name_of(variable.opaque), field.text,
                                     did_you_mean(field.text, known)));
    }
    tokens.expect('=', "the name of the field");
    const Token value = tokens.peek();
    if (!value.is_identifier() && value.kind != TokenKind::number) tokens.fail_expected("the value of the field");
    tokens.take();
    variable.fields.emplace_back(field.text, value.text);
  } while (tokens.accept(','));
  tokens.expect('}', "the initial values");
}

Variable parse_named(ParseState& state, const DeclarationHead& head, const Token& name) {
  TokenStream& tokens = state.tokens;
  Variable variable;
  variable.name = name.text;
  variable.space = head.space;
  variable.type = head.type;
  variable.is_extern = head.is_extern;
  variable.opaque = head.opaque;
  variable.where = tokens.where(name);
  const std::uint64_t element_bytes = bits_of(head.type) / 8;
  variable.alignment =
      head.alignment != 0 ? head.alignment : static_cast<std::uint32_t>(element_bytes * head.vector_elements);

  std::vector<std::uint64_t> dimensions;
  while (tokens.accept('[')) {
    const Token token = tokens.peek();
    std::uint64_t size = 0;
    if (!token.is(']')) {
      size = parse_count(tokens, "the size of an array", largest_variable);
      if (size == 0 && !dimensions.empty()) tokens.fail(token, "only the first dimension of an array may be 0");
    } else if (!dimensions.empty()) {
      tokens.fail(token, "only the first dimension of an array may be left open");
    }
    dimensions.push_back(size);
    tokens.expect(']', "the size of the array");
  }
  const bool open_ended = !dimensions.empty() && dimensions[0] == 0;
  if (head.vector_elements > 1) dimensions.push_back(head.vector_elements);
  const auto total = [&](std::uint64_t first) {
    std::uint64_t bytes = element_bytes;
    for (std::size_t i = dimensions.size(); i-- > 0;) {
      const std::uint64_t size = i == 0 && open_ended ? first : dimensions[i];
      if (size != 0 && bytes > largest_variable / size) tokens.fail(name, fmt::format("'{}' is too large", name.text));
      bytes *= size;
    }
    return bytes;
  };
  variable.bytes = total(0);
  if (tokens.accept('=')) {
    if (head.space != Space::global && head.space != Space::constant) {
      tokens.fail(name, fmt::format("a .{} variable cannot have initial values", name_of(head.space)));
    }
    if (head.opaque != Opaque::none) {
      parse_fields(tokens, variable);
      return variable;
    }
    total(1);
    const std::uint64_t first = Initialiser(state, variable, dimensions).parse();
    if (open_ended) variable.bytes = total(first);
  }
  return variable;
}

}  // namespace

Variable parse_declarator(ParseState& state, const DeclarationHead& head) {
  const Token name = state.tokens.expect_identifier("the name of a variable");
  try {
    return parse_named(state, head, name);
  } catch (const SyntaxError&) {
    state.failed_names.insert(name.text);
    throw;
  }
}

}  // namespace lockstep::ptx
