#include "measure/peak.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "measure/clock.h"

namespace podium::measure {
namespace {

#if defined(__x86_64__)
// One asm block per probe: accumulators named in C++ may be spilled in every iteration, which shows
// a third of the peak. 12 independent chains cover the latency of two ports. Each pass is 12
// instructions × 4 per loop.
#define PODIUM_OP(OP, R, N) OP " %%" R "12, %%" R "13, %%" R N "\n\t"
#define PODIUM_CHAINS(OP, R) \
  PODIUM_OP(OP, R, "0")      \
  PODIUM_OP(OP, R, "1")      \
  PODIUM_OP(OP, R, "2")      \
  PODIUM_OP(OP, R, "3")      \
  PODIUM_OP(OP, R, "4")      \
  PODIUM_OP(OP, R, "5")      \
  PODIUM_OP(OP, R, "6")      \
  PODIUM_OP(OP, R, "7")      \
  PODIUM_OP(OP, R, "8") PODIUM_OP(OP, R, "9") PODIUM_OP(OP, R, "10") PODIUM_OP(OP, R, "11")
#define PODIUM_PROBE(OP, R)                                                                      \
  asm volatile(                                                                                  \
      "vpxor %%xmm12, %%xmm12, %%xmm12\n\tvpxor %%xmm13, %%xmm13, "                              \
      "%%xmm13\n\t1:\n\t" PODIUM_CHAINS(OP, R) PODIUM_CHAINS(OP, R) PODIUM_CHAINS(OP, R)         \
          PODIUM_CHAINS(OP, R) "dec %0\n\tjnz 1b\n\tvzeroupper\n\t"                              \
      : "+r"(loops)                                                                              \
      :                                                                                          \
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
        "xmm11", "xmm12", "xmm13", "cc")

void Fma512(int64_t loops) { PODIUM_PROBE("vfmadd231ps", "zmm"); }
void Fma256(int64_t loops) { PODIUM_PROBE("vfmadd231ps", "ymm"); }
void Vnni512(int64_t loops) { PODIUM_PROBE("vpdpbusd", "zmm"); }

// Spelt out for assemblers that would take the EVEX form.
#define PODIUM_VEX(N) "%{vex%} vpdpbusd %%ymm12, %%ymm13, %%ymm" N "\n\t"
void Vnni256(int64_t loops) {
  asm volatile(
      "vpxor %%xmm12, %%xmm12, %%xmm12\n\tvpxor %%xmm13, %%xmm13, %%xmm13\n\t1:\n\t.rept "
      "4\n\t" PODIUM_VEX("0") PODIUM_VEX("1") PODIUM_VEX("2") PODIUM_VEX("3") PODIUM_VEX("4")
          PODIUM_VEX("5") PODIUM_VEX("6") PODIUM_VEX("7") PODIUM_VEX("8") PODIUM_VEX("9")
              PODIUM_VEX("10") PODIUM_VEX("11") ".endr\n\tdec %0\n\tjnz 1b\n\tvzeroupper\n\t"
      : "+r"(loops)
      :
      : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
        "xmm11", "xmm12", "xmm13", "cc");
}

// Four accumulators, as many as a product has: 48 products a loop.
void Tiles(int64_t loops) {
  struct alignas(64) Config {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  static constexpr Config kConfig;
  asm volatile(
      "ldtilecfg %1\n\t1:\n\t"
      ".rept 12\n\t"
      "tdpbusd %%tmm6, %%tmm4, %%tmm0\n\ttdpbusd %%tmm7, %%tmm4, %%tmm1\n\t"
      "tdpbusd %%tmm6, %%tmm5, %%tmm2\n\ttdpbusd %%tmm7, %%tmm5, %%tmm3\n\t"
      ".endr\n\t"
      "dec %0\n\tjnz 1b\n\ttilerelease\n\t"
      : "+r"(loops)
      : "m"(kConfig)
      : "cc");
}
#endif

struct Instruction {
  void (*run)(int64_t loops) = nullptr;
  const char* name = "";
  double operations = 0;  // of one
};

Instruction Widest(const std::string& table, Unit unit) {
#if defined(__x86_64__)
  if (unit == Unit::kInt8 && table == "amx") return {Tiles, "tdpbusd", 2.0 * 16 * 16 * 64};
  if (unit == Unit::kInt8 && table == "avx512_vnni") return {Vnni512, "vpdpbusd zmm", 2.0 * 64};
  if (unit == Unit::kInt8 && table == "avx_vnni") return {Vnni256, "vpdpbusd ymm", 2.0 * 32};
  if (table == "avx2" || table == "avx_vnni") return {Fma256, "vfmadd231ps ymm", 2.0 * 8};
  if (table != "scalar") return {Fma512, "vfmadd231ps zmm", 2.0 * 16};
#else
  static_cast<void>(table);
  static_cast<void>(unit);
#endif
  return {};
}

}  // namespace

Unit UnitOf(const std::string& precision) {
  return precision == "int8" ? Unit::kInt8 : Unit::kFp32;
}

const char* PeakInstruction(const std::string& table, Unit unit) {
  return Widest(table, unit).name;
}

double Peak(const std::string& table, Unit unit, double seconds) {
  const Instruction widest = Widest(table, unit);
  if (widest.run == nullptr) return 0;
  constexpr int64_t kPerLoop = 48;
  const auto loops =
      static_cast<int64_t>(1e9 / widest.operations / kPerLoop);  // about a millisecond
  widest.run(loops);
  const double end = Now() + seconds;
  double best = 0;
  do {
    const double start = Now();
    widest.run(loops);
    best =
        std::max(best, static_cast<double>(loops * kPerLoop) * widest.operations / (Now() - start));
  } while (Now() < end);
  return best;
}

double TeamPeak(const std::string& table, Unit unit, double seconds, Team& team) {
  std::vector<double> rates(static_cast<size_t>(team.size()));
  // As many tasks as members, each far longer than it takes to wake a member: one for each.
  team.ParallelFor(team.size(), [&](int task, int) {
    rates[static_cast<size_t>(task)] = Peak(table, unit, seconds);
  });
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

}  // namespace podium::measure
