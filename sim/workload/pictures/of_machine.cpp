#include "sim/workload/pictures/of_machine.hpp"

#include <algorithm>
#include <cmath>

namespace lockstep::workload {

namespace {

/// The element that is shown as white.
double white_of(const Evaluation& evaluation, const PictureSpec& spec, const Elements& elements, std::uint64_t first,
                std::uint64_t count) {
  if (spec.bits) return static_cast<double>((1u << evaluation.whole(*spec.bits, 1, 16, "the bits of a level")) - 1);
  if (spec.white) {
    const double white = evaluation.real(*spec.white, "white");
    if (white > 0) return white;
    throw EvaluationError{spec.white->where,
                          fmt::format("white is above 0, but \"{}\" is {}", spec.white->expression.text(), white)};
  }
  if (!spec.white_is_largest) return elements.type() == ElementType::u16 ? 65535 : 255;
  double largest = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double level = elements.real(first + i);
    if (std::isfinite(level)) largest = std::max(largest, level);
  }
  return largest > 0 ? largest : 1;  // All is black.
}

}  // namespace

Picture picture_of(const Descriptor& descriptor, const Evaluation& evaluation, const PictureSpec& spec,
                   const exec::Machine& machine) {
  constexpr std::int64_t most = 65536;
  Picture picture;
  picture.name = spec.name;
  picture.width = static_cast<std::uint32_t>(evaluation.whole(spec.width, 1, most, "the width of a picture"));
  picture.height = static_cast<std::uint32_t>(evaluation.whole(spec.height, 1, most, "the height of a picture"));
  picture.channels = spec.rgb ? 3 : 1;
  const ElementType type = evaluation.select(descriptor.buffers[spec.buffer].contents).type;
  const std::span<const std::uint8_t> bytes = machine.buffer(static_cast<std::uint32_t>(spec.buffer));
  const Elements elements(type, std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
  const auto held = static_cast<std::int64_t>(elements.count());
  const std::int64_t first = spec.first ? evaluation.whole(*spec.first, 0, held, "the first element of a picture") : 0;
  const std::uint64_t count = std::uint64_t{picture.width} * picture.height * picture.channels;
  if (count > static_cast<std::uint64_t>(held - first)) {
    throw EvaluationError{
        spec.where, fmt::format("picture {}: {}x{} pixels of {} need {} elements, but buffer {} has {}{}", spec.name,
                                picture.width, picture.height, spec.rgb ? "three elements" : "one element", count,
                                descriptor.buffers[spec.buffer].name, held - first,
                                first > 0 ? fmt::format(" from element {} on", first) : "")};
  }
  const double white = white_of(evaluation, spec, elements, static_cast<std::uint64_t>(first), count);
  picture.bits = (spec.bits ? white > 255 : type == ElementType::u16) ? 16 : 8;
  const double most_sample = picture.bits == 16 ? 65535 : 255;
  picture.samples.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const double level = elements.real(static_cast<std::uint64_t>(first) + i);
    const double part = std::isnan(level) ? 0 : std::clamp(level / white, 0.0, 1.0);
    picture.samples.push_back(static_cast<std::uint16_t>(std::floor(part * most_sample + 0.5)));
  }
  return picture;
}

}  // namespace lockstep::workload
