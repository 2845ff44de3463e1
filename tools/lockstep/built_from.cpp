#include "generated/commit.hpp"
#include "tools/lockstep/commands.hpp"

namespace lockstep::cli {

std::string built_from() {
  return LOCKSTEP_COMMIT;
}

}  // namespace lockstep::cli
