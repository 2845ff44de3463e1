#pragma once
// What a replacement policy sees, and what it decides.
//
// A policy is a class in replacement/ with
//   static constexpr PolicyText description;      its name, the form of its SPEC and a line of text
//   explicit Policy(Shape);                       or Policy(Shape, std::uint64_t argument), with
//   static constexpr Argument argument;           for a SPEC "name:argument"
//   void clear();                                 the array has been emptied
//   std::uint32_t victim(std::uint32_t set);      the way whose line goes; every way of the set holds one
// and those of these that concern it:
//   void hit(Place);         a line that is there was used
//   void insert(Place);      a new line has taken the way; what was in it is gone
//   void arrive(Place);      sectors of a line arrived, behind its insert()
//   void invalidate(Place);  the line was dropped; the way is taken again before the policy is asked for a victim
// Which ways are empty, and which lines were marked as the next to go, is no policy's concern: TagArray takes those first.

#include <cstdint>
#include <string>
#include <string_view>

#include "models/one_of.hpp"

namespace lockstep::cache {

/// Of a tag array. Ways are any number, not only powers of two.
struct Shape {
  std::uint32_t sets = 0, ways = 0;
};

/// A way of a set.
struct Place {
  std::uint32_t set = 0, way = 0;
};

/// The number behind the colon of a SPEC.
struct Argument {
  std::uint64_t least = 0, most = 0;
  std::uint64_t otherwise = 0;  ///< When the SPEC has none.
};

/// InputError when there is no such replacement policy or its argument is wrong.
void check_replacement(std::string_view spec);
/// The forms of the SPECs of all policies: "lru, plru, ...".
std::string replacement_forms();

}  // namespace lockstep::cache
