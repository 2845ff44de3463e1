#include "sim/stats/catalog.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace lockstep::stats {

namespace {

static_assert(counter::declares_all<gpu::Counters>(), "a counter of the GPU is declared twice or not at all");
static_assert(counter::declares_all<gpu::InstructionCounters>());

/// As `declare`, appends statistics. `get` finds the structure that declares among the counters of a GPU.
template <class Part, class Get>
struct Listing {
  std::vector<Statistic>& all;
  std::string prefix;
  Get get;

  void operator()(std::uint64_t Part::*member, const char* name, const char* unit, const char* text,
                  const counter::Properties& properties = {}) {
    append(prefix + name, unit, text, properties, [member](const Part& part) { return part.*member; });
  }
  template <std::size_t count>
  void each(std::array<std::uint64_t, count> Part::*member, const char* unit, counter::Entry (*entry)(std::size_t),
            const counter::Properties& properties = {}) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto [name, text] = entry(i);
      if (!name.empty())
        append(prefix + name, unit, text, properties, [member, i](const Part& part) { return (part.*member)[i]; });
    }
  }
  template <std::size_t count>
  void total(std::array<std::uint64_t, count> Part::*member, const char* name, const char* unit, const char* text) {
    append(prefix + name, unit, text, {}, [member](const Part& part) {
      return std::accumulate((part.*member).begin(), (part.*member).end(), std::uint64_t{0});
    });
  }
  template <class Inner>
  void part(Inner Part::*member, const char* inner_prefix) {
    const auto inner_get = [get = get, member](const gpu::Counters& counters) -> const Inner& {
      return get(counters).*member;
    };
    Listing<Inner, decltype(inner_get)> inner{all, prefix + inner_prefix, inner_get};
    Inner::describe(inner);
  }

 private:
  template <class Count>
  void append(std::string name, std::string unit, std::string text, const counter::Properties& properties,
              Count count) {
    all.push_back({std::move(name), std::move(unit), std::move(text),
                   [get = get, count, shown = properties.shown](const gpu::Counters& counters) {
                     const std::uint64_t value = count(get(counters));
                     return shown == nullptr ? value : shown(value);
                   },
                   properties.aggregation == counter::Aggregation::largest});
  }
};

std::vector<Statistic> list() {
  std::vector<Statistic> all;
  const auto whole = [](const gpu::Counters& counters) -> const gpu::Counters& { return counters; };
  Listing<gpu::Counters, decltype(whole)> listing{all, "", whole};
  gpu::Counters::describe(listing);
  return all;
}

template <class Entry>
const Entry* find(const std::vector<Entry>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Entry& entry) { return entry.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Statistic>& statistics() {
  static const std::vector<Statistic> all = list();
  return all;
}

const Statistic* find_statistic(std::string_view name) {
  return find(statistics(), name);
}

const Derived* find_derived(std::string_view name) {
  return find(derived_statistics(), name);
}

}  // namespace lockstep::stats
