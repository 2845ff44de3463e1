#include <catch2/catch.hpp>

#include "sim/report/figures/pdf.hpp"
#include "sim/report/svg.hpp"

namespace lockstep::pdf_test {

using namespace lockstep::report;
using Catch::Matchers::Contains;

TEST_CASE("A picture becomes one PDF page of its size, with its fonts in it, in the same bytes every time") {
  Picture picture;
  picture.text({10, 20}, "µs · 1,024 – words");
  picture.rectangle({0, 0}, 40, 10, "#17306b");
  const std::string svg = picture.finish(400, 200, "a picture", "#ffffff");
  const std::string pdf = pdf_of(svg);
  CHECK(pdf.starts_with("%PDF-1."));
  CHECK_THAT(pdf, Contains("MediaBox [ 0 0 300 150 ]") && Contains("/Count 1"));  // 72 points for 96 pixels
  CHECK_THAT(pdf, Contains("/FontFile") && !Contains("CreationDate"));
  CHECK(pdf_of(svg) == pdf);
  CHECK(pdf_of(Picture().finish(400, 200, "")) != pdf);
}

}  // namespace lockstep::pdf_test
