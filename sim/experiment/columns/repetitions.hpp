#pragma once
// Points that repeat each other but for the values of repeated axes, such as other seeds or images: their mean and spread.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/experiment/columns/column.hpp"

namespace lockstep::experiment {

struct Experiment;

/// A number over the repetitions at a place.
struct Spread {
  double mean = 0;
  double deviation = 0;  ///< The standard deviation of the sample; 0 of a single number.
  std::size_t count = 0;
};
/// Nothing without numbers.
std::optional<Spread> spread(const std::vector<double>& numbers);
/// Of what a column shows in the rows that have a value; nothing of texts.
std::optional<Spread> spread(const Column& column, const std::vector<Row>& rows);

/// Whether any axis is repeated, with several values or one.
bool repeats(const Experiment& experiment);

/// The points by their numbers: those that differ in the values of repeated axes alone stand together, in the order of the
/// first of each. One point each where no axis is repeated.
std::vector<std::vector<std::size_t>> places(const Experiment& experiment, const std::vector<Point>& points);

/// What a table shows of the repetitions at a place: what all have in common, else "mean ± standard deviation" of numbers and
/// how many texts there are. Of a single row its cell.
std::string cell(const TableColumn& column, const std::vector<Row>& rows);

}  // namespace lockstep::experiment
