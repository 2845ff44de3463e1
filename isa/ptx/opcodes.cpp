#include "isa/ptx/opcodes.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "isa/error.hpp"

namespace lockstep::ptx {

namespace {

constexpr std::uint8_t any = 255;

// PTX ISA 9.0, chapter 9.7; sorted by name.
constexpr Opcode opcodes[] = {
    {"abs", 2, 2},
    {"activemask", 1, 1},
    {"add", 3, 3},
    {"addc", 3, 3},
    {"alloca", 2, 3},
    {"and", 3, 3},
    {"applypriority", 2, 2, false},
    {"atom", 3, 5},
    {"bar", 0, 4, false},
    {"barrier", 0, 4, false},
    {"bfe", 4, 4},
    {"bfi", 5, 5},
    {"bfind", 2, 2},
    {"bmsk", 3, 3},
    {"bra", 1, 1, false},
    {"brev", 2, 2},
    {"brkpt", 0, 0, false},
    {"brx", 2, 2, false},
    {"call", 0, any, false},
    {"clusterlaunchcontrol", 1, 3},
    {"clz", 2, 2},
    {"cnot", 2, 2},
    {"copysign", 3, 3},
    {"cos", 2, 2},
    {"cp", 0, any, false},
    {"createpolicy", 1, 4},
    {"cvt", 2, 5},
    {"cvta", 2, 2},
    {"discard", 2, 2, false},
    {"div", 3, 3},
    {"dp2a", 4, 4},
    {"dp4a", 4, 4},
    {"elect", 2, 2},
    {"ex2", 2, 2},
    {"exit", 0, 0, false},
    {"fence", 0, 2, false},
    {"fma", 4, 4},
    {"fns", 4, 4},
    {"getctarank", 2, 2},
    {"griddepcontrol", 0, 0, false},
    {"isspacep", 2, 2},
    {"istypep", 2, 2},
    {"ld", 2, 3},
    {"ldmatrix", 2, 2},
    {"ldu", 2, 2},
    {"lg2", 2, 2},
    {"lop3", 5, 6},
    {"mad", 4, 4},
    {"mad24", 4, 4},
    {"madc", 4, 4},
    {"mapa", 3, 3},
    {"match", 3, 3},
    {"max", 3, 4},
    {"mbarrier", 1, 6},
    {"membar", 0, 0, false},
    {"min", 3, 4},
    {"mma", 4, any},
    {"mov", 2, 2},
    {"movmatrix", 2, 2},
    {"mul", 3, 3},
    {"mul24", 3, 3},
    {"multimem", 2, any},
    {"nanosleep", 1, 1, false},
    {"neg", 2, 2},
    {"not", 2, 2},
    {"or", 3, 3},
    {"pmevent", 1, 1, false},
    {"popc", 2, 2},
    {"prefetch", 1, 2, false},
    {"prefetchu", 1, 1, false},
    {"prmt", 4, 4},
    {"rcp", 2, 2},
    {"red", 2, 5, false},
    {"redux", 3, 3},
    {"rem", 3, 3},
    {"ret", 0, 0, false},
    {"rsqrt", 2, 2},
    {"sad", 4, 4},
    {"selp", 4, 4},
    {"set", 3, 4},
    {"setmaxnreg", 1, 1, false},
    {"setp", 3, 4},
    {"shf", 4, 4},
    {"shfl", 4, 5},
    {"shl", 3, 3},
    {"shr", 3, 3},
    {"sin", 2, 2},
    {"slct", 4, 4},
    {"sqrt", 2, 2},
    {"st", 2, 5, false},
    {"stackrestore", 1, 1, false},
    {"stacksave", 1, 1},
    {"stmatrix", 2, 2, false},
    {"sub", 3, 3},
    {"subc", 3, 3},
    {"suld", 2, 2},
    {"suq", 2, 2},
    {"sured", 2, 2, false},
    {"sust", 2, 2, false},
    {"szext", 3, 3},
    {"tanh", 2, 2},
    {"tcgen05", 0, any},
    {"tensormap", 1, any, false},
    {"testp", 2, 2},
    {"tex", 2, 5},
    {"tld4", 2, 5},
    {"trap", 0, 0, false},
    {"txq", 2, 3},
    {"vabsdiff", 3, 4},
    {"vabsdiff2", 3, 4},
    {"vabsdiff4", 3, 4},
    {"vadd", 3, 4},
    {"vadd2", 3, 4},
    {"vadd4", 3, 4},
    {"vavrg2", 3, 4},
    {"vavrg4", 3, 4},
    {"vmad", 4, 4},
    {"vmax", 3, 4},
    {"vmax2", 3, 4},
    {"vmax4", 3, 4},
    {"vmin", 3, 4},
    {"vmin2", 3, 4},
    {"vmin4", 3, 4},
    {"vote", 2, 3},
    {"vset", 3, 4},
    {"vset2", 3, 4},
    {"vset4", 3, 4},
    {"vshl", 3, 4},
    {"vshr", 3, 4},
    {"vsub", 3, 4},
    {"vsub2", 3, 4},
    {"vsub4", 3, 4},
    {"wgmma", 0, any},
    {"wmma", 2, any},
    {"xor", 3, 3},
};

constexpr bool by_name(const Opcode& a, const Opcode& b) {
  return a.name < b.name;
}
static_assert(std::is_sorted(std::begin(opcodes), std::end(opcodes), by_name));

}  // namespace

const Opcode* find_opcode(std::string_view name) {
  const Opcode* found =
      std::lower_bound(std::begin(opcodes), std::end(opcodes), name,
                       [](const Opcode& opcode, std::string_view word) { return opcode.name < word; });
  return found != std::end(opcodes) && found->name == name ? found : nullptr;
}

std::string_view nearest_opcode(std::string_view word) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Opcode& opcode : opcodes) all.emplace_back(opcode.name);
    return all;
  }();
  const Opcode* found = find_opcode(nearest_name(word, names));
  return found != nullptr ? found->name : std::string_view();
}

}  // namespace lockstep::ptx
