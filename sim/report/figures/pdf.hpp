#pragma once
// Pictures as PDF.

#include <string>

#include "isa/error.hpp"

namespace lockstep::report {

/// The library that draws PDF files is not there.
class NoPdfLibrary : public ResourceError {
 public:
  using ResourceError::ResourceError;
};

/// A page of the picture's size that looks like it: lines and letters, fonts embedded. The same picture gives the same bytes
/// where the same fonts are installed. NoPdfLibrary where it cannot be drawn.
std::string pdf_of(const std::string& svg);

}  // namespace lockstep::report
