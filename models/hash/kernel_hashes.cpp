#include "models/hash/kernel_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/error.hpp"

namespace lockstep::hash {

KernelHashes::KernelHashes(std::string_view text) {
  constexpr std::string_view space = " \t\n";
  std::string others;
  for (std::size_t first = text.find_first_not_of(space); first != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(space, first), text.size());
    const std::string_view word = text.substr(first, end - first);
    // A SPEC has its '=' behind the colon.
    const std::size_t equals = word.find_first_of("=:");
    const bool named = equals != std::string_view::npos && word[equals] == '=';
    const std::string kernel(named ? word.substr(0, equals) : "");
    std::string spec(named ? word.substr(equals + 1) : word);
    const auto fail = [&](std::string_view what) {
      throw InputError(
          fmt::format("column {}: {}; write one SPEC, or KERNEL=SPEC for each kernel and a SPEC for all "
                      "others",
                      first + 1, what));
    };
    if (named && (kernel.empty() || spec.empty())) fail(fmt::format("\"{}\" names no kernel or no hash", word));
    if (!named && !others.empty()) fail(fmt::format("\"{}\" and \"{}\" are both for all other kernels", others, word));
    if (named && std::any_of(hashes_.begin(), hashes_.end(), [&](const auto& hash) { return hash.first == kernel; }))
      fail(fmt::format("kernel {} has two hashes", kernel));
    if (named) {
      hashes_.emplace_back(kernel, std::move(spec));
    } else {
      others = std::move(spec);
    }
    first = text.find_first_not_of(space, end);
  }
  if (hashes_.empty() && others.empty()) throw InputError("no hash; \"mod\" is the baseline");
  hashes_.emplace_back("", others.empty() ? "mod" : others);
}

const std::string& KernelHashes::spec_of(std::string_view kernel) const {
  return std::find_if(hashes_.begin(), hashes_.end() - 1, [&](const auto& hash) { return hash.first == kernel; })
      ->second;
}

}  // namespace lockstep::hash
