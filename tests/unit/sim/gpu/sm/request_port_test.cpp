// Where requests leave and replies come back, and whether each request is somewhere.

#include <catch2/catch.hpp>

#include "sim/gpu/sm/memory/open_accesses.hpp"
#include "sim/gpu/sm/memory/request_port.hpp"
#include "tests/unit/sim/gpu/sm/memory_unit_fake.hpp"

namespace lockstep::request_port_test {

using namespace lockstep::test;
using gpu::PendingRequest;

namespace {

struct Bench {
  explicit Bench(std::uint32_t credits)
      : spec(memory_unit_gpu()),
        slices(spec.memory.l2.slice_hash, spec.memory.l2.slices, spec.memory.l2.interleave_bytes),
        port((spec.memory.noc.credits = credits, spec), slices, counters) {
    port.begin_launch();
  }
  void read(std::uint64_t address, Cycle at) {
    noc::Request request;
    request.address = address;
    request.sectors = 1;
    request.bytes = 32;
    PendingRequest pending;
    pending.line = address;
    port.send(request, pending, at);
  }
  /// Lines whose replies are taken up to `now`.
  std::vector<std::uint64_t> receive(Cycle now) {
    std::vector<std::uint64_t> lines;
    port.receive(now, [&](const PendingRequest& pending, const noc::Reply&) { lines.push_back(pending.line); });
    return lines;
  }

  gpu::GpuSpec spec;
  noc::SliceMap slices;
  gpu::MemoryUnitCounters counters;
  gpu::RequestPort port;
};

}  // namespace

TEST_CASE("request port: a request is in the memory from when it is collected until its reply is delivered") {
  Bench b(10);
  b.read(256, 5);
  CHECK(b.port.pending() == 1);
  CHECK(b.port.in_memory() == 0);  // Still in the outbox.
  REQUIRE(b.port.outbox().size() == 1);
  const noc::Request request = b.port.outbox()[0];
  b.port.outbox().clear();
  CHECK(b.port.in_memory() == 1);
  b.port.deliver({400, request.token, request.slice, false, 0});
  CHECK(b.port.in_memory() == 0);
  CHECK(b.port.pending() == 1);
  CHECK(b.port.next_event() == 400);
  CHECK(b.receive(399).empty());
  CHECK(b.receive(400) == std::vector<std::uint64_t>{256});
  CHECK(b.port.pending() == 0);
  CHECK(b.port.next_event() == never);
}

TEST_CASE("request port: without a credit a request waits in the port, and is in no memory") {
  Bench b(1);
  b.read(256, 0);
  b.read(512, 0);
  const noc::Request first = b.port.outbox().at(0);
  CHECK(b.port.outbox().size() == 1);
  b.port.outbox().clear();
  CHECK(b.port.waits_for_credit());
  CHECK(b.port.in_memory() == 1);
  b.port.deliver({100, 0, first.slice, true, 0});
  CHECK(b.port.in_memory() == 1);  // A credit answers nothing.
  CHECK(b.receive(100).empty());
  CHECK_FALSE(b.port.waits_for_credit());
  REQUIRE(b.port.outbox().size() == 1);
  CHECK(b.port.outbox()[0].address == 512);
}

TEST_CASE("request port: replies are taken in order of their cycles, however they are delivered") {
  Bench b(10);
  for (const std::uint64_t line : {256u, 512u, 768u}) b.read(line, 0);
  const std::vector<noc::Request> sent = b.port.outbox();
  b.port.outbox().clear();
  b.port.deliver({300, sent[0].token, 0, false, 0});
  b.port.deliver({200, sent[2].token, 0, false, 0});
  b.port.deliver({250, sent[1].token, 0, false, 0});
  CHECK(b.receive(250) == std::vector<std::uint64_t>{768, 512});
  CHECK(b.receive(1000) == std::vector<std::uint64_t>{256});
}

TEST_CASE("request port: a request that others overtake leaves at its own time") {
  Bench b(10);
  noc::Request request;
  request.address = 1024;
  request.bytes = 32;
  b.port.send_later(request, {}, 50);
  b.read(256, 10);
  CHECK(b.port.next_event() == 50);
  CHECK(b.port.outbox().size() == 1);
  b.receive(50);
  REQUIRE(b.port.outbox().size() == 2);
  CHECK(b.port.outbox()[1].address == 1024);
}

TEST_CASE("open accesses: an access completes with its last part, and is ready with its latest") {
  gpu::OpenAccesses accesses;
  accesses.clear();
  const std::uint32_t one = accesses.begin(77);
  accesses.add_part(one);
  accesses.add_part(one);
  accesses.part_done(one, 90);
  CHECK(accesses.close(one) == never);
  CHECK(accesses.completed().empty());
  accesses.part_done(one, 40);
  REQUIRE(accesses.completed().size() == 1);
  CHECK(accesses.completed()[0].token == 77);
  CHECK(accesses.completed()[0].ready == 90);
  CHECK(accesses.under_way() == 0);
}

TEST_CASE("open accesses: one whose parts are all done when it is closed does not complete later") {
  gpu::OpenAccesses accesses;
  accesses.clear();
  const std::uint32_t one = accesses.begin(1), two = accesses.begin(2);
  accesses.add_part(one);
  accesses.part_done(one, 30);
  CHECK(accesses.close(one) == 30);
  CHECK(accesses.close(two) == 0);  // An access without parts.
  CHECK(accesses.completed().empty());
  const std::uint32_t again = accesses.begin(3);  // Storage is used again, its contents are not.
  accesses.delay(again, 12);
  CHECK(accesses.close(again) == 12);
}

}  // namespace lockstep::request_port_test
