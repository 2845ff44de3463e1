// Sizes of messages: by hand, and what an H200 showed of stores of parts of 1, 2 and 4 sectors (2, 3 and 5 flits).
#include "models/noc/message_size.hpp"

#include <catch2/catch.hpp>

namespace lockstep::noc_message_size_test {

using noc::message_bytes;
using noc::RequestKind;

namespace {

noc::Request request(RequestKind kind, std::uint32_t sectors, std::uint32_t bytes, bool whole = false,
                     std::uint32_t lanes = 0) {
  noc::Request one;
  one.kind = kind;
  one.sectors = sectors;
  one.bytes = bytes;
  one.whole_sectors = whole;
  one.lanes = lanes;
  return one;
}

noc::Spec crossbar(std::uint32_t flit) {
  noc::Spec spec;
  spec.header_bytes = 8;
  spec.flit_bytes = flit;
  return spec;
}

}  // namespace

TEST_CASE("message size: without flits a message is its header, and its data in the direction that has them") {
  const noc::Spec spec = crossbar(0);
  CHECK(message_bytes(spec, request(RequestKind::read, 0xf, 128)) == 8);
  CHECK(message_bytes(spec, request(RequestKind::wait, 1, 32)) == 8);
  CHECK(message_bytes(spec, request(RequestKind::write, 0xf, 128, true)) == 136);
  CHECK(message_bytes(spec, request(RequestKind::reduction, 1, 4, false, 1)) == 12);
  CHECK(noc::reply_bytes(spec, 128) == 136);
  CHECK(noc::reply_bytes(spec, 0) == 8);
}

TEST_CASE("message size: a read is one flit however much it asks for") {
  CHECK(message_bytes(crossbar(32), request(RequestKind::read, 0xf, 128)) == 32);
  CHECK(message_bytes(crossbar(32), request(RequestKind::wait, 1, 32)) == 32);
}

TEST_CASE("message size: a write of parts of sectors has a flit more than sectors, one of whole sectors half a flit") {
  const noc::Spec spec = crossbar(32);
  CHECK(message_bytes(spec, request(RequestKind::write, 0x1, 32)) == 2 * 32);
  CHECK(message_bytes(spec, request(RequestKind::write, 0x5, 64)) == 3 * 32);
  CHECK(message_bytes(spec, request(RequestKind::write, 0xf, 128)) == 5 * 32);
  CHECK(message_bytes(spec, request(RequestKind::write, 0x1, 32, true)) == 48);
  CHECK(message_bytes(spec, request(RequestKind::write, 0xf, 128, true)) == 144);
}

TEST_CASE("message size: a pass of an atomic names its words in a flit, in which the operand of one lane finds room") {
  const auto flits = [](std::uint32_t sectors, std::uint32_t lanes, std::uint32_t same_word, std::uint32_t operations) {
    noc::Request one = request(RequestKind::reduction, sectors, 4 * lanes, false, lanes);
    one.same_word = same_word;
    one.operations = operations;
    return message_bytes(crossbar(32), one) / 32;
  };
  CHECK(flits(0x1, 1, 1, 1) == 1);
  CHECK(flits(0x3, 2, 1, 2) == 3);
  CHECK(flits(0xf, 32, 1, 4) == 5);
  // Eight lanes on each of the four words of a sector: eight passes of two flits.
  CHECK(flits(0x1, 32, 8, 8) == 16);
  // Two lanes on a word of one sector, one in the other: two passes, of two sectors and of one.
  CHECK(flits(0x3, 3, 2, 3) == 5);
  // All lanes on one word: their passes have one lane each.
  CHECK(flits(0x1, 32, 32, 32) == 32);
}

TEST_CASE("message size: a reply is as many flits as its data fill, at least one") {
  CHECK(noc::reply_bytes(crossbar(32), 0) == 32);
  CHECK(noc::reply_bytes(crossbar(32), 4) == 32);
  CHECK(noc::reply_bytes(crossbar(32), 33) == 64);
  CHECK(noc::reply_bytes(crossbar(32), 128) == 128);
}

}  // namespace lockstep::noc_message_size_test
