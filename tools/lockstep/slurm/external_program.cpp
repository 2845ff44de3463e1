#include "tools/lockstep/slurm/external_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "isa/error.hpp"

extern char** environ;

namespace lockstep::cli {

namespace {

/// A pipe that a child writes to.
class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw ResourceError(fmt::format("a pipe: {}", std::strerror(errno)));
  }
  ~Pipe() {
    close_write();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_write() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

/// Reads both to their ends, whichever has something.
void read_all(const Pipe& out, const Pipe& err, ProgramOutput& output) {
  std::array<pollfd, 2> streams{{{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}}};
  const std::array<std::string*, 2> texts{&output.out, &output.err};
  std::array<char, 4096> room{};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (::poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR)
      throw ResourceError(fmt::format("a pipe: {}", std::strerror(errno)));
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      const ssize_t count = ::read(streams[i].fd, room.data(), room.size());
      if (count > 0) texts[i]->append(room.data(), static_cast<std::size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) streams[i].fd = -1;
    }
  }
}

}  // namespace

std::optional<ProgramOutput> run_program(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Pipe out, err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed == ENOENT) return std::nullopt;
  if (failed != 0) throw ResourceError(fmt::format("{}: cannot run it: {}", words[0], std::strerror(failed)));
  out.close_write();
  err.close_write();
  ProgramOutput output;
  read_all(out, err, output);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return output;
}

}  // namespace lockstep::cli
