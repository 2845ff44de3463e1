#include "isa/ptx/access.hpp"

#include <algorithm>
#include <array>

namespace lockstep::ptx {

namespace {

using program::AccessKind;
using program::MemorySpace;

struct SpaceName {
  std::string_view name;
  Space space;
};
constexpr auto space_names = std::to_array<SpaceName>({{"const", Space::constant},
                                                       {"global", Space::global},
                                                       {"local", Space::local},
                                                       {"param", Space::param},
                                                       {"param::entry", Space::param},
                                                       {"param::func", Space::param},
                                                       {"shared", Space::shared},
                                                       {"shared::cta", Space::shared},
                                                       {"shared::cluster", Space::shared}});

AccessKind access_of_copy(const Instruction& instruction) {
  if (instruction.has("bulk")) return AccessKind::none;
  if (instruction.has("mbarrier")) return AccessKind::mbarrier;
  const bool ends_group =
      instruction.has("commit_group") || instruction.has("wait_group") || instruction.has("wait_all");
  return instruction.has("async") && !ends_group ? AccessKind::copy : AccessKind::none;
}

}  // namespace

std::optional<Space> space_named(std::string_view modifier) {
  const auto* const found =
      std::find_if(space_names.begin(), space_names.end(), [&](const SpaceName& one) { return one.name == modifier; });
  if (found == space_names.end()) return std::nullopt;
  return found->space;
}

NamedSpaces::NamedSpaces(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    const std::optional<Space> space = space_named(modifier);
    if (!space) continue;
    if (named_ == 0) {
      first_ = *space;
      first_modifier_ = modifier;
    }
    named_ |= bit(*space);
    has_cluster_ = has_cluster_ || modifier == "shared::cluster";
  }
}

MemorySpace memory_space_of(Space space) {
  switch (space) {
    case Space::constant: return MemorySpace::constant;
    case Space::global: return MemorySpace::global;
    case Space::local: return MemorySpace::local;
    case Space::param: return MemorySpace::param;
    case Space::shared: return MemorySpace::shared;
    case Space::generic: break;
  }
  return MemorySpace::generic;
}

MemorySpace memory_space_of(const Instruction& instruction) {
  return instruction.row().on_texture() ? MemorySpace::texture : memory_space_of(space_of(instruction));
}

AccessKind access_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::cp) return access_of_copy(instruction);
  const AccessKind access = instruction.row().traits.access;
  return access == AccessKind::mbarrier && instruction.has("pending_count") ? AccessKind::none : access;
}

}  // namespace lockstep::ptx
