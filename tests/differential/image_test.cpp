// Mistakes in what the functional machine does with textures and surfaces would be found.
#include <catch2/catch.hpp>
#include <span>

#include <algorithm>

#include "tests/differential/compare.hpp"
#include "tests/differential/generate.hpp"
#include "tests/differential/machine.hpp"
#include "tests/differential/oracle/oracle.hpp"
#include "tests/differential/print.hpp"
#include "tests/differential/reduce.hpp"

using namespace lockstep;
using namespace lockstep::differential;
using exec::AddressMode;
using ptx::Opcode;

namespace {

/// The machine executes a kernel whose images or accesses are changed.
struct Mistake {
  const char* what;
  Opcode opcode;  ///< Of the access that shows it.
  std::function<void(exec::Texture&)> texture = nullptr;
  std::function<void(ImageAccess&)> access = nullptr;
};

Kernel with_mistake(Kernel kernel, const Mistake& mistake) {
  if (mistake.texture) {
    for (Image& image : kernel.images) mistake.texture(image.texture);
  }
  if (!mistake.access) return kernel;
  for_each_block(kernel, [&](Block& block) {
    for (Statement& statement : block) {
      if (auto* access = std::get_if<ImageAccess>(&statement.is); access != nullptr) mistake.access(*access);
    }
  });
  return kernel;
}

std::function<void(exec::Texture&)> addressing(AddressMode meant, AddressMode executed) {
  return [=](exec::Texture& texture) {
    auto& modes = texture.sampling.address;
    std::replace(modes.begin(), modes.end(), meant, executed);
  };
}

std::function<void(ImageAccess&)> modifier(std::string_view meant, std::string_view executed) {
  return [=](ImageAccess& access) {
    auto& modifiers = access.instruction.modifiers;
    std::replace(modifiers.begin(), modifiers.end(), meant, executed);
  };
}

const Mistake mistakes[] = {
    {"mirrored coordinates are repeated", Opcode::tex, addressing(AddressMode::mirror, AddressMode::wrap)},
    {"repeated coordinates are clamped", Opcode::tex, addressing(AddressMode::wrap, AddressMode::clamp)},
    {"a border has the colour of the edge", Opcode::tex, addressing(AddressMode::border, AddressMode::clamp)},
    {"the edge goes on as a border", Opcode::tex, addressing(AddressMode::clamp, AddressMode::border)},
    {"offsets are ignored", Opcode::tex, nullptr, [](ImageAccess& access) { access.offset.reset(); }},
    {"coordinates count half of what they should", Opcode::tex, nullptr,
     [](ImageAccess& access) { access.scale = access.scale % 5 + 1; }},
    {"green is gathered for red", Opcode::tld4, nullptr, modifier("r", "g")},
    {"the height is said for the width", Opcode::txq, nullptr, modifier("width", "height")},
    {"a load beside a surface gives its edge", Opcode::suld, nullptr, modifier("zero", "clamp")},
    {"a load beside a surface gives zero", Opcode::suld, nullptr, modifier("clamp", "zero")},
    {"a store goes to the neighbouring element", Opcode::sust, nullptr,
     [](ImageAccess& access) {
       if (access.instruction.opcode == Opcode::sust) ++access.at[0].first;
     }},
};

}  // namespace

namespace {

void check_found(std::span<const Mistake> some) {
  for (const Mistake& mistake : some) {
    const auto machine = [&](const Kernel& kernel) { return execute(with_mistake(kernel, mistake)); };
    const Shows shows = [&](const Kernel& kernel) { return !difference(kernel, machine, interpret).empty(); };
    INFO(mistake.what);
    bool found = false;
    for (std::uint64_t seed = 1; seed <= 2000 && !found; ++seed) {
      const Kernel kernel = generate(seed);
      const std::string name(ptx::name_of(mistake.opcode));
      if (!kernel.is_exact || kernel.images.empty() || printed(kernel).find("\n" + name + ".") == std::string::npos ||
          !shows(kernel)) {
        continue;
      }
      const Kernel small = reduce(kernel, shows);
      INFO(printed(small));
      std::size_t statements = 0;
      for_each_statement(small.body, [&](const Statement& one) {
        const bool orders = std::holds_alternative<Barrier>(one.is) || std::holds_alternative<Group>(one.is);
        statements += orders ? 0 : 1;
      });
      if (printed(small).find("\n" + name + ".") == std::string::npos) continue;  // Another opcode shows it, too.
      found = true;
      CHECK(statements <= 4);
    }
    CHECK(found);
  }
}

}  // namespace

TEST_CASE("A mistake with textures or surfaces is found, and reduced to an access and a store") {
  check_found(std::span(mistakes).first(1));
}

TEST_CASE("Every mistake with textures or surfaces is found, and reduced to an access and a store", "[long]") {
  check_found(mistakes);
}
