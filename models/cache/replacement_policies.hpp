#pragma once
// The list of replacement policies: a new one is a file in replacement/, included and named here.

#include "models/cache/replacement/brrip.hpp"
#include "models/cache/replacement/first_in_first_out.hpp"
#include "models/cache/replacement/least_recently_used.hpp"
#include "models/cache/replacement/random.hpp"
#include "models/cache/replacement/srrip.hpp"
#include "models/cache/replacement/tree_plru.hpp"

namespace lockstep::cache {

/// In the order in which they are listed.
using Replacement = OneOf<LeastRecentlyUsed, TreePlru, FirstInFirstOut, RandomVictim, Srrip, Brrip>;

/// From a SPEC, for an array of this shape; InputError as by check_replacement().
Replacement make_replacement(std::string_view spec, Shape shape);

}  // namespace lockstep::cache
