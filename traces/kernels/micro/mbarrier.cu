// Latency of mbarriers, and of asynchronous copies until what waits for them continues: chains of links, each of which begins
// when the one before has its result.
//
// Needs sm_80.
#include "timed.cuh"

/// Links of a round of the loop.
static const unsigned int links = 16;
#define LINKS(remaining, link) ROUNDS(remaining, TIMES_16(link))

extern __shared__ __align__(16) unsigned long long slots[];

/// An object for one arrival of each thread; nobody goes on before it is there. Returns its address.
__device__ __forceinline__ unsigned int make_object(unsigned long long* object) {
  const unsigned int address = shared_address(object);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address), "r"(blockDim.x) : "memory");
  __syncthreads();
  return address;
}

/// `length`, here and below, is a multiple of `links`. ends[t]: where the chain of thread t has led. cycles[t],
/// cycles[threads + t]: its interval, and what keeps the last link. `zero` is 0.
#define OBJECT_KERNEL(name, link)                                                                                 \
  extern "C" __global__ void mbarrier_##name(unsigned int length, unsigned int zero, unsigned int* ends,          \
                                             unsigned int* cycles) {                                              \
    __shared__ unsigned long long object;                                                                         \
    const unsigned int first = make_object(&object);                                                              \
    unsigned int address = first, parity = 0, sink = 0, rounds = length / links, start, stop;                     \
    asm volatile("{\n\t.reg .pred more, ended;\n\t.reg .b64 token;\n\t.reg .b32 low, high;\n\t" READY("%4", "%1") \
                     READ_CLOCK("%1", "%3", "%0") LINKS("%4", link) READ_CLOCK("%2", "%3", "%0") "}"              \
                 : "+r"(address), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), "+r"(parity)               \
                 : "r"(zero)                                                                                      \
                 : "memory");                                                                                     \
    ends[threadIdx.x] = address - first + parity;                                                                 \
    cycles[threadIdx.x] = stop - start;                                                                           \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                      \
  }

/// Until the phase has ended; a scope of its own, as the label stands in every link.
#define WAIT(object, parity)                                                        \
  "{\n\tWAIT:\n\tmbarrier.test_wait.parity.shared.b64 ended, [" object "], " parity \
  ";\n\t@!ended bra WAIT;\n\t}\n\t"                                                 \
  "xor.b32 " parity ", " parity ", 1;\n\t"

// An arrival of one warp ends the phase. What it returns is part of the next one's address.
OBJECT_KERNEL(arrive,
              "mbarrier.arrive.shared.b64 token, [%0];\n\tmov.b64 {low, high}, token;\n\tand.b32 low, low, %6;\n\t"
              "xor.b32 %0, %0, low;\n\t")
// The phase before the first has ended: a test never fails.
OBJECT_KERNEL(test, "mbarrier.test_wait.parity.shared.b64 ended, [%0], 1;\n\tselp.b32 %0, %0, %6, ended;\n\t")
// All threads of the block arrive, and wait for each other.
OBJECT_KERNEL(phase, "mbarrier.arrive.shared.b64 token, [%0];\n\t" WAIT("%0", "%5"))

/// Dynamic scratchpad memory: 16 bytes for each thread. `pointers` is a ring in which a pointer leads to the next one, and
/// `warm` of them are loaded before, whole rounds. ends[t]: how far the chain of thread t has led from its beginning.
#define COPY_KERNEL(name, copy, wait)                                                                                \
  extern "C" __global__ void copy_##name(unsigned int length, unsigned int warm, unsigned long long* pointers,       \
                                         unsigned int* ends, unsigned int* cycles) {                                 \
    __shared__ unsigned long long object;                                                                            \
    const unsigned int barrier = make_object(&object), slot = shared_address(slots) + 16 * threadIdx.x;              \
    unsigned long long next = (unsigned long long)pointers;                                                          \
    _Pragma("unroll 1") for (unsigned int i = 0; i < warm; ++i) {                                                    \
      asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(next)::"memory");                                             \
    }                                                                                                                \
    unsigned int parity = 0, sink = 0, rounds = length / links, start, stop;                                         \
    asm volatile("{\n\t.reg .pred more, ended;\n\t.reg .b32 low;\n\tcvt.u32.u64 low, %0;\n\t" READY("%4", "%1")      \
                     READ_CLOCK("%1", "%3", "low")                                                                   \
                         LINKS("%4", copy wait "ld.shared.u64 %0, [%6];\n\t") "cvt.u32.u64 low, %0;\n\t" READ_CLOCK( \
                             "%2", "%3", "low") "}"                                                                  \
                 : "+l"(next), "=&r"(start), "=&r"(stop), "+r"(sink), "+r"(rounds), "+r"(parity)                     \
                 : "r"(slot), "r"(barrier)                                                                           \
                 : "memory");                                                                                        \
    ends[threadIdx.x] = (unsigned int)(next - (unsigned long long)pointers);                                         \
    cycles[threadIdx.x] = stop - start;                                                                              \
    cycles[blockDim.x + threadIdx.x] = sink;                                                                         \
  }
#define COPY_CA "cp.async.ca.shared.global [%6], [%0], 8;\n\t"
#define COPY_CG "cp.async.cg.shared.global [%6], [%0], 16;\n\t"
#define GROUP "cp.async.commit_group;\n\tcp.async.wait_group 0;\n\t"
#define ARRIVAL "cp.async.mbarrier.arrive.noinc.shared.b64 [%7];\n\t" WAIT("%7", "%5")
COPY_KERNEL(group_ca, COPY_CA, GROUP)
COPY_KERNEL(group_cg, COPY_CG, GROUP)
COPY_KERNEL(arrival_ca, COPY_CA, ARRIVAL)
COPY_KERNEL(arrival_cg, COPY_CG, ARRIVAL)
