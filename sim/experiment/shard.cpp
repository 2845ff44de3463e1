#include "sim/experiment/shard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "isa/error.hpp"

namespace lockstep::experiment {

namespace {

/// Equal for points that may share an execution.
std::string executed(const Point& point) {
  std::string text = point.workload;
  for (const auto& [name, value] : point.arguments) text += fmt::format("\n{}={}", name, value);
  return text;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char *const end = text.data() + text.size(), *const slash = std::find(text.data(), end, '/');
  const auto number = [](const char* from, const char* to, std::size_t& value) {
    const auto [stop, error] = std::from_chars(from, to, value);
    return error == std::errc() && stop == to;
  };
  const bool right = slash != end && number(text.data(), slash, shard.number) && number(slash + 1, end, shard.count);
  if (!right || shard.number < 1 || shard.number > shard.count)
    throw InputError(fmt::format("'{}' is no shard: it is I/N, the I-th of N parts of the points, such as 1/8", text));
  return shard;
}

std::vector<std::size_t> shards_of(const std::vector<Point>& points, std::size_t count) {
  if (count > points.size())
    throw InputError(
        fmt::format("{} shards are too many for {} point{}", count, points.size(), points.size() == 1 ? "" : "s"));
  std::map<std::string, std::size_t> group_of;
  std::vector<std::pair<std::size_t, std::size_t>> order;  // Group, in the order of their first points, and point.
  for (std::size_t i = 0; i < points.size(); ++i)
    order.emplace_back(group_of.emplace(executed(points[i]), group_of.size()).first->second, i);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> shards(points.size());
  for (std::size_t i = 0; i < order.size(); ++i) shards[order[i].second] = i * count / points.size() + 1;
  return shards;
}

std::vector<Point> points_of(const Shard& shard, const std::vector<Point>& points) {
  const std::vector<std::size_t> shards = shards_of(points, shard.count);
  std::vector<Point> own;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (shards[i] == shard.number) own.push_back(points[i]);
  return own;
}

}  // namespace lockstep::experiment
