#include "sim/experiment/running/digest.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <vector>

#include "isa/error.hpp"
#include "isa/trace/posix_file.hpp"
#include "sim/experiment/running/graph_digest.hpp"

namespace lockstep::experiment {

namespace {

/// SHA-1 of the bytes that are fed in.
class Sha1 {
 public:
  Sha1() : context_(EVP_MD_CTX_new()) {
    if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha1(), nullptr) != 1)
      throw ResourceError("no memory for a SHA-1, or OpenSSL is set up without it");
  }
  void add(const void* bytes, std::size_t count) { EVP_DigestUpdate(context_.get(), bytes, count); }
  /// 40 hexadecimal digits. Ends the digest.
  std::string hex() {
    std::array<unsigned char, 20> digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    return fmt::format("{:02x}", fmt::join(digest, ""));
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace

struct Digest::State {
  Sha1 sha1;
};

Digest::Digest() : state_(std::make_unique<State>()) {}
Digest::~Digest() = default;

Digest& Digest::add(std::string_view bytes) {
  add(std::uint64_t{bytes.size()});
  if (!bytes.empty()) state_->sha1.add(bytes.data(), bytes.size());
  return *this;
}

Digest& Digest::add(std::uint64_t number) {
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  state_->sha1.add(bytes, sizeof(bytes));
  return *this;
}

std::string Digest::hex() {
  return state_->sha1.hex();
}

std::string file_digest(const std::string& path) {
  const auto file = trace::PosixFile::open_for_reading(path);
  Sha1 sha1;
  std::vector<std::byte> buffer(1 << 16);
  std::uint64_t at = 0;
  while (const std::size_t count = file.read_at(at, buffer)) {
    sha1.add(buffer.data(), count);
    at += count;
  }
  return sha1.hex();
}

namespace {

void add_pointers(Digest& digest, const std::vector<exec::Pointer>& pointers) {
  digest.add(pointers.size());
  for (const exec::Pointer& pointer : pointers) {
    digest.add(pointer.at);
    if (const auto* buffer = std::get_if<exec::BufferAddress>(&pointer.to)) {
      digest.add("buffer").add(buffer->buffer).add(buffer->offset);
    } else {
      const auto& variable = std::get<exec::VariableAddress>(pointer.to);
      digest.add("variable").add(variable.variable).add(variable.offset);
    }
  }
}

}  // namespace

std::string task_digest(const exec::Task& task) {
  Digest digest;
  digest.add(task.modules.size());
  for (const auto& module : task.modules) {
    const auto text = task.module_texts.find(module.get());  // Of a kernel without a file, or that was rewritten.
    digest.add(text != task.module_texts.end() ? text->second : file_digest(module->file));
  }
  digest.add(task.buffers.size());
  for (const exec::Buffer& buffer : task.buffers) {
    digest.add(buffer.name);
    digest.add(std::string_view(reinterpret_cast<const char*>(buffer.bytes.data()), buffer.bytes.size()));
    digest.add(buffer.zeros);
    add_pointers(digest, buffer.pointers);
  }
  const auto number_of = [&](const ptx::Module* wanted) {
    std::uint64_t module = 0;
    while (module < task.modules.size() && task.modules[module].get() != wanted) ++module;
    return module;
  };
  digest.add(task.variables.size());
  for (const exec::VariableContents& variable : task.variables) {
    digest.add(number_of(variable.module)).add(variable.name);
    digest.add(std::string_view(reinterpret_cast<const char*>(variable.bytes.data()), variable.bytes.size()));
    add_pointers(digest, variable.pointers);
  }
  digest.add(task.textures.size());
  for (const exec::Texture& texture : task.textures) {
    digest.add(texture.name).add(texture.buffer).add(texture.offset).add(exec::name_of(texture.format));
    digest.add(exec::name_of(texture.layout)).add(texture.width).add(texture.height).add(texture.depth);
    digest.add(texture.layers).add(texture.pitch_bytes).add(exec::name_of(texture.sampling.filter));
    for (const exec::AddressMode mode : texture.sampling.address) digest.add(exec::name_of(mode));
    digest.add(std::uint64_t{texture.sampling.normalized_coordinates});
    digest.add(std::uint64_t{texture.sampling.normalized_read});
  }
  digest.add(task.resident_blocks);
  if (task.call_depth != 0) digest.add("call depth").add(std::uint64_t{task.call_depth});
  digest.add(task.launches.size());
  for (const exec::KernelLaunch& launch : task.launches) {
    digest.add(number_of(launch.module)).add(launch.entry);
    for (unsigned axis = 0; axis < 3; ++axis) digest.add(launch.grid[axis]).add(launch.block[axis]);
    digest.add(launch.dynamic_shared_bytes).add(launch.registers_per_thread).add(launch.arguments.size());
    if (launch.cooperative) digest.add("cooperative");
    for (const exec::Argument& argument : launch.arguments) {
      if (const auto* address = std::get_if<exec::BufferAddress>(&argument)) {
        digest.add("buffer").add(address->buffer).add(address->offset);
      } else if (const auto* variable = std::get_if<exec::VariableAddress>(&argument)) {
        digest.add("variable").add(variable->variable).add(variable->offset);
      } else if (const auto* texture = std::get_if<exec::TextureHandle>(&argument)) {
        digest.add("texture").add(texture->texture);
      } else {
        const auto& bytes = std::get<std::vector<std::uint8_t>>(argument);
        digest.add("scalar").add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      }
    }
    digest.add(std::uint64_t{launch.graph != nullptr});
    if (launch.graph != nullptr) add_program(digest, *launch.graph, launch.grid[0]);
  }
  return digest.hex();
}

const std::string& program_digest() {
  static const std::string digest = file_digest("/proc/self/exe");
  return digest;
}

}  // namespace lockstep::experiment
