// Which executions depend on the order in which thread blocks execute atomics.
#include <catch2/catch.hpp>

#include "tests/unit/isa/exec/run.hpp"

namespace lockstep::order_dependence_test {

using namespace lockstep::exec::test;

namespace {

struct Found {
  std::uint32_t branches = 0, addresses = 0;
  std::string first;  ///< Mnemonic.
  friend bool operator==(const Found&, const Found&) = default;
};
std::ostream& operator<<(std::ostream& out, const Found& found) {
  return out << found.branches << " branches, " << found.addresses << " addresses, first " << found.first;
}
const Found nothing;

/// Runs `body` in blocks of 32 threads. %rd0 is the address of 256 words, %r1 ctaid.x, %rd2 the address of word ctaid.x;
/// %p1 is true but for the first thread.
Found found_in(const std::string& body, std::uint32_t blocks = 4, const std::string& before = "") {
  Program p;
  p.ptx =
      kernel("mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0; setp.ne.u32 %p1, %r0, 0;\n" +
                 body + "\nEND:\n",
             before);
  p.grid = {blocks, 1, 1};
  p.buffers.push_back({"out", bytes_of(std::vector<std::uint32_t>(256))});
  const auto machine = p.machine();
  machine->finish();
  const auto dependences = machine->order_dependences();
  REQUIRE(dependences);
  if (dependences->empty()) return nothing;
  REQUIRE(dependences->size() == 1);
  const program::Kernel& kernel = machine->header().kernels[0];
  const trace::OrderDependence& one = dependences->front();
  return {one.branches, one.addresses, kernel.strings[kernel.instructions[one.first].mnemonic]};
}

}  // namespace

TEST_CASE("tickets that decide who goes on depend on the order of blocks", "[exec]") {
  CHECK(found_in(R"(
  NEXT:
    atom.global.add.u32 %r2, [%rd0], 1;
    setp.lt.u32 %p2, %r2, 1000;
    @%p2 bra NEXT;
  )") == Found{1, 0, "bra"});
}

TEST_CASE("a ticket that reaches the other threads through scratchpad memory does so too", "[exec]") {
  // The load at the ticket's place: its address. The branch: what has been read from scratchpad memory.
  CHECK(found_in(R"(
    .shared .align 4 .b32 ticket;
    @%p1 bra TAKEN;
    atom.global.add.u32 %r2, [%rd0+1020], 1;
    st.shared.u32 [ticket], %r2;
  TAKEN:
    bar.sync 0;
    ld.shared.u32 %r3, [ticket];
    mul.wide.u32 %rd3, %r3, 4; add.s64 %rd3, %rd3, %rd0;
    ld.global.u32 %r4, [%rd3];
    setp.eq.u32 %p2, %r3, 2;
    @%p2 bra END;
  )") == Found{1, 1, "ld.global.u32"});
}

TEST_CASE("places that are drawn for results are addresses, in whatever way they come", "[exec]") {
  CHECK(found_in("atom.global.add.u32 %r2, [%rd0+1020], 1; and.b32 %r2, %r2, 127; mul.wide.u32 %rd3, %r2, 4; "
                 "add.s64 %rd3, %rd3, %rd0; st.global.u32 [%rd3], %r0;") == Found{0, 1, "st.global.u32"});
  CHECK(found_in("@!%p1 atom.global.add.u32 %r2, [%rd0+1020], 1; shfl.sync.idx.b32 %r3, %r2, 0, 31, -1; "
                 "and.b32 %r2, %r3, 127; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd3, %rd0; "
                 "st.global.u32 [%rd3], %r0;") == Found{0, 1, "st.global.u32"});
  CHECK(
      found_in("atom.global.add.u32 %r2, [%rd0+1020], 1; setp.gt.u32 %p2, %r2, 40; @%p2 st.global.u32 [%rd2], %r0;") ==
      Found{0, 1, "st.global.u32"});
}

TEST_CASE("a ticket that a function returns is followed through the call", "[exec]") {
  CHECK(found_in(R"({
    .param .b64 p; .param .b32 q;
    st.param.b64 [p], %rd0;
    call (q), draw, (p);
    ld.param.b32 %r2, [q];
    }
    setp.gt.u32 %p2, %r2, 40;
    @%p2 bra END;
  )",
                 4,
                 ".func (.param .b32 r) draw(.param .b64 a)\n{\n.reg .b64 %x; .reg .b32 %y;\nld.param.b64 %x, [a];\n"
                 "atom.global.add.u32 %y, [%x], 1;\nst.param.b32 [r], %y;\nret;\n}\n") == Found{1, 0, "bra"});
}

TEST_CASE("decoupled look-back depends on the order of blocks", "[exec]") {
  // Block b waits for the sum of the blocks before it, which block b - 1 publishes in word b - 1.
  CHECK(found_in(R"(
    mov.u32 %r3, 1;
    @%p1 bra END;
    setp.eq.u32 %p2, %r1, 0;
    @%p2 bra PUBLISH;
  LOOK:
    ld.relaxed.gpu.global.u32 %r4, [%rd2+-4];
    setp.eq.u32 %p3, %r4, 0;
    @%p3 bra LOOK;
    add.u32 %r3, %r3, %r4;
  PUBLISH:
    st.relaxed.gpu.global.u32 [%rd2], %r3;
  )",
                 40) == Found{1, 0, "bra"});
}

