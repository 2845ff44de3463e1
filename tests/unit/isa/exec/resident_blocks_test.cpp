// Thread blocks that are resident at the same time: what waits for another one goes on, and what takes work as it comes
// shares it.
#include <catch2/catch.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <numeric>

#include "isa/error.hpp"
#include "isa/exec/resident_blocks.hpp"
#include "isa/trace/stream.hpp"
#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::resident_blocks_test {

using namespace lockstep::exec::test;
using Catch::Contains;

namespace {

/// `body` on `words` zeroed words; %rd0 is their address, %r0 tid.x, %r1 ctaid.x, %r2 nctaid.x.
Program words_kernel(const std::string& body, std::uint32_t blocks, std::uint32_t threads, std::size_t words,
                     std::uint64_t resident) {
  Program p;
  p.ptx = kernel("mov.u32 %r1, %ctaid.x; mov.u32 %r2, %nctaid.x;\n" + body);
  p.grid = {blocks, 1, 1};
  p.block = {threads, 1, 1};
  p.buffers.push_back({"out", bytes_of(std::vector<std::uint32_t>(words))});
  p.resident_blocks = resident;
  return p;
}

/// Word 0 counts tickets; the word behind it of each block, the items that it has taken. The first thread takes a ticket
/// for its block, which tells the others through scratchpad memory, and each item costs `cost` turns of a loop.
Program persistent_blocks(std::uint32_t blocks, std::uint32_t items, std::uint32_t cost, std::uint64_t resident = 0) {
  const std::string body = R"(
    .shared .align 4 .b32 ticket;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0;
    setp.ne.u32 %p1, %r0, 0;
  NEXT:
    bar.sync 0;
    @%p1 bra TAKEN;
    atom.global.add.u32 %r3, [%rd0], 1;
    st.shared.u32 [ticket], %r3;
  TAKEN:
    bar.sync 0;
    ld.shared.u32 %r4, [ticket];
    setp.ge.u32 %p2, %r4, ITEMS;
    @%p2 bra END;
    mov.u32 %r5, 0;
  WORK:
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, COST;
    @%p3 bra WORK;
    @!%p1 red.global.add.u32 [%rd2+4], 1;
    bra NEXT;
  END:
  )";
  std::string filled = body;
  filled.replace(filled.find("ITEMS"), 5, std::to_string(items));
  filled.replace(filled.find("COST"), 4, std::to_string(cost));
  return words_kernel(filled, blocks, 64, blocks + 1, resident);
}

/// Block i waits until block `awaited` (an expression of %r1 in %r3) has raised its flag, then raises its own. Words: a flag
/// per block.
Program chain(const std::string& awaited, const std::string& first, std::uint32_t blocks, std::uint64_t resident) {
  return words_kernel(awaited + R"(
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0;
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd3, %rd0;
    mov.u32 %r4, 0;
    setp.ne.u32 %p1, %r0, 0;
    @%p1 bra END;
    setp.eq.u32 %p2, %r1, )" +
                          first + R"(;
    @%p2 bra RAISE;
  WAIT:
    ld.acquire.gpu.global.u32 %r4, [%rd3];
    setp.eq.u32 %p3, %r4, 0;
    @%p3 bra WAIT;
  RAISE:
    add.u32 %r4, %r4, 1;
    st.release.gpu.global.u32 [%rd2], %r4;
  END:
  )",
                      blocks, 32, blocks, resident);
}

/// 1, 2, 3, ...
std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1u);
  return values;
}

}  // namespace

TEST_CASE("as many thread blocks are resident as an H200 holds", "[exec]") {
  // 132 SMs; 2048 threads, 64 warps, 32 thread blocks each.
  CHECK(exec::default_resident_blocks(1024) == 132 * 2);
  CHECK(exec::default_resident_blocks(256) == 132 * 8);
  CHECK(exec::default_resident_blocks(64) == 132 * 32);
  CHECK(exec::default_resident_blocks(1) == 132 * 32);
  CHECK(exec::default_resident_blocks(65) == 132 * 21);   // 3 warps each
  CHECK(exec::default_resident_blocks(1000) == 132 * 2);  // 32 warps each
}

