// Latency and throughput of texture fetches from linear memory (tex1Dfetch).
//
// Wong et al., ISPASS 2010, section IV-F; Mei and Chu, TPDS 2017, section 4: as the chase through global memory, but a
// texel holds the coordinate of the next one, so that no address is computed.
#include "timed.cuh"

/// `warm` rounds through all links first, not timed; then `length` links, a multiple of `chain`. ends[0] is the last
/// coordinate; cycles[0] the interval, cycles[1] what keeps the xors.
extern "C" __global__ void texture_chase(unsigned int length, unsigned int warm, unsigned int links,
                                         cudaTextureObject_t texels, unsigned int* ends, unsigned int* cycles) {
  unsigned int next = 0;
  _Pragma("unroll 1") for (unsigned int i = 0; i < warm * links; ++i) {
    asm volatile("{\n\t.reg .u32 y, z, w;\n\ttex.1d.v4.u32.s32 {%0, y, z, w}, [%1, {%0}];\n\t}"
                 : "+r"(next)
                 : "l"(texels)
                 : "memory");
  }
  unsigned int sink = 0, rounds = length / chain, start, stop;
  asm volatile(
      "{\n\t.reg .u32 y, z, w;\n\t.reg .pred more;\n\tcvt.u32.u64 %1, %5;\n\txor.b32 %3, %3, %1;\n\t" READY("%4", "%1")
          READ_CLOCK("%1", "%3", "%0") ROUNDS("%4", TIMES_64("tex.1d.v4.u32.s32 {%0, y, z, w}, [%5, {%0}];\n\t"))
              READ_CLOCK("%2", "%3", "%0") "}"
      : "+r"(next), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds)
      : "l"(texels)
      : "memory");
  ends[0] = next;
  cycles[0] = stop - start;
  cycles[1] = sink;
}

// clang-format off
#define FETCH(n) "tex.1d.v4.u32.s32 {x" #n ", y" #n ", z" #n ", w" #n "}, [%6, {%5}];\n\t"
// clang-format on
#define SUM(n) "add.u32 %4, %4, x" #n ";\n\t"

/// `length` fetches per thread, a multiple of `chain`, eight of them independent; thread t of the grid fetches texel
/// t * stride % links * stride, fetched once before. ends[t] is what the last eight fetches add up to.
extern "C" __global__ void texture_throughput(unsigned int length, unsigned int links, unsigned int stride,
                                              cudaTextureObject_t texels, unsigned int* ends, unsigned int* cycles) {
  const unsigned int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int coordinate = thread % links * stride;
  unsigned int rounds = length / chain, start, stop, sink = tex1Dfetch<unsigned int>(texels, coordinate), sum = 0;
  asm volatile(
      "{\n\t.reg .pred more;\n\t.reg .u32 x<8>, y<8>, z<8>, w<8>;\n\t" READY("%3", "%0") READ_CLOCK("%0", "%2", "%5")
          ROUNDS("%3", TIMES_4(FETCH(0) FETCH(1) FETCH(2) FETCH(3) FETCH(4) FETCH(5) FETCH(6) FETCH(7) FETCH(0) FETCH(1)
                                   FETCH(2) FETCH(3) FETCH(4) FETCH(5) FETCH(6) FETCH(7))) READ_CLOCK("%1", "%2", "x7")
              SUM(0) SUM(1) SUM(2) SUM(3) SUM(4) SUM(5) SUM(6) SUM(7) "}"
      : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), "+r"(sum)
      : "r"(coordinate), "l"(texels)
      : "memory");
  ends[thread] = sum;
  cycles[thread] = stop - start;
  cycles[threads + thread] = sink;
}

// clang-format off
#define FETCH_PLANE(n) "add.f32 %5, %5, %9;\n\ttex.2d.v4.f32.f32 {x" #n ", y" #n ", z" #n ", w" #n "}, [%7, {%5, %6}];\n\t"
// clang-format on
#define ADD_1(n) "add.f32 %4, %4, x" #n ";\n\t"
#define ADD_4(n) ADD_1(n) "add.f32 %4, %4, y" #n ";\n\tadd.f32 %4, %4, z" #n ";\n\tadd.f32 %4, %4, w" #n ";\n\t"
#define TIMES_8(text) text(0) text(1) text(2) text(3) text(4) text(5) text(6) text(7)

/// As texture_throughput, on a plane: the lanes of every warp are rows of `columns` texels, `across` and `down` texels from one
/// to the next, `edge` from the texture's edge. `active` lanes of a warp fetch. `step`, which is 0, is added to x before each, and all that
/// they fetch is added up: compilers fetch once what is fetched again, and not at all what nothing reads. The interval ends when the last warp has its last texel.
#define PLANE(name, add)                                                                                                         \
  extern "C" __global__ void name(unsigned int length, unsigned int columns, unsigned int across, unsigned int down,             \
                                  float edge, float step, unsigned int active, cudaTextureObject_t texels,                       \
                                  float* ends, unsigned int* cycles) {                                                           \
    const unsigned int lane = threadIdx.x % 32, thread = blockIdx.x * blockDim.x + threadIdx.x;                                  \
    float x = edge + lane % columns * across;                                                                                    \
    const float y = edge + lane / columns * down;                                                                                \
    unsigned int rounds = length / chain, start, stop, sink = __float_as_uint(tex2D<float>(texels, x, y)),                       \
                 more = lane < active;                                                                                           \
    float sum = 0;                                                                                                               \
    asm volatile("{\n\t.reg .pred more, out;\n\t.reg .f32 x<8>, y<8>, z<8>, w<8>;\n\t.reg .b32 last;\n\t"                        \
                 "setp.eq.u32 out, %8, 0;\n\t" READY("%3", "%0") "bar.sync 0;\n\t" READ_CLOCK("%0", "%2", "%3")                  \
                 "@out bra DONE;\n\t" ROUNDS("%3", TIMES_4(TIMES_8(FETCH_PLANE) TIMES_8(add) TIMES_8(FETCH_PLANE) TIMES_8(add))) \
                 "DONE:\n\tmov.b32 last, %4;\n\txor.b32 %2, %2, last;\n\tbar.sync 0;\n\t" READ_CLOCK("%1", "%2", "last") "}"     \
                 : "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), "+f"(sum), "+f"(x)                                       \
                 : "f"(y), "l"(texels), "r"(more), "f"(step)                                                                     \
                 : "memory");                                                                                                    \
    ends[thread] = sum;                                                                                                          \
    cycles[thread] = stop - start;                                                                                               \
    cycles[gridDim.x * blockDim.x + thread] = sink;                                                                              \
  }

PLANE(texture_plane_1, ADD_1)
PLANE(texture_plane_4, ADD_4)
