#include "sim/config/declaration.hpp"

namespace lockstep::config {

Parameter described(std::string_view path, Type type, Setting default_value, std::string_view unit,
                    std::string_view text) {
  Parameter parameter;
  parameter.path = path;
  parameter.type = type;
  parameter.default_value = std::move(default_value);
  parameter.unit = unit;
  parameter.text = text;
  return parameter;
}

const gpu::GpuSpec& any_gpu() {
  static const gpu::GpuSpec gpu;
  return gpu;
}

std::size_t offset_of(const void* field) {
  const auto offset = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(field) -
                                               reinterpret_cast<const std::byte*>(&any_gpu()));
  if (offset >= sizeof(gpu::GpuSpec)) throw Bug("the field of a parameter is no part of the specification");
  return offset;
}

Parameter flag_at(std::string_view path, Place<bool> field, bool default_value, std::string_view text) {
  Parameter parameter = described(path, Type::flag, default_value, "", text);
  parameter.get = [field](const gpu::GpuSpec& gpu) -> Setting { return bool{field(gpu)}; };
  parameter.set = [field](gpu::GpuSpec& gpu, const Setting& setting) { field(gpu) = std::get<bool>(setting); };
  return parameter;
}

Parameter number_at(std::string_view path, Place<double> field, std::string_view unit, double default_value,
                    double minimum, double maximum, std::string_view text) {
  Parameter parameter = described(path, Type::number, default_value, unit, text);
  parameter.number_minimum = minimum;
  parameter.number_maximum = maximum;
  parameter.get = [field](const gpu::GpuSpec& gpu) -> Setting { return double{field(gpu)}; };
  parameter.set = [field](gpu::GpuSpec& gpu, const Setting& setting) { field(gpu) = std::get<double>(setting); };
  return parameter;
}

Parameter text_at(std::string_view path, Place<std::string> field, std::string default_value, std::string_view text) {
  Parameter parameter = described(path, Type::text, std::move(default_value), "", text);
  parameter.get = [field](const gpu::GpuSpec& gpu) -> Setting { return field(gpu); };
  parameter.set = [field](gpu::GpuSpec& gpu, const Setting& setting) { field(gpu) = std::get<std::string>(setting); };
  return parameter;
}

}  // namespace lockstep::config
