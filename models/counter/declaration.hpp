#pragma once
// How a model declares what it counts. Counters are plain 64-bit integers, so that counting is an increment; beside them one
// line each says what they are, and sums, listings and files of results follow from that line:
//
//   struct Counters {
//     std::uint64_t reads = 0, bus_ticks = 0;
//
//     template <class Declare>
//     static constexpr void describe(Declare& declare) {
//       declare(&Counters::reads, "dram.reads", "requests", "Reads of DRAM");
//       declare(&Counters::bus_ticks, "busy_cycles", "cycles", "Data buses taken, summed", counter::ticks);
//     }
//   };
//
// A model's counters are a part of those of the machine that it is in, which adds what stands in front of their names:
//
//   declare.part(&MachineCounters::dram, "memory.");
//
// A name is a promise to whoever reads results: the order of the lines is the order of results.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "models/clock/ticks.hpp"

namespace lockstep::counter {

/// What counters of equal parts make together.
enum class Aggregation : std::uint8_t { sum, largest };

/// What else can be said of a counter.
struct Properties {
  Aggregation aggregation = Aggregation::sum;
  std::uint64_t (*shown)(std::uint64_t) = nullptr;  ///< Results show what this makes of the count; null: the count.
};
/// Counted in clock::Ticks, shown in cycles of the SM.
inline constexpr Properties ticks{Aggregation::sum, clock::cycle_of};
/// Of several parts the largest.
inline constexpr Properties largest{Aggregation::largest, nullptr};

/// One counter of an array. Without a name it is not shown.
struct Entry {
  std::string name, text;
};

/// What two counters make together.
struct Together {
  static constexpr void combine(std::uint64_t& to, std::uint64_t from, Aggregation aggregation) {
    to = aggregation == Aggregation::sum ? to + from : std::max(to, from);
  }
};
/// What a counter has counted since it had the value `from`; a largest one stays.
struct Since {
  static constexpr void combine(std::uint64_t& to, std::uint64_t from, Aggregation aggregation) {
    if (aggregation == Aggregation::sum) to -= from;
  }
};

/// Combines counters of equal parts. As `declare` it shows all that a declaration can say.
template <class Counters, class How>
struct Combination {
  Counters& to;
  const Counters& from;

  /// A counter: its name below the part's, unit, and a line for people.
  constexpr void operator()(std::uint64_t Counters::*member, [[maybe_unused]] const char* name,
                            [[maybe_unused]] const char* unit, [[maybe_unused]] const char* text,
                            const Properties& properties = {}) {
    How::combine(to.*member, from.*member, properties.aggregation);
  }
  /// An array of counters of one unit; `entry(i)` gives name and text of the i-th.
  template <std::size_t count>
  constexpr void each(std::array<std::uint64_t, count> Counters::*member, [[maybe_unused]] const char* unit,
                      [[maybe_unused]] Entry (*entry)(std::size_t), const Properties& properties = {}) {
    for (std::size_t i = 0; i < count; ++i) How::combine((to.*member)[i], (from.*member)[i], properties.aggregation);
  }
  /// The sum of an array, shown beside its entries; it counts nothing itself.
  template <std::size_t count>
  constexpr void total([[maybe_unused]] std::array<std::uint64_t, count> Counters::*member,
                       [[maybe_unused]] const char* name, [[maybe_unused]] const char* unit,
                       [[maybe_unused]] const char* text) {}
  /// Counters of a part, with their own declaration; `prefix` stands in front of their names.
  template <class Part>
  constexpr void part(Part Counters::*member, [[maybe_unused]] const char* prefix) {
    Combination<Part, How> inner{to.*member, from.*member};
    Part::describe(inner);
  }
};

/// `to` becomes what both make together.
template <class Counters>
void add(Counters& to, const Counters& from) {
  Combination<Counters, Together> combination{to, from};
  Counters::describe(combination);
}

/// Of counters that only grow: what they counted between `from` and `to`, two of their states.
template <class Counters>
Counters difference(Counters to, const Counters& from) {
  Combination<Counters, Since> combination{to, from};
  Counters::describe(combination);
  return to;
}

/// The integers that have been declared.
template <std::size_t size>
struct Declared {
  std::array<const std::uint64_t*, size> counters{};
  std::size_t count = 0;
  bool once = true;

  constexpr void add(const std::uint64_t& counter) {
    for (std::size_t i = 0; i < std::min(count, size); ++i) once = once && counters[i] != &counter;
    if (count < size) counters[count] = &counter;
    ++count;
  }
};

/// As `declare`, notes every integer of a structure of counters that is declared.
template <class Counters, std::size_t size>
struct Coverage {
  const Counters& of;
  Declared<size>& declared;

  constexpr void operator()(std::uint64_t Counters::*member, const char*, const char*, const char*,
                            const Properties& = {}) {
    declared.add(of.*member);
  }
  template <std::size_t count>
  constexpr void each(std::array<std::uint64_t, count> Counters::*member, const char*, Entry (*)(std::size_t),
                      const Properties& = {}) {
    for (const std::uint64_t& counter : of.*member) declared.add(counter);
  }
  template <std::size_t count>
  constexpr void total(std::array<std::uint64_t, count> Counters::*, const char*, const char*, const char*) {}
  template <class Part>
  constexpr void part(Part Counters::*member, const char*) {
    Coverage<Part, size> inner{of.*member, declared};
    Part::describe(inner);
  }
};

/// Whether every integer of a structure of counters, its parts included, is declared exactly once: for static_assert.
template <class Counters>
constexpr bool declares_all() {
  constexpr std::size_t size = sizeof(Counters) / sizeof(std::uint64_t);
  const Counters counters{};
  Declared<size> declared;
  Coverage<Counters, size> coverage{counters, declared};
  Counters::describe(coverage);
  return declared.once && declared.count == size && sizeof(Counters) % sizeof(std::uint64_t) == 0;
}

}  // namespace lockstep::counter
