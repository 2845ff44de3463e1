#include "sim/experiment/reading/load_hashes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/hash_search/search.hpp"
#include "sim/config/tree_reader.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;

class HashReader : config::TreeReader {
 public:
  HashReader(const std::vector<std::string>& workloads, const std::vector<std::string>& arguments,
             config::ErrorList& errors)
      : TreeReader(errors), workloads_(workloads), arguments_(arguments) {}

  std::vector<NamedHash> read(const Value& map) {
    std::vector<NamedHash> hashes;
    if (map.kind != Value::Kind::map) note(map.where, "'hashes' is a map from names to hash functions");
    for (const auto& [name, value] : map.entries)
      part([&, &name = name, &value = value] { hashes.push_back(read_one(name.text, value)); });
    return hashes;
  }

 private:
  HashSearch read_search(const Value& value) {
    check_keys(value, {"family", "method", "steps", "train"});
    HashSearch search;
    search.family = value.find("family")->as_string();
    const auto& known = hash::search_methods();
    const auto family =
        std::find_if(known.begin(), known.end(), [&](const auto& f) { return f.family == search.family; });
    if (family == known.end()) {
      std::vector<std::string> names;
      for (const hash::SearchMethods& one : known) names.push_back(one.family);
      spoil(value.find("family")->where,
            fmt::format("family '{}' cannot be searched; there are: {}", search.family, fmt::join(names, ", ")));
    }
    const Value& method = needed(value, "method", "how the family is searched");
    search.method = method.as_string();
    if (std::find(family->methods.begin(), family->methods.end(), search.method) == family->methods.end())
      spoil(method.where,
            fmt::format("family '{}' is searched by: {}", search.family, fmt::join(family->methods, ", ")));
    if (const Value* steps = value.find("steps")) {
      const std::int64_t count = steps->as_integer();
      if (count < 1) spoil(steps->where, "steps is a number of requests looked at, at least 1");
      search.steps = static_cast<std::uint64_t>(count);
    }
    const Value* train = value.find("train");
    if (train == nullptr) return search;
    if (train->kind != Value::Kind::map) spoil(train->where, "'train' is a map from args.NAME to values");
    for (const auto& [path, given] : train->entries) {
      constexpr std::string_view prefix = "args.";
      const std::string name = path.text.starts_with(prefix) ? path.text.substr(prefix.size()) : "";
      if (std::find(arguments_.begin(), arguments_.end(), name) == arguments_.end())
        note(path.where, fmt::format("'{}' is not an argument of the workloads_, such as args.{}", path.text,
                                     arguments_.empty() ? "NAME" : arguments_.front()));
      search.train.emplace_back(name, given.as_string());
    }
    return search;
  }

  NamedHash read_one(const std::string& name, const Value& value) {
    NamedHash hash;
    hash.name = name;
    if (value.kind == Value::Kind::scalar) {
      hash.otherwise = value.as_string();
      return hash;
    }
    if (value.kind != Value::Kind::map)
      spoil(value.where, "a named hash is a SPEC, or a map from workloads (or 'otherwise') to SPECs");
    if (value.find("family") != nullptr) {
      hash.search = read_search(value);
      return hash;
    }
    for (const auto& [workload, spec] : value.entries) {
      if (workload.text == "otherwise") {
        hash.otherwise = spec.as_string();
        continue;
      }
      if (std::find(workloads_.begin(), workloads_.end(), workload.text) == workloads_.end())
        note(workload.where, fmt::format("'{}' is not a workload of this experiment; there are: {}", workload.text,
                                         fmt::join(workloads_, ", ")));
      hash.of_workload.emplace_back(workload.text, spec.as_string());
    }
    return hash;
  }

  const std::vector<std::string>& workloads_;
  const std::vector<std::string>& arguments_;
};

}  // namespace

std::vector<NamedHash> read_named_hashes(const Value& map, const std::vector<std::string>& workloads,
                                         const std::vector<std::string>& arguments, config::ErrorList& errors) {
  return HashReader(workloads, arguments, errors).read(map);
}

}  // namespace lockstep::experiment