TEST_CASE("blocks that take items from a counter in global memory share them evenly", "[exec]") {
  // 1003 items among 40 blocks, short ones and ones of several turns.
  for (const std::uint32_t cost : {1u, 5u, 700u}) {
    const auto out = persistent_blocks(40, 1003, cost).run();
    const auto [least, most] = std::minmax_element(out.begin() + 1, out.end());
    CAPTURE(cost);
    CHECK(std::accumulate(out.begin() + 1, out.end(), 0u) == 1003);
    CHECK(*least >= 25);
    CHECK(*most <= 26);
  }
}

TEST_CASE("blocks that are not resident find the items taken", "[exec]") {
  const auto out = persistent_blocks(40, 1000, 5, 8).run();
  for (std::size_t block = 0; block < 40; ++block) CHECK(out[1 + block] == (block < 8 ? 125 : 0));
}

TEST_CASE("warps that take items one by one share them evenly", "[exec]") {
  // 3 blocks of 4 warps; words 1 to 12 count the items of each warp.
  const auto out = words_kernel(R"(
    and.b32 %r3, %r0, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra END;
    mad.lo.u32 %r4, %r1, 128, %r0; shr.u32 %r4, %r4, 5; mul.wide.u32 %rd2, %r4, 4; add.s64 %rd2, %rd2, %rd0;
  NEXT:
    atom.global.add.u32 %r5, [%rd0], 1;
    setp.ge.u32 %p2, %r5, 120; @%p2 bra END;
    red.global.add.u32 [%rd2+4], 1;
    bra NEXT;
  END:
  )",
                                3, 128, 13, 0)
                       .run();
  CHECK(std::vector<std::uint32_t>(out.begin() + 1, out.end()) == std::vector<std::uint32_t>(12, 10));
}

TEST_CASE("what a block has loaded is old when it swaps, as others swap meanwhile", "[exec]") {
  // Word 0: the largest of 1 to 8, one value per block. Word 1: how often a block compared and swapped. All load 0; of those
  // that still swap, the first succeeds and all others learn its value: 8 + 7 + ... + 1 swaps.
  const std::string load = GENERATE("ld.global.u32 %r4, [%rd0];", "ld.u32 %r4, [%rd0];",
                                    "ld.global.u32 %r4, [%rd0]; ld.global.u32 %r6, [%rd0+4]; and.b32 %r6, %r6, 0;"
                                    "add.u32 %r4, %r4, %r6;");
  const auto out = words_kernel("add.u32 %r3, %r1, 1;\n" + load + R"(
  NEXT:
    setp.ge.u32 %p1, %r4, %r3; @%p1 bra END;
    atom.global.cas.b32 %r5, [%rd0], %r4, %r3;
    red.global.add.u32 [%rd0+4], 1;
    setp.eq.u32 %p2, %r5, %r4; @%p2 bra END;
    mov.u32 %r4, %r5;
    bra NEXT;
  END:
  )",
                                8, 1, 2, 0)
                       .run();
  CAPTURE(load);
  CHECK(out == std::vector<std::uint32_t>{8, 36});
}

TEST_CASE("a block that waits for the one before it goes on when that has written", "[exec]") {
  for (const std::uint64_t resident : {1, 2, 7, 0}) {
    CAPTURE(resident);
    CHECK(chain("sub.u32 %r3, %r1, 1;", "0", 100, resident).run() == counted(100));
  }
}

TEST_CASE("a block may wait for a later one that is resident", "[exec]") {
  std::vector<std::uint32_t> descending = counted(100);
  std::reverse(descending.begin(), descending.end());
  CHECK(chain("add.u32 %r3, %r1, 1;", "99", 100, 100).run() == descending);
}

TEST_CASE("a block that waits for one that is not resident is reported with what would help", "[exec]") {
  const std::string message = chain("add.u32 %r3, %r1, 1;", "99", 100, 99).error();
  CHECK_THAT(message, Contains("kernel 'k': 99 thread blocks of 100 are resident and wait forever") &&
                          Contains("--resident-blocks 100") &&
                          Contains("thread block (0,0,0):\n  warp 0 is at setp.eq.u32 at test.ptx:"));
}

