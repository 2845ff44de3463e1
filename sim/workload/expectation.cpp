#include "sim/workload/expectation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/workload/references/references.hpp"

namespace lockstep::workload {

namespace {

/// The expected elements, `count` of them where the expectation does not say itself how many.
Elements expected_elements(Evaluation& evaluation, const Expectation& expectation, ElementType type,
                           std::uint64_t count) {
  using Kind = Expectation::Kind;
  const auto input = [&](std::size_t i) -> const Elements& {
    const Elements& elements = evaluation.contents(expectation.inputs[i]);
    if (!elements.pointers().empty() && expectation.kind != Kind::copy) {
      throw InputError("what is computed with holds device addresses, not numbers");
    }
    return elements;
  };
  const auto size = [&](std::string_view name) {
    return static_cast<std::uint64_t>(
        evaluation.whole(expectation.options.find(name)->second, 1, std::int64_t{1} << 32, name));
  };
  const auto index = [&](std::string_view name) {
    return static_cast<std::uint64_t>(
        evaluation.whole(expectation.options.find(name)->second, 0, std::int64_t{1} << 32, name));
  };
  const auto flag = [&](std::string_view name) {
    const auto given = expectation.options.find(name);
    return given != expectation.options.end() && evaluation.whole(given->second, 0, 1, name) != 0;
  };
  const auto real = [&](std::string_view name) {
    return evaluation.real(expectation.options.find(name)->second, name);
  };
  switch (expectation.kind) {
    case Kind::file: return raw_file(type, evaluation.path_of(*expectation.file), 0, std::nullopt);
    case Kind::histogram: return histogram_reference(input(0), size("bins"), size("levels"), type);
    case Kind::vector_add: return vector_add_reference(input(0), input(1), type);
    case Kind::convolution3x3: {
      std::array<double, 9> weights{};
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = evaluation.real(expectation.values[i], "a weight");
      return convolution3x3_reference(input(0), size("width"), size("height"), weights, type);
    }
    case Kind::convolution1d: {
      std::vector<double> weights;
      for (const LocatedExpression& weight : expectation.values) weights.push_back(evaluation.real(weight, "a weight"));
      return convolution1d_reference(input(0), size("length"), size("stride"), weights, type);
    }
    case Kind::dft:
      return dft_reference(input(0), {size("length"), size("stride"), flag("bit_reversed"), flag("twiddled")}, type);
    case Kind::dct8x8: return dct8x8_reference(input(0), size("width"), size("height"), false, type);
    case Kind::idct8x8: return dct8x8_reference(input(0), size("width"), size("height"), true, type);
    case Kind::haar: return haar_reference(input(0), type);
    case Kind::walsh: return walsh_reference(input(0), size("length"), type);
    case Kind::dot: return dot_reference(input(0), input(1), size("length"), type);
    case Kind::matrix_product:
      return matrix_product_reference(input(0), input(1),
                                      {size("rows"), size("columns"), size("inner"), flag("a_transposed")}, type);
    case Kind::particle_boxes:
      return particle_boxes_reference(
          input(0), input(1), {size("boxes_x"), size("boxes_y"), size("boxes_z"), size("particles"), real("alpha")},
          type);
    case Kind::transpose: return transpose_reference(input(0), size("width"), size("height"), type);
    case Kind::arithmetic_chain: {
      const auto operand = [&](std::string_view name) {
        return evaluation.evaluate(expectation.options.find(name)->second);
      };
      return arithmetic_chain_reference(evaluation.choice_of(*expectation.argument), input(0),
                                        {operand("a"), operand("b")}, size("chains"), size("length"), type);
    }
    case Kind::gather: return gather_reference(input(0), input(1), type);
    case Kind::lu_decomposition:
      return lu_decomposition_reference(input(0), size("size"), index("given"), index("columns"), type);
    case Kind::prefix_sum: return prefix_sum_reference(input(0), size("row"), flag("exclusive"), type);
    case Kind::integral_image: return integral_image_reference(input(0), size("width"), size("pitch"), type);
    case Kind::row_sums: return row_sums_reference(input(0), size("row"), type);
    case Kind::sort: return sort_reference(input(0), input(1), index("first_bit"), size("bits"), type);
    case Kind::needleman_wunsch: {
      const AlignedTiles tiles{size("width"), size("tile"), index("first_diagonal"), index("last_diagonal")};
      const std::int64_t penalty = evaluation.whole(expectation.options.find("penalty")->second,
                                                    -(std::int64_t{1} << 31), std::int64_t{1} << 31, "penalty");
      return needleman_wunsch_reference(input(0), input(1), tiles, penalty, type);
    }
    case Kind::hough: return hough_reference(input(0), input(1), size("bins"), real("origin"), type);
    case Kind::srad:
      return srad_reference(input(0), size("width"), size("height"), index("steps"), {real("lambda"), real("speckle")},
                            type);
    case Kind::hotspot:
      return hotspot_reference(input(0), input(1), size("width"), size("height"), index("steps"),
                               {real("warming"), real("x"), real("y"), real("z"), real("ambient")}, type);
    case Kind::layer: return layer_reference(input(0), input(1), size("outputs"), size("group"), type);
    case Kind::path_finder: return path_finder_reference(input(0), size("width"), index("border"), type);
    case Kind::mri_q: return mri_q_reference(input(0), input(1), flag("imaginary"), type);
    case Kind::feature_maps: {
      const FeatureMaps maps{size("inputs"), size("width"),  size("height"),
                             size("kernel"), size("stride"), size("outputs")};
      return feature_maps_reference(input(0), input(1), maps, type);
    }
    case Kind::sum: return sum_reference(input(0), type);
    case Kind::copy: {
      const Elements& source = input(0);
      if (source.type() == type) return source;
      Elements copy(type, source.count());
      for (std::uint64_t i = 0; i < source.count(); ++i) {
        const std::optional<Number> number = source.number(i);
        if (!number) throw InputError(fmt::format("element {} is {}, which does not fit", i, source.text(i)));
        copy.set(i, *number);
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
    case Kind::each: {
      Elements elements(type, count);
      for (std::uint64_t i = 0; i < count; ++i) {
        evaluation.set_element_index(static_cast<std::int64_t>(i));
        elements.set(i, evaluation.evaluate(*expectation.each));
      }
      evaluation.set_element_index(std::nullopt);
      return elements;
    }
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
    throw Mistake{spec.where, fmt::format("{} has {} bytes, which are no whole number of elements of type {}", name,
                                          found_bytes.size(), name_of(type))};
  }
  const Elements found(type, std::vector<std::uint8_t>(found_bytes.begin(), found_bytes.end()));
  const auto option = [&](std::string_view key) -> const LocatedExpression* {
    const auto given = expectation.options.find(key);
    return given == expectation.options.end() ? nullptr : &given->second;
  };
  const auto length = static_cast<std::int64_t>(found.count());
  const std::int64_t first = option("first") == nullptr ? 0 : evaluation.whole(*option("first"), 0, length, "first");
  std::int64_t count =
      expectation.kind == Expectation::Kind::sum ? std::min<std::int64_t>(1, length - first) : length - first;
  if (option("count") != nullptr) count = evaluation.whole(*option("count"), 0, length - first, "count");
  const double absolute = option("absolute") == nullptr ? 0 : evaluation.real(*option("absolute"), "absolute");
  const double relative = option("relative") == nullptr ? 0 : evaluation.real(*option("relative"), "relative");

  std::optional<Elements> made;
  try {
    made.emplace(expected_elements(evaluation, expectation, type, static_cast<std::uint64_t>(count)));
  } catch (const InputError& error) {
    throw Mistake{expectation.where, fmt::format("expected result of {}: {}", name, error.what())};
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
    throw Mistake{expectation.where,
                  fmt::format("the expected result of {} has {} elements, but {} are compared; 'first' and "
                              "'count' choose a part of it",
                              name, expected.count(), count)};
  }

  std::uint64_t differing = 0, first_differing = 0;
  double largest_difference = 0;
  for (std::uint64_t i = 0; i < expected.count(); ++i) {
    const std::uint64_t at = i + static_cast<std::uint64_t>(first);
    const unsigned bytes = bytes_of(type);
    if (std::equal(expected.bytes().begin() + static_cast<std::ptrdiff_t>(i * bytes),
                   expected.bytes().begin() + static_cast<std::ptrdiff_t>((i + 1) * bytes),
                   found.bytes().begin() + static_cast<std::ptrdiff_t>(at * bytes))) {
      continue;
    }
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
