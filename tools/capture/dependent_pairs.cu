// Cycles of pairs of instructions of which each reads what the other has written, and of rounds of a loop that ends with EXIT under a
// guard and a jump back, or with a branch back: a line "NAME: CYCLES, CYCLES" each, of one warp, and of a scheduler with eight for each.
//   nvcc -std=c++17 -arch=native -O2 -o dependent_pairs dependent_pairs.cu && ./dependent_pairs
// What it shows on an H100 and an H200 stands in configs/gpus/generations/hopper.yaml. Look at the code (cuobjdump -sass) before reading much into it.

#include <cstdio>
#include <cstdlib>

#define TIMES_4(text) text text text text
#define TIMES_32(text) TIMES_4(text text text text text text text text)

/// `rounds` rounds of 32 pairs; between[threadIdx.x] is what the clock register counts.
#define PAIRS(name, PAIR)                                                                                            \
  __global__ void name(unsigned int rounds, unsigned int k, float a, unsigned int* between, float* results) {        \
    unsigned int start, stop, i;                                                                                     \
    float f;                                                                                                         \
    asm volatile(                                                                                                    \
        "{\n\t.reg .pred p;\n\t.reg .u32 n;\n\tmov.u32 n, 0;\n\tmov.u32 %2, %4;\n\tmov.f32 %3, %5;\n\t"              \
        "mov.u32 %0, %%clock;\nROUND_" #name ":\n\t.pragma \"nounroll\";\n\t" TIMES_32(PAIR)                         \
        "add.u32 n, n, 1;\n\tsetp.lt.u32 p, n, %6;\n\t@p bra ROUND_" #name ";\n\tmov.u32 %1, %%clock;\n\t}"          \
        : "=&r"(start), "=&r"(stop), "=&r"(i), "=&f"(f)                                                              \
        : "r"(k), "f"(a), "r"(rounds)                                                                                \
        : "memory");                                                                                                 \
    between[threadIdx.x] = stop - start;                                                                             \
    results[threadIdx.x] = f + i;                                                                                    \
  }

PAIRS(ffma_ffma, "fma.rn.f32 %3, %3, %5, %5;\n\tfma.rn.f32 %3, %3, %5, %5;\n\t")
PAIRS(ffma_fmnmx, "fma.rn.f32 %3, %3, %5, %5;\n\tmax.f32 %3, %3, %5;\n\t")
PAIRS(shf_lop3, "shf.l.wrap.b32 %2, %2, %4, 3;\n\txor.b32 %2, %2, %6;\n\t")
PAIRS(lop3_imad, "xor.b32 %2, %2, %4;\n\tmad.lo.u32 %2, %2, %6, %4;\n\t")
PAIRS(imad_hi_lop3, "mul.hi.u32 %2, %2, %6;\n\txor.b32 %2, %2, %6;\n\t")
PAIRS(idp_lop3, "dp4a.u32.u32 %2, %2, %4, %6;\n\txor.b32 %2, %2, %4;\n\t")
PAIRS(f2fp_hadd2, "{\n\t.reg .b16 h;\n\tcvt.rn.f16.f32 h, %3;\n\tcvt.f32.f16 %3, h;\n\t}\n\t")
PAIRS(isetp_sel, "setp.lt.u32 p, %2, %6;\n\tselp.u32 %2, %6, %4, p;\n\t")
PAIRS(isetp_guard, "setp.lt.u32 p, %2, %6;\n\t@p xor.b32 %2, %2, %4;\n\t")
PAIRS(isetp_vote, "setp.lt.u32 p, %2, %6;\n\tvote.sync.any.pred p, p, 0xffffffff;\n\tselp.u32 %2, %6, %4, p;\n\t")
// Of 64 bits: the upper word of a reciprocal and of a root's reciprocal (MUFU.RCP64H, MUFU.RSQ64H), and conversions (F2F, F2I).
#define UPPER_WORD(OPERATION)                                                                                        \
  "{\n\t.reg .f64 d;\n\t.reg .u32 low;\n\tmov.b64 d, {%4, %2};\n\t" OPERATION                                         \
  " d, d;\n\tmov.b64 {low, %2}, d;\n\t}\n\t"
