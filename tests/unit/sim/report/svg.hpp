#pragma once
// Reads pictures and pages back.

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::report {

using Element = boost::property_tree::ptree;

/// Parses XML; an error in it fails the test.
inline Element parsed(const std::string& text) {
  Element tree;
  std::istringstream stream(text);
  REQUIRE_NOTHROW(boost::property_tree::read_xml(stream, tree));
  return tree;
}

/// All elements of this name, at any depth, in order.
inline std::vector<Element> elements(const Element& tree, const std::string& name) {
  std::vector<Element> found;
  for (const auto& [key, child] : tree) {
    if (key == name) found.push_back(child);
    const auto below = elements(child, name);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

inline std::string attribute(const Element& element, const std::string& name) {
  return element.get<std::string>("<xmlattr>." + name, "");
}

inline double number(const Element& element, const std::string& name) {
  return element.get<double>("<xmlattr>." + name);
}

/// The contents of all text elements.
inline std::vector<std::string> texts(const Element& tree) {
  std::vector<std::string> found;
  for (const Element& element : elements(tree, "text")) found.push_back(element.data());
  return found;
}

/// The data marks of a chart: elements with a tooltip that holds `tooltip`.
inline std::vector<Element> marks(const Element& tree, const std::string& name, const std::string& tooltip) {
  std::vector<Element> found;
  for (const Element& element : elements(tree, name)) {
    if (element.get<std::string>("title", "").find(tooltip) != std::string::npos) found.push_back(element);
  }
  return found;
}

}  // namespace lockstep::report
