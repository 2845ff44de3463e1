#include "tests/places.hpp"

namespace lockstep {

std::string source_dir() {
  return LOCKSTEP_SOURCE_DIR;
}

std::string program_file() {
  return LOCKSTEP_BINARY;
}

}  // namespace lockstep