PAIRS(rcp64h_rcp64h, UPPER_WORD("rcp.approx.ftz.f64") UPPER_WORD("rcp.approx.ftz.f64"))
PAIRS(rsq64h_rsq64h, UPPER_WORD("rsqrt.approx.ftz.f64") UPPER_WORD("rsqrt.approx.ftz.f64"))
PAIRS(f2f64_f2f32, "{\n\t.reg .f64 d;\n\tcvt.f64.f32 d, %3;\n\tcvt.rn.f32.f64 %3, d;\n\t}\n\t")
PAIRS(i2f64_f2i64, "{\n\t.reg .f64 d;\n\tcvt.rn.f64.s32 d, %2;\n\tcvt.rzi.s32.f64 %2, d;\n\t}\n\t")

/// Rounds of eight multiply-adds, each of which stores the count so far; BACK ends them, where p says that more follow.
#define ROUNDS(name, BACK)                                                                                           \
  __global__ void name(unsigned int rounds, unsigned int, float a, unsigned int* between, float* results) {          \
    asm volatile(                                                                                                    \
        "{\n\t.reg .f32 x;\n\t.reg .pred p;\n\t.reg .u32 start, now, n;\n\tmov.f32 x, 0f00000000;\n\tmov.u32 n, 0;\n\t" \
        "mov.u32 start, %%clock;\nROUND_" #name                                                                      \
        ":\n\t.pragma \"nounroll\";\n\t" TIMES_4("fma.rn.f32 x, x, %2, %2;\n\tfma.rn.f32 x, x, %2, %2;\n\t")         \
        "add.u32 n, n, 1;\n\tadd.f32 x, x, x;\n\tmov.u32 now, %%clock;\n\tsub.u32 now, now, start;\n\t"              \
        "st.global.u32 [%0], now;\n\tst.global.f32 [%1], x;\n\tsetp.lt.u32 p, n, %3;\n\t" BACK "\n\t}" ::"l"(        \
            between + threadIdx.x),                                                                                  \
        "l"(results + threadIdx.x), "f"(a), "r"(rounds)                                                              \
        : "memory");                                                                                                 \
  }

ROUNDS(branch_back, "@p bra ROUND_branch_back;")
ROUNDS(exit_and_jump, "@!p exit;\n\tbra.uni ROUND_exit_and_jump;")

int main() {
  using Kernel = void (*)(unsigned int, unsigned int, float, unsigned int*, float*);
  const struct {
    const char* name;
    Kernel kernel;
    int per_round;
  } all[] = {{"FFMA, FFMA", ffma_ffma, 32},
             {"FFMA, FMNMX", ffma_fmnmx, 32},
             {"SHF, LOP3", shf_lop3, 32},
             {"LOP3, IMAD", lop3_imad, 32},
             {"IMAD.HI, LOP3", imad_hi_lop3, 32},
             {"IDP, LOP3", idp_lop3, 32},
             {"F2FP, HADD2.F32", f2fp_hadd2, 32},
             {"ISETP, SEL", isetp_sel, 32},
             {"ISETP, guarded LOP3", isetp_guard, 32},
             {"ISETP, VOTE, SEL", isetp_vote, 32},
             {"MUFU.RCP64H, MUFU.RCP64H", rcp64h_rcp64h, 32},
             {"MUFU.RSQ64H, MUFU.RSQ64H", rsq64h_rsq64h, 32},
             {"F2F.F64.F32, F2F.F32.F64", f2f64_f2f32, 32},
             {"I2F.F64, F2I.F64", i2f64_f2i64, 32},
             {"branch back", branch_back, 1},
             {"EXIT, jump back", exit_and_jump, 1}};
  unsigned int* between;
  float* results;
  if (cudaMallocManaged(&between, 4096) != cudaSuccess || cudaMalloc(&results, 4096) != cudaSuccess) {
    std::fprintf(stderr, "%s\n", cudaGetErrorString(cudaGetLastError()));
    return 3;
  }
  for (const auto& one : all) {
    const auto cycles_of = [&](int threads) {
      unsigned int cycles[2] = {};
      for (int run = 0; run < 6; ++run) {  // The first two load the code.
        one.kernel<<<1, threads>>>(run % 2 == 0 ? 64 : 320, 3, 1.f, between, results);
        if (cudaDeviceSynchronize() != cudaSuccess) std::exit(3);
        cycles[run % 2] = between[0];
      }
      return (cycles[1] - cycles[0]) / 256.0 / one.per_round;
    };
    std::printf("%s: %.2f, %.2f\n", one.name, cycles_of(32), cycles_of(1024) / 8);
  }
}
