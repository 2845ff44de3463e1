// Names of types, state spaces and special registers.

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "isa/ptx/module.hpp"

namespace lockstep::ptx {

namespace {

struct TypeName {
  std::string_view name;
  unsigned bits;
};
// In the order of Type.
constexpr std::array<TypeName, 21> types{
    {{"none", 0}, {"pred", 1}, {"b8", 8},     {"b16", 16},  {"b32", 32},    {"b64", 64}, {"b128", 128},
     {"u8", 8},   {"u16", 16}, {"u32", 32},   {"u64", 64},  {"s8", 8},      {"s16", 16}, {"s32", 32},
     {"s64", 64}, {"f16", 16}, {"f16x2", 32}, {"bf16", 16}, {"bf16x2", 32}, {"f32", 32}, {"f64", 64}}};
static_assert(types[static_cast<std::size_t>(Type::f64)].name == "f64");
static_assert(types[static_cast<std::size_t>(Type::s64)].name == "s64");

constexpr std::array<std::string_view, 6> spaces{"generic", "const", "global", "local", "param", "shared"};
static_assert(spaces[static_cast<std::size_t>(Space::shared)] == "shared");

// In the order of SpecialRegister.
constexpr std::array<std::string_view, 38> specials{"tid.x",
                                                    "tid.y",
                                                    "tid.z",
                                                    "ntid.x",
                                                    "ntid.y",
                                                    "ntid.z",
                                                    "ctaid.x",
                                                    "ctaid.y",
                                                    "ctaid.z",
                                                    "nctaid.x",
                                                    "nctaid.y",
                                                    "nctaid.z",
                                                    "laneid",
                                                    "warpid",
                                                    "nwarpid",
                                                    "smid",
                                                    "nsmid",
                                                    "gridid",
                                                    "lanemask_eq",
                                                    "lanemask_le",
                                                    "lanemask_lt",
                                                    "lanemask_ge",
                                                    "lanemask_gt",
                                                    "clock",
                                                    "clock_hi",
                                                    "clock64",
                                                    "globaltimer",
                                                    "globaltimer_lo",
                                                    "globaltimer_hi",
                                                    "dynamic_smem_size",
                                                    "total_smem_size",
                                                    "envreg1",
                                                    "envreg2",
                                                    "reserved_smem_offset_begin",
                                                    "reserved_smem_offset_end",
                                                    "reserved_smem_offset_cap",
                                                    "reserved_smem_offset_0",
                                                    "reserved_smem_offset_1"};
static_assert(specials[static_cast<std::size_t>(SpecialRegister::reserved_smem_offset_1)] == "reserved_smem_offset_1");
static_assert(specials.size() == static_cast<std::size_t>(SpecialRegister::unmodelled));

}  // namespace

unsigned bits_of(Type type) {
  return types[static_cast<std::size_t>(type)].bits;
}

std::string_view name_of(Type type) {
  return types[static_cast<std::size_t>(type)].name;
}

Type type_named(std::string_view name) {
  const auto* const found =
      std::find_if(types.begin() + 1, types.end(), [&](const TypeName& t) { return t.name == name; });
  return found == types.end() ? Type::none : static_cast<Type>(found - types.begin());
}

bool is_floating(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
    case Type::bf16:
    case Type::bf16x2:
    case Type::f32:
    case Type::f64: return true;
    default: return false;
  }
}

bool is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

std::string_view name_of(Space space) {
  return spaces[static_cast<std::size_t>(space)];
}

std::string_view name_of(Opaque opaque) {
  switch (opaque) {
    case Opaque::none: break;
    case Opaque::texture: return "texref";
    case Opaque::sampler: return "samplerref";
    case Opaque::surface: return "surfref";
  }
  return "";
}

bool special_register_named(std::string_view name, SpecialRegister& result) {
  const auto* const found = std::find(specials.begin(), specials.end(), name);
  if (found == specials.end()) return false;
  result = static_cast<SpecialRegister>(found - specials.begin());
  return true;
}

std::string_view name_of(SpecialRegister reg) {
  return reg == SpecialRegister::unmodelled ? "unmodelled" : specials[static_cast<std::size_t>(reg)];
}

unsigned bits_of(SpecialRegister reg) {
  return reg == SpecialRegister::clock64 || reg == SpecialRegister::globaltimer ? 64 : 32;
}

bool is_of_reserved_scratchpad(SpecialRegister reg) {
  return reg >= SpecialRegister::reserved_smem_offset_begin && reg <= SpecialRegister::reserved_smem_offset_1;
}

bool is_clock(SpecialRegister reg) {
  switch (reg) {
    case SpecialRegister::clock:
    case SpecialRegister::clock_hi:
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::globaltimer_lo:
    case SpecialRegister::globaltimer_hi: return true;
    default: return false;
  }
}

}  // namespace lockstep::ptx
