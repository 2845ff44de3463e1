#include "isa/exec/memory/readable.hpp"

namespace lockstep::exec {

std::span<const std::byte> readable(const Warp& warp, unsigned lane, std::uint64_t address) {
  constexpr program::AddressWindows windows;
  ThreadBlock& block = *warp.owner;
  const auto rest = [](const std::byte* from, std::uint64_t size, std::uint64_t offset) {
    return offset < size ? std::span(from + offset, size - offset) : std::span<const std::byte>();
  };
  if (address - windows.shared_base < windows.shared_size)
    return rest(block.shared(), block.shared_bytes(), address - windows.shared_base);
  if (address - windows.local_base < windows.local_size)
    return rest(block.local(warp, lane), warp.local_bytes, address - windows.local_base);
  const Allocation* const allocation = block.context().memory->find(address);
  if (allocation == nullptr || allocation->kind == Allocation::Kind::array ||
      allocation->kind == Allocation::Kind::code)
    return {};
  return rest(allocation->host, allocation->size, address - allocation->base);
}

std::string readable_string(const Warp& warp, unsigned lane, std::uint64_t address, std::size_t longest) {
  std::string text;
  for (const std::byte byte : readable(warp, lane, address)) {
    if (byte == std::byte{0} || text.size() == longest) break;
    text += static_cast<char>(byte);
  }
  return text;
}

}  // namespace lockstep::exec
