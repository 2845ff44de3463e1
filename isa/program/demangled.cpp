#include "isa/program/demangled.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace lockstep::program {

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

}  // namespace lockstep::program
