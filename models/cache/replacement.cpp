#include "models/cache/replacement.hpp"

#include <charconv>
#include <optional>

#include "models/cache/replacement_policies.hpp"

namespace lockstep::cache {

namespace {

/// The argument of a policy from what stands behind the colon of its SPEC.
std::uint64_t read_argument(std::string_view spec, const Argument& argument, std::optional<std::string_view> text) {
  if (!text) return argument.otherwise;
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (failure != std::errc() || end != text->data() + text->size() || number < argument.least || number > argument.most)
    throw InputError(fmt::format("replacement '{}': '{}' must be a whole number from {} to {}", spec, *text,
                                 argument.least, argument.most));
  return number;
}

}  // namespace

Replacement make_replacement(std::string_view spec, Shape shape) {
  const std::size_t colon = spec.find(':');
  std::optional<std::string_view> argument;
  if (colon != std::string_view::npos) argument = spec.substr(colon + 1);
  Replacement replacement;
  replacement.choose(spec.substr(0, colon), "replacement policy", [&]<class Policy>(std::type_identity<Policy>) {
    if constexpr (std::is_constructible_v<Policy, Shape, std::uint64_t>) {
      return Policy(shape, read_argument(spec, Policy::argument, argument));
    } else {
      if (argument)
        throw InputError(fmt::format("replacement '{}': {} takes no argument", spec, spec.substr(0, colon)));
      return Policy(shape);
    }
  });
  return replacement;
}

void check_replacement(std::string_view spec) {
  make_replacement(spec, {1, 1});
}

std::string replacement_forms() {
  std::string forms;
  for (const PolicyText& policy : Replacement::all) {
    if (!forms.empty()) forms += ", ";
    forms += policy.form;
  }
  return forms;
}

}  // namespace lockstep::cache
