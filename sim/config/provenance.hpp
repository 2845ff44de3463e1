#pragma once
// Where the value of each parameter of a GPU comes from. A file states it beside the value, as
// [VALUE, published|calibrated|assumed: TEXT], or once for all values of a section, as a key of that section.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/config/parameter.hpp"

namespace lockstep::config {

struct Provenance {
  enum class Kind : std::uint8_t {
    published,      ///< A source states the value.
    calibrated,     ///< With this value the simulator agrees with a measurement, published or our own.
    assumed,        ///< Nothing published or measured constrains it.
    unstated,       ///< A file sets it and does not say why.
    overridden,     ///< Set on the command line.
    default_value,  ///< Nothing sets it.
  };
  Kind kind = Kind::default_value;
  std::string text;      ///< Source, measurement or reason.
  SourceLocation where;  ///< Of the value.
};

/// "published", ..., "set on the command line", "default".
std::string_view name_of(Provenance::Kind kind);

/// The words that a file may use.
std::vector<std::string> provenance_words();
bool is_provenance_word(std::string_view word);

/// Writes what a section of one file says about all its values beside each that says nothing itself. What is wrong is left
/// for read_gpu to report.
void distribute_provenance(Value& root);
/// [VALUE, WORD: TEXT] apart; any other value comes from where it stands. InputError for another list or word.
std::pair<Value, Provenance> split_provenance(const Value& value);

/// A GPU's file over what it extends, as one tree whose values say where they come from.
Value load_gpu_tree(const std::string& path);

/// A GPU and where its values come from, in the order of gpu_parameters().
struct SourcedGpu {
  gpu::GpuSpec spec;
  std::vector<Provenance> provenance;
};
/// As load_gpu.
SourcedGpu load_sourced_gpu(const std::string& name_or_path, const std::vector<Override>& overrides = {});

}  // namespace lockstep::config
