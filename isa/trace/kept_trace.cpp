#include "isa/trace/kept_trace.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/file_input.hpp"
#include "isa/trace/file_output.hpp"
#include "isa/trace/posix_file.hpp"

namespace lockstep::trace {

namespace {

using Place = TraceBudget::Place;

constexpr std::size_t step_bytes = std::size_t{256} << 10;

/// Neither memory nor disk has room for the rest.
struct OverBudget {};

/// Bytes in memory as long as they fit there, then in a temporary file. They are taken from the budget before they are
/// written, and given back unless they are kept.
class BudgetedFile final : public Output {
 public:
  explicit BudgetedFile(TraceBudget& budget) : budget_(budget), file_(PosixFile::create_in_memory()) {
    buffer_.reserve(step_bytes);
  }
  ~BudgetedFile() override { budget_.give_back(place_, taken_); }
  BudgetedFile(const BudgetedFile&) = delete;
  BudgetedFile& operator=(const BudgetedFile&) = delete;

  std::uint64_t size() const override { return written_ + buffer_.size(); }
  void append(std::span<const std::byte> bytes) override {
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
    if (buffer_.size() >= step_bytes) flush();
  }

  Place place() const { return place_; }
  /// The whole file with its head; what it takes of the budget is the caller's from here on.
  PosixFile keep(std::span<const std::byte> head) {
    flush();
    file_.write_at(0, head);
    taken_ = 0;
    return std::move(file_);
  }

 private:
  void flush() {
    if (place_ == Place::memory && !budget_.take(Place::memory, buffer_.size())) move_to_disk();
    if (place_ == Place::disk && !budget_.take(Place::disk, buffer_.size())) throw OverBudget{};
    taken_ += buffer_.size();
    file_.write_at(written_, buffer_);
    written_ += buffer_.size();
    buffer_.clear();
  }

  void move_to_disk() {
    if (!budget_.take(Place::disk, written_)) throw OverBudget{};
    budget_.give_back(Place::memory, taken_);
    place_ = Place::disk;
    taken_ = written_;
    PosixFile to = PosixFile::create_anonymous();
    std::vector<std::byte> bytes(step_bytes);
    for (std::uint64_t at = 0; at < written_;) {
      const std::size_t count = file_.read_at(at, bytes);
      if (count == 0) throw ResourceError(file_.name() + ": it has become shorter than what was written");
      to.write_at(at, std::span(bytes).first(count));
      at += count;
    }
    file_ = std::move(to);
  }

  TraceBudget& budget_;
  Place place_ = Place::memory;
  PosixFile file_;
  std::vector<std::byte> buffer_;
  std::uint64_t written_ = 0, taken_ = 0;
};

}  // namespace

bool TraceBudget::take(Place place, std::uint64_t bytes) {
  std::atomic<std::uint64_t>& from = left(place);
  std::uint64_t before = from;
  do {
    if (before < bytes) return false;
  } while (!from.compare_exchange_weak(before, before - bytes));
  return true;
}

KeptTrace::KeptTrace(TraceBudget& budget, Place place, std::uint64_t bytes, std::shared_ptr<const TraceFile> file)
    : budget_(budget), place_(place), bytes_(bytes), file_(std::move(file)) {}

KeptTrace::~KeptTrace() {
  file_.reset();
  budget_.give_back(place_, bytes_);
}

std::shared_ptr<const KeptTrace> KeptTrace::copy_of(Source& source, TraceBudget& budget) {
  try {
    BudgetedFile output(budget);
    const FileHead head = write_trace(output, source, "kept trace");
    PosixFile file = output.keep(encode_head(head));
    return std::shared_ptr<const KeptTrace>(
        new KeptTrace(budget, output.place(), head.file_bytes, trace_file(std::move(file))));
  } catch (const OverBudget&) {
    return nullptr;
  } catch (const ResourceError&) {
    return nullptr;
  }
}

std::unique_ptr<Source> KeptTrace::open() const {
  return open_trace(file_);
}

}  // namespace lockstep::trace
