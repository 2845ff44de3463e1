#pragma once
// Parts of an experiment, for machines that share nothing but a file system.

#include <cstddef>
#include <string>
#include <vector>

#include "sim/experiment/point.hpp"

namespace lockstep::experiment {

/// One of `count` parts, from 1.
struct Shard {
  std::size_t number = 1, count = 1;
};

/// "2/8"; InputError for anything that names no shard.
Shard parse_shard(const std::string& text);

/// The shard of each point, from 1, when there are `count`. Shards have as many points as each other, or one more. Points with
/// the same workload and arguments, which share an execution, are in one shard, or in shards next to each other. InputError
/// when there are fewer points than shards.
std::vector<std::size_t> shards_of(const std::vector<Point>& points, std::size_t count);
/// The points of a shard, in their order.
std::vector<Point> points_of(const Shard& shard, const std::vector<Point>& points);

}  // namespace lockstep::experiment
