#include "isa/rewrite/declarations.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::rewrite {

void grow_variable(EditedText& text, const ptx::Module& module, const ptx::Variable& variable, std::uint64_t bytes) {
  const std::size_t name = text.token_at(variable.where.line, variable.where.column);
  const auto& tokens = text.tokens();
  if (!tokens[name + 1].is('[')) {
    const std::uint64_t more = (bytes + variable.bytes - 1) / variable.bytes;
    text.insert(text.end_of(name), fmt::format("[{}]", 1 + more));
    return;
  }
  const std::size_t close = text.find(name, ']');
  // The size of all further dimensions follows from that of the whole.
  const std::string_view written = text.between(text.end_of(name + 1), text.begin_of(close));
  const ptx::Module measured = ptx::parse(
      fmt::format(".version 7.0\n.target sm_50\n.address_size 64\n.global .b8 n[{}];", written), module.file);
  const std::uint64_t first = measured.variables.at(0).bytes;
  const std::uint64_t each = variable.bytes / std::max<std::uint64_t>(1, first);
  text.replace(text.end_of(name + 1), text.begin_of(close),
               fmt::format("{}", first + (bytes + each - 1) / std::max<std::uint64_t>(1, each)));
}

void align_variable(EditedText& text, const ptx::Variable& variable, std::uint32_t bytes) {
  if (variable.alignment >= bytes) return;
  const auto& tokens = text.tokens();
  const std::size_t name = text.token_at(variable.where.line, variable.where.column);
  // ".shared .align 4 .b8 name": the alignment, if any, stands between the space and the name.
  std::size_t at = name;
  while (at > 0 && tokens[at - 1].text != "shared" && tokens[at - 1].text != ".shared") --at;
  for (std::size_t i = at; i < name; ++i) {
    if (tokens[i].text != "align" && tokens[i].text != ".align") continue;
    text.replace(text.begin_of(i + 1), text.end_of(i + 1), fmt::format("{}", bytes));
    return;
  }
  text.insert(text.end_of(at - 1), fmt::format(" .align {}", bytes));
}

}  // namespace lockstep::rewrite