TEST_CASE("who is last depends on the order of blocks", "[exec]") {
  CHECK(found_in(R"(
    membar.gl;
    atom.global.inc.u32 %r2, [%rd0], 127;
    setp.ne.u32 %p2, %r2, 127;
    @%p2 bra END;
    st.global.u32 [%rd0+4], %r2;
  )") == Found{1, 0, "bra"});
}

TEST_CASE("an ordinary load of a word that other blocks add to depends on their order", "[exec]") {
  CHECK(found_in(R"(
    red.global.add.u32 [%rd0], 1;
    membar.gl;
    ld.global.u32 %r2, [%rd0];
    setp.gt.u32 %p2, %r2, 64;
    @%p2 bra END;
  )") == Found{1, 0, "bra"});
}

TEST_CASE("a compare-and-swap that is repeated depends on the order of blocks only if they share the word", "[exec]") {
  const auto loop = [](const std::string& word) {
    return "ld.global.u32 %r2, [" + word + R"(];
  AGAIN:
    add.u32 %r3, %r2, 1;
    atom.global.cas.b32 %r4, [)" +
           word + R"(], %r2, %r3;
    setp.ne.u32 %p2, %r4, %r2;
    mov.u32 %r2, %r4;
    @%p2 bra AGAIN;
  )";
  };
  CHECK(found_in(loop("%rd0")) == Found{1, 0, "bra"});
  CHECK(found_in(loop("%rd2")) == nothing);
}

TEST_CASE("what only adds up does not depend on the order of blocks", "[exec]") {
  // A histogram: the place of an addition follows from the input.
  CHECK(found_in(R"(
    ld.global.u32 %r2, [%rd2+512];
    mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd3, %rd0;
    red.global.add.u32 [%rd3], 1;
    atom.global.add.u32 %r3, [%rd3], 1;
    membar.gl;
  )") == nothing);
}

TEST_CASE("results of atomics that are only stored decide nothing", "[exec]") {
  CHECK(found_in("atom.global.add.u32 %r2, [%rd0+1020], 1; st.global.u32 [%rd2], %r2;") == nothing);
  // The input that a branch reads comes from other words.
  CHECK(found_in("atom.global.add.u32 %r2, [%rd0+1020], 1; st.global.u32 [%rd2], %r2; ld.global.u32 %r3, [%rd2+512]; "
                 "setp.eq.u32 %p2, %r3, 0; @%p2 bra END;") == nothing);
}

TEST_CASE("a block alone, and scratchpad memory, depend on no other block", "[exec]") {
  const std::string ticket = "atom.global.add.u32 %r2, [%rd0], 1; setp.gt.u32 %p2, %r2, 7; @%p2 bra END;";
  CHECK(found_in(ticket, 1) == nothing);
  CHECK(found_in(ticket, 2) == Found{1, 0, "bra"});
  CHECK(found_in(".shared .align 4 .b32 count;\natom.shared.add.u32 %r2, [count], 1; setp.gt.u32 %p2, %r2, 7; "
                 "@%p2 bra END;") == nothing);
}

TEST_CASE("launches are told apart: what an earlier one wrote has an order", "[exec]") {
  Program p;
  p.ptx = kernel(
      "mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd2, %rd2, %rd0;\n"
      "ld.relaxed.gpu.global.u32 %r2, [%rd2]; setp.gt.u32 %p2, %r2, 0; @%p2 bra END; red.global.add.u32 [%rd2], "
      "1;\nEND:");
  p.grid = {4, 1, 1};
  p.launches = 2;
  p.buffers.push_back({"out", std::vector<std::uint8_t>(64)});
  const auto machine = p.machine();
  machine->finish();
  CHECK(machine->order_dependences()->empty());
}

}  // namespace lockstep::order_dependence_test
