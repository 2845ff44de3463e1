#include "sim/experiment/reading/load_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "isa/did_you_mean.hpp"
#include "isa/error.hpp"
#include "sim/experiment/settings.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;

constexpr std::size_t most_values = 100'000;

/// A list's items, a single value as a list of one.
std::vector<Value> items_of(const Value& value) {
  return value.kind == Value::Kind::list ? value.items : std::vector<Value>{value};
}

/// A number as a file would have it.
std::string text_of(double number) {
  constexpr double exact = 9007199254740992;  // 2^53
  if (number == std::trunc(number) && std::fabs(number) < exact)
    return fmt::format("{}", static_cast<std::int64_t>(number));
  return fmt::format("{}", number);
}

std::vector<Value> range(const Value& map) {
  const std::vector<std::string> known = {"from", "to", "step", "times"};
  for (const auto& [key, value] : map.entries)
    if (std::find(known.begin(), known.end(), key.text) == known.end())
      throw InputError(key.where, fmt::format("a range has no '{}'{}; expected from, to and step or times", key.text,
                                              did_you_mean_aside(key.text, known)));
  const Value *from = map.find("from"), *to = map.find("to"), *step = map.find("step"), *times = map.find("times");
  if (from == nullptr || to == nullptr) throw InputError(map.where, "a range needs both 'from' and 'to'");
  if (step != nullptr && times != nullptr) throw InputError(times->where, "a range has 'step' or 'times', not both");
  const double first = from->as_number(), last = to->as_number();
  if (times != nullptr && (times->as_number() <= 1 || first <= 0))
    throw InputError(times->where, "'times' is above 1, and 'from' above 0");
  if (step != nullptr && step->as_number() <= 0) throw InputError(step->where, "'step' is above 0");
  if (last < first) throw InputError(to->where, fmt::format("'to' is below 'from', which is {}", from->text));
  std::vector<Value> values;
  double next = first;
  // Steps are counted, not added up; a value that misses the end by rounding is the end.
  for (std::size_t n = 1; next <= last * (1 + 1e-12) || next == last; ++n) {
    if (values.size() == most_values)
      throw InputError(map.where, fmt::format("a range of more than {} values", most_values));
    Value value;
    value.kind = Value::Kind::scalar;
    value.where = map.where;
    value.text = text_of(next);
    values.push_back(std::move(value));
    const auto count = static_cast<double>(n);
    next = times != nullptr ? first * std::pow(times->as_number(), count)
                            : first + (step == nullptr ? 1 : step->as_number()) * count;
  }
  return values;
}

bool is_number(const Value& value) {
  double number = 0;
  const char* const end = value.text.data() + value.text.size();
  const auto [read, error] = std::from_chars(value.text.data(), end, number);
  return value.kind == Value::Kind::scalar && error == std::errc() && read == end;
}

/// The paths of a key with commas.
std::vector<std::string> paths_of(const Value& key) {
  std::vector<std::string> paths;
  std::string_view rest = key.text;
  for (;;) {
    const std::size_t comma = rest.find(',');
    std::string_view path = rest.substr(0, comma);
    path.remove_prefix(std::min(path.find_first_not_of(' '), path.size()));
    path = path.substr(0, path.find_last_not_of(' ') + 1);
    if (!path.starts_with(argument_prefix))
      throw InputError(key.where, fmt::format("'{}' cannot be swept together with others: only arguments (args.NAME) "
                                              "can; `variants` name settings of any kind that go together",
                                              path));
    paths.emplace_back(path);
    if (comma == std::string_view::npos) return paths;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

std::vector<Value> swept_values(const Value& value) {
  return value.kind == Value::Kind::map ? range(value) : items_of(value);
}

ZippedPaths zipped_paths(const Value& key, const Value& rows) {
  const std::vector<std::string> paths = paths_of(key);
  ZippedPaths zipped;
  for (const std::string& path : paths) zipped.axes.emplace_back(path, std::vector<Value>());
  for (const Value& row : items_of(rows)) {
    const std::vector<Value> values = items_of(row);
    if (row.kind != Value::Kind::list || values.size() != paths.size())
      throw InputError(row.where, fmt::format("expected a list of {} numbers, one for each of {}", paths.size(),
                                              fmt::join(paths, ", ")));
    std::vector<std::string> equal;
    for (std::size_t n = 0; n < paths.size(); ++n) {
      if (!is_number(values[n]))
        throw InputError(values[n].where, fmt::format("'{}' is no number; `variants` name settings of any kind that go "
                                                      "together",
                                                      values[n].text));
      std::vector<Value>& known = zipped.axes[n].second;
      const bool is_new =
          std::none_of(known.begin(), known.end(), [&](const Value& other) { return other.text == values[n].text; });
      if (is_new) known.push_back(values[n]);
      equal.push_back(fmt::format("{} == {}", paths[n].substr(argument_prefix.size()), values[n].text));
    }
    zipped.condition += fmt::format("{}{}", zipped.condition.empty() ? "" : " || ", fmt::join(equal, " && "));
  }
  return zipped;
}

}  // namespace lockstep::experiment
