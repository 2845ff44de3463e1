#pragma once
// A workload as a folder that a real GPU can run: PTX, memory contents before and after, launches. The format is
// described in tools/capture/README.md.

#include <optional>
#include <string>
#include <vector>

#include "isa/exec/launch.hpp"
#include "isa/exec/machine.hpp"

namespace lockstep::workload {

/// Writes the folder in two steps around the functional execution, which says where the buffers lie and what it left in
/// them. ResourceError when a file cannot be written.
class LaunchFolder {
 public:
  /// Remembers the launches of `task`; the machine takes the task over afterwards. With instrumented modules, too, if
  /// `instrument`: InputError for what cannot be logged (isa/capture).
  LaunchFolder(std::string folder, const exec::Task& task, bool instrument = false);

  /// Everything but the results: before execution.
  void write_inputs(const exec::Machine& machine) const;
  /// What execution has left in the buffers.
  void write_results(const exec::Machine& machine) const;

 private:
  struct Launch {
    std::size_t module = 0;
    exec::KernelLaunch launch;
    std::vector<std::uint64_t> offsets;  ///< Of every argument in the parameter buffer.
    std::uint64_t parameter_bytes = 0;
  };
  /// An address of a variable, which a GPU places itself, in one of the files.
  struct Reference {
    std::string file;
    std::uint64_t at = 0;
    exec::VariableAddress to;
  };
  struct Variable {
    std::string name;
    std::size_t module = 0;
  };
  /// What a host has read between the launches, which are those that it decided on.
  struct Read {
    std::size_t launches = 0;  ///< How many had ended.
    std::string line;          ///< Of the manifest.
  };
  /// The object of a texture, which a GPU makes itself, in one of the files.
  struct TextureObject {
    std::string file;
    std::uint64_t at = 0;
    std::uint32_t texture = 0;
  };
  void add_references(const std::string& file, const std::vector<exec::Pointer>& pointers);
  void instrument(const exec::Task& task);
  std::string write_instrumented(const exec::Machine& machine) const;
  void write(const std::string& name, const void* bytes, std::size_t count) const;
  std::vector<std::uint8_t> parameters(const Launch& launch, const exec::Machine& machine) const;

  std::string folder_, workload_;
  std::vector<std::string> modules_;                      ///< PTX files.
  std::vector<std::optional<std::string>> module_texts_;  ///< What is run instead of what the file says.
  std::vector<std::string> buffers_;                      ///< Names.
  std::vector<Variable> variables_;
  std::vector<Reference> references_;
  std::vector<std::string> textures_;  ///< Lines of the manifest.
  std::vector<TextureObject> objects_;
  std::vector<Launch> launches_;
  std::vector<Read> reads_;  ///< In order.
  /// Of a folder whose kernels log what they execute: a module with its instrumented text.
  struct Instrumented {
    std::size_t number = 0;
    const ptx::Module* module = nullptr;
    std::string text;
  };
  std::vector<Instrumented> instrumented_;
  std::vector<std::string> log_lines_;  ///< What a log says of the workload.
};

}  // namespace lockstep::workload
