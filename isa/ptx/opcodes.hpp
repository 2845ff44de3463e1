#pragma once
// The table of PTX opcodes: all that anybody asks about an opcode without executing it.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/program/static_program.hpp"

namespace lockstep::ptx {

/// PTX ISA 9.0, chapter 9.7; in the order of the table, which is that of the names.
// clang-format off
enum class Opcode : std::uint8_t {
  abs, activemask, add, addc, alloca, and_, applypriority, atom, bar, barrier, bfe, bfi, bfind, bmsk, bra, brev,
  brkpt, brx, call, clusterlaunchcontrol, clz, cnot, copysign, cos, cp, createpolicy, cvt, cvta, discard, div, dp2a,
  dp4a, elect, ex2, exit, fence, fma, fns, getctarank, griddepcontrol, isspacep, istypep, ld, ldmatrix, ldu, lg2,
  lop3, mad, mad24, madc, mapa, match, max, mbarrier, membar, min, mma, mov, movmatrix, mul, mul24, multimem,
  nanosleep, neg, not_, or_, pmevent, popc, prefetch, prefetchu, prmt, rcp, red, redux, rem, ret, rsqrt, sad, selp,
  set, setmaxnreg, setp, shf, shfl, shl, shr, sin, slct, sqrt, st, stackrestore, stacksave, stmatrix, sub, subc, suld,
  suq, sured, sust, szext, tanh, tcgen05, tensormap, testp, tex, tld4, trap, txq, vabsdiff, vabsdiff2, vabsdiff4,
  vadd, vadd2, vadd4, vavrg2, vavrg4, vmad, vmax, vmax2, vmax4, vmin, vmin2, vmin4, vote, vset, vset2, vset4, vshl,
  vshr, vsub, vsub2, vsub4, wgmma, wmma, xor_
};
// clang-format on

/// What an instruction works on, which says who decodes it.
enum class OpcodeClass : std::uint8_t {
  arithmetic,  ///< Registers of its own lane.
  address,     ///< Addresses as values: from one space to another, or which space they lie in.
  load_store,  ///< Elements of one type in memory.
  prefetch,    ///< Caches alone.
  copy,        ///< From one memory to another, without registers between.
  atomic,      ///< Elements of one type, read and updated at once.
  texture,
  surface,
  exchange,   ///< Registers of other lanes of its warp.
  matrix,     ///< Matrices that lie in registers of the whole warp.
  barrier,    ///< Warps of its thread block.
  mbarrier,   ///< Objects in scratchpad memory at which its threads and copies arrive.
  control,    ///< Which instruction comes next.
  no_effect,  ///< Order and time, which the functional machine does not see.
  video,      ///< Parts of 32-bit registers; read, not executed. vabsdiff4 is arithmetic.
  other       ///< Read, not executed: clusters, the stack, asynchronous units, sured.
};
inline constexpr std::size_t opcode_class_count = static_cast<std::size_t>(OpcodeClass::other) + 1;

/// How the results of the lanes of a warp that execute an instruction together compare.
enum class LaneResults : std::uint8_t {
  follow_sources,  ///< The same where all sources are.
  differ,          ///< Not the same, even where the sources are.
  equal            ///< The same, whatever the sources.
};

/// What holds for some opcodes only.
struct OpcodeTraits {
  program::AccessKind access = program::AccessKind::none;  ///< Of `cp`: of its copies, see access_of.
  program::Control control = program::Control::none;  ///< Of `ret`: in a device function. Of `bar`: but bar.warp.sync.
  LaneResults lanes = LaneResults::follow_sources;
  std::string_view written_with = {};  ///< The first operand is a destination only with this modifier.
  bool first_also_read = false;        ///< A first operand that is a destination is a source too.
  bool reads_carry = false;            ///< Reads the condition code that `.cc` writes.
};

/// One opcode. `operands` has a letter for each operand in the order written: d a destination, s a source, a an address
/// or texture in [ ], l a label or list of labels. What stands between [ and ] may be missing from the end; a last *
/// stands for any number of further sources.
///
/// `syntax` says which types and modifiers the machine takes, in a notation near to the ISA's: .ftz is a modifier,
/// .(lo,hi) one of these, {...} what may be missing, | stands between alternatives, (...) around them, and <rnd> is a
/// fragment below. An opcode that is executed and has no syntax takes no modifier. opcode_syntax.hpp reads it.
struct OpcodeRow {
  Opcode opcode;
  std::string_view name;
  std::string_view operands;
  OpcodeClass subject;
  std::string_view syntax = {};
  OpcodeTraits traits = {};

