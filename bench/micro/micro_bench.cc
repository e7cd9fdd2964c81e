// The kernels against the processor's peak: one line per product shape and per attention shape, one
// thread. Usage: micro_bench [--isa NAME] [--seconds S] [--weights-mib N] [--only NAME]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/team.h"
#include "kernels/kernels.h"
#include "kernels/layout.h"
#include "kernels/select.h"
#include "measure/clock.h"
#include "measure/peak.h"

namespace podium::bench {
namespace {

using measure::Now;
using measure::Peak;
using measure::Unit;

// Best rate of `work` operations per call over about `seconds`.
template <typename F>
double Rate(double work, double seconds, F&& call) {
  call();
  double best = 0;
  const double end = Now() + seconds;
  do {
    const double start = Now();
    call();
    best = std::max(best, work / (Now() - start));
  } while (Now() < end);
  return best;
}

struct Probe {
  const kernels::Table& table;
  double seconds;
  size_t weight_bytes;  // that int8 products take in turn, as the layers of a pass do
  std::string only;     // lines that hold this

  // Alternates with the peak so that a drift of the machine's clock cancels.
  void Report(const char* name, double work, FunctionRef<void()> call, Unit unit = Unit::kFp32) {
    if (std::strstr(name, only.c_str()) == nullptr) return;
    const double peak = Peak(table.name, unit, seconds / 2);
    const double rate = Rate(work, seconds, [&] { call(); });
    std::printf("%-44s %7.1f GFLOPS  %5.1f %% of %6.1f\n", name, rate * 1e-9,
                peak > 0 ? 100 * rate / peak : 0, peak * 1e-9);
  }

  void Product(int rows, int k, int n, kernels::Element element, kernels::Activate activate) {
    std::vector<std::byte> packed(kernels::PackedBytes(table, element, n, k) + 64);
    const size_t a_stride = kernels::RowStride(k);
    std::vector<float> a(static_cast<size_t>(rows) * a_stride, 0.01f),
        c(static_cast<size_t>(rows) * n), bias(static_cast<size_t>(n)),
        scratch(table.product_scratch + 16);
    kernels::ProductArgs args;
    args.a = a.data();
    args.a_stride = a_stride;
    args.rows = rows;
    args.w = {packed.data() + (64 - reinterpret_cast<uintptr_t>(packed.data()) % 64), element, n,
              k};
    args.bias = bias.data();
    args.c = c.data();
    args.c_stride = static_cast<size_t>(n);
    args.activate = activate;
    args.scratch = scratch.data() + (16 - reinterpret_cast<uintptr_t>(scratch.data()) % 64 / 4);
    char name[80];
    std::snprintf(name, sizeof name, "product %4d x %4d x %4d %s%s", rows, k, n,
                  element == kernels::Element::kF32 ? "f32" : "f16",
                  activate == kernels::Activate::kNone ? "" : " gelu");
    Report(name, 2.0 * rows * k * n, [&] { table.product(args); });
  }

  // One group of columns; `activate` for kF16, none for fp32 with a residual.
  void Int8Product(int rows, int k, int n, bool gelu) {
    const auto aligned = [](auto& storage) {
      return storage.data() +
             (64 - reinterpret_cast<uintptr_t>(storage.data()) % 64) % 64 / sizeof(storage[0]);
    };
    std::vector<uint8_t> a(kernels::Int8BlockBytes(rows, kernels::Int8Depth(k)) + 64, 1);
    const size_t product_bytes =
        kernels::Int8RowsPadded(n) / kernels::kInt8Block * kernels::Int8PanelBytes(k);
    const size_t products = std::max<size_t>(1, weight_bytes / product_bytes);
    std::vector<int8_t> w(products * product_bytes + 64, 1);
    size_t turn = 0;
    std::vector<float> scale(static_cast<size_t>(std::max(rows, n)) + 32, 0.001f);
    std::vector<int32_t> start(static_cast<size_t>(n) + 32), sums(kernels::kInt8Scratch + 16);
    const size_t stride = static_cast<size_t>(n) + 32;
    std::vector<float> c(static_cast<size_t>(rows) * stride);
    kernels::Int8ProductArgs args;
    args.a = aligned(a);
    args.a_scale = args.w_scale = args.bias = scale.data();
    args.rows = rows;
    args.depth = kernels::Int8Depth(k);
    args.w = aligned(w);
    args.w_stride = kernels::Int8PanelBytes(k);
    args.n = n;
    args.start = start.data();
    args.c = c.data();
    args.c_stride = stride;
    args.c_element = gelu ? kernels::Element::kF16 : kernels::Element::kF32;
    args.activate = gelu ? kernels::Activate::kGeluErf : kernels::Activate::kNone;
    args.scratch = aligned(sums);
    const auto product = [&] {
      args.w = aligned(w) + turn++ % products * product_bytes;
      table.int8_product(args);
    };
    char name[80];
    std::snprintf(name, sizeof name, "int8 product %4d x %4d x %4d %s", rows, k, n,
                  gelu ? "gelu, f16" : "f32");
    Report(name, 2.0 * rows * k * n, product, Unit::kInt8);
    if (gelu) return;
    args.residual = c.data();
    std::snprintf(name, sizeof name, "int8 product %4d x %4d x %4d f32 + residual", rows, k, n);
    Report(name, 2.0 * rows * k * n, product, Unit::kInt8);
  }

