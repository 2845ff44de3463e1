#include "isa/ptx/opcode_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <span>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "isa/ptx/opcode_syntax_table.hpp"

namespace lockstep::ptx {

namespace {

using namespace syntax;

/// Which modifier fills which element, as far as that goes.
struct Assignment {
  static constexpr std::size_t nobody = ~std::size_t{0};
  std::vector<std::size_t> filled_by;  ///< Per element the number of a modifier, or nobody.
  std::vector<std::size_t> left;       ///< Numbers of the modifiers that fill no element.
  std::vector<std::size_t> missing;    ///< Elements that are needed and not filled.
};

/// Gives each modifier to the first free element that takes it, and types to elements in their order.
Assignment assign(const Alternative& alternative, std::span<const ModifierId> modifiers) {
  const Sequence& elements = alternative.elements;
  Assignment result;
  result.filled_by.assign(elements.size(), Assignment::nobody);
  std::size_t next_type = 0;
  for (std::size_t m = 0; m < modifiers.size(); ++m) {
    std::size_t e = 0;
    if (modifiers[m] == unknown) e = elements.size();
    for (; e < elements.size(); ++e) {
      if (result.filled_by[e] != Assignment::nobody || !elements[e].choices.test(modifiers[m])) continue;
      if (elements[e].is_type && e < next_type) continue;
      break;
    }
    if (e == elements.size()) {
      result.left.push_back(m);
      continue;
    }
    result.filled_by[e] = m;
    if (elements[e].is_type) next_type = e;
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (!elements[e].optional && result.filled_by[e] == Assignment::nobody) result.missing.push_back(e);
  }
  return result;
}

/// What `assign` would do, without a list of what is wrong. `numbers`: of the modifiers among row.places.
bool fits(const Row& row, std::size_t number, std::span<const std::uint8_t> numbers) {
  const Alternative& alternative = row.alternatives[number];
  std::uint32_t closed = 0, filled = 0;
  for (const std::uint8_t modifier : numbers) {
    const std::uint32_t open = row.places[modifier].elements[number] & ~closed;
    if (open == 0) return false;
    const std::uint32_t element = open & (~open + 1);
    filled |= element;
    closed |= element;
    if ((alternative.types & element) != 0) closed |= alternative.types & (element - 1);
  }
  return (alternative.needed & ~filled) == 0;
}

std::vector<ModifierId> ids_of(const std::vector<std::string>& modifiers) {
  std::vector<ModifierId> ids;
  for (const std::string& modifier : modifiers) ids.push_back(table().id_of(modifier));
  return ids;
}

/// ".rn, .rz, .rm or .rp"; of a long list the first ones.
std::string list_of(const std::vector<ModifierId>& choices) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(choices.size(), most); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += fmt::format(".{}", table().names()[choices[i]]);
  }
  return choices.size() > most ? text + ", ..." : text;
}

/// The alternative around what is written: its own modifiers where they fit, choices where they do not.
std::string describe(Opcode opcode, const Alternative& alternative, const Assignment& assignment,
                     const std::vector<std::string>& modifiers) {
  constexpr std::size_t most = 5;
  std::string text(name_of(opcode));
  for (std::size_t e = 0; e < alternative.elements.size(); ++e) {
    const Element& element = alternative.elements[e];
    if (const std::size_t by = assignment.filled_by[e]; by != Assignment::nobody) {
      text += fmt::format(".{}", modifiers[by]);
      continue;
    }
    std::string choices;
    for (std::size_t i = 0; i < std::min(element.listed.size(), most); ++i) {
      choices += fmt::format("{}.{}", i == 0 ? "" : "|", table().names()[element.listed[i]]);
    }
    if (element.listed.size() > most) choices += "|...";
    if (element.optional) {
      text += fmt::format("{{{}}}", choices);
    } else {
      text += element.listed.size() == 1 ? choices : fmt::format("({})", choices);
    }
  }
  return text;
}

/// What users meet in valid PTX and the machine does not do.
struct Unsupported {
  std::string_view modifier, text;
  bool has_substitute = true;  ///< The nearest form that is taken may serve instead.
};

/// Null where nothing is to be said about the modifier.
const Unsupported* unsupported(std::string_view modifier) {
  static constexpr Unsupported reasons[] = {
      {"bulk", "bulk copies are not supported"},
      {"cluster", "thread block clusters are not supported", false},
      {"async", "asynchronous stores and reductions are not supported"},
      {"f32x2", "pairs of .f32 are not supported"},
      {"cube", "textures of the kind .cube are not supported"},
      {"acube", "textures of the kind .acube are not supported"},
      {"2dms", "textures of the kind .2dms are not supported"},
      {"a2dms", "textures of the kind .a2dms are not supported"},
      {"p", "formatted access (.p) is not supported"},
  };
  static constexpr Unsupported of_8_bits{"", "floating-point types of 8 bits are not supported", false},
      of_6_or_4_bits{"", "floating-point types of 6 and 4 bits are not supported", false};
  const auto begins_with = [&](std::initializer_list<std::string_view> types) {  // .e4m3, .e4m3x2, .e4m3x4, ...
    return std::any_of(types.begin(), types.end(), [&](std::string_view type) { return modifier.starts_with(type); });
  };
  if (begins_with({"e4m3", "e5m2", "ue8m0"})) return &of_8_bits;
  if (begins_with({"e3m2", "e2m3", "e2m1"})) return &of_6_or_4_bits;
  const auto* const found = std::find_if(std::begin(reasons), std::end(reasons),
                                         [&](const Unsupported& r) { return r.modifier == modifier; });
  return found == std::end(reasons) ? nullptr : found;
}

}  // namespace

