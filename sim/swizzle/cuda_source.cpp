#include "sim/swizzle/cuda_source.hpp"

#include <fmt/format.h>

#include <bit>

#include "isa/error.hpp"
#include "sim/workload/expression/expression.hpp"

namespace lockstep::swizzle {

namespace {

using rewrite::ArrayLayout;

/// The names x, y and i.
class Indices final : public workload::Scope {
 public:
  std::int64_t x = 0, y = 0, i = 0;
  workload::Number value_of(std::string_view name) const override {
    if (name == "x") return x;
    if (name == "y") return y;
    if (name == "i") return i;
    throw workload::UnknownName{};
  }
  workload::Number element(std::string_view, std::int64_t) const override { throw workload::UnknownName{}; }
  std::vector<std::string> names() const override { return {"x", "y", "i"}; }
};

class Writer {
 public:
  Writer(const ArrayShape& shape, const ArrayLayout& layout)
      : shape_(shape), layout_(layout), element_(shape.element_bytes), elements_(shape.bytes / element_) {}

  CudaSource write() {
    if (const std::uint64_t row = row_bytes(); row != 0) return in_rows(row / element_);
    return as_function();
  }

 private:
  static std::uint32_t log2_of(std::uint64_t power) { return static_cast<std::uint32_t>(std::countr_zero(power)); }
  /// Bytes of the array's rows, if the layout speaks of them; 0: it does not.
  std::uint64_t row_bytes() const {
    for (const std::uint64_t row : shape_.pitches) {
      if (row <= element_ || row % element_ != 0 || shape_.bytes % row != 0 || row >= shape_.bytes) continue;
      if (layout_.form() != ArrayLayout::Form::exclusive_or) {
        if (row == layout_.row_bytes()) return row;
        continue;
      }
      // Columns are XORed with bits of the row number alone.
      if (!std::has_single_bit(row)) continue;
      bool divides = true;
      for (const ArrayLayout::Fold& fold : layout_.folds()) {
        const std::uint32_t source = fold.distance >= 0 ? fold.mask << fold.distance : fold.mask >> -fold.distance;
        divides = divides && source >= row && source % row == 0 && fold.mask < row;
      }
      if (divides) return row;
    }
    return 0;
  }

  /// ((name >> distance) & mask), without what is not needed.
  static std::string field(const std::string& name, std::int64_t distance, std::uint64_t mask) {
    const std::string moved = distance == 0  ? name
                              : distance > 0 ? fmt::format("({} >> {})", name, distance)
                                             : fmt::format("({} << {})", name, -distance);
    return fmt::format("({} & {})", moved, mask);
  }

  CudaSource in_rows(std::uint64_t row) {
    CudaSource source;
    const std::uint64_t step = layout_.step_bytes() / element_, rows = elements_ / row;
    std::uint64_t pitch = row;
    std::string column = "x";
    switch (layout_.form()) {
      case ArrayLayout::Form::padding:
        pitch = row + step;
        source.declaration = fmt::format("{}[{}][{}]", shape_.name, rows, pitch);
        break;
      case ArrayLayout::Form::rotation:
        column = step == 1 ? fmt::format("(x + y) & {}", row - 1) : fmt::format("(x + {} * y) & {}", step, row - 1);
        break;
      case ArrayLayout::Form::exclusive_or:
        for (const ArrayLayout::Fold& fold : layout_.folds())
          column += " ^ " + field("y", fold.distance - static_cast<std::int64_t>(log2_of(row)), fold.mask / element_);
        break;
      case ArrayLayout::Form::unchanged: break;
    }
    source.index = fmt::format("{}[y][{}]", shape_.name, column);
    const workload::Expression expression(column);
    for (std::uint64_t e = 0; e < elements_; ++e) {
      indices_.y = static_cast<std::int64_t>(e / row);
      indices_.x = static_cast<std::int64_t>(e % row);
      check(e, static_cast<std::uint64_t>(indices_.y) * pitch + value_of(expression));
    }
    return source;
  }

  CudaSource as_function() {
    CudaSource source;
    std::string value = "i";
    switch (layout_.form()) {
      case ArrayLayout::Form::padding: {
        const std::uint32_t shift = log2_of(layout_.row_bytes() / element_);
        value = fmt::format("i + (i >> {}) * {}", shift, layout_.step_bytes() / element_);
        source.declaration =
            fmt::format("{}[{}]", shape_.name, (layout_.bytes_needed(shape_.bytes) + element_ - 1) / element_);
        break;
      }
      case ArrayLayout::Form::rotation: {
        const std::uint64_t row = layout_.row_bytes() / element_;
        value = fmt::format("(i & ~{}) | ((i + (i >> {}) * {}) & {})", row - 1, log2_of(row),
                            layout_.step_bytes() / element_, row - 1);
        break;
      }
      case ArrayLayout::Form::exclusive_or:
        for (const ArrayLayout::Fold& fold : layout_.folds())
          value += " ^ " + field("i", fold.distance, fold.mask / element_);
        if (layout_.bytes_needed(shape_.bytes) > shape_.bytes)
          source.declaration = fmt::format("{}[{}]", shape_.name, layout_.bytes_needed(shape_.bytes) / element_);
        break;
      case ArrayLayout::Form::unchanged: break;
    }
    source.index = fmt::format("{0}[swizzle_{0}(i)]", shape_.name);
    source.function = fmt::format("__device__ unsigned swizzle_{}(unsigned i) {{ return {}; }}", shape_.name, value);
    const workload::Expression expression(value);
    for (std::uint64_t e = 0; e < elements_; ++e) {
      indices_.i = static_cast<std::int64_t>(e);
      check(e, value_of(expression));
    }
    return source;
  }

  std::uint64_t value_of(const workload::Expression& expression) const {
    return static_cast<std::uint64_t>(std::get<std::int64_t>(expression.evaluate(indices_)));
  }
  void check(std::uint64_t element, std::uint64_t place) const {
    const std::uint64_t right = layout_.place(static_cast<std::uint32_t>(element * element_));
    if (place * element_ != right)
      throw Bug(fmt::format("the CUDA source of layout {} puts element {} of {} at {}, not at byte {}", layout_.name(),
                            element, shape_.name, place, right));
  }

  const ArrayShape& shape_;
  const ArrayLayout& layout_;
  std::uint64_t element_, elements_;
  Indices indices_;
};

}  // namespace

CudaSource cuda_source(const ArrayShape& shape, const ArrayLayout& layout) {
  if (layout.is_unchanged()) return {};
  return Writer(shape, layout).write();
}

}  // namespace lockstep::swizzle
