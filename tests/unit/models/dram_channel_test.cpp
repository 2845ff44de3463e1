// A DRAM channel, cycle by cycle. The clocks of DRAM and SM are the same unless a test says otherwise, a column command
// moves 64 bytes in two cycles, and expected times are sums of the timing parameters.

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

#include "models/dram/channel.hpp"

namespace lockstep::dram_channel_test {

using dram::Channel;

namespace {

dram::Spec channel_spec() {
  dram::Spec spec;
  spec.clock_mhz = 1000;
  spec.channels = 1;
  spec.banks = 16;
  spec.row_bytes = 2048;
  spec.bytes_per_dram_cycle = 32;
  spec.queue = 64;
  spec.scheduling = dram::Scheduling::first_ready_first_come;
  spec.age_limit = 100'000;
  spec.timing = {12, 4, 10, 11, 28, 6, 2, 12, 5, 2, 0, 0};  // cl wl rcd rp ras rrd ccd wr wtr rtp refi rfc
  spec.bank_hash = "mod";
  return spec;
}

struct Arrival {
  Cycle cycle = 0;
  std::uint64_t row = 0;  ///< Rows 0, 16, 32 ... are in bank 0.
  bool write = false;
  std::uint32_t bytes = 64;
};

/// When each access is done, in cycles.
std::vector<double> serve(Channel& channel, const std::vector<Arrival>& arrivals) {
  std::vector<double> done(arrivals.size(), -1);
  std::uint32_t next = 0;
  clock::Ticks now = 0;
  for (;;) {
    const clock::Ticks time = channel.next_time();
    if (next < arrivals.size() && channel.has_room() && clock::to_ticks(arrivals[next].cycle) <= time) {
      const Arrival& a = arrivals[next];
      now = std::max(now, clock::to_ticks(a.cycle));
      channel.push(now, {a.row * 2048, a.bytes, next, a.write});
      ++next;
      continue;
    }
    if (time == clock::never) return done;
    REQUIRE(time >= now);
    now = time;
    dram::Done one;
    if (!channel.step(one)) continue;
    REQUIRE(done.at(one.id) == -1);
    done[one.id] = static_cast<double>(one.time) / static_cast<double>(clock::ticks_per_cycle);
  }
}

std::vector<double> serve(const dram::Spec& spec, const std::vector<Arrival>& arrivals) {
  Channel channel(spec, 1000);
  return serve(channel, arrivals);
}

}  // namespace

TEST_CASE("A DRAM read takes activate and column time, an open row saves the first, another row adds a precharge") {
  Channel channel(channel_spec(), 1000);
  const auto done = serve(channel, {{0, 0}, {100, 0}, {200, 16}});
  CHECK(done[0] == 10 + 12 + 2);
  CHECK(done[1] == 100 + 12 + 2);
  CHECK(done[2] == 200 + 11 + 10 + 12 + 2);
  CHECK(channel.counters().row_hits == 1);
  CHECK(channel.counters().row_misses == 2);
  CHECK(channel.counters().activates == 2);
  CHECK(channel.counters().precharges == 1);
  CHECK(channel.counters().read_bytes == 3 * 64);
}

TEST_CASE("A DRAM row stays open for ras cycles, and after a read for rtp, after a write for wr cycles") {
  CHECK(serve(channel_spec(), {{0, 0}, {0, 16}})[1] == 28 + 11 + 10 + 12 + 2);
  dram::Spec spec = channel_spec();
  spec.timing.ras = 5;
  CHECK(serve(spec, {{0, 0}, {0, 16}})[1] == 10 + 2 + 11 + 10 + 12 + 2);
  // Write data ends at 10 + 4 + 2.
  CHECK(serve(spec, {{0, 0, true}, {0, 16}})[1] == 16 + 12 + 11 + 10 + 12 + 2);
}

TEST_CASE("Reads of one DRAM row follow each other at the rate of the data bus") {
  const std::vector<Arrival> stream(64, Arrival{0, 3});
  const auto done = serve(channel_spec(), stream);
  for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i] == 10 + 12 + 2 * (i + 1.0));
}

TEST_CASE("A DRAM access smaller than a column command's data still takes a column command") {
  const std::vector<Arrival> stream(8, Arrival{0, 3, false, 32});
  const auto done = serve(channel_spec(), stream);
  for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i] == 10 + 12 + 1 + 2.0 * i);
  // One of 128 bytes takes two.
  CHECK(serve(channel_spec(), {{0, 3, false, 128}, {0, 3}}) == std::vector<double>{26, 28});
}

TEST_CASE("Rows of several DRAM banks are opened rrd cycles apart while data moves") {
  CHECK(serve(channel_spec(), {{0, 0}, {0, 1}, {0, 2}, {0, 3}}) == std::vector<double>{24, 30, 36, 42});
}

