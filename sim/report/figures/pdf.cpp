// Drawn by librsvg on a PDF surface of cairo. The libraries are loaded when the first picture is drawn: with the forty that
// they need themselves they would make the program take 40 ms more to start, several times what most commands take.

#include "sim/report/figures/pdf.hpp"

#include <cairo-pdf.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <memory>

// fontconfig loses track of what it has read, in a thread of its own: no leak of ours.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the sanitizer looks for this name.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig";
}

namespace lockstep::report {

namespace {

/// A library that stays until the program ends.
class Library {
 public:
  explicit Library(const char* name) : name_(name), handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr)
      throw NoPdfLibrary(fmt::format("PDF files are drawn by librsvg (Debian: librsvg2-2): {}", dlerror()));
  }

  /// The function of this name, which its header declares as a `Function`.
  template <typename Function>
  Function* get(const char* name) const {
    void* found = dlsym(handle_, name);
    if (found == nullptr) throw NoPdfLibrary(fmt::format("{} has no function {}", name_, name));
    return reinterpret_cast<Function*>(found);
  }

 private:
  const char* name_;
  void* handle_;
};

#define LOCKSTEP_FUNCTION(library, name) decltype(::name)* name = library.get<decltype(::name)>(#name)

/// The functions that draw.
struct Functions {
  Library rsvg{"librsvg-2.so.2"}, cairo{"libcairo.so.2"}, gobject{"libgobject-2.0.so.0"};
  LOCKSTEP_FUNCTION(rsvg, rsvg_handle_new_from_data);
  LOCKSTEP_FUNCTION(rsvg, rsvg_handle_get_intrinsic_size_in_pixels);
  LOCKSTEP_FUNCTION(rsvg, rsvg_handle_render_document);
  LOCKSTEP_FUNCTION(cairo, cairo_pdf_surface_create_for_stream);
  LOCKSTEP_FUNCTION(cairo, cairo_pdf_surface_set_metadata);
  LOCKSTEP_FUNCTION(cairo, cairo_create);
  LOCKSTEP_FUNCTION(cairo, cairo_destroy);
  LOCKSTEP_FUNCTION(cairo, cairo_surface_finish);
  LOCKSTEP_FUNCTION(cairo, cairo_surface_status);
  LOCKSTEP_FUNCTION(cairo, cairo_surface_destroy);
  LOCKSTEP_FUNCTION(gobject, g_object_unref);
};

#undef LOCKSTEP_FUNCTION

cairo_status_t append(void* text, const unsigned char* bytes, unsigned length) {
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

std::string pdf_of(const std::string& svg) {
  static const Functions use;
  const std::unique_ptr<RsvgHandle, decltype(use.g_object_unref)> handle(
      use.rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), nullptr),
      use.g_object_unref);
  constexpr double points_per_pixel = 72.0 / 96;
  RsvgRectangle page{0, 0, 0, 0};
  if (handle == nullptr || !use.rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &page.width, &page.height))
    throw Bug("a picture is no SVG of a known size");
  page.width *= points_per_pixel;
  page.height *= points_per_pixel;
  std::string pdf;
  const std::unique_ptr<cairo_surface_t, decltype(use.cairo_surface_destroy)> surface(
      use.cairo_pdf_surface_create_for_stream(append, &pdf, page.width, page.height), use.cairo_surface_destroy);
  // Without a date the bytes depend on the picture alone.
  use.cairo_pdf_surface_set_metadata(surface.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
  const std::unique_ptr<cairo_t, decltype(use.cairo_destroy)> context(use.cairo_create(surface.get()),
                                                                      use.cairo_destroy);
  const bool drawn = use.rsvg_handle_render_document(handle.get(), context.get(), &page, nullptr) != 0;
  use.cairo_surface_finish(surface.get());
  if (!drawn || use.cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
    throw ResourceError("librsvg could not draw a picture as PDF");
  return pdf;
}

}  // namespace lockstep::report
