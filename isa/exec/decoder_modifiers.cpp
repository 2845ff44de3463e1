// The modifiers of the instruction that is decoded, taken one by one.

#include <algorithm>

#include "isa/exec/decoder.hpp"
#include "isa/ptx/access.hpp"

namespace lockstep::exec {

using ptx::Type;

bool Decoder::take(std::string_view modifier) {
  const auto at = std::find(left_.begin(), left_.end(), modifier);
  if (at == left_.end()) return false;
  left_.erase(at);
  return true;
}

std::optional<unsigned> Decoder::take_one(std::initializer_list<std::string_view> choices) {
  unsigned place = 0;
  for (const std::string_view choice : choices) {
    if (take(choice)) return place;
    ++place;
  }
  return std::nullopt;
}

unsigned Decoder::take_which(std::initializer_list<std::string_view> choices) {
  const auto place = take_one(choices);
  if (!place) unhandled(left_.empty() ? "" : left_.front());
  return *place;
}

std::string_view Decoder::take_any(std::initializer_list<std::string_view> choices) {
  const auto place = take_one(choices);
  return place ? choices.begin()[*place] : std::string_view();
}

std::optional<Rounding> Decoder::take_rounding() {
  const auto place = take_one({"rn", "rz", "rm", "rp"});
  if (!place) return std::nullopt;
  constexpr Rounding roundings[] = {Rounding::nearest, Rounding::zero, Rounding::down, Rounding::up};
  return roundings[*place];
}

Type Decoder::take_type() {
  for (auto at = left_.begin(); at != left_.end(); ++at) {
    const Type type = ptx::type_named(*at);
    if (type == Type::none) continue;
    left_.erase(at);
    return type;
  }
  return Type::none;
}

std::optional<std::uint8_t> Decoder::take_vector() {
  const std::string_view vector = take_any({"v2", "v4", "v8"});
  if (vector.empty()) return std::nullopt;
  return static_cast<std::uint8_t>(vector[1] - '0');
}

ptx::Space Decoder::take_space() {
  for (auto at = left_.begin(); at != left_.end(); ++at) {
    const std::optional<ptx::Space> space = ptx::space_named(*at);
    if (!space) continue;
    left_.erase(at);
    return *space;
  }
  return ptx::Space::generic;
}

}  // namespace lockstep::exec
