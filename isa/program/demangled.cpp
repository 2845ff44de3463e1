#include "isa/program/demangled.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"

namespace lockstep::program {

namespace {

/// Whether a source may call it so; `shown` is the whole name without parameters.
bool is_called(std::string_view shown, std::string_view name) {
  const std::string_view plain = shown.substr(0, shown.find('<'));  // Namespaces have no arguments.
  const std::size_t scope = plain.rfind("::");
  const std::size_t begin = scope == std::string_view::npos ? 0 : scope + 2;
  return name == shown || name == plain || name == shown.substr(begin) || name == plain.substr(begin);
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : name;
}

std::string short_name(const std::string& name) {
  std::string text = demangled(name);
  if (text == name) return text;
  if (text.starts_with("void ")) text.erase(0, 5);
  if (!text.ends_with(')')) return text;
  std::size_t depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return text.substr(0, at);
  }
  return text;
}

const std::string& kernel_called(const std::string& name, const std::vector<std::string>& kernels,
                                 const std::string& file) {
  const auto exact = std::find(kernels.begin(), kernels.end(), name);
  if (exact != kernels.end()) return *exact;
  std::vector<const std::string*> called;
  std::vector<std::string> all, alike;
  for (const std::string& kernel : kernels) {
    all.push_back(short_name(kernel));
    if (!is_called(all.back(), name)) continue;
    called.push_back(&kernel);
    alike.push_back(fmt::format("{} ({})", demangled(kernel), kernel));
  }
  if (called.size() == 1) return *called[0];
  if (called.empty())
    throw InputError(fmt::format("{} has no kernel '{}'{} (there is: {})", file, name, did_you_mean(name, all),
                                 all.empty() ? "none" : fmt::format("{}", fmt::join(all, ", "))));
  throw InputError(fmt::format("{} has several kernels '{}': {}", file, name, fmt::join(alike, ", ")));
}

}  // namespace lockstep::program
