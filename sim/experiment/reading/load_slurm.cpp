#include "sim/experiment/reading/load_slurm.hpp"

#include <fmt/format.h>

namespace lockstep::experiment {

namespace {

using config::Value;

class SlurmReader : config::TreeReader {
 public:
  explicit SlurmReader(config::ErrorList& errors) : TreeReader(errors) {}

  SlurmSettings read(const Value& map) {
    if (map.kind != Value::Kind::map) spoil(map.where, "'slurm' is a map such as {partition: short, time: 2:00:00}");
    check_keys(map, {"partition", "time", "memory", "cpus", "shards", "options"});
    SlurmSettings settings;
    if (const Value* partition = map.find("partition")) settings.partition = partition->as_string();
    if (const Value* time = map.find("time")) settings.time = checked(*time, mistake_in_slurm_time);
    if (const Value* memory = map.find("memory")) settings.memory = checked(*memory, mistake_in_slurm_memory);
    settings.cpus = count(map, "cpus", 1024);
    settings.shards = count(map, "shards", 100'000);
    if (const Value* options = map.find("options"))
      for (const Value& option : items_of(*options))
        settings.options.push_back(checked(option, mistake_in_slurm_option));
    return settings;
  }

 private:
  std::string checked(const Value& value, std::string (*mistake_in)(const std::string&)) {
    std::string text = value.as_string();
    const std::string mistake = mistake_in(text);
    if (!mistake.empty()) note(value.where, mistake);
    return text;
  }

  std::optional<std::uint64_t> count(const Value& map, std::string_view key, std::int64_t most) {
    const Value* value = map.find(key);
    if (value == nullptr) return std::nullopt;
    const std::int64_t number = value->as_integer();
    if (number < 1 || number > most)
      note(value->where, fmt::format("{} is {}, but must be 1 to {}", key, number, most));
    return static_cast<std::uint64_t>(number);
  }
};

}  // namespace

SlurmSettings read_slurm(const Value& map, config::ErrorList& errors) {
  return SlurmReader(errors).read(map);
}

}  // namespace lockstep::experiment
