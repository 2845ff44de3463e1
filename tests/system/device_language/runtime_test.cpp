// printf, assert and the heap in kernels that clang compiles without a toolkit.
#include "tests/system/device_language/functions.hpp"
#include "tests/system/program.hpp"

using namespace lockstep;
using namespace lockstep::system_test;
using Catch::Matchers::Contains;

namespace {

/// What `lockstep trace` says to a kernel of one thread with one parameter.
Outcome traced(const TemporaryFolder& folder, const std::string& source, const std::string& parameter) {
  const int status = device_language::compile(folder, folder.write("kernel.cu", source));
  INFO(contents(folder / "messages"));
  REQUIRE(status == 0);
  const std::string descriptor = folder.write("kernel.yaml",
                                              "kernel: kernel.ptx\nbuffers: {out: {zero: 1, type: s32}}\n"
                                              "grid: 1\nblock: 1\nparameters: [out, " +
                                                  parameter + "]\nexpect: {out: {constant: 42}}\n");
  return run({"trace", descriptor, "-o", folder / "kernel.trace"});
}

const std::string kernel = R"text(
#include <cassert>
#include <cstdio>
extern "C" __global__ void kernel(int* out, int n) {
  assert(n > 2);
  int* const numbers = (int*)malloc(n * sizeof(int));
  for (int i = 0; i < n; ++i) numbers[i] = i * n;
  printf("%d of %s: %.2f\n", n, "them", n / 8.0f);
  *out = numbers[n - 1];
  free(numbers);
}
)text";

}  // namespace

TEST_CASE("A kernel that clang compiled prints, and has a heap") {
  const TemporaryFolder folder;
  const Outcome outcome = traced(folder, kernel, "7");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("7 of them: 0.88\n"));
}

TEST_CASE("An assertion of a kernel that clang compiled is reported with its condition and line") {
  const TemporaryFolder folder;
  const Outcome outcome = traced(folder, kernel, "2");
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("n > 2") && Contains("kernel.cu"));
}

TEST_CASE("A kernel that clang compiled makes objects with new, also in memory of its own, and deletes them") {
  const TemporaryFolder folder;
  const Outcome outcome = traced(folder, R"text(
struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  int side;
  __device__ Square(int n) : side(n) {}
  __device__ int area() const override { return side * side; }
};
struct Line : Shape {
  __device__ int area() const override { return 0; }
};
extern "C" __global__ void kernel(int* out, int n) {
  Shape* const shape = n > 5 ? static_cast<Shape*>(new Square(n)) : new Line;
  int* const numbers = new int[n];
  for (int i = 0; i < n; ++i) numbers[i] = i;
  *out = shape->area() + numbers[n - 1];
  delete[] numbers;
  delete shape;
}
)text",
                                 "6");
  INFO(outcome.err);
  CHECK(outcome.code == 1);  // 41, not 42.
  CHECK_THAT(outcome.err, Contains("expected 42, found 41"));
}
