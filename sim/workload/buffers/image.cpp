#include "sim/workload/buffers/image.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <memory>

#include <png.h>

#include "isa/error.hpp"
#include "isa/input_file.hpp"

namespace lockstep::workload {

namespace {

/// Images above this are refused before memory is taken for them.
constexpr std::uint64_t most_pixels = std::uint64_t{1} << 26;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw InputError(SourceLocation{path}, reason);
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// Samples as the file holds them, before they become grey levels.
struct Samples {
  std::uint32_t width = 0, height = 0, maximum = 0;
  unsigned channels = 1;      ///< 1 or 3.
  bool holds_levels = false;  ///< 16-bit grey PNG: the samples are levels, not fractions of white.
  std::vector<std::uint16_t> values;
};

void check_size(const std::string& path, std::uint64_t width, std::uint64_t height) {
  if (width == 0 || height == 0) refuse(path, "the image is empty");
  if (width > most_pixels / height) refuse(path, fmt::format("{}x{} pixels are too many", width, height));
}

// ---- PNG ------------------------------------------------------------------------------------------------------------

/// What libpng works on. libpng leaves by longjmp, which skips destructors: everything that owns memory lives here,
/// outside the functions that longjmp leaves.
struct PngReading {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string message;
  std::vector<std::uint8_t> bytes;
  std::vector<png_bytep> rows;
  ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
};

void on_error(png_structp png, png_const_charp message) {
  static_cast<PngReading*>(png_get_error_ptr(png))->message = message;
  png_longjmp(png, 1);
}
void on_warning(png_structp, png_const_charp) {}

/// Reads the header and asks for 8- or 16-bit grey or RGB. False on an error.
bool read_header(PngReading& reading, std::FILE* file) {
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_init_io(reading.png, file);
  png_read_info(reading.png, reading.info);
  png_set_expand(reading.png);
  png_set_strip_alpha(reading.png);
  png_set_swap(reading.png);
  png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  return true;
}

bool read_rows(PngReading& reading) {
  if (setjmp(png_jmpbuf(reading.png)) != 0) return false;
  png_read_image(reading.png, reading.rows.data());
  png_read_end(reading.png, nullptr);
  return true;
}

Samples read_png(const std::string& path, std::FILE* file) {
  PngReading reading;
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, on_error, on_warning);
  if (reading.png != nullptr) reading.info = png_create_info_struct(reading.png);
  if (reading.info == nullptr) throw ResourceError("libpng cannot start: out of memory");
  const auto damaged = [&] { refuse(path, fmt::format("the PNG file is damaged: {}", reading.message)); };
  if (!read_header(reading, file)) damaged();

  Samples samples;
  samples.width = png_get_image_width(reading.png, reading.info);
  samples.height = png_get_image_height(reading.png, reading.info);
  check_size(path, samples.width, samples.height);
  samples.channels = png_get_channels(reading.png, reading.info);
  const unsigned depth = png_get_bit_depth(reading.png, reading.info);
  samples.maximum = depth == 16 ? 65535 : 255;
  samples.holds_levels = depth == 16 && samples.channels == 1;

  const std::size_t row_bytes = png_get_rowbytes(reading.png, reading.info);
  reading.bytes.resize(row_bytes * samples.height);
  for (std::uint32_t y = 0; y < samples.height; ++y) reading.rows.push_back(reading.bytes.data() + y * row_bytes);
  if (!read_rows(reading)) damaged();

