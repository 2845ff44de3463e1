#include "sim/workload/launches/textures.hpp"

#include <limits>

namespace lockstep::workload {

namespace {

/// The word of a field, or "" when the field is left out.
std::string word_of(const TextureSpec& spec, const Evaluation& evaluation, std::string_view field) {
  const auto found = spec.words.find(field);
  return found == spec.words.end() ? "" : evaluation.select(found->second).text;
}

std::uint64_t number_of(const TextureSpec& spec, const Evaluation& evaluation, std::string_view field) {
  const auto found = spec.numbers.find(field);
  if (found == spec.numbers.end()) return 0;
  constexpr std::int64_t most = std::int64_t{1} << 40;
  return static_cast<std::uint64_t>(
      evaluation.whole(evaluation.select(found->second), 1, most, fmt::format("the {} of a texture", field)));
}

exec::AddressMode address_mode(const std::string& word) {
  for (const auto mode : {exec::AddressMode::wrap, exec::AddressMode::mirror, exec::AddressMode::border}) {
    if (name_of(mode) == word) return mode;
  }
  return exec::AddressMode::clamp;
}

/// Without a format: one channel of the buffer's elements.
exec::TexelFormat format_of(const TextureSpec& spec, const Evaluation& evaluation, const Elements& elements) {
  const std::string word = word_of(spec, evaluation, "format");
  exec::TexelFormat format;
  const std::string name = word.empty() ? std::string(name_of(elements.type())) : word;
  if (exec::texel_format_named(name, format)) return format;
  throw EvaluationError{spec.where,
                        fmt::format("texture {}: the elements of its buffer have the type {}, which is not a format of "
                                    "a texture; 'format' names one, such as u32x2",
                                    spec.name, name)};
}

exec::TextureLayout layout_of(const TextureSpec& spec, const Evaluation& evaluation, const exec::Texture& texture) {
  const std::string word = word_of(spec, evaluation, "layout");
  for (const auto layout : {exec::TextureLayout::linear, exec::TextureLayout::pitch, exec::TextureLayout::array}) {
    if (name_of(layout) == word) return layout;
  }
  const bool is_row = texture.height == 0 && texture.depth == 0 && texture.layers == 0;
  return is_row ? exec::TextureLayout::linear : exec::TextureLayout::array;
}

}  // namespace

exec::Texture make_texture(const TextureSpec& spec, const Descriptor& descriptor, const Evaluation& evaluation) {
  const LocatedExpression& expression = evaluation.select(*spec.buffer);
  const Number value = evaluation.evaluate(expression);
  const Address* address = std::get_if<Address>(&value);
  if (address == nullptr) {
    throw EvaluationError{expression.where, fmt::format("\"{}\" is a number; expected the buffer of texture {}",
                                                        expression.expression.text(), spec.name)};
  }
  if (descriptor.is_variable(*address)) {
    throw EvaluationError{expression.where, fmt::format("\"{}\" is a variable; expected the buffer of texture {}",
                                                        expression.expression.text(), spec.name)};
  }
  const Elements& elements = evaluation.contents(address->buffer);
  const std::uint64_t bytes = elements.size();
  if (address->offset < 0 || static_cast<std::uint64_t>(address->offset) > bytes) {
    throw EvaluationError{expression.where, fmt::format("\"{}\" points {} bytes into buffer {}, which has {} bytes",
                                                        expression.expression.text(), address->offset,
                                                        descriptor.buffers[address->buffer].name, bytes)};
  }
  exec::Texture texture;
  texture.name = spec.name;
  texture.buffer = address->buffer;
  texture.offset = static_cast<std::uint64_t>(address->offset);
  texture.format = format_of(spec, evaluation, elements);
  texture.width = number_of(spec, evaluation, "width");
  texture.height = number_of(spec, evaluation, "height");
  texture.depth = number_of(spec, evaluation, "depth");
  texture.layers = number_of(spec, evaluation, "layers");
  texture.pitch_bytes = number_of(spec, evaluation, "pitch");
  texture.layout = layout_of(spec, evaluation, texture);
  if (texture.width == 0) {
    if (texture.height != 0 || texture.depth != 0 || texture.layers != 0) {
      throw EvaluationError{spec.where,
                            fmt::format("texture {} has no 'width'; only one row may leave it out", spec.name)};
    }
    texture.width = (bytes - texture.offset) / texture.format.bytes();
  }
  exec::Sampling& sampling = texture.sampling;
  if (word_of(spec, evaluation, "filter") == "linear") sampling.filter = exec::FilterMode::linear;
  sampling.normalized_read = word_of(spec, evaluation, "read") == "normalized";
  sampling.normalized_coordinates = word_of(spec, evaluation, "normalized") == "true";
  if (spec.address) {
    const std::vector<TextureSpec::Word>& words = evaluation.select(*spec.address);
    for (std::size_t d = 0; d < sampling.address.size(); ++d) {
      if (words.size() == 1 || d < words.size())
        sampling.address[d] = address_mode(words[words.size() == 1 ? 0 : d].text);
    }
  }
  if (const std::string problem = exec::texture_problem(texture, bytes); !problem.empty()) {
    throw EvaluationError{spec.where, fmt::format("texture {}: {}", spec.name, problem)};
  }
  return texture;
}

}  // namespace lockstep::workload
