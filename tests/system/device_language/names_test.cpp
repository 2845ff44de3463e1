// What of CUDA's device language compiles without a toolkit, and what is refused with a reason.
#include "tests/places.hpp"
#include "tests/system/device_language/functions.hpp"

using namespace lockstep;
using device_language::compile;

namespace {

/// Whether compile-kernels refuses an expression below the architecture that it names, and takes it there.
void check_needs(const std::string& expression, const std::string& below, const std::string& architecture) {
  const test::TemporaryFolder folder;
  const std::string kernel = "extern \"C\" __global__ void k(char* o) { " + expression + "; }\n";
  const std::string plain = folder.write("plain.cu", kernel);
  INFO(expression);
  CHECK(compile(folder, "--arch " + below + " " + plain) == 1);
  CHECK(test::contents(folder / "messages").find("it needs " + architecture + ": say --arch " + architecture) !=
        std::string::npos);
  CHECK(compile(folder, folder.write("stated.cu", "// Needs " + architecture + ".\n" + kernel)) == 0);
}

}  // namespace

TEST_CASE("Every function of CUDA's device language that the header promises compiles without a toolkit") {
  const test::TemporaryFolder folder;
  const int status =
      compile(folder, "-o " + folder.path() + " " + source_dir() + "/tests/system/device_language/names.cu");
  INFO(test::contents(folder / "messages"));
  CHECK(status == 0);
  CHECK(ptx::parse_file(folder / "names.ptx").functions.size() >= 10);
}

TEST_CASE("A function that exists from an architecture on is refused below it, with the architecture's name") {
  check_needs("atomicAdd((double*)o, 1.0)", "sm_52", "sm_60");
  check_needs("atomicMax_system((int*)o, 1)", "sm_52", "sm_60");
  check_needs("*(int*)o = __dp4a(1, 2, 3)", "sm_60", "sm_61");
  check_needs("*(int*)o = __match_any_sync(~0u, 1)", "sm_61", "sm_70");
  check_needs("__nanosleep(20)", "sm_61", "sm_70");
  check_needs("*(int*)o = __reduce_add_sync(~0u, 1)", "sm_75", "sm_80");
}

TEST_CASE("A kernel may define for old architectures what CUDA has for later ones only") {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("own.cu", R"text(
__device__ double atomicAdd(double* address, double value) {
  unsigned long long old = *(unsigned long long*)address, seen;
  do {
    seen = old;
    old = atomicCAS((unsigned long long*)address, seen,
                    __double_as_longlong(value + __longlong_as_double(seen)));
  } while (seen != old);
  return __longlong_as_double(old);
}
extern "C" __global__ void own(double* sum) { atomicAdd(sum, 1.0); }
)text");
  const int status = compile(folder, "--arch sm_52 " + file);
  INFO(test::contents(folder / "messages"));
  CHECK(status == 0);
}

TEST_CASE("Headers of the C++ library can be included beside the device language") {
  const test::TemporaryFolder folder;
  const std::string file = folder.write("headers.cu", R"text(
#include <cmath>
#include <cstdint>
#include <cstring>
#include <math.h>
extern "C" __global__ void headers(float* o, const float* a, int n) {
  const int i = threadIdx.x;
  if (i < n) o[i] = fabsf(a[i]) + sqrtf(a[i]) + (isnan(a[i]) ? 1.0f : fmaxf(a[i], 2.0f));
  std::uint32_t words[2];
  memcpy(words, a, sizeof(words));
  o[i] += words[0] + words[1];
}
)text");
  const int status = compile(folder, file);
  INFO(test::contents(folder / "messages"));
  CHECK(status == 0);
}
