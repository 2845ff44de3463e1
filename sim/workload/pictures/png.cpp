#include <png.h>

#include <csetjmp>

#include "isa/error.hpp"
#include "sim/workload/pictures/picture.hpp"

namespace lockstep::workload {

namespace {

/// What libpng works on. libpng leaves by longjmp, which skips destructors: everything that owns memory lives here, outside the
/// function that longjmp leaves.
struct PngWriting {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string bytes, message;
  std::vector<std::uint8_t> row;
  ~PngWriting() { png_destroy_write_struct(&png, &info); }
};

void on_error(png_structp png, png_const_charp message) {
  static_cast<PngWriting*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

void append(png_structp png, png_bytep bytes, png_size_t count) {
  bool fits = true;
  try {
    static_cast<PngWriting*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<const char*>(bytes), count);
  } catch (const std::bad_alloc&) {
    fits = false;
  }
  if (!fits) png_error(png, "out of memory");  // No exception may pass through libpng.
}
void flush(png_structp) {}

/// The samples of a row, the higher byte first.
void fill_row(const Picture& picture, std::uint32_t y, std::vector<std::uint8_t>& row) {
  row.clear();
  const std::size_t count = std::size_t{picture.width} * picture.channels;
  for (std::size_t i = y * count; i < (y + 1) * count; ++i) {
    if (picture.bits == 16) row.push_back(static_cast<std::uint8_t>(picture.samples[i] >> 8));
    row.push_back(static_cast<std::uint8_t>(picture.samples[i] & 0xff));
  }
}

/// False on an error.
bool write(PngWriting& writing, const Picture& picture) {
  if (setjmp(png_jmpbuf(writing.png)) != 0) return false;
  png_set_write_fn(writing.png, &writing, append, flush);
  png_set_IHDR(writing.png, writing.info, picture.width, picture.height, static_cast<int>(picture.bits),
               picture.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writing.png, writing.info);
  for (std::uint32_t y = 0; y < picture.height; ++y) {
    fill_row(picture, y, writing.row);
    png_write_row(writing.png, writing.row.data());
  }
  png_write_end(writing.png, writing.info);
  return true;
}

}  // namespace

std::string png_of(const Picture& picture) {
  PngWriting writing;
  writing.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writing, on_error, on_warning);
  if (writing.png != nullptr) writing.info = png_create_info_struct(writing.png);
  if (writing.info == nullptr) throw ResourceError("libpng cannot start: out of memory");
  writing.row.reserve(std::size_t{picture.width} * picture.channels * (picture.bits / 8));
  if (!write(writing, picture)) throw ResourceError("picture " + picture.name + ": " + writing.message);
  return std::move(writing.bytes);
}

}  // namespace lockstep::workload
