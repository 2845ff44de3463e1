// Recursion, virtual functions and tables of functions. Each thread writes out[its number].
#define KERNEL extern "C" __global__ void
#define NOINLINE __device__ __attribute__((noinline))

NOINLINE int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
KERNEL fibonaccis(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 16); }

NOINLINE int ackermann(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
KERNEL ackermanns(int* out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 5); }

// Each thread sorts 16 numbers of its own.
NOINLINE void sort(int* data, int first, int last) {
  if (first >= last) return;
  const int middle = data[(first + last) / 2];
  int i = first, j = last;
  while (i <= j) {
    while (data[i] < middle) ++i;
    while (data[j] > middle) --j;
    if (i <= j) {
      const int kept = data[i];
      data[i++] = data[j];
      data[j--] = kept;
    }
  }
  sort(data, first, j);
  sort(data, i, last);
}
KERNEL sorts(int* out) { sort(out + 16 * threadIdx.x, 0, 15); }

// Both keep an array in local memory across the other's activation, through its address.
NOINLINE int fill(int* to, int value) {
  for (int i = 0; i < 4; ++i) to[i] = value + i;
  return value;
}
NOINLINE int odd(int n);
NOINLINE int even(int n) {
  int own[4];
  fill(own, n);
  return n == 0 ? own[3] : odd(n - 1) + own[n % 4];
}
NOINLINE int odd(int n) {
  int own[4];
  fill(own, 10 * n);
  return n == 0 ? 0 : even(n - 1) + own[n % 4];
}
KERNEL evens(int* out) { out[threadIdx.x] = even(threadIdx.x % 20); }

struct Shape {
  int size;
  __device__ explicit Shape(int n) : size(n) {}
  __device__ virtual int area() const = 0;
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  using Shape::Shape;
  __device__ int area() const override { return size * size; }
  __device__ int corners() const override { return 4; }
};
struct Circle : Shape {
  using Shape::Shape;
  __device__ int area() const override { return 3 * size * size; }
};
NOINLINE int visit(const Shape* shape) { return shape->area() * 10 + shape->corners(); }
KERNEL shapes(int* out) {
  const int i = threadIdx.x;
  const Square square(i);
  const Circle circle(i + 1);
  const Shape* const all[] = {&square, &circle};
  out[i] = visit(all[i % 2]);
}

using Binary = int (*)(int, int);
__device__ int sum(int a, int b) { return a + b; }
__device__ int difference(int a, int b) { return a - b; }
__device__ int product(int a, int b) { return a * b; }
__device__ Binary table[] = {sum, difference, product};
__constant__ Binary constants[] = {product, sum};
// The threads of a warp call different functions, then meet at a barrier.
KERNEL dispatch(int* out) {
  __shared__ int last;
  const int i = threadIdx.x;
  const int mine = table[i % 3](i, 7);
  if (i == 31) last = mine;
  __syncthreads();
  out[i] = mine + constants[i % 2](i, last);
}
KERNEL call_address(int* out, Binary function) { out[threadIdx.x] = function(1, 2); }

NOINLINE int endless(int n, int* out) { return n < 0 ? 0 : *out = n + endless(n + 1, out); }
KERNEL overflow(int* out) { endless(threadIdx.x, out); }
