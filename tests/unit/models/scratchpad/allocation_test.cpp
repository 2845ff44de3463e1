// Counts what is allocated while locks are taken and bank conflicts counted.

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <new>
#include <random>

#include "models/scratchpad/scratchpad.hpp"

namespace {

std::uint64_t allocations = 0;

void* counted(std::size_t bytes) {
  ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

}  // namespace

// Of the whole test program.
void* operator new(std::size_t bytes) {
  return counted(bytes);
}
void* operator new[](std::size_t bytes) {
  return counted(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace lockstep;
using namespace lockstep::scratchpad;

namespace {

struct Generation {
  const char* name;
  std::uint32_t banks, bank_bytes, request_lanes;
  Broadcast broadcast;
};

/// Passes, locks and releases of random accesses; returns a sum of all answers.
std::uint64_t use(Scratchpad& scratchpad, std::uint32_t rounds) {
  std::mt19937 random(1);
  std::array<std::uint64_t, 32> address{};
  std::uint64_t sum = 0;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint64_t& a : address) a = random() % 1024 * 16;
    for (const std::uint32_t bytes : {1u, 4u, 8u, 16u}) {
      sum += scratchpad.load_passes(address.data(), ~0u, bytes).all;
      sum += scratchpad.store_passes(address.data(), ~0u, bytes).all;
      sum += scratchpad.atomic_passes(address.data(), ~0u, bytes, false).all;
    }
    for (std::uint32_t left = ~0u; left != 0;) {
      const std::uint32_t acquired = scratchpad.acquire(address.data(), left, round, round).acquired;
      scratchpad.release(address.data(), acquired, round);
      left &= ~acquired;
      ++sum;
    }
  }
  return sum;
}

}  // namespace

TEST_CASE("Counting conflicts and taking locks allocates nothing, on any generation") {
  for (const Generation& g :
       {Generation{"GT200", 16, 4, 16, Broadcast::one_word}, Generation{"Fermi", 32, 4, 32, Broadcast::every_word},
        Generation{"Kepler", 32, 8, 32, Broadcast::every_word}}) {
    INFO(g.name);
    Spec spec;
    spec.banks = g.banks;
    spec.bank_bytes = g.bank_bytes;
    spec.request_lanes = g.request_lanes;
    spec.broadcast = g.broadcast;
    spec.locks = 256;
    spec.bank_hash = spec.lock_hash = "mod";
    Scratchpad scratchpad(spec, 48 * 1024);
    const std::uint64_t before = allocations;
    const std::uint64_t answers = use(scratchpad, 100);
    const std::uint64_t after = allocations;
    CHECK(after - before == 0);
    CHECK(answers >= 100 * 13);  // Twelve accesses of a pass or more, and a round of locks.
  }
}

TEST_CASE("What is allocated is counted") {
  const std::uint64_t before = allocations;
  ::operator delete(::operator new(1));
  CHECK(allocations - before == 1);
}
