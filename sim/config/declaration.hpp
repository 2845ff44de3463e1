#pragma once
// How parameters are declared; for the files gpu_parameters*.cpp alone.

#include <fmt/format.h>

#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

#include "models/cache/replacement.hpp"
#include "sim/config/parameter.hpp"

namespace lockstep::config {

using Type = Parameter::Type;

// The accessor of a field, for constant and changeable specifications; with its path in front, where both are the same.
#define ACCESS(field)      \
  [](auto& gpu) -> auto& { \
    return gpu.field;      \
  }
#define FIELD(field) #field, ACCESS(field)

Parameter described(std::string_view path, Type type, Setting default_value, std::string_view unit,
                    std::string_view text);

template <class Access>
using FieldOf = std::remove_reference_t<decltype(std::declval<Access>()(std::declval<gpu::GpuSpec&>()))>;

/// Where a field lies in every specification. What a parameter does is compiled once for a type of fields, not for every field.
template <class Field>
class Place {
 public:
  explicit Place(std::size_t offset) : offset_(offset) {}
  Field& operator()(gpu::GpuSpec& gpu) const {
    return *reinterpret_cast<Field*>(reinterpret_cast<std::byte*>(&gpu) + offset_);
  }
  const Field& operator()(const gpu::GpuSpec& gpu) const { return (*this)(const_cast<gpu::GpuSpec&>(gpu)); }

