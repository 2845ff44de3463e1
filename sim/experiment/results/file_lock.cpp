#include "sim/experiment/results/file_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "isa/error.hpp"

namespace lockstep::experiment {

FileLock::FileLock(const std::string& path) : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (descriptor_ < 0) throw ResourceError(fmt::format("{}: {}", path, std::strerror(errno)));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const int reason = errno;
  close(descriptor_);
  throw ResourceError(reason == EWOULDBLOCK ? fmt::format("{}: another run is writing to this folder", path)
                                            : fmt::format("{}: {}", path, std::strerror(reason)));
}

FileLock::~FileLock() {
  close(descriptor_);
}

}  // namespace lockstep::experiment