TEST_CASE("FR-FCFS serves an open row before an older access; first come does not") {
  const std::vector<Arrival> arrivals = {{0, 0}, {1, 16}, {2, 0}};
  dram::Spec spec = channel_spec();
  CHECK(serve(spec, arrivals) == std::vector<double>{24, 28 + 11 + 10 + 12 + 2, 26});
  spec.scheduling = dram::Scheduling::first_come;
  // Row 16 is activated at 39 and read at 49; row 0 again: precharge at 39 + 28.
  CHECK(serve(spec, arrivals) == std::vector<double>{24, 63, 67 + 11 + 10 + 12 + 2});
}

TEST_CASE("A DRAM access older than the age limit is not passed any more") {
  std::vector<Arrival> arrivals = {{0, 0}, {1, 16}};
  for (Cycle i = 1; i < 300; ++i) arrivals.push_back({2 * i, 0});
  dram::Spec spec = channel_spec();
  CHECK(serve(spec, arrivals)[1] > 600);
  spec.age_limit = 100;
  const double done = serve(spec, arrivals)[1];
  // The first command at 101 or later is its precharge, rtp behind a read.
  CHECK(done >= 101 + 11 + 10 + 12 + 2);
  CHECK(done <= 101 + 2 + 2 + 11 + 10 + 12 + 2);
}

TEST_CASE("The DRAM bus turns around: reads wait wtr behind written data, writes for the bus behind reads") {
  // Written data from 14 to 16; the read command 5 later.
  CHECK(serve(channel_spec(), {{0, 0, true}, {0, 0}}) == std::vector<double>{16, 21 + 12 + 2});
  // Read data from 22 to 24; written data follows at once.
  Channel channel(channel_spec(), 1000);
  CHECK(serve(channel, {{0, 0}, {0, 0, true}}) == std::vector<double>{24, 26});
  CHECK(channel.counters().turnarounds == 1);
  CHECK(channel.counters().write_bytes == 64);
}

TEST_CASE("A DRAM refresh closes every row and takes rfc cycles") {
  dram::Spec spec = channel_spec();
  spec.timing.refi = 1000;
  spec.timing.rfc = 100;
  Channel channel(spec, 1000);
  // Activated at 990; the column command would be at 1000, when the refresh is due. The row can be closed at 1018.
  CHECK(serve(channel, {{990, 0}})[0] == 1018 + 11 + 100 + 10 + 12 + 2);
  CHECK(channel.counters().refreshes == 1);
  // Nothing is asked for until 5050; the fifth refresh lasts from 5000 to 5100.
  Channel idle(spec, 1000);
  CHECK(serve(idle, {{5050, 0}, {5950, 0}}) == std::vector<double>{5100 + 24, 5950 + 14});
  CHECK(idle.counters().refreshes == 5);
  // A cycle before the refresh is due, a column command still goes.
  Channel before(spec, 1000);
  CHECK(serve(before, {{989, 0}})[0] == 989 + 24);
}

TEST_CASE("A DRAM channel's refreshes are early by its part of their interval") {
  dram::Spec spec = channel_spec();
  spec.timing.refi = 1000;
  spec.timing.rfc = 100;
  // The first refresh is due at 750, the second at 1750: a cycle too late for the column command, and a cycle early.
  Channel late(spec, 1000, 0.25), early(spec, 1000, 0.25);
  CHECK(serve(late, {{740, 0}})[0] == 768 + 11 + 100 + 10 + 12 + 2);
  CHECK(serve(early, {{739, 0}})[0] == 739 + 24);
  Channel second(spec, 1000, 0.25);
  CHECK(serve(second, {{1739, 0}})[0] == 1739 + 24);
  CHECK(second.counters().refreshes == 1);
}

TEST_CASE("However long a row takes to open or close, accesses end when it can be read between two refreshes") {
  std::mt19937 random(11);
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    dram::Spec spec = channel_spec();
    spec.scheduling = round % 2 == 0 ? dram::Scheduling::first_come : dram::Scheduling::first_ready_first_come;
    spec.banks = 1u << random() % 3;
    spec.age_limit = random() % 2 == 0 ? 50 : 100'000;
    // Each of them is long in some rounds.
    for (std::uint32_t* time : {&spec.timing.rcd, &spec.timing.rp, &spec.timing.ras, &spec.timing.rrd, &spec.timing.rfc,
                                &spec.timing.wr, &spec.timing.wtr})
      *time = random() % 4 == 0 ? random() % 4000 : random() % 20;
    spec.timing.refi = static_cast<std::uint32_t>(dram::least_refresh_interval(spec.timing)) + 1;
    Channel channel(spec, 1000, 0.25 * static_cast<double>(random() % 4));
    const std::uint32_t accesses = 30;
    for (std::uint32_t id = 0; id < accesses; ++id) channel.push(0, {random() % 12 * 2048, 64, id, random() % 3 == 0});
    std::uint32_t done = 0;
    dram::Done one;
    for (std::uint32_t commands = 0; commands < 100 * accesses && done < accesses; ++commands)
      done += channel.step(one) ? 1 : 0;
    CHECK(done == accesses);
  }
}