 private:
  std::size_t offset_;
};

/// From a field of `any_gpu()` to its offset; a Bug when it is no part of the specification itself.
std::size_t offset_of(const void* field);
const gpu::GpuSpec& any_gpu();

template <class Access>
Place<FieldOf<Access>> place_of(Access access) {
  return Place<FieldOf<Access>>(offset_of(&access(any_gpu())));
}

template <class Field>
Parameter whole_at(std::string_view path, Place<Field> field, std::string_view unit, std::uint64_t default_value,
                   std::uint64_t minimum, std::uint64_t maximum, std::string_view text) {
  static_assert(std::is_unsigned_v<Field>);
  Parameter parameter = described(path, Type::whole, default_value, unit, text);
  parameter.minimum = minimum;
  parameter.maximum = maximum;
  parameter.get = [field](const gpu::GpuSpec& gpu) -> Setting { return std::uint64_t{field(gpu)}; };
  parameter.set = [field](gpu::GpuSpec& gpu, const Setting& setting) {
    field(gpu) = static_cast<Field>(std::get<std::uint64_t>(setting));
  };
  return parameter;
}
template <class Access>
Parameter whole(std::string_view path, Access access, std::string_view unit, std::uint64_t default_value,
                std::uint64_t minimum, std::uint64_t maximum, std::string_view text) {
  return whole_at(path, place_of(access), unit, default_value, minimum, maximum, text);
}

Parameter flag_at(std::string_view path, Place<bool> field, bool default_value, std::string_view text);
template <class Access>
Parameter flag(std::string_view path, Access access, bool default_value, std::string_view text) {
  return flag_at(path, place_of(access), default_value, text);
}

/// A duration; a cycle of the SM's clock is its unit.
template <class Access>
Parameter cycles(std::string_view path, Access access, std::uint64_t default_value, std::uint64_t minimum,
                 std::string_view text) {
  return whole(path, access, "cycles", default_value, minimum, 1'000'000, text);
}

Parameter number_at(std::string_view path, Place<double> field, std::string_view unit, double default_value,
                    double minimum, double maximum, std::string_view text);
template <class Access>
Parameter number(std::string_view path, Access access, std::string_view unit, double default_value, double minimum,
                 double maximum, std::string_view text) {
  return number_at(path, place_of(access), unit, default_value, minimum, maximum, text);
}

/// A value of an enumeration, how it is called, and what it means.
template <class Enumeration>
struct Named {
  Enumeration value;
  std::string name, text;
};

/// One of the named values; the order in which they are named means nothing but the order of lists.
template <class Enumeration>
Parameter choice_at(std::string_view path, Place<Enumeration> field, const std::vector<Named<Enumeration>>& values,
                    Enumeration default_value, std::string_view text) {
  static_assert(std::is_enum_v<Enumeration>);
  const std::string shown(path);
  const auto name_of = [shown, values](Enumeration value) {
    for (const auto& named : values)
      if (named.value == value) return named.name;
    throw Bug(fmt::format("{}: value {} has no name", shown, static_cast<int>(value)));
  };
  Parameter parameter = described(path, Type::choice, name_of(default_value), "", text);
  for (const auto& named : values) parameter.choices.push_back({named.name, named.text});
  parameter.get = [field, name_of](const gpu::GpuSpec& gpu) -> Setting { return name_of(field(gpu)); };
  parameter.set = [field, values](gpu::GpuSpec& gpu, const Setting& setting) {
    for (const auto& named : values)
      if (named.name == std::get<std::string>(setting)) field(gpu) = named.value;
  };
  return parameter;
}
template <class Access>
Parameter choice(std::string_view path, Access access, const std::vector<Named<FieldOf<Access>>>& values,
                 FieldOf<Access> default_value, std::string_view text) {
  return choice_at(path, place_of(access), values, default_value, text);
}

Parameter text_at(std::string_view path, Place<std::string> field, std::string default_value, std::string_view text);
template <class Access>
Parameter text(std::string_view path, Access access, std::string default_value, std::string_view text) {
  return text_at(path, place_of(access), std::move(default_value), text);
}

/// A text that may differ from kernel to kernel: see Parameter::by_kernel.
template <class Access>
Parameter text_by_kernel(std::string_view path, Access access, std::string default_value, std::string_view line) {
  Parameter parameter = text(path, access, std::move(default_value), line);
  parameter.by_kernel = true;
  return parameter;
}

/// A text that is one of some names.
template <class Access>
Parameter name_of(std::string_view path, Access access, std::vector<Parameter::Choice> choices,
                  std::string default_value, std::string_view line) {
  Parameter parameter = text(path, access, std::move(default_value), line);
  parameter.type = Type::choice;
  parameter.choices = std::move(choices);
  return parameter;
}

/// What a store does to a cache.
inline std::vector<Named<cache::WritePolicy>> write_policies() {
  return {{cache::WritePolicy::evict, "evict", "a resident line is dropped, the store is forwarded"},
          {cache::WritePolicy::through, "through", "a resident line is updated, the store is forwarded"},
          {cache::WritePolicy::back, "back", "the line takes the data and is written back when evicted"}};
}
/// Those and what an L1 cache may do beside.
inline std::vector<Named<cache::WritePolicy>> l1_write_policies() {
  std::vector<Named<cache::WritePolicy>> all = write_policies();
  all.push_back({cache::WritePolicy::allocate, "allocate", "the line takes the data, the store is forwarded too"});
  return all;
}

/// Appends the declarations of one part of a GPU.
void declare_sm(std::vector<Parameter>& all);
void declare_sm_memory(std::vector<Parameter>& all);
void declare_occupancy(std::vector<Parameter>& all);
void declare_scratchpad(std::vector<Parameter>& all);
void declare_rgpu(std::vector<Parameter>& all);
void declare_memory(std::vector<Parameter>& all);
void declare_analytic(std::vector<Parameter>& all);
void declare_energy(std::vector<Parameter>& all);

/// The replacement policy of a cache or translation buffer.
template <class Access>
Parameter replacement(const std::string& path, Access access, const std::string& name) {
  Parameter parameter =
      text(path + ".replacement", access, "lru",
           fmt::format("Line of a full set that is evicted, {}; one of {}", name, cache::replacement_forms()));
  parameter.check = cache::check_replacement;
  return parameter;
}

/// A cache below `path`; `defaults` gives its sizes, in the order of the fields.
template <class Access>
void declare_cache(std::vector<Parameter>& all, const std::string& path, Access access, const cache::Spec& defaults,
                   const std::string& name) {
#define CACHE_FIELD(field)       \
  [access](auto& gpu) -> auto& { \
    return access(gpu).field;    \
  }
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  all.push_back(whole(path + ".bytes", CACHE_FIELD(bytes), "bytes", defaults.bytes, 0, most,
                      "Size of the " + name + "; 0: there is none"));
  all.push_back(whole(path + ".line_bytes", CACHE_FIELD(line_bytes), "bytes", defaults.line_bytes, 16, 4096,
                      "Line of the " + name));
  all.push_back(whole(path + ".sector_bytes", CACHE_FIELD(sector_bytes), "bytes", defaults.sector_bytes, 16, 4096,
                      "Part of a line that is filled at once, " + name));
  all.push_back(whole(path + ".ways", CACHE_FIELD(ways), "", defaults.ways, 0, 65536,
                      "Lines per set of the " + name + "; 0: fully associative"));
  all.push_back(text(path + ".set_hash", CACHE_FIELD(set_hash), defaults.set_hash,
                     "Hash SPEC from line number to set of the " + name));
  all.push_back(replacement(path, CACHE_FIELD(replacement), name));
  all.push_back(whole(path + ".mshrs", CACHE_FIELD(mshrs), "lines", defaults.mshrs, 1, 1 << 20,
                      "Lines in flight to the " + name));
  all.push_back(whole(path + ".mshr_merges", CACHE_FIELD(mshr_merges), "accesses", defaults.mshr_merges, 1, 1 << 20,
                      "Accesses that may wait for one such line, " + name));
#undef CACHE_FIELD
}

/// A translation buffer below `path`.
template <class Access>
void declare_tlb(std::vector<Parameter>& all, const std::string& path, Access access, const std::string& name) {
#define TLB_FIELD(field)         \
  [access](auto& gpu) -> auto& { \
    return access(gpu).field;    \
  }
  all.push_back(whole(path + ".entries", TLB_FIELD(entries), "pages", 0, 0, 1 << 20,
                      "Pages that the " + name + " knows; 0: all"));
  all.push_back(whole(path + ".ways", TLB_FIELD(ways), "", 0, 0, 65536,
                      "Entries per set of the " + name + "; 0: fully associative"));
  all.push_back(replacement(path, TLB_FIELD(replacement), name));
  all.push_back(whole(path + ".page_bytes", TLB_FIELD(page_bytes), "bytes", 128 << 10, 1024, std::uint64_t{1} << 40,
                      "Memory that one entry of the " + name + " covers"));
  all.push_back(
      cycles(path + ".miss_latency", TLB_FIELD(miss_latency), 0, 0, "Latency of a page that is not in the " + name));
#undef TLB_FIELD
}

}  // namespace lockstep::config
