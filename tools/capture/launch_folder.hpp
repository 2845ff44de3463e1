#pragma once
// A launch folder as run_on_gpu reads it: README.md has the format.

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::capture {

/// The bytes of a file.
inline std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<char> bytes(file ? static_cast<std::size_t>(file.tellg()) : 0);
  file.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file) throw std::runtime_error(path + ": cannot be read");
  return bytes;
}

/// Device memory, with files of what it holds before and after the launches.
struct Buffer {
  std::string name;
  std::uint64_t address = 0, bytes = 0;
  std::string before, after;
};

/// A variable of a module, which the driver places.
struct Variable {
  Buffer memory;
  std::size_t module = 0;
};

/// A word of a file that holds the address of a variable and a byte offset.
struct Reference {
  std::string file;
  std::size_t at = 0, variable = 0;
  std::uint64_t offset = 0;
};

/// A texture or surface over a buffer, as the functional machine describes it (isa/exec/textures/texture.hpp).
struct Texture {
  std::string name;
  std::size_t buffer = 0;
  std::uint64_t offset = 0;
  std::string format, layout;
  std::size_t width = 0, height = 0, depth = 0, layers = 0, pitch = 0;
  std::string address[3], filter, coordinates, read, object;

  unsigned bits() const { return static_cast<unsigned>(std::stoul(format.substr(1))); }  ///< Of a channel.
  unsigned channels() const {
    const std::size_t x = format.find('x');
    return x == std::string::npos ? 1 : static_cast<unsigned>(std::stoul(format.substr(x + 1)));
  }
  std::size_t row_bytes() const { return width * bits() / 8 * channels(); }
  std::size_t rows() const { return std::max<std::size_t>(height, 1); }
  std::size_t slices() const { return std::max<std::size_t>({depth, layers, 1}); }
  bool is_surface() const { return object == "surface"; }
};

/// A word of a file that holds the object of a texture.
struct ObjectWord {
  std::string file;
  std::size_t at = 0, texture = 0;
  std::uint64_t object = 0;  ///< When the GPU has made it.
};

/// One launch; `parameters` names a file.
struct Launch {
  std::size_t module = 0;
  std::string entry, parameters;
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
};

/// The text of a module that logs what its kernels execute, and what traces call the module.
struct InstrumentedModule {
  std::size_t module = 0;
  std::string file, name;
};

/// What the host read of a buffer or variable when `launches` launches had ended, and by which it decided on the others.
struct HostRead {
  std::size_t launches = 0;
  bool of_variable = false;
  std::size_t memory = 0, at = 0;
  std::vector<char> bytes;
};

/// All of it.
struct Folder {
  std::string path, workload;
  std::vector<std::string> modules;
  std::vector<Buffer> buffers;  ///< From `place` on, those of the variables too.
  std::vector<Variable> variables;
  std::vector<Reference> references;
  std::vector<Texture> textures;
  std::vector<ObjectWord> objects;
  std::vector<Launch> launches;
  std::vector<HostRead> reads;  ///< In order.
  std::vector<InstrumentedModule> instrumented;
  std::vector<std::string> log_lines;  ///< For the beginning of a log.
};

/// Throws for a line that is none of the format.
inline Folder read_folder(const std::string& path) {
  Folder folder;
  folder.path = path;
  std::ifstream manifest(path + "/launches.txt");
  std::string line, word;
  while (std::getline(manifest, line)) {
    std::istringstream in(line);
    in >> word;
    if (word == "lockstep-launches") {
      int version = 0;
      in >> version;
      if (version != 1) throw std::runtime_error(path + ": unknown version of the format");
    } else if (word == "workload") {
      in >> folder.workload;
    } else if (word == "module") {
      folder.modules.emplace_back();
      in >> folder.modules.back();
    } else if (word == "buffer") {
      Buffer b;
      in >> b.name >> b.address >> b.bytes >> b.before >> b.after;
      folder.buffers.push_back(b);
    } else if (word == "variable") {
      Variable v;
      in >> v.memory.name >> v.module >> v.memory.bytes >> v.memory.before >> v.memory.after;
      folder.variables.push_back(v);
    } else if (word == "address") {
      Reference r;
      in >> r.file >> r.at >> r.variable >> r.offset;
      folder.references.push_back(r);
    } else if (word == "texture") {
      Texture t;
      in >> t.name >> t.buffer >> t.offset >> t.format >> t.layout >> t.width >> t.height >> t.depth >> t.layers >>
          t.pitch >> t.address[0] >> t.address[1] >> t.address[2] >> t.filter >> t.coordinates >> t.read >> t.object;
      folder.textures.push_back(t);
    } else if (word == "object") {
      ObjectWord o;
      in >> o.file >> o.at >> o.texture;
      folder.objects.push_back(o);
    } else if (word == "launch") {
      Launch l;
      in >> l.module >> l.entry >> l.grid[0] >> l.grid[1] >> l.grid[2] >> l.block[0] >> l.block[1] >> l.block[2] >>
          l.shared >> l.parameters;
      folder.launches.push_back(l);
    } else if (word == "instrumented") {
      InstrumentedModule m;
      in >> m.module >> m.file >> std::ws;
      std::getline(in, m.name);
      folder.instrumented.push_back(m);
    } else if (word == "log") {
      in >> std::ws;
      std::getline(in, folder.log_lines.emplace_back());
    } else if (word == "read") {
      HostRead r;
      std::string kind, digits;
      in >> kind >> r.memory >> r.at >> digits;
      r.launches = folder.launches.size();
      r.of_variable = kind == "variable";
      for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        r.bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
      folder.reads.push_back(r);
    } else {
      throw std::runtime_error(path + "/launches.txt: cannot read \"" + line + "\"");
    }
    if (in.fail()) throw std::runtime_error(path + "/launches.txt: cannot read \"" + line + "\"");
  }
  if (folder.launches.empty()) throw std::runtime_error(path + "/launches.txt: no launches");
  return folder;
}

}  // namespace lockstep::capture
