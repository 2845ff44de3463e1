// The heap of malloc and free.
#include <catch2/catch.hpp>

#include "isa/exec/memory/heap.hpp"

namespace lockstep::heap_test {

using namespace lockstep::exec;

TEST_CASE("malloc gives the first gap that is large enough, in steps of 16 bytes, with 16 bytes between allocations",
          "[exec]") {
  DeviceMemory memory;
  Heap heap(memory);
  const std::uint64_t first = heap.allocate(1);
  CHECK(first != 0);
  CHECK(first % 16 == 0);
  CHECK(heap.allocate(16) == first + 32);
  CHECK(heap.allocate(17) == first + 64);
  CHECK(heap.allocate(1) == first + 112);
  CHECK(heap.release(first + 32));
  CHECK(heap.allocate(17) == first + 144);
  CHECK(heap.allocate(2) == first + 32);
  CHECK(heap.allocations() == std::map<std::uint64_t, std::uint64_t>{{0, 1}, {32, 2}, {64, 17}, {112, 1}, {144, 17}});
}

TEST_CASE("malloc of nothing or of more than there is gives null", "[exec]") {
  DeviceMemory memory;
  Heap heap(memory);
  CHECK(heap.allocate(0) == 0);
  constexpr std::uint64_t most = Heap::size - Heap::guard;
  CHECK(heap.allocate(Heap::size + 1) == 0);
  CHECK(heap.allocate(most + 1) == 0);
  const std::uint64_t all = heap.allocate(most);
  CHECK(all != 0);
  CHECK(heap.allocate(1) == 0);
  CHECK(heap.release(all));
  CHECK(heap.allocate(most) == all);
}

TEST_CASE("freed memory joins the free memory before and behind it", "[exec]") {
  DeviceMemory memory;
  Heap heap(memory);
  // What is asked for of a quarter of the heap.
  constexpr std::uint64_t quarter = Heap::size / 4, part = quarter - Heap::guard;
  std::uint64_t parts[4];
  for (std::uint64_t& one : parts) one = heap.allocate(part);
  const auto release = [&](std::initializer_list<int> numbers) {
    for (const int number : numbers) CHECK(heap.release(parts[number]));
  };
  release({1, 2});  // Behind one that is free.
  CHECK(heap.allocate(part + quarter) == parts[1]);
  release({1});
  parts[1] = heap.allocate(part);
  parts[2] = heap.allocate(part);
  release({2, 1});  // Before it.
  CHECK(heap.allocate(part + quarter + 1) == 0);
  CHECK(heap.allocate(part + quarter) == parts[1]);
  release({1, 0, 3});  // Between two.
  CHECK(heap.allocate(Heap::size - Heap::guard) == parts[0]);
}

TEST_CASE("only what malloc gave, and only once, is freed", "[exec]") {
  DeviceMemory memory;
  Heap heap(memory);
  const std::uint64_t address = heap.allocate(32);
  CHECK_FALSE(heap.release(address + 16));
  CHECK(heap.release(address));
  CHECK_FALSE(heap.release(address));
  CHECK_FALSE(heap.release(0));
}

}  // namespace lockstep::heap_test
