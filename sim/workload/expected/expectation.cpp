#include "sim/workload/expected/expectation.hpp"

#include <algorithm>
#include <cmath>

#include "sim/workload/expected/arithmetic_chain.hpp"
#include "sim/workload/expected/reference_kernel.hpp"

namespace lockstep::workload {

namespace {

Elements part_of(const Elements& all, std::uint64_t first, std::uint64_t count) {
  const std::vector<std::uint8_t> bytes = all.bytes();
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first * bytes_of(all.type()));
  return {all.type(),
          std::vector<std::uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count * bytes_of(all.type())))};
}

/// What is expected of the buffer (or variable) `memory` from element `first` on: `count` elements, where the expectation
/// does not say itself how many.
Elements expected_elements(Evaluation& evaluation, const Expectation& expectation, std::size_t memory, ElementType type,
                           std::uint64_t first, std::uint64_t count) {
  using Kind = Expectation::Kind;
  switch (expectation.kind) {
    case Kind::kernel:
      return part_of(reference_elements(evaluation, expectation.reference, memory, type), first, count);
    case Kind::file: return raw_file(type, evaluation.path_of(*expectation.file), 0, std::nullopt);
    case Kind::arithmetic_chain: {
      const Elements& input = evaluation.contents(*expectation.input);
      const auto option = [&](std::string_view name) -> const LocatedExpression& {
        return expectation.options.find(name)->second;
      };
      const auto size = [&](std::string_view name) {
        return static_cast<std::uint64_t>(evaluation.whole(option(name), 1, std::int64_t{1} << 32, name));
      };
      return arithmetic_chain(evaluation.choice_of(*expectation.argument), input,
                              {evaluation.evaluate(option("a")), evaluation.evaluate(option("b"))}, size("chains"),
                              size("length"), type);
    }
    case Kind::copy: {
      const Elements& source = evaluation.contents(*expectation.input);
      if (source.type() == type) return source;
      Elements copy(type, source.count());
      for (std::uint64_t i = 0; i < source.count(); ++i) {
        const Number number = source.number(i);
        const std::int64_t* const whole = std::get_if<std::int64_t>(&number);
        const bool has_top_bit = source.type() == ElementType::u64 && whole != nullptr && *whole < 0;
        if (has_top_bit && (is_floating(type) || bytes_of(type) < 8))
          throw InputError(
              fmt::format("element {} is {}, which does not fit into the type {}", i, source.text(i), name_of(type)));
        copy.set(i, number);
      }
      return copy;
    }
    case Kind::values: {
      Elements elements(type, expectation.values.size());
      for (std::size_t i = 0; i < expectation.values.size(); ++i) {
        elements.set(i, evaluation.evaluate(expectation.values[i]));
      }
      return elements;
    }
    case Kind::constant: return constant(type, count, evaluation.evaluate(*expectation.each));
    case Kind::each: return evaluation.each(*expectation.each, type, count, first);
    case Kind::unchecked: break;
  }
  throw Bug("an expected result of unknown kind");
}

}  // namespace

std::string difference(const Descriptor& descriptor, Evaluation& evaluation, const ExpectSpec& spec,
                       const exec::Machine& machine) {
  const Expectation& expectation = evaluation.select(spec.expectation);
  if (expectation.kind == Expectation::Kind::unchecked) return "";
  const bool is_variable = spec.buffer >= descriptor.buffers.size();
  const auto index = static_cast<std::uint32_t>(spec.buffer - (is_variable ? descriptor.buffers.size() : 0));
  const std::string name =
      fmt::format("{} {}", is_variable ? "variable" : "buffer", descriptor.memory(spec.buffer).name);
  const ElementType type = evaluation.select(descriptor.memory(spec.buffer).contents).type;
  const std::span<const std::uint8_t> found_bytes = is_variable ? machine.variable(index) : machine.buffer(index);
  if (found_bytes.size() % bytes_of(type) != 0) {
    throw EvaluationError{spec.where, fmt::format("{} has {} bytes, which is not a whole number of elements of type {}",
                                                  name, found_bytes.size(), name_of(type))};
  }
  const Elements found(type, std::vector<std::uint8_t>(found_bytes.begin(), found_bytes.end()));
  const auto option = [&](std::string_view key) -> const LocatedExpression* {
    const auto given = expectation.options.find(key);
    return given == expectation.options.end() ? nullptr : &given->second;
  };
  const auto length = static_cast<std::int64_t>(found.count());
  const std::int64_t first = option("first") == nullptr ? 0 : evaluation.whole(*option("first"), 0, length, "first");
  std::int64_t count = length - first;
  if (option("count") != nullptr) count = evaluation.whole(*option("count"), 0, length - first, "count");
  const double absolute = option("absolute") == nullptr ? 0 : evaluation.real(*option("absolute"), "absolute");
  const double relative = option("relative") == nullptr ? 0 : evaluation.real(*option("relative"), "relative");

  std::optional<Elements> made;
  try {
    made.emplace(expected_elements(evaluation, expectation, spec.buffer, type, static_cast<std::uint64_t>(first),
                                   static_cast<std::uint64_t>(count)));
  } catch (const InputError& error) {
    throw EvaluationError{expectation.where, fmt::format("expected result of {}: {}", name, error.what())};
  }
  made->resolve([&](const Address& address) {
    const std::uint64_t base =
        descriptor.is_variable(address)
            ? machine.variable_address(static_cast<std::uint32_t>(address.buffer - descriptor.buffers.size()))
            : machine.buffer_address(address.buffer);
    return base + static_cast<std::uint64_t>(address.offset);
  });
  const Elements& expected = *made;
  if (expected.count() != static_cast<std::uint64_t>(count)) {
    throw EvaluationError{expectation.where,
                          fmt::format("the expected result of {} has {} elements, but {} are compared; 'first' and "
                                      "'count' choose a part of it",
                                      name, expected.count(), count)};
  }

  std::uint64_t differing = 0, first_differing = 0;
  double largest_difference = 0;
  for (std::uint64_t i = 0; i < expected.count(); ++i) {
    const std::uint64_t at = i + static_cast<std::uint64_t>(first);
    if (std::ranges::equal(expected.element(i), found.element(at))) continue;
    const double wanted = expected.real(i), got = found.real(at);
    const double apart = std::fabs(wanted - got);
    const bool both_nan = std::isnan(wanted) && std::isnan(got);
    const bool tolerant = is_floating(type) || absolute > 0 || relative > 0;
    if (both_nan || (tolerant && apart <= absolute + relative * std::fabs(wanted))) continue;
    if (differing++ == 0) first_differing = i;
    largest_difference = std::max(largest_difference, apart);
  }
  if (differing == 0) return "";
  return fmt::format("{}: {} of {} elements differ, the first at {}: expected {}, found {}; largest difference {}",
                     name, differing, count, first_differing + static_cast<std::uint64_t>(first),
                     expected.text(first_differing), found.text(first_differing + static_cast<std::uint64_t>(first)),
                     largest_difference);
}

}  // namespace lockstep::workload
