#include "isa/did_you_mean.hpp"

#include <fmt/format.h>

#include "isa/meant_name.hpp"

namespace lockstep {

std::string did_you_mean_name(std::string_view name) {
  return name.empty() ? "" : fmt::format("; did you mean '{}'?", name);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         std::string_view otherwise) {
  const std::string near = meant_name(word, candidates);
  return near.empty() ? std::string(otherwise) : did_you_mean_name(near);
}

std::string did_you_mean_aside(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = meant_name(word, candidates);
  return near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near);
}

}  // namespace lockstep