TEST_CASE("A row that takes longer to open than the time between two refreshes is never read") {
  dram::Spec spec = channel_spec();
  spec.timing.refi = 3908;
  spec.timing.rfc = 65;
  spec.timing.rcd = 4000;
  REQUIRE(spec.timing.refi <= dram::least_refresh_interval(spec.timing));
  Channel channel(spec, 1000);
  channel.push(0, {0, 64, 0, false});
  dram::Done one;
  bool done = false;
  for (int commands = 0; commands < 1000 && !done; ++commands) done = channel.step(one);
  CHECK_FALSE(done);
}

TEST_CASE("Banks are chosen by the hash of the row-sized piece, and controller time comes on top") {
  dram::Spec spec = channel_spec();
  spec.banks = 8;
  spec.latency = 77;
  // Rows 0 and 8 share a bank of 8.
  CHECK(serve(spec, {{0, 0}, {0, 8}})[1] == 63 + 77);
  CHECK(serve(spec, {{0, 0}, {0, 7}})[1] == 30 + 77);
}

TEST_CASE("DRAM time in cycles of a faster SM clock is rounded once, not with every access") {
  Channel channel(channel_spec(), 1544);  // 1.544 SM cycles for each of the DRAM
  std::vector<Arrival> stream;
  for (Cycle i = 0; i < 20'000; ++i) stream.push_back({0, 3});
  const auto done = serve(channel, stream);
  CHECK(done.front() == Approx(24 * 1.544).epsilon(1e-5));
  CHECK(done.back() == Approx((22 + 2 * 20'000) * 1.544).epsilon(1e-5));
}

TEST_CASE("Random DRAM traffic: every access is done once, no two share the bus, none is faster than its data") {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    dram::Spec spec = channel_spec();
    spec.scheduling = round % 2 == 0 ? dram::Scheduling::first_come : dram::Scheduling::first_ready_first_come;
    spec.queue = 1 + random() % 40;
    spec.banks = 1u << random() % 5;
    spec.age_limit = random() % 300;
    if (round % 3 == 0) {
      spec.timing.refi = 500;
      spec.timing.rfc = 60;
    }
    std::vector<Arrival> arrivals;
    Cycle cycle = 0;
    const std::uint32_t rows = 1 + random() % 40;
    for (int i = 0; i < 300; ++i) {
      cycle += random() % 8;
      arrivals.push_back({cycle, random() % rows, random() % 3 == 0, 32u << random() % 3});
    }
    Channel channel(spec, 1000);
    const auto done = serve(channel, arrivals);
    std::vector<std::pair<double, double>> data;  // End, start.
    for (std::size_t i = 0; i < done.size(); ++i) {
      const double taken = arrivals[i].bytes / 32.0;
      REQUIRE(done[i] >= static_cast<double>(arrivals[i].cycle) + (arrivals[i].write ? 4 : 12) + taken);
      data.emplace_back(done[i], done[i] - taken);
    }
    std::sort(data.begin(), data.end());
    for (std::size_t i = 1; i < data.size(); ++i) REQUIRE(data[i].second >= data[i - 1].first);
    CHECK(channel.counters().row_hits + channel.counters().row_misses == arrivals.size());
    CHECK(channel.counters().activates >= channel.counters().row_misses);
    CHECK(channel.waiting() == 0);
  }
}

TEST_CASE("Banks that are refreshed one after the other close their own row and leave the others alone") {
  dram::Spec spec = channel_spec();
  spec.refresh = dram::Refresh::per_bank;
  spec.timing.refi = 1600;  // Bank n begins at 100 n, again every 1600,
  spec.timing.rfc = 100;    // and is taken for as long.
  Channel channel(spec, 1000);
  // Bank 0 at 0, bank 8 before its refresh at 800 and after, bank 10 meanwhile, bank 8 when all is over.
  const auto done = serve(channel, {{0, 0}, {200, 8}, {810, 8}, {820, 10}, {1000, 8}});
  CHECK(done[0] == 100 + 10 + 12 + 2);
  CHECK(done[1] == 200 + 10 + 12 + 2);
  CHECK(done[2] == 800 + 11 + 100 + 10 + 12 + 2);  // The open row is closed first.
  CHECK(done[3] == 820 + 10 + 12 + 2);
  CHECK(done[4] == 1000 + 12 + 2);
  CHECK(channel.counters().refreshes == 2);
}

TEST_CASE("A bank that nobody asked for during several refreshes waits for the last alone") {
  dram::Spec spec = channel_spec();
  spec.refresh = dram::Refresh::per_bank;
  spec.timing.refi = 1600;
  spec.timing.rfc = 100;
  Channel channel(spec, 1000);
  const auto done = serve(channel, {{5 * 1600 + 30, 0}});
  CHECK(done[0] == 5 * 1600 + 100 + 10 + 12 + 2);
  CHECK(channel.counters().refreshes == 6);
}

}  // namespace lockstep::dram_channel_test
