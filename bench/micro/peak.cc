#include "micro/peak.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "micro/clock.h"

namespace podium::bench {
namespace {

#if defined(__x86_64__)
// One asm block per probe: accumulators named in C++ may be spilled in every iteration, which shows
// a third of the peak. 12 independent chains cover the latency of two FMA ports. Each pass is 12
// FMAs × 4 per loop.
#define PODIUM_CHAINS(R)                                                                 \
  "vfmadd231ps %%" R "12, %%" R "13, %%" R "0\n\tvfmadd231ps %%" R "12, %%" R "13, %%" R \
  "1\n\t"                                                                                \
  "vfmadd231ps %%" R "12, %%" R "13, %%" R "2\n\tvfmadd231ps %%" R "12, %%" R "13, %%" R \
  "3\n\t"                                                                                \
  "vfmadd231ps %%" R "12, %%" R "13, %%" R "4\n\tvfmadd231ps %%" R "12, %%" R "13, %%" R \
  "5\n\t"                                                                                \
  "vfmadd231ps %%" R "12, %%" R "13, %%" R "6\n\tvfmadd231ps %%" R "12, %%" R "13, %%" R \
  "7\n\t"                                                                                \
  "vfmadd231ps %%" R "12, %%" R "13, %%" R "8\n\tvfmadd231ps %%" R "12, %%" R "13, %%" R \
  "9\n\t"                                                                                \
  "vfmadd231ps %%" R "12, %%" R "13, %%" R "10\n\tvfmadd231ps %%" R "12, %%" R "13, %%" R "11\n\t"
#define PODIUM_PROBE(R, WIPE)                                                                    \
  asm volatile(WIPE "1:\n\t" PODIUM_CHAINS(R) PODIUM_CHAINS(R) PODIUM_CHAINS(R)                  \
                   PODIUM_CHAINS(R) "dec %0\n\tjnz 1b\n\tvzeroupper\n\t"                         \
               : "+r"(loops)                                                                     \
               :                                                                                 \
               : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                 "xmm10", "xmm11", "xmm12", "xmm13", "cc")

constexpr int64_t kFmasPerLoop = 48;

void Run512(int64_t loops) {
  PODIUM_PROBE("zmm", "vpxor %%xmm12, %%xmm12, %%xmm12\n\tvpxor %%xmm13, %%xmm13, %%xmm13\n\t");
}
void Run256(int64_t loops) {
  PODIUM_PROBE("ymm", "vpxor %%xmm12, %%xmm12, %%xmm12\n\tvpxor %%xmm13, %%xmm13, %%xmm13\n\t");
}
#endif

}  // namespace

double PeakFp32(const std::string& table, double seconds) {
#if defined(__x86_64__)
  void (*run)(int64_t) = table == "avx512" ? Run512 : table == "avx2" ? Run256 : nullptr;
  if (run == nullptr) return 0;
  const double lanes = table == "avx512" ? 16 : 8;
  constexpr int64_t kLoops = 200000;
  run(kLoops);
  const double start = Now();
  int64_t loops = 0;
  double elapsed = 0;
  do {
    run(kLoops);
    loops += kLoops;
    elapsed = Now() - start;
  } while (elapsed < seconds);
  return static_cast<double>(loops * kFmasPerLoop) * lanes * 2 / elapsed;
#else
  static_cast<void>(table);
  static_cast<void>(seconds);
  return 0;
#endif
}

double PeakFp32Threads(const std::string& table, double seconds, int threads) {
  std::vector<double> rates(static_cast<size_t>(threads));
  std::vector<std::thread> others;
  for (int i = 1; i < threads; ++i) {
    others.emplace_back([&, i] { rates[static_cast<size_t>(i)] = PeakFp32(table, seconds); });
  }
  rates[0] = PeakFp32(table, seconds);
  for (std::thread& thread : others) thread.join();
  double sum = 0;
  for (const double rate : rates) sum += rate;
  return sum;
}

}  // namespace podium::bench
