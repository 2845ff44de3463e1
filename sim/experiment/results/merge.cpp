#include "sim/experiment/results/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "isa/input_file.hpp"
#include "sim/experiment/results/database.hpp"
#include "sim/experiment/results/picture_files.hpp"
#include "sim/experiment/results/summary.hpp"
#include "sim/experiment/running/digest.hpp"
#include "sim/experiment/running/measure.hpp"

namespace lockstep::experiment {

namespace {

namespace fs = std::filesystem;

/// A folder to be merged.
struct Source {
  std::string folder, effective;
  Database database;
};

/// A point with the folder that has it.
struct Found {
  StoredPoint point;
  Source* source = nullptr;
};

std::string shown(const std::string& label) {
  return label.empty() ? "the only point" : "point " + label;
}

/// The first line in which two texts differ, from 1.
int first_difference(const std::string& a, const std::string& b) {
  std::istringstream of_a(a), of_b(b);
  std::string line_a, line_b;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(of_a, line_a));
    const bool more_b = static_cast<bool>(std::getline(of_b, line_b));
    if (!more_a || !more_b || line_a != line_b) return line;
  }
}

class Merger {
 public:
  explicit Merger(const MergeOptions& options) : options_(options), executions_({}, true) {}

  Merged merge() {
    for (const std::string& folder : options_.folders) open(folder);
    if (sources_.empty()) throw InputError("none of the folders has results of a run that has begun");
    check_experiments();
    Merged merged{load_experiment(effective_of(sources_[0].folder)), {}, {}, {}};
    merged.points = expand(merged.experiment);
    merged.outcome.results.resize(merged.points.size());
    std::vector<std::optional<Found>> found;
    for (const Point& point : merged.points) found.push_back(find(point.label()));
    check_programs(found);
    check_digests(merged.points, found);
    write(merged, found);
    return merged;
  }

 private:
  static std::string effective_of(const std::string& folder) { return (fs::path(folder) / "effective.yaml").string(); }

  void message(const std::string& text) const {
    if (options_.message) options_.message(text);
  }

