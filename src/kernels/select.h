// Which kernel tables this build has, which this processor can run, and the one to use.
#ifndef PODIUM_KERNELS_SELECT_H_
#define PODIUM_KERNELS_SELECT_H_

#include <cstddef>

#include "kernels/kernels.h"

namespace podium::kernels {

/// Feature bits as CPUID and XGETBV give them (never family or model: virtual machines report
/// others' numbers).
struct CpuFeatures {
  bool avx2 = false;    // with FMA and F16C, ymm state enabled
  bool avx512 = false;  // F, BW, DQ, VL, CD, zmm state enabled
  bool avx_vnni = false;
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_int8 = false;  // tile state enabled in XCR0; permission is asked elsewhere
  bool amx_bf16 = false;
};
CpuFeatures DetectCpu();

struct TableEntry {
  const Table* table;  // null when this build lacks it
  const char* name;
  const char* needs;  // "AVX2, FMA, F16C"
  bool runnable;      // on this processor
  const char* fp32;   // the table that has the same functions on floats
};
/// Every table Podium knows, best first.
size_t TableCount();
TableEntry TableAt(size_t index);

/// The best runnable table. Always one: scalar runs everywhere.
const Table* BestTable();
/// The same for work in floats only: the one among equals that names what is used.
const Table* BestFloatTable();
/// A table by name; null when unknown, not built, or not runnable here (TableAt tells which).
const Table* FindTable(const char* name);

}  // namespace podium::kernels

#endif  // PODIUM_KERNELS_SELECT_H_
