#pragma once
// The list of replacement policies: a new one is a file in replacement/ and its name here.

#include "generated/models/cache/replacement.hpp"  // every header of the folder

namespace lockstep::cache {

/// In the order in which they are listed.
using Replacement = OneOf<LeastRecentlyUsed, TreePlru, FirstInFirstOut, RandomVictim, Srrip, Brrip>;

/// From a SPEC, for an array of this shape; InputError as by check_replacement().
Replacement make_replacement(std::string_view spec, Shape shape);

}  // namespace lockstep::cache
