#pragma once
// The fixed parts of the page. Internal to sim/report.

#include <string>
#include <string_view>

namespace lockstep::report {

/// The style sheet: light and dark, for wide and narrow windows and for print.
std::string page_style();

/// The script that sorts and filters tables of class `data`. Without it they stand in their own order.
std::string_view page_script();

}  // namespace lockstep::report
