#include "tests/system/program.hpp"

#include <boost/property_tree/json_parser.hpp>
#include <sstream>

namespace lockstep::system_test {

Json parse_json(const std::string& text) {
  Json json;
  std::istringstream stream(text);
  REQUIRE_NOTHROW(boost::property_tree::read_json(stream, json));
  return json;
}

}  // namespace lockstep::system_test
