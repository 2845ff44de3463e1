// The Chrome trace of a replay, read back as JSON: Trace Event Format (Google, 2016).

#include "sim/timeline/chrome_trace.hpp"

#include <zlib.h>

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "sim/timeline/gzip.hpp"
#include "tests/unit/sim/gpu/gtx580.hpp"
#include "tests/unit/sim/timeline/two_additions.hpp"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Slice {
  std::uint64_t process = 0, thread = 0, from = 0, duration = 0;
  std::string name;
};

boost::property_tree::ptree parsed(const std::string& json) {
  std::istringstream in(json);
  boost::property_tree::ptree tree;
  boost::property_tree::read_json(in, tree);
  return tree;
}

std::vector<Slice> slices_of(const std::string& json) {
  std::vector<Slice> slices;
  const boost::property_tree::ptree trace = parsed(json);
  for (const auto& [key, event] : trace.get_child("traceEvents"))
    if (event.get<std::string>("ph") == "X")
      slices.push_back({event.get<std::uint64_t>("pid"), event.get<std::uint64_t>("tid"),
                        event.get<std::uint64_t>("ts"), event.get<std::uint64_t>("dur"),
                        event.get<std::string>("name")});
  return slices;
}

std::string trace_of(FakeTrace& fake, const gpu::IssueWindow& window, Cycle interval = 0) {
  timeline::Events events;
  events.window = window;
  gpu::Options options;
  options.issue_window = window;
  options.issues = &events.issues;
  options.blocks = &events.blocks;
  options.samples.interval = interval;
  options.samples.take = [&](const gpu::Sample& sample) { events.samples.push_back(sample); };
  if (interval != 0) events.samples.emplace_back();
  const gpu::GpuSpec& spec = gtx580();
  const gpu::Result result = gpu::simulate(spec, fake, options);
  return timeline::chrome_trace(fake.header(), spec, result, events);
}

std::vector<Slice> timeline_of(FakeTrace& fake, const gpu::IssueWindow& window) {
  return slices_of(trace_of(fake, window));
}

}  // namespace

TEST_CASE("timeline: a warp waits for its thread block's start and for results, and issues, without gaps") {
  FakeTrace fake = two_dependent_additions();
  std::vector<Slice> warp;
  bool kernel = false, block = false;
  for (const Slice& slice : timeline_of(fake, {0, 10000, {0}, {}})) {
    if (slice.process == 0) kernel = slice.name == "fake";
    if (slice.process == 1 && slice.thread == 0) block = slice.name == "thread block 0";
    if (slice.process == 1 && slice.thread == 1) warp.push_back(slice);
  }
  CHECK(kernel);
  CHECK(block);
  // Set-up takes 200 cycles, a result 18; slots come every second cycle.
  REQUIRE(warp.size() >= 4);
  CHECK(warp[0].name == "launch");
  CHECK(warp[0].duration == 200);
  CHECK(warp[1].name == "add.s32");
  CHECK(warp[2].name == "arithmetic_result");
  CHECK(warp[2].duration == 16);
  CHECK(warp[3].name == "add.s32");
  for (std::size_t n = 1; n < warp.size(); ++n) CHECK(warp[n].from == warp[n - 1].from + warp[n - 1].duration);
}

TEST_CASE("timeline: only the cycles and SMs of the window are there, and thread blocks of all SMs") {
  FakeTrace fake = two_dependent_additions();
  fake.launch().grid = {32, 1, 1};
  std::set<std::uint64_t> sms_of_blocks;
  for (const Slice& slice : timeline_of(fake, {205, 300, {1}, {}})) {
    const bool block = slice.name.starts_with("thread block");
    if (block) sms_of_blocks.insert(slice.process);
    if (!block) CHECK((slice.process == 0 || slice.process == 2));
    if (slice.process == 2 && slice.thread % 2 == 1) CHECK(slice.from >= 205);
  }
  CHECK(sms_of_blocks.size() == 16);
  FakeTrace other = two_dependent_additions();
  for (const Slice& slice : timeline_of(other, {100000, 100001, {0}, {}})) CHECK(slice.process == 0);
}

TEST_CASE("timeline: what a warp waits for when the window ends is there, up to its last cycle") {
  const auto last_of = [](Cycle from, Cycle to) {
    FakeTrace fake = two_dependent_additions();
    fake.launch().grid = {100, 1, 1};  // Seven blocks to an SM.
    Slice last;
    for (const Slice& slice : timeline_of(fake, {from, to, {0}, {}})) {
      if (slice.process != 1 || slice.name.starts_with("thread block")) continue;
      CHECK(slice.from + slice.duration <= to);
      if (slice.thread == 1) last = slice;
    }
    return last;
  };
  const Slice result = last_of(150, 210);
  CHECK(result.name == "arithmetic_result");
  CHECK(result.from + result.duration == 210);
  const Slice start = last_of(100, 150);
  CHECK(start.name == "launch");
  CHECK(start.from == 100);
  CHECK(start.duration == 50);
}

TEST_CASE("timeline: counters are numbers in percent, each from its interval's begin on, and 0 behind the last") {
  FakeTrace fake = two_dependent_additions();
  fake.launch().grid = {32, 1, 1};
  std::map<std::string, std::vector<std::pair<std::uint64_t, double>>> counters;
  const boost::property_tree::ptree trace = parsed(trace_of(fake, {0, 10000, {0}, {}}, 50));
  for (const auto& [key, event] : trace.get_child("traceEvents")) {
    if (event.get<std::string>("ph") != "C") continue;
    CHECK(event.get<int>("pid") == 0);
    REQUIRE(event.get_child("args").size() == 1);
    counters[event.get<std::string>("name")].emplace_back(event.get<std::uint64_t>("ts"),
                                                          event.get_child("args").front().second.get_value<double>());
  }
  REQUIRE(counters.size() == 5);
  for (const auto& [name, values] : counters) {
    INFO(name);
    for (std::size_t n = 1; n < values.size(); ++n) CHECK(values[n].first > values[n - 1].first);
    CHECK(values.back().second == 0);
  }
  // 32 warps issue three instructions each; each of 16 SMs has a slot in every cycle.
  const auto& used = counters.at("issue slots used");
  double issued = 0;
  for (std::size_t n = 1; n < used.size(); ++n)
    issued += used[n - 1].second / 100 * static_cast<double>(used[n].first - used[n - 1].first) * 16;
  CHECK(issued == Approx(32 * 3).epsilon(0.01));
}

TEST_CASE("timeline: the compressed file is gzip of the text") {
  const std::string text(100000, 'x');
  const std::string packed = timeline::gzipped(text);
  CHECK(packed.size() < 1000);
  std::string unpacked(text.size() + 1, '\0');
  z_stream stream{};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  CHECK(inflate(&stream, Z_FINISH) == Z_STREAM_END);
  unpacked.resize(stream.total_out);
  inflateEnd(&stream);
  CHECK(unpacked == text);
}
