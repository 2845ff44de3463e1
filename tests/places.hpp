#pragma once
// Where tests find what they read. Functions, not macros: what is compiled must not differ from one copy of the sources to the
// next, so that a compiler cache serves all of them.

#include <string>

namespace lockstep {

/// The folder of the sources.
std::string source_dir();
/// The program that is tested.
std::string program_file();

}  // namespace lockstep
