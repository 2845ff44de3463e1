#include "isa/command_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "isa/error.hpp"

namespace lockstep {

namespace fs = std::filesystem;

namespace {

using FileId = std::pair<dev_t, ino_t>;  // Device and inode.

struct Output {
  enum class Stage { named, begun, written };
  std::string path, absolute;  ///< As given; without links.
  Stage stage;
};

struct Files {
  std::map<FileId, std::string> inputs;  ///< With the path that was read first.
  std::vector<Output> outputs;
};

std::optional<Files> current_files;
std::mutex current_files_access;  // Several threads read.

/// Nothing where there is no regular file.
std::optional<FileId> id_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileId(status.st_dev, status.st_ino);
}

/// Whether something would be lost if the file were written: not where a folder is either, which is no place for one.
bool is_replaceable(const std::string& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return !path.empty() && (!fs::exists(status) || fs::is_regular_file(status));
}

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const fs::path found = fs::weakly_canonical(fs::absolute(path), failed);
  return failed ? path : found.string();
}

[[noreturn]] void refuse_input(const std::string& output, const std::string& input) {
  throw InputError(SourceLocation{output, 0, 0},
                   output == input ? "is an input and an output of this command; the output needs a file of its own"
                                   : fmt::format("is an output of this command and the same file as its input {}; the "
                                                 "output needs a file of its own",
                                                 input));
}

[[noreturn]] void refuse_output(const std::string& output, const std::string& other) {
  throw InputError(SourceLocation{output, 0, 0},
                   output == other ? "is two outputs of this command; each needs a file of its own"
                                   : fmt::format("is an output of this command and the same file as another one, {}; "
                                                 "each needs a file of its own",
                                                 other));
}

/// The output of this path; also by another name of the same file. End when there is none.
std::vector<Output>::iterator find_output(const std::string& absolute, const std::optional<FileId>& id) {
  return std::find_if(current_files->outputs.begin(), current_files->outputs.end(), [&](const Output& output) {
    return output.absolute == absolute || (id && id_of(output.absolute) == id);
  });
}

void add_output(const std::string& path, Output::Stage stage) {
  const std::lock_guard<std::mutex> hold(current_files_access);
  if (!current_files || !is_replaceable(path)) return;
  const std::optional<FileId> id = id_of(path);
  if (id) {
    const auto input = current_files->inputs.find(*id);
    if (input != current_files->inputs.end()) refuse_input(path, input->second);
  }
  const std::string absolute = absolute_path(path);
  const auto other = find_output(absolute, id);
  if (other == current_files->outputs.end()) {
    current_files->outputs.push_back({path, absolute, stage});
  } else if (stage == Output::Stage::begun && other->stage == Output::Stage::named) {
    other->stage = stage;
  } else {
    refuse_output(path, other->path);
  }
}

}  // namespace

CommandFiles::CommandFiles() {
  const std::lock_guard<std::mutex> hold(current_files_access);
  current_files.emplace();
}

CommandFiles::~CommandFiles() {
  const std::lock_guard<std::mutex> hold(current_files_access);
  current_files.reset();
}

void name_output(const std::string& path) {
  add_output(path, Output::Stage::named);
}

void begin_output(const std::string& path) {
  add_output(path, Output::Stage::begun);
}

void end_output(const std::string& path) {
  const std::lock_guard<std::mutex> hold(current_files_access);
  if (!current_files) return;
  const auto output = find_output(absolute_path(path), std::nullopt);
  if (output != current_files->outputs.end()) output->stage = Output::Stage::written;
}

void drop_output(const std::string& path) {
  const std::lock_guard<std::mutex> hold(current_files_access);
  if (!current_files) return;
  const auto output = find_output(absolute_path(path), std::nullopt);
  if (output != current_files->outputs.end()) current_files->outputs.erase(output);
}

void note_input(const std::string& path) {
  const std::lock_guard<std::mutex> hold(current_files_access);
  if (!current_files) return;
  const std::optional<FileId> id = id_of(path);
  if (!id) return;
  // Whoever catches the error reads nothing, but the file stays an input.
  current_files->inputs.emplace(*id, path);
  for (const Output& output : current_files->outputs)
    if (output.stage != Output::Stage::written && id_of(output.absolute) == id) refuse_input(output.path, path);
}

}  // namespace lockstep