  void Attention(int length, int head_size, bool in_short) {
    const auto count = static_cast<size_t>(length) * head_size;
    std::vector<float> q(count, 0.1f), k(count, 0.1f), v(count, 0.1f), out(count),
        scratch(kernels::AttentionScratch(table, length, head_size));
    kernels::AttentionArgs args;
    args.q = q.data();
    args.k = k.data();
    args.v = v.data();
    args.q_stride = args.kv_stride = args.out_stride = static_cast<size_t>(head_size);
    args.queries = args.length = length;
    args.head_size = head_size;
    args.out = out.data();
    args.scratch = scratch.data();
    char name[80];
    std::snprintf(name, sizeof name, "attention%s length %4d, head %2d",
                  in_short ? " in short" : "", length, head_size);
    const auto attention = in_short ? table.attention_short : table.attention;
    Report(name, 4.0 * length * length * head_size, [&] { attention(args); });
  }
};

int Main(int argc, char** argv) {
  const kernels::Table* table = kernels::BestTable();
  double seconds = 0.3;
  size_t weights_mib = 0;
  std::string only;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--isa") == 0) table = kernels::FindTable(argv[i + 1]);
    if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[i + 1]);
    if (std::strcmp(argv[i], "--weights-mib") == 0)
      weights_mib = std::strtoul(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--only") == 0) only = argv[i + 1];
  }
  if (table == nullptr) {
    std::fprintf(stderr, "micro_bench: no such table here\n");
    return 2;
  }
  Team team(2);
  std::printf("table %s; peak: one thread %.1f GFLOPS, two threads %.1f\n", table->name,
              Peak(table->name, Unit::kFp32, seconds) * 1e-9,
              measure::TeamPeak(table->name, Unit::kFp32, seconds, team) * 1e-9);
  Probe probe{*table, seconds, weights_mib << 20, only};
  using enum kernels::Element;
  constexpr auto kPlain = kernels::Activate::kNone;
  for (const int hidden : {384, 768, 1024}) {
    const int group = kernels::Int8GroupColumns(4 * hidden);
    probe.Int8Product(256, hidden, hidden, false);
    probe.Int8Product(256, hidden, group, true);
    probe.Int8Product(256, group, hidden, false);
  }
  for (const kernels::Element element : {kF32, kF16}) {
    for (const int hidden : {384, 768, 1024}) {
      probe.Product(192, hidden, hidden, element, kPlain);
      probe.Product(192, hidden, 4 * hidden, element, kernels::Activate::kGeluErf);
      probe.Product(192, 4 * hidden, hidden, element, kPlain);
    }
  }
  probe.Product(12, 768, 768, kF32, kPlain);
  for (const bool in_short : {false, true}) {
    for (const int head_size : {32, 64}) {
      for (const int length : {32, 128, 256, 512, 2048}) {
        probe.Attention(length, head_size, in_short);
      }
    }
  }
  return 0;
}

}  // namespace
}  // namespace podium::bench

int main(int argc, char** argv) { return podium::bench::Main(argc, argv); }
