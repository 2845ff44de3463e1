#include "sim/workload/launches/host.hpp"

#include <algorithm>
#include <span>

namespace lockstep::workload {

bool has_host_steps(const std::vector<LaunchSpec>& launches) {
  return std::any_of(launches.begin(), launches.end(), [](const LaunchSpec& launch) {
    return launch.when || launch.until || !launch.reads.empty() || has_host_steps(launch.sequence);
  });
}

/// Names as everywhere, elements as they are now.
class Host::CurrentScope final : public Scope {
 public:
  CurrentScope(Host& host, const SourceLocation& where) : host_(host), where_(where) {}
  Number value_of(std::string_view name) const override { return host_.source_.evaluation->value_of(name); }
  Number element(std::string_view name, std::int64_t index) const override {
    return host_.element(name, index, where_);
  }
  std::vector<std::string> names() const override { return host_.source_.evaluation->names(); }

 private:
  Host& host_;
  const SourceLocation& where_;
};

Number Host::evaluate(const LocatedExpression& expression) {
  return source_.evaluation->evaluate(expression, CurrentScope(*this, expression.where));
}

bool Host::holds(const LocatedExpression& condition, std::string_view what) {
  return Evaluation::real(condition, evaluate(condition), what) != 0;
}

void Host::read(const std::vector<HostValueSpec>& values) {
  for (const HostValueSpec& one : values) {
    const Number value = evaluate(one.value);
    if (std::holds_alternative<Address>(value)) Evaluation::real(one.value, value, one.name);
    source_.evaluation->set_host_value(one.name, value);
    const std::int64_t* whole = std::get_if<std::int64_t>(&value);
    task_.host_values.push_back(
        {task_.launches.size(), one.name,
         whole != nullptr ? fmt::format("{}", *whole) : fmt::format("{}", std::get<double>(value))});
  }
}

Number Host::element(std::string_view name, std::int64_t index, const SourceLocation& where) {
  const Descriptor& descriptor = *source_.descriptor;
  const std::size_t memory = source_.evaluation->memory_named(name).value();
  const ElementType type = source_.evaluation->select(descriptor.memory(memory).contents).type;
  const std::size_t bytes = bytes_of(type);
  HostRecord& record = *source_.host;
  if (reads_ == record.size()) {
    const std::span<const std::uint8_t> all = executed(memory);
    const std::size_t count = all.size() / bytes;
    if (index < 0 || static_cast<std::uint64_t>(index) >= count)
      throw NoValue{fmt::format("{}[{}] is outside: it has {} elements", name, index, count)};
    const auto own = all.subspan(static_cast<std::size_t>(index) * bytes, bytes);
    record.emplace_back(own.begin(), own.end());
  }
  const std::vector<std::uint8_t>& read = record[reads_++];
  const Address from{static_cast<std::uint32_t>(memory), index * static_cast<std::int64_t>(bytes)};
  task_.host_reads.push_back(
      {task_.launches.size(), device_address(descriptor, from), read, fmt::format("{}[{}]", name, index), where});
  return Elements(type, read).number(0);
}

void Host::begin() {
  const Evaluation& evaluation = *source_.evaluation;
  auto own = std::make_unique<exec::Task>();
  own->name = source_.descriptor->name;
  own->modules = task_.modules;
  own->textures = task_.textures;
  own->instruction_limit = task_.instruction_limit;
  own->resident_blocks = task_.resident_blocks;
  own->call_depth = task_.call_depth;
  add_variables(*source_.descriptor, *source_.evaluation, {}, *own, errors_);
  for (std::size_t i = 0; i < source_.descriptor->buffers.size(); ++i) {
    own->buffers.push_back(
        device_buffer(*source_.descriptor, source_.descriptor->buffers[i].name, evaluation.contents(i)));
  }
  if (errors_.count() > 0) throw HostStopped{};
  machine_ = std::make_unique<exec::Machine>(std::move(own));
}

std::span<const std::uint8_t> Host::executed(std::size_t memory) {
  const Descriptor& descriptor = *source_.descriptor;
  for (; checked_uses_ < uses_.size(); ++checked_uses_) {
    const AddressUse& use = uses_[checked_uses_];
    if (descriptor.is_variable(use.address)) continue;
    errors_.collect([&] { check_buffer_address(descriptor, *source_.evaluation, use); });
  }
  if (errors_.count() > 0) throw HostStopped{};
  if (!machine_) begin();
  for (; launches_ < task_.launches.size(); ++launches_) machine_->execute(task_.launches[launches_]);
  const std::size_t buffers = descriptor.buffers.size();
  return memory < buffers ? machine_->buffer(static_cast<std::uint32_t>(memory))
                          : machine_->variable(static_cast<std::uint32_t>(memory - buffers));
}

}  // namespace lockstep::workload