  static constexpr std::size_t any = ~std::size_t{0};
  constexpr std::size_t least_operands() const { return operands.substr(0, operands.find_first_of("[*")).size(); }
  /// `any` where there is no limit.
  constexpr std::size_t most_operands() const {
    if (operands.ends_with('*')) return any;
    return operands.ends_with(']') ? operands.size() - 2 : operands.size();
  }
  /// Whether the first operand is written when the instruction has no modifiers. An address never is.
  constexpr bool writes_first() const { return operands.starts_with('d'); }
  /// Never goes on to the instruction behind it, where no guard is false.
  constexpr bool leaves() const {
    using program::Control;
    const Control c = traits.control;
    return c == Control::branch || c == Control::ret || c == Control::exit || c == Control::trap;
  }
  /// The last of its basic block.
  constexpr bool ends_block() const { return leaves() || traits.control == program::Control::call; }
  /// Has a texture or surface where others have an address.
  constexpr bool on_texture() const {
    return subject == OpcodeClass::texture || subject == OpcodeClass::surface || opcode == Opcode::sured;
  }
  /// Whether the functional machine has a function for it.
  constexpr bool is_executed() const { return subject != OpcodeClass::video && subject != OpcodeClass::other; }
};

/// A piece of syntax that rows name as <name>.
struct SyntaxFragment {
  std::string_view name, syntax;
};

// clang-format off
inline constexpr auto syntax_fragments = std::to_array<SyntaxFragment>({
    // Numbers.
    {"rnd", ".(rn,rz,rm,rp)"},
    {"integral", ".(rni,rzi,rmi,rpi)"},
    {"int", ".(u8,s8,u16,s16,u32,s32,u64,s64)"},
    // Comparisons, by what is compared, and what set writes.
    {"bool", ".(and,or,xor)"},
    {"equal", ".(eq,ne)"},
    {"compare", ".(eq,ne,lt,le,gt,ge)"},
    {"compare-unsigned", ".(eq,ne,lt,le,gt,ge,lo,ls,hi,hs)"},
    {"compare-float", ".(eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan)"},
    {"truth", ".(u32,s32,f16,bf16,f32)"},
    // State spaces.
    {"space", ".(const,global,local,shared,shared::cta,shared::cluster,param,param::entry)"},
    {"inner", ".(local,shared,shared::cta,shared::cluster,param)"},
    {"shared", ".(shared,shared::cta,shared::cluster)"},
    {"own", "{.(shared,shared::cta)}"},
    {"global-or-shared", ".(global,shared,shared::cta,shared::cluster)"},
    {"geometry", ".(1d,2d,3d,a1d,a2d)"},
    // Order of memory, and caches.
    {"scope", ".(cta,cluster,gpu,sys)"},
    {"atomic-order", "{.(relaxed,acquire,release,acq_rel)}{<scope>}"},
    {"proxy", ".proxy(.(alias,async) | .async.(global,shared::cta,shared::cluster))"},
    {"load-operator", ".(ca,cg,cs,lu,cv)"},
    {"store-operator", ".(wb,cg,cs,wt)"},
    {"eviction", ".(L1::evict_normal,L1::evict_unchanged,L1::evict_first,L1::evict_last,L1::no_allocate)"},
    {"wide-eviction", ".(L2::evict_normal,L2::evict_first,L2::evict_last)"},
    {"hint", ".L2::cache_hint"},
    {"fetch", ".(L2::64B,L2::128B,L2::256B)"},
    {"policy", ".(L2::evict_last,L2::evict_normal,L2::evict_first,L2::evict_unchanged)"
               "{.(L2::evict_first,L2::evict_unchanged)}"},
    // What is moved or updated: at most 16 bytes, and what needs sm_100.
    {"word", ".(b8,b16,b32,u8,u16,u32,s8,s16,s32,f32)"},
    {"element", ".(b8,b16,b32,b64,u8,u16,u32,u64,s8,s16,s32,s64,f32,f64)"},
    {"elements", "({.v2}<element> | .v4<word> | .b128)"},
    {"wide", "(.v8.(b32,u32,s32,f32) | .v4.(b64,u64,s64,f64))"},
    {"rows", ".sync.aligned.m8n8.(x1,x2,x4){.trans}.(shared,shared::cta).b16"},
    {"layout", ".sync.aligned.(row,col)"},
    {"wmma-shape", ".(m16n16k16,m32n8k16,m8n32k16)"},
    {"place", "{.(global,shared,shared::cta)}"},
    {"factors", "(<wmma-shape><place>.(f16,bf16,u8,s8) | .m16n16k8<place>.tf32 | .m8n8k4<place>.f64)"},
    {"sums", "(<wmma-shape><place>.(f16,f32,s32) | .m16n16k8<place>.f32 | .m8n8k4<place>.f64)"},
    {"surface-elements", "({.v2}.(b8,b16,b32,b64) | .v4.(b8,b16,b32))"},
    {"reduction", "(.add.(u32,s32,u64,f32,f64) | .(min,max).(u32,s32,u64,s64) | .(inc,dec).u32 "
                  "| .(and,or,xor).(b32,b64) | .add.noftz.(f16,bf16,f16x2,bf16x2))"},
    {"atomic-word", "(<reduction> | .exch.(b32,b64))"},
    {"vector-reduction", "(.add{<hint>}.(v2,v4).f32 "
                         "| .(add,min,max).noftz{<hint>}(.(v2,v4,v8).(f16,bf16) | .(v2,v4).(f16x2,bf16x2)))"},
});
// clang-format on

inline constexpr auto opcode_table = [] {
  using enum Opcode;
  using Class = OpcodeClass;
  using Access = program::AccessKind;
  using Control = program::Control;
  using Lanes = LaneResults;
  // clang-format off
  return std::to_array<OpcodeRow>({
      {abs, "abs", "ds", Class::arithmetic, ".(s16,s32,s64) | {.ftz}.(f32,f16,f16x2) | .(f64,bf16,bf16x2)"},
      {activemask, "activemask", "d", Class::exchange, ".b32", {.lanes = Lanes::equal}},
      {add, "add", "dss", Class::arithmetic,
       ".(u16,s16,u32,s32,u64,s64,u16x2,s16x2) | .sat.s32 | .cc.(u32,s32,u64,s64) | {<rnd>}{.ftz}{.sat}.f32 | "
       "{<rnd>}.f64 | {.rn}{.ftz}{.sat}.(f16,f16x2) | {.rn}.(bf16,bf16x2)"},
      {addc, "addc", "dss", Class::arithmetic, "{.cc}.(u32,s32,u64,s64)", {.reads_carry = true}},
      {alloca, "alloca", "ds[s]", Class::other},
      {and_, "and", "dss", Class::arithmetic, ".(pred,b16,b32,b64)"},
      {applypriority, "applypriority", "as", Class::prefetch, "{.global}.L2::evict_normal"},
      {atom, "atom", "das[s]", Class::atomic,
       "<atomic-order>({.global}(<atomic-word>{<hint>} | .exch{<hint>}.b128 | <vector-reduction>) | "
       "<shared>(<atomic-word> | .exch.b128) | {<global-or-shared>}.cas.(b16,b32,b64,b128))",
       {.access = Access::atomic, .lanes = Lanes::differ}},
      {bar, "bar", "[ssss]", Class::barrier,
       ".warp.sync | {.cta}(.(sync,arrive) | .red.popc.u32 | .red.(and,or).pred)",
       {.control = Control::barrier, .lanes = Lanes::equal, .written_with = "red"}},
      {barrier, "barrier", "[ssss]", Class::barrier,
       "{.cta}(.(sync,arrive){.aligned} | .red.popc{.aligned}.u32 | .red.(and,or){.aligned}.pred)",
       {.control = Control::barrier, .lanes = Lanes::equal, .written_with = "red"}},
      {bfe, "bfe", "dsss", Class::arithmetic, ".(u32,s32,u64,s64)"},
      {bfi, "bfi", "dssss", Class::arithmetic, ".(b32,b64)"},
      {bfind, "bfind", "ds", Class::arithmetic, "{.shiftamt}.(u32,s32,u64,s64)"},
      {bmsk, "bmsk", "dss", Class::arithmetic, ".(clamp,wrap).b32"},
      {bra, "bra", "l", Class::control, "{.uni}", {.control = Control::branch}},
      {brev, "brev", "ds", Class::arithmetic, ".(b32,b64)"},
      {brkpt, "brkpt", "", Class::no_effect},
      {brx, "brx", "sl", Class::control, ".idx{.uni}", {.control = Control::branch}},
      {call, "call", "*", Class::control, "{.uni}", {.control = Control::call, .lanes = Lanes::differ}},
      {clusterlaunchcontrol, "clusterlaunchcontrol", "d[ss]", Class::other},
      {clz, "clz", "ds", Class::arithmetic, ".(b32,b64)"},
      {cnot, "cnot", "ds", Class::arithmetic, ".(b16,b32,b64)"},
      {copysign, "copysign", "dss", Class::arithmetic, ".(f32,f64)"},
      {cos, "cos", "ds", Class::arithmetic, ".approx{.ftz}.f32"},
      {cp, "cp", "*", Class::copy,
       ".async.(ca,cg).(shared,shared::cta).global{<hint>}{<fetch>} | "
       ".async.(commit_group,wait_group,wait_all) | .async.mbarrier.arrive{.noinc}<own>.b64",
       {.access = Access::copy}},
      {createpolicy, "createpolicy", "d[sss]", Class::no_effect,
       ".range{.global}<policy>.b64 | .fractional<policy>.b64 | .cvt.L2.b64"},
      {cvt, "cvt", "ds[sss]", Class::arithmetic,
       "<int><int> | .sat(.u8.(s8,u16,s16,u32,s32,u64,s64) | .s8.(u8,u16,s16,u32,s32,u64,s64) | "
       ".u16.(s8,s16,u32,s32,u64,s64) | .s16.(u16,u32,s32,u64,s64) | .u32.(s8,s16,s32,u64,s64) | .s32.(u32,u64,s64) "
       "| .u64.(s8,s16,s32,s64) | .s64.u64) | <rnd>{.ftz}{.sat}.f32<int> | <rnd>{.sat}.(f16,f64)<int> | "
       "<rnd>.bf16<int> | <integral>{.ftz}{.sat}<int>.f32 | <integral>{.sat}<int>.(f16,f64) | <integral><int>.bf16 | "
       "{<integral>}{.ftz}{.sat}.f32.f32 | {<integral>}{.sat}(.f16.f16 | .f64.f64) | {<integral>}.bf16.bf16 | "
       "{.ftz}{.sat}(.f32.f16 | .f64.f32) | {.sat}.f64.f16 | {<rnd>}{.ftz}.f32.bf16 | {<rnd>}.f64.bf16 | "
       "<rnd>{.ftz}{.sat}(.f32.f64 | .f16.f32) | <rnd>{.ftz}.bf16.f32 | <rnd>{.sat}.f16.f64 | <rnd>(.bf16.(f16,f64) "
       "| .f16.bf16) | .(rn,rz)(.relu{.satfinite} | .satfinite).(f16,bf16).f32 | "
       ".(rn,rz){.relu}{.satfinite}.(f16x2,bf16x2,tf32).f32 | .rna{.satfinite}.tf32.f32 | .pack.sat(.(u16,s16).s32 | "
       ".(u8,s8,u4,s4,u2,s2).s32.b32)"},
      {cvta, "cvta", "ds", Class::address, "{.to}<space>.(u32,u64)"},
      {discard, "discard", "as", Class::prefetch, "{.global}.L2"},
      {div, "div", "dss", Class::arithmetic,
       ".(u16,s16,u32,s32,u64,s64) | .(approx,full,rn,rz,rm,rp){.ftz}.f32 | <rnd>.f64"},
      {dp2a, "dp2a", "dsss", Class::arithmetic, ".(lo,hi).(u32,s32).(u32,s32)"},
      {dp4a, "dp4a", "dsss", Class::arithmetic, ".(u32,s32).(u32,s32)"},
      {elect, "elect", "ds", Class::exchange, ".sync", {.lanes = Lanes::differ}},
      {ex2, "ex2", "ds", Class::arithmetic, ".approx{.ftz}.f32 | .approx.(f16,f16x2) | .approx.ftz.(bf16,bf16x2)"},
      {exit, "exit", "", Class::control, "", {.control = Control::exit}},
      {fence, "fence", "[ss]", Class::no_effect,
       "{.(sc,acq_rel,acquire,release)}<scope> | .acquire.sync_restrict::shared::cluster.cluster | "
       ".release.sync_restrict::shared::cta.cluster | .mbarrier_init.release.cluster | <proxy> | "
       ".proxy.tensormap::generic.(acquire,release)<scope> | "
       ".proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster | "
       ".proxy.async::generic.release.sync_restrict::shared::cta.cluster", {.control = Control::fence}},
      {fma, "fma", "dsss", Class::arithmetic,
       "<rnd>{.ftz}{.sat}.f32 | <rnd>.f64 | .rn{.ftz}{.(sat,relu)}.(f16,f16x2) | .rn{.relu}.(bf16,bf16x2)"},
      {fns, "fns", "dsss", Class::arithmetic, ".b32"},
      {getctarank, "getctarank", "ds", Class::other},
      {griddepcontrol, "griddepcontrol", "", Class::no_effect, ".(launch_dependents,wait)"},
      {isspacep, "isspacep", "ds", Class::address, "<space>"},
      {istypep, "istypep", "ds", Class::other},
      {ld, "ld", "da[s]", Class::load_store,
       "{.weak}({<load-operator>}(<inner> | .(const,param::entry)) | .param::func)<elements> | "
       ".volatile<shared><elements> | .(relaxed,acquire)<scope><shared><elements> | "
       "{.global}(({.weak}({<load-operator>} | <eviction>) | "
       ".(relaxed,acquire)<scope>{<eviction>}){<hint>}{<fetch>}<elements> | .volatile{<fetch>}(<elements> | <wide>) "
       "| ({.weak}({<load-operator>} | <eviction>) | "
       ".(relaxed,acquire)<scope>{<eviction>}){<wide-eviction>}{<hint>}{<fetch>}<wide> | .mmio.relaxed.sys<element>) "
       "| .global.nc({.(ca,cg,cs)} | <eviction>)({<hint>}{<fetch>}<elements> | "
       "{<wide-eviction>}{<hint>}{<fetch>}<wide>)", {.access = Access::load}},
      {ldmatrix, "ldmatrix", "da", Class::matrix, "<rows>", {.access = Access::load, .lanes = Lanes::differ}},
      {ldu, "ldu", "da", Class::load_store, "{.global}<elements>", {.access = Access::load}},
      {lg2, "lg2", "ds", Class::arithmetic, ".approx{.ftz}.f32"},
      {lop3, "lop3", "dssss[s]", Class::arithmetic, "{.(or,and)}.b32"},
      {mad, "mad", "dsss", Class::arithmetic,
       ".(lo,hi).(u16,s16,u32,s32,u64,s64) | .hi.sat.s32 | .wide.(u16,s16,u32,s32) | .(lo,hi).cc.(u32,s32,u64,s64) | "
       "{<rnd>}{.ftz}{.sat}.f32 | {<rnd>}.f64"},
      {mad24, "mad24", "dsss", Class::arithmetic, ".(lo,hi).(u32,s32) | .hi.sat.s32"},
      {madc, "madc", "dsss", Class::arithmetic, ".(lo,hi){.cc}.(u32,s32,u64,s64)", {.reads_carry = true}},
      {mapa, "mapa", "dss", Class::other},
      {match, "match", "dss", Class::exchange, ".(any,all).sync.(b32,b64)", {.lanes = Lanes::differ}},
      {max, "max", "dss[s]", Class::arithmetic,
       ".(u16,u32,u64,s16,s64,u16x2) | {.relu}.(s32,s16x2) | {.ftz}{.NaN}{.xorsign.abs}.(f32,f16,f16x2) | "
       "{.ftz}{.NaN}.abs.f32 | {.NaN}{.xorsign.abs}.(bf16,bf16x2) | .f64"},
      {mbarrier, "mbarrier", "d[sss]", Class::mbarrier,
       ".(init,inval)<own>.b64 | .(expect_tx,complete_tx){.relaxed.(cta,cluster)}{<shared>}.b64 | "
       ".(arrive,arrive_drop){.expect_tx}{.(release,relaxed).(cta,cluster)}{<shared>}.b64 | "
       ".(arrive,arrive_drop).noComplete{.release.cta}<own>.b64 | "
       ".(test_wait,try_wait){.parity}{.(acquire,relaxed).(cta,cluster)}<own>.b64 | .pending_count.b64",
       {.access = Access::mbarrier, .lanes = Lanes::differ}},
      {membar, "membar", "", Class::no_effect, ".(cta,gl,sys) | .proxy.alias", {.control = Control::fence}},
      {min, "min", "dss[s]", Class::arithmetic,
       ".(u16,u32,u64,s16,s64,u16x2) | {.relu}.(s32,s16x2) | {.ftz}{.NaN}{.xorsign.abs}.(f32,f16,f16x2) | "
       "{.ftz}{.NaN}.abs.f32 | {.NaN}{.xorsign.abs}.(bf16,bf16x2) | .f64"},
      {mma, "mma", "dsss*", Class::matrix,
       ".sync.aligned(.(m16n8k8,m16n8k16).row.col(.f16.f16.f16.f16 | .f32.f16.f16.f32 | .f32.bf16.bf16.f32) | "
       ".(m16n8k4,m16n8k8).row.col.f32.tf32.tf32.f32 | "
       ".(m16n8k16,m16n8k32).row.col{.satfinite}.s32.(u8,s8).(u8,s8).s32 | .m8n8k4.row.col.f64.f64.f64.f64)",
       {.lanes = Lanes::differ}},
      {mov, "mov", "ds", Class::arithmetic, ".(pred,b16,b32,b64,b128,u16,s16,u32,s32,u64,s64,f32,f64)"},
      {movmatrix, "movmatrix", "ds", Class::matrix, ".sync.aligned.m8n8.trans.b16", {.lanes = Lanes::differ}},
      {mul, "mul", "dss", Class::arithmetic,
       ".(lo,hi).(u16,s16,u32,s32,u64,s64) | .wide.(u16,s16,u32,s32) | {<rnd>}{.ftz}{.sat}.f32 | {<rnd>}.f64 | "
       "{.rn}{.ftz}{.sat}.(f16,f16x2) | {.rn}.(bf16,bf16x2)"},
      {mul24, "mul24", "dss", Class::arithmetic, ".(lo,hi).(u32,s32)"},
      {multimem, "multimem", "ds*", Class::other},
      {nanosleep, "nanosleep", "s", Class::no_effect, ".u32"},
      {neg, "neg", "ds", Class::arithmetic, ".(s16,s32,s64) | {.ftz}.(f32,f16,f16x2) | .(f64,bf16,bf16x2)"},
      {not_, "not", "ds", Class::arithmetic, ".(pred,b16,b32,b64)"},
      {or_, "or", "dss", Class::arithmetic, ".(pred,b16,b32,b64)"},
      {pmevent, "pmevent", "s", Class::no_effect, "{.mask}"},
      {popc, "popc", "ds", Class::arithmetic, ".(b32,b64)"},
      {prefetch, "prefetch", "a[s]", Class::prefetch,
       "{.(global,local)}.(L1,L2) | .global.(L2::evict_last,L2::evict_normal) | {.(const,param)}.tensormap",
       {.access = Access::prefetch}},
      {prefetchu, "prefetchu", "a", Class::prefetch, ".L1", {.access = Access::prefetch}},
      {prmt, "prmt", "dsss", Class::arithmetic, ".b32{.(f4e,b4e,rc8,ecl,ecr,rc16)}"},
      {rcp, "rcp", "ds", Class::arithmetic, ".(approx,rn,rz,rm,rp){.ftz}.f32 | <rnd>.f64 | .approx.ftz.f64"},
      {red, "red", "as[sss]", Class::atomic,
       "{.(relaxed,release)}{<scope>}({.global}(<reduction>{<hint>} | <vector-reduction>) | <shared><reduction>)",
       {.access = Access::reduction}},
      {redux, "redux", "dss", Class::exchange,
       ".sync(.(add,min,max).(u32,s32) | .(and,or,xor).b32 | .(min,max){.abs}{.NaN}.f32)", {.lanes = Lanes::equal}},
      {rem, "rem", "dss", Class::arithmetic, ".(u16,s16,u32,s32,u64,s64)"},
      {ret, "ret", "", Class::control, "{.uni}", {.control = Control::ret}},
      {rsqrt, "rsqrt", "ds", Class::arithmetic, ".approx{.ftz}.(f32,f64)"},
      {sad, "sad", "dsss", Class::arithmetic, ".(u16,s16,u32,s32,u64,s64)"},
      {selp, "selp", "dsss", Class::arithmetic, ".(b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64)"},
      {set, "set", "dss[s]", Class::arithmetic,
       "<equal>{<bool>}<truth>.(b16,b32,b64) | <compare>{<bool>}<truth>.(s16,s32,s64) | "
       "<compare-unsigned>{<bool>}<truth>.(u16,u32,u64) | <compare-float>{<bool>}({.ftz}.(u32,s32,f16,f32).f32 | "
       ".bf16.f32 | <truth>.f64 | {.ftz}.(u16,s16,u32,s32,f16).f16 | .bf16.f16 | .(u16,s16,u32,s32,bf16).bf16 | "
       "{.ftz}.(u32,s32,f16x2).f16x2 | .(u32,s32,bf16x2).bf16x2)"},
      {setmaxnreg, "setmaxnreg", "s", Class::no_effect, ".(inc,dec).sync.aligned.u32"},
      {setp, "setp", "dss[s]", Class::arithmetic,
       "<equal>{<bool>}.(b16,b32,b64) | <compare>{<bool>}.(s16,s32,s64) | <compare-unsigned>{<bool>}.(u16,u32,u64) | "
       "<compare-float>{<bool>}{.ftz}.(f32,f16,f16x2) | <compare-float>{<bool>}.(f64,bf16,bf16x2)"},
      {shf, "shf", "dsss", Class::arithmetic, ".(l,r).(clamp,wrap).b32"},
      {shfl, "shfl", "dsss[s]", Class::exchange, "{.sync}.(up,down,bfly,idx).b32", {.lanes = Lanes::differ}},
      {shl, "shl", "dss", Class::arithmetic, ".(b16,b32,b64)"},
      {shr, "shr", "dss", Class::arithmetic, ".(b16,b32,b64,u16,s16,u32,s32,u64,s64)"},
      {sin, "sin", "ds", Class::arithmetic, ".approx{.ftz}.f32"},
      {slct, "slct", "dsss", Class::arithmetic,
       ".(b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64).s32 | "
       "{.ftz}.(b16,b32,b64,u16,s16,u32,s32,u64,s64,f32,f64).f32"},
      {sqrt, "sqrt", "ds", Class::arithmetic, ".(approx,rn,rz,rm,rp){.ftz}.f32 | <rnd>.f64"},
      {st, "st", "as[sss]", Class::load_store,
       "{.weak}{<store-operator>}(<inner> | .param::func)<elements> | .volatile<shared><elements> | "
       ".(relaxed,release)<scope><shared><elements> | {.global}(({.weak}({<store-operator>} | <eviction>) | "
       ".(relaxed,release)<scope>{<eviction>}){<hint>}<elements> | .volatile(<elements> | <wide>) | "
       "({.weak}({<store-operator>} | <eviction>) | "
       ".(relaxed,release)<scope>{<eviction>}){<wide-eviction>}{<hint>}<wide> | .mmio.relaxed.sys<element>)",
       {.access = Access::store}},
      {stackrestore, "stackrestore", "s", Class::other},
      {stacksave, "stacksave", "d", Class::other},
      {stmatrix, "stmatrix", "as", Class::matrix, "<rows>", {.access = Access::store}},
      {sub, "sub", "dss", Class::arithmetic,
       ".(u16,s16,u32,s32,u64,s64) | .sat.s32 | .cc.(u32,s32,u64,s64) | {<rnd>}{.ftz}{.sat}.f32 | {<rnd>}.f64 | "
       "{.rn}{.ftz}{.sat}.(f16,f16x2) | {.rn}.(bf16,bf16x2)"},
      {subc, "subc", "dss", Class::arithmetic, "{.cc}.(u32,s32,u64,s64)", {.reads_carry = true}},
      {suld, "suld", "da", Class::surface,
       ".b<geometry>{.(ca,cg,cs,cv)}<surface-elements>.(trap,clamp,zero)", {.access = Access::load}},
      {suq, "suq", "da", Class::texture,
       ".(width,height,depth,channel_data_type,channel_order,array_size,memory_layout).b32"},
      {sured, "sured", "as", Class::other, "", {.access = Access::reduction}},
      {sust, "sust", "as", Class::surface,
       ".b<geometry>{.(wb,cg,cs,wt)}<surface-elements>.(trap,clamp,zero)", {.access = Access::store}},
      {szext, "szext", "dss", Class::arithmetic, ".(clamp,wrap).(u32,s32)"},
      {tanh, "tanh", "ds", Class::arithmetic, ".approx.(f32,f16,f16x2,bf16,bf16x2)"},
      {tcgen05, "tcgen05", "*", Class::other, "", {.written_with = "ld"}},
      {tensormap, "tensormap", "a*", Class::other},
      {testp, "testp", "ds", Class::arithmetic, ".(finite,infinite,number,notanumber,normal,subnormal).(f32,f64)"},
      {tex, "tex", "da[sss]", Class::texture,
       "{.(base,level)}<geometry>.v4.(u32,s32,f32).(s32,f32) | .grad<geometry>.v4.(u32,s32,f32).f32",
       {.access = Access::load}},
      {tld4, "tld4", "da[sss]", Class::texture, ".(r,g,b,a).(2d,a2d).v4.(u32,s32,f32).f32", {.access = Access::load}},
      {trap, "trap", "", Class::control, "", {.control = Control::trap}},
      {txq, "txq", "da[s]", Class::texture,
       ".(width,height,depth,channel_data_type,channel_order,normalized_coords,array_size).b32 | "
       ".(num_mipmap_levels,num_samples,memory_layout).b32 | "
       ".(force_unnormalized_coords,filter_mode,addr_mode_0,addr_mode_1,addr_mode_2).b32 | "
       ".level.(width,height,depth).b32"},
      {vabsdiff, "vabsdiff", "dss[s]", Class::video},
      {vabsdiff2, "vabsdiff2", "dss[s]", Class::video},
      {vabsdiff4, "vabsdiff4", "dsss", Class::arithmetic, ".(u32,s32).(u32,s32).(u32,s32){.(sat,add)}"},
      {vadd, "vadd", "dss[s]", Class::video},
      {vadd2, "vadd2", "dss[s]", Class::video},
      {vadd4, "vadd4", "dss[s]", Class::video},
      {vavrg2, "vavrg2", "dss[s]", Class::video},
      {vavrg4, "vavrg4", "dss[s]", Class::video},
      {vmad, "vmad", "dsss", Class::video},
      {vmax, "vmax", "dss[s]", Class::video},
      {vmax2, "vmax2", "dss[s]", Class::video},
      {vmax4, "vmax4", "dss[s]", Class::video},
      {vmin, "vmin", "dss[s]", Class::video},
      {vmin2, "vmin2", "dss[s]", Class::video},
      {vmin4, "vmin4", "dss[s]", Class::video},
      {vote, "vote", "ds[s]", Class::exchange, "{.sync}(.(all,any,uni).pred | .ballot.b32)", {.lanes = Lanes::equal}},
      {vset, "vset", "dss[s]", Class::video},
      {vset2, "vset2", "dss[s]", Class::video},
      {vset4, "vset4", "dss[s]", Class::video},
      {vshl, "vshl", "dss[s]", Class::video},
      {vshr, "vshr", "dss[s]", Class::video},
      {vsub, "vsub", "dss[s]", Class::video},
      {vsub2, "vsub2", "dss[s]", Class::video},
      {vsub4, "vsub4", "dss[s]", Class::video},
      {wgmma, "wgmma", "*", Class::other, "", {.written_with = "mma_async", .first_also_read = true}},
      {wmma, "wmma", "ds[ss]", Class::matrix,
       ".load.(a,b)<layout><factors> | .load.c<layout><sums> | .store.d<layout><sums> | .mma<layout>.(row,col)("
       "<wmma-shape>(.(f16,f32).(f16,f32) | .f32.bf16.bf16.f32 | .s32(.u8.u8 | .s8.s8).s32{.satfinite}) | "
       ".m16n16k8.f32.tf32.tf32.f32 | .m8n8k4.f64.f64.f64.f64{.rn})", {.lanes = Lanes::differ}},
      {xor_, "xor", "dss", Class::arithmetic, ".(pred,b16,b32,b64)"},
  });
  // clang-format on
}();
inline constexpr std::size_t opcode_count = opcode_table.size();

constexpr const OpcodeRow& row_of(Opcode opcode) {
  return opcode_table[static_cast<std::size_t>(opcode)];
}
constexpr std::string_view name_of(Opcode opcode) {
  return row_of(opcode).name;
}

/// None when PTX has no such opcode.
constexpr std::optional<Opcode> find_opcode(std::string_view name) {
  std::size_t first = 0, end = opcode_count;
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (opcode_table[middle].name < name) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  if (first == opcode_count || opcode_table[first].name != name) return std::nullopt;
  return opcode_table[first].opcode;
}

/// The opcode that is spelled most like the word, or "".
std::string_view nearest_opcode(std::string_view word);

}  // namespace lockstep::ptx