TEST_CASE("a block alone that waits for nobody is reported", "[exec]") {
  const std::string message = chain("mov.u32 %r3, 0;", "9", 1, 0).error();
  CHECK_THAT(message, Contains("1 thread block of 1 is resident and waits forever") && !Contains("--resident-blocks"));
}

TEST_CASE("blocks that count how often they have polled in vain are reported, but not before 8192 times", "[exec]") {
  const auto poll = [](const std::string& most) {
    auto task = words_kernel(
                    "mov.u32 %r3, 0;\nWAIT: add.u32 %r3, %r3, 1; ld.acquire.gpu.global.u32 %r4, [%rd0];\n"
                    "setp.ge.u32 %p1, %r3, " +
                        most +
                        "; @%p1 bra END;\n"
                        "setp.eq.u32 %p2, %r4, 0; @%p2 bra WAIT;\nEND:",
                    8, 32, 1, 0)
                    .task();
    task->instruction_limit = 100'000;  // Of one thread block: 14,000 times seven instructions.
    exec::Machine(std::move(task)).finish();
  };
  CHECK_NOTHROW(poll("8000"));
  CHECK_THROWS_WITH(poll("12000"), Contains("8 thread blocks of 8 are resident and wait forever") &&
                                       Contains("nothing else has happened") && Contains("'instruction_limit'") &&
                                       Contains("warp 0 is at"));
}

TEST_CASE("all blocks of a grid meet at a barrier in global memory, again and again", "[exec]") {
  // Word 0 counts arrivals. Before each of 5 meetings a block adds 1 to its own word; after it, it reads its right
  // neighbour's, and adds what it finds to its sum: 1 + 2 + 3 + 4 + 5, or more where the neighbour is ahead.
  const auto out = words_kernel(R"(
    setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0;
    add.u32 %r3, %r1, 1; rem.u32 %r3, %r3, %r2; mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd3, %rd0;
    mov.u32 %r4, 0; mov.u32 %r9, 0; mov.u32 %r10, 0;
  NEXT:
    add.u32 %r4, %r4, 1;
    st.volatile.global.u32 [%rd2+4], %r4;
    membar.gl;
    add.u32 %r9, %r9, %r2;
    red.global.add.u32 [%rd0], 1;
  WAIT:
    ld.volatile.global.u32 %r5, [%rd0];
    setp.lt.u32 %p2, %r5, %r9; @%p2 bra WAIT;
    ld.volatile.global.u32 %r6, [%rd3+4];
    setp.lt.u32 %p3, %r6, %r4; @%p3 trap;
    setp.lt.u32 %p4, %r4, 5; @%p4 bra NEXT;
  END:
  )",
                                300, 32, 301, 0)
                       .run();
  CHECK(out[0] == 1500);
  CHECK(std::all_of(out.begin() + 1, out.end(), [](std::uint32_t word) { return word == 5; }));
}

TEST_CASE("a lock in global memory keeps blocks apart", "[exec]") {
  // Word 0 is the lock. Under it, word 1 is read, and written after more than a turn.
  const auto out = words_kernel(R"(
    setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
  LOCK:
    atom.global.acquire.gpu.cas.b32 %r3, [%rd0], 0, 1;
    setp.ne.u32 %p2, %r3, 0; @%p2 bra LOCK;
    ld.global.u32 %r4, [%rd0+4];
    mov.u32 %r5, 0;
  WORK:
    add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 400; @%p3 bra WORK;
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd0+4], %r4;
    atom.global.release.gpu.exch.b32 %r6, [%rd0], 0;
  END:
  )",
                                50, 64, 2, 0)
                       .run();
  CHECK(out == std::vector<std::uint32_t>{0, 50});
}

