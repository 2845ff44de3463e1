#pragma once
// Runs the real binary, and reads what it wrote.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/property_tree/ptree.hpp>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/places.hpp"
#include "tests/temporary_folder.hpp"

namespace lockstep::system_test {

using test::contents;
using test::TemporaryFolder;

/// Starts the program in a process that `prepare` was called in.
template <class Prepare>
pid_t start(const std::vector<std::string>& words, Prepare&& prepare) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child > 0) return child;
  setenv("LOCKSTEP_HOME", source_dir().c_str(), 1);
  prepare();
  std::vector<char*> arguments;
  std::string program = program_file();
  arguments.push_back(program.data());
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program_file().c_str(), arguments.data());
  _exit(127);
}

/// With standard output on a descriptor and standard error in a file.
inline pid_t start(const std::vector<std::string>& words, int output, const std::string& err) {
  return start(words, [&] {
    const int error = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    dup2(output, STDOUT_FILENO);
    dup2(error, STDERR_FILENO);
  });
}

/// The same with standard output in a file.
inline pid_t start(const std::vector<std::string>& words, const std::string& out, const std::string& err) {
  const int output = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  REQUIRE(output >= 0);
  const pid_t child = start(words, output, err);
  close(output);
  return child;
}

struct Outcome {
  int code = -1;  ///< Exit status, or -1 when a signal ended it.
  std::string out, err;
};

/// The exit status of a process, or -1 when a signal ended it.
inline int exit_code(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

inline Outcome run(const std::vector<std::string>& words) {
  const TemporaryFolder folder;
  const int code = exit_code(start(words, folder / "out", folder / "err"));
  return {code, contents(folder / "out"), contents(folder / "err")};
}

using Json = boost::property_tree::ptree;

/// Parses JSON; an error in it fails the test.
Json parse_json(const std::string& text);

/// A member, whose name may hold dots.
inline const Json& at(const Json& json, const std::string& key) {
  const auto found = json.find(key);
  INFO("JSON member " << key);
  REQUIRE(found != json.not_found());
  return found->second;
}

template <class Type = std::string>
Type value(const Json& json, const std::string& key) {
  return at(json, key).get_value<Type>();
}

}  // namespace lockstep::system_test
