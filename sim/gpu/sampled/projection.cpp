#include "sim/gpu/sampled/projection.hpp"

#include <cmath>
#include <string_view>

namespace lockstep::gpu::sampled {

namespace {

/// As `declare` of models/counter: each counter becomes what its unit's factor makes of it.
template <class Part>
struct Projection {
  Part& counters;
  const Factors& factors;

  void scale(std::uint64_t& count, std::string_view unit, const counter::Properties& properties) const {
    if (properties.aggregation == counter::Aggregation::largest) {
      count = 0;
      return;
    }
    const bool time = unit.ends_with("cycles") || unit == "slots";
    count =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * (time ? factors.cycles : factors.events)));
  }
  void operator()(std::uint64_t Part::*member, const char*, const char* unit, const char*,
                  const counter::Properties& properties = {}) {
    scale(counters.*member, unit, properties);
  }
  template <std::size_t count>
  void each(std::array<std::uint64_t, count> Part::*member, const char* unit, counter::Entry (*)(std::size_t),
            const counter::Properties& properties = {}) {
    for (std::uint64_t& one : counters.*member) scale(one, unit, properties);
  }
  template <std::size_t count>
  void total(std::array<std::uint64_t, count> Part::*, const char*, const char*, const char*) {}
  template <class Inner>
  void part(Inner Part::*member, const char*) {
    Projection<Inner> inner{counters.*member, factors};
    Inner::describe(inner);
  }
};

}  // namespace

Counters project(const Counters& counted, const Factors& factors) {
  Counters result = counted;
  Projection<Counters> projection{result, factors};
  Counters::describe(projection);
  return result;
}

}  // namespace lockstep::gpu::sampled