TEST_CASE("the last block to end reads what all others have written", "[exec]") {
  // Words 2 to 41: a partial result per block, its number; word 1: the sum of all, by the block that draws the last ticket.
  const auto out = words_kernel(R"(
    setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
    mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0;
    st.global.u32 [%rd2+8], %r1;
    membar.gl;
    sub.u32 %r3, %r2, 1;
    atom.global.inc.u32 %r4, [%rd0], %r3;
    setp.ne.u32 %p2, %r4, %r3; @%p2 bra END;
    mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u64 %rd3, %rd0;
  SUM:
    ld.global.u32 %r7, [%rd3+8]; add.u32 %r6, %r6, %r7; add.s64 %rd3, %rd3, 4;
    add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, %r2; @%p3 bra SUM;
    st.global.u32 [%rd0+4], %r6;
  END:
  )",
                                40, 32, 42, 0)
                       .run();
  CHECK(out[0] == 0);
  CHECK(out[1] == 39 * 40 / 2);
}

TEST_CASE("blocks that cannot learn of each other execute one after the other", "[exec]") {
  // What lies between load and store is longer than a turn: blocks in turns would lose additions.
  const std::string body = R"(
    setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
    ld.global.u32 %r4, [%rd0]; mov.u32 %r5, 0;
  WORK:
    add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, 1000; @%p3 bra WORK;
    add.u32 %r4, %r4, 1; st.global.u32 [%rd0], %r4;
    )";
  CHECK(words_kernel(body + "atom.global.add.u32 %r6, [%rd0+4], 1; END:\n", 9, 32, 2, 0).run()[0] == 9);
  CHECK(words_kernel(body + "membar.cta; END:\n", 9, 32, 2, 0).run()[0] == 9);
  // A result that is read, and a fence for other blocks, are what such a kernel must not have.
  CHECK(
      words_kernel(body + "atom.global.add.u32 %r6, [%rd0+4], 1; add.u32 %r7, %r6, 1; END:\n", 9, 32, 2, 0).run()[0] ==
      1);
  CHECK(words_kernel(body + "membar.gl; END:\n", 9, 32, 2, 0).run()[0] == 1);
}

TEST_CASE("taking streams one by one and all at once is the same execution", "[exec]") {
  const Program p = persistent_blocks(40, 500, 50, 16);
  const auto machine = p.machine();
  std::uint64_t entries = 0;
  for (std::uint64_t number = 0; number < 40; ++number) {
    const auto streams = machine->open(0, number);
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
      trace::StreamCursor cursor(streams->warp(warp));
      trace::BlockEntry block;
      while (cursor.next_block(block)) {
        ++entries;
        const program::StaticBlock& at = machine->header().kernels[0].blocks[block.block];
        for (std::uint32_t i = at.first; i < at.first + at.count; ++i) {
          trace::AccessEntry access;
          for (std::uint32_t n = 0; n < program::access_entries(machine->header().kernels[0].instructions[i]); ++n)
            cursor.next_access(access);
        }
      }
    }
  }
  CHECK(entries > 500 * 2 * 50);  // Every item is 50 turns of a loop in each of two warps.
  CHECK(values_of<std::uint32_t>(machine->buffer(0)) == p.run());
}

TEST_CASE("a huge grid takes the memory of the blocks that are resident", "[exec]") {
  // A block has 256 KiB of scratchpad memory: 20,000 of them are 5 GiB, and 16 are 4 MiB.
  Program p = words_kernel("atom.global.add.u32 %r3, [%rd0], 1; st.global.u32 [%rd0+4], %r3;", 20000, 32, 2, 16);
  p.dynamic_shared_bytes = 256 << 10;
  rusage before{}, after{};
  REQUIRE(getrusage(RUSAGE_SELF, &before) == 0);
  const auto machine = p.machine();
  for (std::uint64_t number = 0; number < 20000; ++number) machine->open(0, number);
  REQUIRE(getrusage(RUSAGE_SELF, &after) == 0);
  CHECK(values_of<std::uint32_t>(machine->buffer(0))[0] == 20000 * 32);
  CHECK(after.ru_maxrss - before.ru_maxrss < 128 << 10);  // KiB
}

}  // namespace lockstep::resident_blocks_test
