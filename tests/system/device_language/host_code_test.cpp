// CUDA sources as people have them, with host code, without a toolkit.
#include "tests/system/device_language/functions.hpp"

namespace lockstep::host_code_test {

using Catch::Matchers::Contains;
using device_language::compile;

namespace {

/// What compile-kernels says and makes of a source.
struct Compiled {
  int status;
  std::string messages;
  std::string ptx;
};

Compiled compiled(const test::TemporaryFolder& folder, const std::string& source, const std::string& options = "") {
  const int status = compile(folder, options + " " + folder.write("sample.cu", source));
  return {status, test::contents(folder / "messages"), status == 0 ? test::contents(folder / "sample.ptx") : ""};
}

}  // namespace

TEST_CASE("Host code that uses the runtime API compiles; its launches say which kernels of a template there are") {
  const test::TemporaryFolder folder;
  const Compiled result = compiled(folder, R"text(
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <vector>
#define CHECK(call)                                                          \
  do {                                                                       \
    cudaError_t error = (call);                                              \
    if (error != cudaSuccess) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      exit(EXIT_FAILURE);                                                    \
    }                                                                        \
  } while (0)
__constant__ float factors[2];
template <typename T, int width>
__global__ void scale(T* data, int n) {
  const int i = blockIdx.x * width + threadIdx.x;
  if (i < n) data[i] = data[i] * (T)factors[1] + (T)0x123;
}
template <typename T>
void launch(T* data, int n) {
  scale<T, 128><<<(n + 127) / 128, 128>>>(data, n);
}
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  std::vector<float> host(n);
  std::shared_ptr<int> counted(new int(3));
  const float values[2] = {1, 2};
  float* data;
  CHECK(cudaMalloc((void**)&data, n * sizeof(float)));
  CHECK(cudaMemcpy(data, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpyToSymbol(factors, values, sizeof(values)));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  dim3 block(64, 2), grid((n + 127) / 128);
  scale<int, 64><<<grid, block, 0, stream>>>((int*)data, n);
  launch(data, n);
  CHECK(cudaDeviceSynchronize());
  std::cout << "done" << std::endl;
}
)text");
  INFO(result.messages);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.messages, !Contains("note:"));
  CHECK_THAT(result.ptx, Contains(".entry _Z5scaleIiLi64EEvPT_i(") && Contains(".entry _Z5scaleIfLi128EEvPT_i("));
  CHECK_THAT(result.ptx, Contains(".file\t1 \"sample.cu\"") && Contains(".loc\t1 21 "));
}

TEST_CASE("Host code of libraries that are missing is left out, with a note; kernels and their lines stay") {
  const test::TemporaryFolder folder;
  const Compiled result = compiled(folder, R"text(#include "../common/timer.h"
#include <opencv2/opencv.hpp>
#include <thrust/device_vector.h>
using namespace thrust;
struct Parameters {
  int width;
  __host__ __device__ int twice() const { return 2 * width; }
};
class Window {
 public:
  Window() : open_(false), size_{3} {}
  cv::Mat image_;
 private:
  bool open_;
  int size_;
};
cv::Mat picture;
const int border = 3;
template <int steps>
__global__ void smooth(float* data, Parameters p) {
  data[threadIdx.x * p.twice()] += border * steps;
}
__global__ void count(int* data) { atomicAdd(data, 0x777); }
static void show(const cv::Mat& image, float* data) { smooth<5><<<1, 32>>>(data, Parameters{image.cols}); }
int main() {
  cv::Mat image = cv::imread("ä.png");
  thrust::device_vector<int> numbers(100);
  for (int i = 0; i < image.channels(); ++i) {
    Parameters p{image.cols};
    smooth<2><<<dim3(image.cols / 16), 32>>>((float*)nullptr, p);
  }
  if (image.empty()) count<<<1, 32>>>(raw_pointer_cast(numbers.data()));
  startTimer([&] { show(image, nullptr); });
}
)text");
  INFO(result.messages);
  REQUIRE(result.status == 0);
  CHECK_THAT(result.messages,
             Contains("sample.cu:1: ../common/timer.h is not found and counts as empty") &&
                 Contains("sample.cu: host code that cannot be understood here is left out, from lines 4, 12"));
  for (const char* entry : {"_Z6smoothILi2EEvPf10Parameters(", "_Z6smoothILi5EEvPf10Parameters(", "_Z5countPi("})
    CHECK_THAT(result.ptx, Contains(std::string(".entry ") + entry));
  CHECK_THAT(result.ptx, Contains(".loc\t1 21 "));
}

TEST_CASE("Errors of device code beside host code are reported with the lines of the file") {
  const test::TemporaryFolder folder;
  const Compiled result = compiled(folder, R"text(#include <helper_cuda.h>
__global__ void wrong(int* p) {
  p[0] = undefined_thing(3);
}
int main() { checkCudaErrors(cudaSetDevice(0)); wrong<<<1, 1>>>(nullptr); }
)text");
  CHECK(result.status == 1);
  CHECK_THAT(result.messages, Contains("sample.cu:3:10: error: use of undeclared identifier 'undefined_thing'"));
  CHECK_THAT(result.messages, !Contains("sample.cu:5:14"));
  const Compiled texture =
      compiled(folder, "texture<float> t;\n__global__ void k(float* p) { *p = tex1Dfetch(t, 0); }\n");
  CHECK(texture.status == 1);
  CHECK_THAT(texture.messages, Contains("let the kernel take a cudaTextureObject_t"));
}

TEST_CASE("Sources that ask for the compiler, include nothing and exchange lanes without a mask compile") {
  const test::TemporaryFolder folder;
  const Compiled result = compiled(folder, R"text(
#ifdef __CUDACC__
#define BOTH __host__ __device__
#endif
#if __CUDACC_VER_MAJOR__ < 9
#error unknown release
#endif
BOTH inline int next(int x) { return x + 1; }
__device__ __managed__ int managed;
__global__ void kernel(int* p, float* f) {
  int value = next(p[threadIdx.x]);
  assert(value != 0);
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down(value, distance);
  f[1] += __shfl_xor(f[0], 1, 16) + __shfl(f[2], 0) + __shfl_up(f[3], 1u);
  p[0] = value + __popc(__ballot(value > 0)) + __any(value) + __all(value) + managed;
  if (f[0] == INFINITY) printf("none\n");
}
int main() {
  int* p = (int*)malloc(4);
  printf("%d\n", next(*p));
  kernel<<<1, 32>>>(p, nullptr);
  exit(0);
}
)text");
  INFO(result.messages);
  CHECK(result.status == 0);
  CHECK_THAT(result.messages, !Contains("note:"));
}

TEST_CASE("A template that nothing launches is no kernel, and folders of headers and macros can be given") {
  const test::TemporaryFolder folder;
  const Compiled none = compiled(folder, "template <class T> __global__ void k(T* p) { *p = 1; }\n");
  CHECK(none.status == 0);
  CHECK_THAT(none.messages, Contains("sample.cu has no kernel"));
  std::filesystem::create_directory(folder / "include");
  folder.write("include/types.h", "typedef VALUE value;\n");
  const std::string source = "#include <types.h>\n__global__ void k(value* p) { *p = 1; }\n";
  const Compiled given = compiled(folder, source, "-I " + (folder / "include") + " -D VALUE=short");
  INFO(given.messages);
  CHECK(given.status == 0);
  CHECK_THAT(given.ptx, Contains("_Z1kPs("));
  CHECK(compiled(folder, source).status == 1);
}

}  // namespace lockstep::host_code_test
