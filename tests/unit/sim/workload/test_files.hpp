#pragma once
// Files that the workload tests write and read.

#include <png.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

/// Writes a PNG of `depth` bits per sample; `samples` in libpng's own order, big-endian.
inline void write_png(const std::string& path, unsigned width, unsigned height, int depth, int colour_type,
                      const std::vector<std::uint8_t>& samples, bool interlaced = false) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, width, height, depth, colour_type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const std::size_t row = samples.size() / height;
  std::vector<png_bytep> rows;
  for (unsigned y = 0; y < height; ++y) rows.push_back(const_cast<png_bytep>(samples.data() + y * row));
  png_set_rows(png, info, rows.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}
