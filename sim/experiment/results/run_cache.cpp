#include "sim/experiment/results/run_cache.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "isa/input_file.hpp"
#include "isa/output_file.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/experiment/results/sqlite.hpp"
#include "sim/experiment/running/digest.hpp"
#include "sim/experiment/running/measure.hpp"

namespace lockstep::experiment {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_bytes_of_a_run = std::uint64_t{64} << 20;

std::string name_of_run(const Run& run) {
  return Digest().add(program_digest()).add(identity(run)).hex();
}

struct FreeBySqlite {
  void operator()(unsigned char* bytes) const { sqlite3_free(bytes); }
};
using SqliteBytes = std::unique_ptr<unsigned char, FreeBySqlite>;

std::string bytes_of(Database& database) {
  sqlite3_int64 size = 0;
  const SqliteBytes bytes(sqlite3_serialize(database.connection().handle(), "main", &size, 0));
  if (!bytes) throw ResourceError("no memory for a run of the cache");
  return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

void fill(Database& database, const std::string& bytes) {
  SqliteBytes copy(static_cast<unsigned char*>(sqlite3_malloc64(bytes.size())));
  if (!copy) throw ResourceError("no memory for a run of the cache");
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  const Connection& connection = database.connection();
  // It frees the bytes, also when it fails.
  if (sqlite3_deserialize(connection.handle(), "main", copy.release(), size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    connection.fail();
}

}  // namespace

std::string RunCache::standard_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return (fs::path(cache) / "lockstep/runs").string();
  const char* const home = std::getenv("HOME");
  return home != nullptr && home[0] == '/' ? (fs::path(home) / ".cache/lockstep/runs").string() : "";
}

std::optional<PointResult> RunCache::find(const Run& run, Executions& executions) const {
  const std::string name = name_of_run(run), file = (fs::path(folder_) / name).string();
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;
  try {
    Database database = Database::in_memory();
    fill(database, read_whole_file(file, most_bytes_of_a_run));
    auto stored = database.find(name);
    if (!stored || stored->result.status != Status::done || stored->result.digest != run_digest(run, executions))
      return std::nullopt;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
    return std::move(stored->result);
  } catch (const InputError&) {
  } catch (const ResourceError&) {
  }
  return std::nullopt;
}

void RunCache::store(const Run& run, const PointResult& result) const {
  if (result.status != Status::done || result.digest.empty()) return;
  try {
    std::error_code ignored;
    fs::create_directories(folder_, ignored);
    const std::string name = name_of_run(run);
    Database database = Database::in_memory();
    database.store({name, result, {}, program_digest()});
    write_whole_file((fs::path(folder_) / name).string(), bytes_of(database), OutputFile::of_program);
  } catch (const ResourceError&) {
  }
}

void RunCache::trim(std::uint64_t most_bytes) const {
  struct File {
    fs::file_time_type used;
    std::uint64_t bytes = 0;
    fs::path path;
  };
  std::vector<File> files;
  std::uint64_t all = 0;
  std::error_code failed;
  for (fs::directory_iterator at(folder_, failed), end; !failed && at != end; at.increment(failed)) {
    File file{at->last_write_time(failed), at->file_size(failed), at->path()};
    if (failed) {  // Another process has removed it.
      failed.clear();
      continue;
    }
    all += file.bytes;
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (all <= most_bytes) return;
    fs::remove(file.path, failed);
    all -= file.bytes;
  }
}

}  // namespace lockstep::experiment