  samples.values.resize(std::size_t{samples.width} * samples.height * samples.channels);
  if (depth == 16) {
    std::memcpy(samples.values.data(), reading.bytes.data(), reading.bytes.size());
  } else {
    for (std::size_t i = 0; i < samples.values.size(); ++i) samples.values[i] = reading.bytes[i];
  }
  return samples;
}

// ---- PGM ------------------------------------------------------------------------------------------------------------

/// The next number of a PGM header; blanks and comments are skipped.
std::uint32_t header_number(const std::string& path, std::FILE* file) {
  int c = std::getc(file);
  while (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '#') {
    if (c == '#') {
      while (c != '\n' && c != EOF) c = std::getc(file);
    } else {
      c = std::getc(file);
    }
  }
  if (c < '0' || c > '9') refuse(path, "the PGM header is damaged: a number is missing");
  std::uint32_t number = 0;
  for (; c >= '0' && c <= '9'; c = std::getc(file)) {
    number = number * 10 + static_cast<std::uint32_t>(c - '0');
    if (number > 100'000'000) refuse(path, "the PGM header is damaged: a number is too large");
  }
  std::ungetc(c, file);
  return number;
}

Samples read_pgm(const std::string& path, std::FILE* file) {
  Samples samples;
  std::fseek(file, 2, SEEK_SET);
  samples.width = header_number(path, file);
  samples.height = header_number(path, file);
  samples.maximum = header_number(path, file);
  if (samples.maximum == 0 || samples.maximum > 65535) {
    refuse(path, fmt::format("the PGM header says that white is {}; 1 to 65535 is possible", samples.maximum));
  }
  check_size(path, samples.width, samples.height);
  std::getc(file);  // The one blank before the pixels.
  const std::size_t bytes_per_pixel = samples.maximum > 255 ? 2 : 1;
  const std::size_t count = std::size_t{samples.width} * samples.height;
  std::vector<std::uint8_t> bytes(count * bytes_per_pixel);
  const std::size_t got = std::fread(bytes.data(), 1, bytes.size(), file);
  if (got < bytes.size()) {
    refuse(path, fmt::format("the PGM file is cut off: {}x{} pixels need {} bytes, found {}", samples.width,
                             samples.height, bytes.size(), got));
  }
  samples.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned value = bytes_per_pixel == 2 ? bytes[2 * i] * 256u + bytes[2 * i + 1] : bytes[i];
    if (value > samples.maximum) {
      refuse(path, fmt::format("pixel ({}, {}) is {}, but white is {}", i % samples.width, i / samples.width, value,
                               samples.maximum));
    }
    samples.values[i] = static_cast<std::uint16_t>(value);
  }
  return samples;
}

Image to_grey(const std::string& path, const Samples& samples, unsigned bits) {
  Image image;
  image.width = samples.width;
  image.height = samples.height;
  image.maximum = bits == 0 ? samples.maximum : (1u << bits) - 1;
  const bool scaled = bits != 0 && !samples.holds_levels;
  const double scale = scaled ? static_cast<double>(image.maximum) / samples.maximum : 1.0;
  const std::size_t count = std::size_t{samples.width} * samples.height;
  image.pixels.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    double grey = samples.values[i * samples.channels];
    if (samples.channels == 3) {
      grey = 0.299 * grey + 0.587 * samples.values[i * 3 + 1] + 0.114 * samples.values[i * 3 + 2];
    }
    const double level = std::floor(grey * scale + 0.5);
    if (level > image.maximum) {
      refuse(path, fmt::format("pixel ({}, {}) is {}, which is more than {} bits hold (0 to {})", i % image.width,
                               i / image.width, samples.values[i], bits, image.maximum));
    }
    image.pixels[i] = static_cast<std::uint16_t>(level);
  }
  return image;
}

}  // namespace

Image read_image(const std::string& path, unsigned bits) {
  if (bits > 16) throw Bug(fmt::format("an image of {} bits was asked for", bits));
  std::string bytes = read_whole_file(path, most_image_bytes);
  constexpr const char* unknown = "this is neither a PNG nor a binary PGM (P5) image";
  if (bytes.empty()) refuse(path, unknown);
  const File file(::fmemopen(bytes.data(), bytes.size(), "rb"));
  if (file == nullptr) throw ResourceError(fmt::format("{}: cannot read the image: {}", path, std::strerror(errno)));
  unsigned char start[8] = {};
  const std::size_t got = std::fread(start, 1, sizeof start, file.get());
  std::rewind(file.get());
  if (got == sizeof start && png_sig_cmp(start, 0, sizeof start) == 0) {
    return to_grey(path, read_png(path, file.get()), bits);
  }
  if (got >= 2 && start[0] == 'P' && start[1] == '5') return to_grey(path, read_pgm(path, file.get()), bits);
  refuse(path, unknown);
}

}  // namespace lockstep::workload
