#pragma once
// The seam where policies are exchanged: a list of classes of which one is chosen by name, once, at construction.

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep {

/// What is said of a policy where policies are listed. `form`: how it is written, with its argument if it takes one.
struct PolicyText {
  std::string_view name, form, text;
};

/// One of the policies in the list. Each has a `static constexpr PolicyText description`. A call reaches the chosen one by
/// comparing its number, which a processor predicts, and is inlined; nothing is virtual.
template <class First, class... Rest>
class OneOf {
 public:
  static constexpr std::size_t count = 1 + sizeof...(Rest);
  /// All of them, in the order of the list.
  static constexpr std::array<PolicyText, count> all{First::description, Rest::description...};

  /// Calls f(policy) and returns what it returns.
  template <class F>
  [[gnu::always_inline]] decltype(auto) with(F&& f) {
    return with_from<0>(std::forward<F>(f));
  }
  /// Takes the policy of this name; make(type) constructs it, where `type` is a std::type_identity of its class.
  /// InputError when there is none; `kind` says what it is one of.
  template <class Make>
  void choose(std::string_view name, std::string_view kind, Make&& make) {
    for (std::size_t i = 0; i < count; ++i)
      if (all[i].name == name) return choose_number<0>(i, make);
    std::vector<std::string> names;
    for (const PolicyText& policy : all) names.emplace_back(policy.name);
    throw InputError(fmt::format("unknown {} '{}'{}; there are: {}", kind, name, did_you_mean_aside(name, names),
                                 fmt::join(names, ", ")));
  }

 private:
  using Chosen = std::variant<First, Rest...>;

  template <std::size_t I, class F>
  [[gnu::always_inline]] decltype(auto) with_from(F&& f) {
    if constexpr (I + 1 < count) {
      if (chosen_.index() != I) return with_from<I + 1>(std::forward<F>(f));
    }
    return std::forward<F>(f)(*std::get_if<I>(&chosen_));
  }
  template <std::size_t I, class Make>
  void choose_number(std::size_t number, Make&& make) {
    if constexpr (I < count) {
      if (number != I) return choose_number<I + 1>(number, make);
      chosen_.template emplace<I>(make(std::type_identity<std::variant_alternative_t<I, Chosen>>{}));
    }
  }

  Chosen chosen_;
};

}  // namespace lockstep