  void open(const std::string& folder) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) throw InputError({folder, 0, 0}, "there is no such folder");
    const std::string database = (fs::path(folder) / "results.db").string(), effective = effective_of(folder);
    if (!fs::is_regular_file(database, ignored))
      throw InputError({folder, 0, 0}, "is no results folder: it has no results.db");
    if (!fs::is_regular_file(effective, ignored)) {
      message(fmt::format("{}: has no results yet: its run ended before it began with points", folder));
      return;
    }
    sources_.push_back({folder, read_whole_file(effective, most_text_bytes), Database::read(database)});
  }

  void check_experiments() {
    for (const Source& source : sources_) {
      const Source& first = sources_[0];
      if (source.database.experiment() != first.database.experiment())
        throw InputError(fmt::format("{} holds results of the experiment '{}', {} of '{}'", first.folder,
                                     first.database.experiment(), source.folder, source.database.experiment()));
      if (source.effective == first.effective) continue;
      throw InputError({effective_of(source.folder), first_difference(source.effective, first.effective), 0},
                       fmt::format("differs here from {}: only results of the same experiment can be merged; parts of "
                                   "one run with --shard I/N",
                                   effective_of(first.folder)));
    }
  }

  /// What the folders have of a point: one that is done, else any.
  std::optional<Found> find(const std::string& label) {
    std::optional<Found> best;
    for (Source& source : sources_) {
      std::optional<StoredPoint> stored;
      try {
        stored = source.database.find(label);
      } catch (const DamagedPoint& damage) {
        message(damage.what());
      }
      if (!stored) continue;
      const bool done = stored->result.status == Status::done;
      if (best && best->point.result.status == Status::done) {
        if (done) check_equal(label, *best, *stored, source);
      } else if (!best || done) {
        best = Found{std::move(*stored), &source};
      }
    }
    return best;
  }

  static void check_equal(const std::string& label, const Found& one, const StoredPoint& other, Source& source) {
    if (one.source->database.fingerprint(label) == source.database.fingerprint(label)) return;
    const char* why = "from the same inputs by the same program, which is a bug of the simulator";
    if (one.point.program != other.program) {
      why = "by different programs";
    } else if (one.point.result.digest != other.result.digest) {
      why = "from different inputs";
    }
    throw InputError(fmt::format("{}: {} and {} have different results, computed {}", shown(label), one.source->folder,
                                 source.folder, why));
  }

  void check_programs(const std::vector<std::optional<Found>>& found) {
    const Found* first = nullptr;
    for (const auto& one : found) {
      if (!one || !one->point.result.has_numbers()) continue;
      if (first == nullptr) first = &*one;
      if (one->point.program != first->point.program)
        throw InputError(
            fmt::format("the points were computed by different builds of lockstep: {} in {} by {}, {} in {} by {}; run "
                        "one of the folders again",
                        shown(first->point.label), first->source->folder, first->point.program, shown(one->point.label),
                        one->source->folder, one->point.program));
    }
    same_program_ = first == nullptr || first->point.program == program_digest();
    if (!same_program_)
      message(
          "the points were computed by another build of lockstep than this one: that their inputs are those of now is "
          "not checked");
  }

  void check_digests(const std::vector<Point>& points, const std::vector<std::optional<Found>>& found) {
    if (!same_program_) return;
    std::size_t stale = 0;
    const Found* first = nullptr;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!found[i] || !found[i]->point.result.has_numbers()) continue;
      if (found[i]->point.result.digest == point_digest(points[i], executions_)) continue;
      if (stale++ == 0) first = &*found[i];
    }
    if (stale == 0) return;
    throw InputError(
        fmt::format("{} of {} points were computed with another configuration or workload than there is now, the first "
                    "is {} in {}; "
                    "run its folder again",
                    stale, points.size(), shown(first->point.label), first->source->folder));
  }

  void write(Merged& merged, std::vector<std::optional<Found>>& found) {
    std::error_code failed;
    fs::create_directories(options_.output, failed);
    if (failed)
      throw ResourceError(fmt::format("{}: cannot create this folder: {}", options_.output, failed.message()));
    Database database = Database::open((fs::path(options_.output) / "results.db").string(), merged.experiment.name);
    for (const std::string& damage : database.remove_damaged()) message(damage);
    store_plan(database, merged.experiment, merged.points);
    std::vector<StoredPoint> stored;
    for (std::size_t i = 0; i < found.size(); ++i) {
      PointResult& result = merged.outcome.results[i];
      if (found[i]) {
        result = found[i]->point.result;
        stored.push_back(std::move(found[i]->point));
      } else if (auto old = there_already(database, merged.points[i])) {
        result = std::move(old->result);
      } else {
        merged.missing.push_back(merged.points[i].label());
      }
    }
    database.store_all(stored);
    store_conclusions(database, merged.experiment, merged.points, merged.outcome.results);
    merged.outcome.taken_over = merged.points.size() - merged.missing.size();
    copy_pictures(merged);
  }

  std::optional<StoredPoint> there_already(Database& database, const Point& point) {
    try {
      auto stored = database.find(point.label());
      if (stored && stored->result.status == Status::done && stored->result.digest == point_digest(point, executions_))
        return stored;
    } catch (const DamagedPoint& damage) {
      message(damage.what());
    }
    return std::nullopt;
  }

  void copy_pictures(Merged& merged) {
    const PictureFiles pictures(options_.output, merged.points, executions_);
    for (const Source& source : sources_) {
      const fs::path from = fs::path(source.folder) / "pictures", to = fs::path(options_.output) / "pictures";
      std::error_code failed;
      if (!fs::is_directory(from, failed)) continue;
      fs::create_directories(to, failed);
      for (const auto& picture : fs::directory_iterator(from)) {
        fs::copy_file(picture.path(), to / picture.path().filename(), fs::copy_options::overwrite_existing, failed);
        if (failed)
          throw ResourceError(
              fmt::format("{}: cannot copy it to {}: {}", picture.path().string(), to.string(), failed.message()));
      }
    }
    merged.outcome.pictures = pictures.existing();
  }

  const MergeOptions& options_;
  Executions executions_;
  std::vector<Source> sources_;
  bool same_program_ = true;
};

}  // namespace

Merged merge(const MergeOptions& options) {
  return Merger(options).merge();
}

}  // namespace lockstep::experiment
