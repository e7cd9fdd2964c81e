#include "kernels/select.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace podium::kernels {

extern const Table kScalarTable;
#if defined(__x86_64__)
extern const Table kAvx2Table;
extern const Table kAvxVnniTable;
extern const Table kAvx512Table;
extern const Table kAvx512VnniTable;
extern const Table kAmxTable;
#endif

#if defined(__x86_64__)
namespace {

struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
};
Leaf Cpuid(unsigned leaf, unsigned subleaf) {
  Leaf r;
  if (__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d) == 0) return Leaf();
  return r;
}
uint64_t EnabledState() {  // XCR0: which registers the system saves
  unsigned low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}
bool Bit(unsigned word, int bit) { return (word >> bit & 1u) != 0; }

// Linux gives tile registers to a process that asks (arch_prctl ARCH_REQ_XCOMP_PERM, XTILEDATA);
// threads made later inherit the permission. It refuses when a thread has a signal stack too small
// for them.
bool AskForTiles() { return syscall(SYS_arch_prctl, 0x1023, 18) == 0; }

}  // namespace

CpuFeatures DetectCpu() {
  CpuFeatures f;
  const Leaf one = Cpuid(1, 0);
  if (!Bit(one.c, 27)) return f;  // OSXSAVE
  const uint64_t state = EnabledState();
  const bool ymm = (state & 0x6) == 0x6;
  const bool zmm = ymm && (state & 0xE0) == 0xE0;
  const bool tiles = (state & 0x60000) == 0x60000;
  const Leaf seven = Cpuid(7, 0);
  const Leaf seven_one = Cpuid(7, 1);
  f.avx2 = ymm && Bit(one.c, 12) && Bit(one.c, 28) && Bit(one.c, 29) && Bit(seven.b, 5);
  f.avx512 = f.avx2 && zmm && Bit(seven.b, 16) && Bit(seven.b, 17) && Bit(seven.b, 28) &&
             Bit(seven.b, 30) && Bit(seven.b, 31);
  f.avx_vnni = f.avx2 && Bit(seven_one.a, 4);
  f.avx512_vnni = f.avx512 && Bit(seven.c, 11);
  f.avx512_bf16 = f.avx512 && Bit(seven_one.a, 5);
  f.avx512_fp16 = f.avx512 && Bit(seven.d, 23);
  f.amx_int8 = tiles && Bit(seven.d, 24) && Bit(seven.d, 25);
  f.amx_bf16 = tiles && Bit(seven.d, 24) && Bit(seven.d, 22);
  return f;
}
#else
CpuFeatures DetectCpu() { return CpuFeatures(); }
#endif

size_t TableCount() { return 6; }

TableEntry TableAt(size_t index) {
#if defined(__x86_64__)
  static const CpuFeatures cpu = DetectCpu();
  static const bool tiles = cpu.avx512_bf16 && cpu.amx_int8 && cpu.amx_bf16 && AskForTiles();
  constexpr const Table* kTables[] = {&kAmxTable, &kAvx512VnniTable, &kAvxVnniTable, &kAvx512Table,
                                      &kAvx2Table};
#else
  const CpuFeatures cpu;
  const bool tiles = false;
  constexpr const Table* kTables[5] = {};
#endif
  switch (index) {
    case 0:
      return {kTables[0], "amx", "AMX INT8 and BF16, AVX-512 with BF16, and Linux's permission",
              tiles, "avx512"};
    case 1:
      return {kTables[1], "avx512_vnni", "AVX-512 with VNNI", cpu.avx512_vnni, "avx512"};
    case 2:
      return {kTables[2], "avx_vnni", "AVX2, FMA, F16C and VNNI in 256 bits", cpu.avx_vnni, "avx2"};
    case 3:
      return {kTables[3], "avx512", "AVX-512 F, CD, BW, DQ, VL", cpu.avx512, "avx512"};
    case 4:
      return {kTables[4], "avx2", "AVX2, FMA, F16C", cpu.avx2, "avx2"};
    default:
      return {&kScalarTable, "scalar", "any processor", true, "scalar"};
  }
}

const Table* BestTable() {
  for (size_t i = 0; i < TableCount(); ++i) {
    if (TableAt(i).runnable) return TableAt(i).table;
  }
  return &kScalarTable;
}

const Table* BestFloatTable() {
  for (size_t i = 0; i < TableCount(); ++i) {
    const TableEntry entry = TableAt(i);
    if (entry.runnable && std::strcmp(entry.fp32, entry.name) == 0) return entry.table;
  }
  return &kScalarTable;
}

const Table* FindTable(const char* name) {
  for (size_t i = 0; i < TableCount(); ++i) {
    const TableEntry entry = TableAt(i);
    if (std::strcmp(entry.name, name) == 0) return entry.runnable ? entry.table : nullptr;
  }
  return nullptr;
}

size_t AttentionScratch(const Table& table, int length_max, int head_size) {
  const auto up = [&](int x) {
    return static_cast<size_t>((x + table.panel - 1) / table.panel * table.panel);
  };
  const size_t exact =
      up(length_max) * static_cast<size_t>(head_size) +       // kᵀ panels
      up(head_size) * static_cast<size_t>(length_max) +       // v panels
      up(length_max) * static_cast<size_t>(table.tile_rows);  // scores of one tile of queries
  if (table.attention_short == table.attention) return exact;
  if (table.short_element == Element::kF32) {  // generic/attention_pairs.inl: two to a word
    const auto pairs = static_cast<size_t>(length_max + 1) / 2;
    const auto rows = static_cast<size_t>(table.tile_rows);
    const size_t words = up(length_max) * static_cast<size_t>(head_size) / 2 +
                         up(head_size) * pairs +
                         rows * (up(head_size) / 2 + up(length_max) + up(length_max) / 2 + 32);
    return exact > words ? exact : words;
  }
  // In amx/attention.inl: two blocks of 32 queries, everything filled up to 32.
  const auto up32 = [](int x) { return static_cast<size_t>((x + 31) / 32 * 32); };
  const size_t tiles = up32(length_max) * up32(head_size) + 16 * up32(head_size) +
                       2 * (16 * (up32(length_max) + 32) + 32 * (up32(length_max) + 16)) + 32 * 32;
  return exact > tiles ? exact : tiles;
}

}  // namespace podium::kernels
