#include <catch2/catch.hpp>

#include "isa/machine/lowering.hpp"

namespace lockstep::cache_operator_test {

using machine::CacheOperator;

namespace {

CacheOperator operator_of(const char* mnemonic, program::AccessKind access) {
  program::Kernel kernel;
  kernel.name = "k";
  kernel.strings = {"", mnemonic};
  kernel.register_bits.assign(4, 32);
  program::StaticInstruction s;
  s.mnemonic = 1;
  s.access = access;
  s.space = program::MemorySpace::global;
  s.element_bytes = 4;
  s.sources = {1};
  kernel.instructions.push_back(s);
  kernel.blocks.push_back({0, 1});
  const machine::Program program = machine::lower(kernel, {"fermi", machine::ScratchpadAtomics::lock_loop});
  return program.instructions.at(0).cache_operator;
}

}  // namespace

TEST_CASE("A load's cache operator, order and eviction priority decide which caches it uses") {
  const auto load = [](const char* mnemonic) { return operator_of(mnemonic, program::AccessKind::load); };
  CHECK(load("ld.global.u32") == CacheOperator::normal);
  CHECK(load("ld.global.ca.u32") == CacheOperator::normal);
  CHECK(load("ld.global.cg.v4.f32") == CacheOperator::second_level);
  CHECK(load("ld.global.cs.u32") == CacheOperator::streaming);
  CHECK(load("ld.global.lu.u32") == CacheOperator::last_use);
  CHECK(load("ld.global.cv.u32") == CacheOperator::refetch);
  CHECK(load("ld.volatile.global.u32") == CacheOperator::refetch);
  CHECK(load("ld.global.nc.f32") == CacheOperator::read_only);
  CHECK(load("ld.global.nc.L1::no_allocate.f32") == CacheOperator::no_allocate);
  CHECK(load("ld.global.L1::evict_first.f32") == CacheOperator::streaming);
  CHECK(load("ld.acquire.gpu.global.u32") == CacheOperator::second_level);
  CHECK(load("ld.relaxed.sys.global.u32") == CacheOperator::second_level);
  CHECK(load("ld.relaxed.cta.global.u32") == CacheOperator::normal);
}

TEST_CASE("A store's cache operator decides which caches it uses") {
  const auto store = [](const char* mnemonic) { return operator_of(mnemonic, program::AccessKind::store); };
  CHECK(store("st.global.u32") == CacheOperator::normal);
  CHECK(store("st.global.wb.u32") == CacheOperator::normal);
  CHECK(store("st.global.cg.u32") == CacheOperator::second_level);
  CHECK(store("st.global.cs.u32") == CacheOperator::streaming);
  CHECK(store("st.global.wt.u32") == CacheOperator::refetch);
  CHECK(store("st.release.gpu.global.u32") == CacheOperator::second_level);
}

}  // namespace lockstep::cache_operator_test
