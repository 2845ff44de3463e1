#include "tests/differential/kernel.hpp"

#include <algorithm>

namespace lockstep::differential {

bool Instruction::has(std::string_view modifier) const {
  return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
}

std::array<std::uint64_t, 3> Image::extent() const {
  return {texture.width, std::max<std::uint64_t>(texture.height, 1),
          std::max<std::uint64_t>({texture.depth, texture.layers, 1})};
}

std::size_t texel_bytes(const Kernel& kernel) {
  std::size_t bytes = 0;
  for (const Image& image : kernel.images)
    bytes = std::max<std::size_t>(bytes, image.texture.offset + image.texture.span_bytes());
  return aligned_to_texture(bytes);
}

std::vector<Block*> blocks_of(Statement& statement) {
  if (auto* branch = std::get_if<Branch>(&statement.is)) return {&branch->inside, &branch->otherwise};
  if (auto* loop = std::get_if<Loop>(&statement.is)) return {&loop->body};
  if (auto* group = std::get_if<Group>(&statement.is)) return {&group->body};
  std::vector<Block*> all;
  if (auto* selection = std::get_if<Selection>(&statement.is)) {
    for (Block& one : selection->cases) all.push_back(&one);
  }
  return all;
}

std::vector<const Block*> blocks_of(const Statement& statement) {
  const auto found = blocks_of(const_cast<Statement&>(statement));
  return {found.begin(), found.end()};
}

namespace {

void visit_blocks(Block& block, const std::function<void(Block&)>& use) {
  use(block);
  for (Statement& statement : block) {
    for (Block* inner : blocks_of(statement)) visit_blocks(*inner, use);
  }
}

}  // namespace

void for_each_block(Kernel& kernel, const std::function<void(Block&)>& use) {
  visit_blocks(kernel.body, use);
  for (Function& function : kernel.functions) visit_blocks(function.body, use);
}

void for_each_statement(const Block& block, const std::function<void(const Statement&)>& use) {
  for (const Statement& statement : block) {
    use(statement);
    for (const Block* inner : blocks_of(statement)) for_each_statement(*inner, use);
  }
}

}  // namespace lockstep::differential