bool takes(Opcode opcode, const std::vector<std::string>& modifiers) {
  const Row& row = table().row(opcode);
  std::array<std::uint8_t, most_written> numbers;
  if (modifiers.size() > numbers.size()) return false;
  std::array<std::uint64_t, most_alternatives / 64> left;
  left.fill(~std::uint64_t{0});
  for (std::size_t m = 0; m < modifiers.size(); ++m) {
    const ModifierId id = table().id_of(modifiers[m]);
    if (id == unknown || row.number[id] == 0) return false;
    numbers[m] = row.number[id];
    for (std::size_t w = 0; w < left.size(); ++w) left[w] &= row.places[numbers[m]].alternatives[w];
  }
  const std::span<const std::uint8_t> written(numbers.data(), modifiers.size());
  for (std::size_t w = 0; w < left.size(); ++w) {
    for (std::uint64_t bits = left[w]; bits != 0; bits &= bits - 1) {
      const std::size_t number = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
      if (number >= row.alternatives.size()) break;
      if (fits(row, number, written)) return true;
    }
  }
  return false;
}

std::string explain_refusal(Opcode opcode, const std::vector<std::string>& modifiers) {
  const std::vector<ModifierId> ids = ids_of(modifiers);
  const Alternative* nearest = nullptr;
  Assignment best;
  std::vector<ModifierId> could_follow;  // Where one modifier is missing, all that would do.
  for (const Alternative& alternative : table().of(opcode)) {
    Assignment found = assign(alternative, ids);
    if (found.left.empty() && found.missing.size() == 1) {
      for (const ModifierId id : alternative.elements[found.missing[0]].listed) {
        if (std::find(could_follow.begin(), could_follow.end(), id) == could_follow.end()) could_follow.push_back(id);
      }
    }
    const auto mistakes = [](const Assignment& a) { return 2 * a.left.size() + a.missing.size(); };
    if (nearest != nullptr && mistakes(found) >= mistakes(best)) continue;
    nearest = &alternative;
    best = std::move(found);
  }
  if (!could_follow.empty()) return fmt::format("{} is missing", list_of(could_follow));
  const std::string right = describe(opcode, *nearest, best, modifiers);
  if (best.left.empty()) {
    return fmt::format("{} is missing; {} is possible", list_of(nearest->elements[best.missing[0]].listed), right);
  }
  for (const std::size_t m : best.left) {
    if (const Unsupported* const reason = unsupported(modifiers[m]); reason != nullptr) {
      return reason->has_substitute ? fmt::format("{}; {} is possible", reason->text, right)
                                    : std::string(reason->text);
    }
  }
  const std::string& wrong = modifiers[best.left[0]];
  std::vector<std::string> candidates;
  for (const Alternative& alternative : table().of(opcode)) {
    for (const Element& element : alternative.elements) {
      for (const ModifierId id : element.listed) candidates.emplace_back(table().names()[id]);
    }
  }
  const bool is_misspelt = table().id_of(wrong) == unknown;
  return fmt::format("does not take .{}{}; {} is possible", wrong,
                     is_misspelt ? did_you_mean_aside(wrong, candidates) : "", right);
}

std::uint64_t form_count(Opcode opcode) {
  std::uint64_t count = 0;
  for (const Alternative& alternative : table().of(opcode)) count += alternative.forms;
  return count;
}

std::vector<std::string_view> form(Opcode opcode, std::uint64_t number) {
  std::vector<std::string_view> modifiers;
  for (const Alternative& alternative : table().of(opcode)) {
    if (number >= alternative.forms) {
      number -= alternative.forms;
      continue;
    }
    for (const Element& element : alternative.elements) {
      const std::uint64_t choices = element.listed.size() + (element.optional ? 1 : 0);
      const std::uint64_t choice = number % choices;
      number /= choices;
      if (choice < element.listed.size()) modifiers.push_back(table().names()[element.listed[choice]]);
    }
    return modifiers;
  }
  throw Bug(fmt::format("{} has no such form", name_of(opcode)));
}

const std::vector<std::string_view>& modifier_names() {
  return table().names();
}

}  // namespace lockstep::ptx
