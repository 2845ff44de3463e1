// Which memory instructions work on, by their modifiers and rows.

#include "isa/ptx/access.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "isa/ptx/mnemonic.hpp"

namespace lockstep::access_test {

using namespace ptx;
using program::AccessKind;
using program::MemorySpace;

namespace {

/// Of a mnemonic; operands play no part.
Instruction instruction(std::string_view mnemonic) {
  const Mnemonic parts(mnemonic);
  Instruction result;
  result.opcode = parts.opcode.value();
  result.modifiers.assign(parts.parts.begin() + 1, parts.parts.end());
  return result;
}

}  // namespace

TEST_CASE("A modifier names a state space with or without a part of it, and no other word does") {
  CHECK(space_named("global") == Space::global);
  CHECK(space_named("local") == Space::local);
  CHECK(space_named("const") == Space::constant);
  for (const char* name : {"param", "param::entry", "param::func"}) CHECK(space_named(name) == Space::param);
  for (const char* name : {"shared", "shared::cta", "shared::cluster"}) CHECK(space_named(name) == Space::shared);
  for (const char* name : {"", "generic", "shared::", "shared::gpu", "sharedx", "global::cta", "constant", "Shared",
                           "tensormap::generic", "sync_restrict::shared::cta", "async"})
    CHECK_FALSE(space_named(name));
}

TEST_CASE("Every space that the syntax of opcodes has is a state space, and none other is one") {
  std::set<std::string_view> written;
  for (const SyntaxFragment& fragment : syntax_fragments) {
    if (fragment.name != "space" && fragment.name != "inner" && fragment.name != "shared" && fragment.name != "place")
      continue;
    for (const std::string_view part : split(fragment.syntax, '('))
      for (const std::string_view word : split(part.substr(0, part.find(')')), ',')) written.insert(word);
  }
  for (const std::string_view no_word : {"{.", "."}) written.erase(no_word);
  CHECK(written.size() == 8);  // PTX ISA 9.0, 5.1; param::func stands in the rows of ld and st.
  for (const std::string_view word : written) {
    CAPTURE(word);
    CHECK(space_named(word));
  }
}

TEST_CASE("An instruction without a state space has a generic address") {
  for (const char* mnemonic : {"ld.u32", "ld.volatile.v2.f32", "atom.add.u32", "mbarrier.init.b64", "cvta.u64"}) {
    const NamedSpaces spaces(instruction(mnemonic));
    CAPTURE(mnemonic);
    CHECK(spaces.first() == Space::generic);
    CHECK(spaces.first_modifier().empty());
    CHECK_FALSE(spaces.has(Space::shared));
    CHECK_FALSE(spaces.has_other_than(Space::shared));
    CHECK_FALSE(spaces.has_own_scratchpad());
    CHECK(memory_space_of(instruction(mnemonic)) == MemorySpace::generic);
  }
}

TEST_CASE("A copy names the space of its destination first") {
  const Instruction copy = instruction("cp.async.ca.shared::cta.global.L2::128B");
  const NamedSpaces spaces(copy);
  CHECK(spaces.first() == Space::shared);
  CHECK(spaces.first_modifier() == "shared::cta");
  CHECK(spaces.has(Space::global));
  CHECK(spaces.has_other_than(Space::shared));
  CHECK(spaces.has_own_scratchpad());
  const NamedSpaces back(instruction("cp.async.bulk.global.shared::cta.bulk_group"));
  CHECK(back.first() == Space::global);
  CHECK(back.has_own_scratchpad());
}

TEST_CASE("The scratchpad memory of a cluster is shared, but not that of the own thread block alone") {
  const NamedSpaces cluster(instruction("st.shared::cluster.u32"));
  CHECK(cluster.first() == Space::shared);
  CHECK(cluster.has_cluster());
  CHECK_FALSE(cluster.has_own_scratchpad());
  const NamedSpaces own(instruction("st.shared::cta.u32"));
  CHECK_FALSE(own.has_cluster());
  CHECK(own.has_own_scratchpad());
}

TEST_CASE("Spaces of traces are those of PTX, and textures and surfaces by their rows") {
  const auto space = [](const char* mnemonic) { return memory_space_of(instruction(mnemonic)); };
  CHECK(space("ld.const.f32") == MemorySpace::constant);
  CHECK(space("ld.global.nc.f32") == MemorySpace::global);
  CHECK(space("st.local.b8") == MemorySpace::local);
  CHECK(space("ld.param::entry.u64") == MemorySpace::param);
  CHECK(space("red.shared::cluster.add.u32") == MemorySpace::shared);
  CHECK(space("tex.2d.v4.f32.f32") == MemorySpace::texture);
  CHECK(space("sust.b.1d.b32.trap") == MemorySpace::texture);
  CHECK(memory_space_of(Space::generic) == MemorySpace::generic);
}

TEST_CASE("Of cp, only what moves bytes is a copy") {
  const auto access = [](const char* mnemonic) { return access_of(instruction(mnemonic)); };
  CHECK(access("cp.async.ca.shared.global") == AccessKind::copy);
  CHECK(access("cp.async.cg.shared::cta.global.L2::cache_hint.L2::256B") == AccessKind::copy);
  CHECK(access("cp.async.mbarrier.arrive.b64") == AccessKind::mbarrier);
  CHECK(access("cp.async.mbarrier.arrive.noinc.shared::cta.b64") == AccessKind::mbarrier);
  for (const char* none :
       {"cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all", "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group.read", "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32", "cp"}) {
    CAPTURE(none);
    CHECK(access(none) == AccessKind::none);
  }
}

TEST_CASE("Every other opcode accesses memory as its row says, but the count of an mbarrier's token") {
  for (const OpcodeRow& row : opcode_table) {
    if (row.opcode == Opcode::cp) continue;
    CAPTURE(row.name);
    CHECK(access_of(instruction(row.name)) == row.traits.access);
  }
  CHECK(access_of(instruction("mbarrier.arrive.shared.b64")) == AccessKind::mbarrier);
  CHECK(access_of(instruction("mbarrier.pending_count.b64")) == AccessKind::none);
}

}  // namespace lockstep::access_test
