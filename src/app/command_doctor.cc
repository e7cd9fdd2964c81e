#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/commands.h"
#include "app/display_width.h"
#include "app/machine.h"
#include "app/table.h"
#include "base/concat.h"
#include "base/team.h"
#include "kernels/select.h"
#include "model/model.h"
#include "podium/version.h"

namespace podium {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::string Features() {
  const kernels::CpuFeatures cpu = kernels::DetectCpu();
  const std::pair<const char*, bool> bits[] = {{"avx2", cpu.avx2},
                                               {"avx512", cpu.avx512},
                                               {"avx_vnni", cpu.avx_vnni},
                                               {"avx512_vnni", cpu.avx512_vnni},
                                               {"avx512_bf16", cpu.avx512_bf16},
                                               {"avx512_fp16", cpu.avx512_fp16},
                                               {"amx_int8", cpu.amx_int8},
                                               {"amx_bf16", cpu.amx_bf16}};
  std::string out;
  for (const auto& [name, present] : bits) {
    if (present) out += Concat(out.empty() ? "" : " ", name);
  }
  return out.empty() ? "none that a table uses" : out;
}

// The kernel gives tile registers to a process that asks; asking changes nothing that others see.
std::string AmxPermission() {
#if defined(__x86_64__) && defined(SYS_arch_prctl)
  constexpr int kGetPermission = 0x1022;  // ARCH_GET_XCOMP_PERM
  constexpr uint64_t kTileData = uint64_t{1} << 18;
  constexpr int kGetSupported = 0x1021;  // ARCH_GET_XCOMP_SUPP
  uint64_t supported = 0;
  uint64_t permitted = 0;
  if (syscall(SYS_arch_prctl, kGetSupported, &supported) != 0) {
    return "the kernel has no such permission (before 5.16)";
  }
  if ((supported & kTileData) == 0) return "not supported by processor or kernel";
  if (syscall(SYS_arch_prctl, kGetPermission, &permitted) == 0 && (permitted & kTileData) != 0) {
    return "granted";
  }
  return "supported, not asked for yet (no table of this build uses it)";
#else
  return "not on this architecture";
#endif
}

std::string AffinityText() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return "unknown";
  return Concat(CPU_COUNT(&mask), " of ", sysconf(_SC_NPROCESSORS_ONLN));
}

// The smallest limit of our memory group and those above it.
std::string MemoryLimit() {
  std::string path = "/sys/fs/cgroup";
  std::ifstream groups("/proc/self/cgroup");
  std::string own;
  for (std::string line; std::getline(groups, line);) {
    if (line.compare(0, 3, "0::") == 0) own = line.substr(3);
  }
  uint64_t least = 0;
  while (true) {
    const std::string text = FirstLine((path + own + "/memory.max").c_str());
    if (!text.empty() && text != "max") {
      const uint64_t bytes = std::strtoull(text.c_str(), nullptr, 10);
      if (least == 0 || bytes < least) least = bytes;
    }
    const size_t slash = own.rfind('/');
    if (slash == std::string::npos) break;
    own.resize(slash);
  }
  return least == 0 ? "none" : Concat(least, " bytes");
}

Facts Tables() {
  Facts facts;
  const kernels::Table* best = kernels::BestTable();
  const kernels::Table* best_float = kernels::BestFloatTable();
  for (size_t i = 0; i < kernels::TableCount(); ++i) {
    const kernels::TableEntry entry = kernels::TableAt(i);
    std::string state = entry.table == nullptr      ? "not in this build"
                        : !entry.runnable           ? "does not run here"
                        : best == best_float        ? (entry.table == best ? "chosen" : "runs here")
                        : entry.table == best       ? "chosen for int8"
                        : entry.table == best_float ? "chosen for fp32"
                                                    : "runs here";
    facts.emplace_back(Concat("table ", entry.name), Concat(state, "; needs ", entry.needs));
  }
  return facts;
}

}  // namespace

std::string TableNames() {
  std::string out;
  for (size_t i = 0; i < kernels::TableCount(); ++i) {
    const kernels::TableEntry entry = kernels::TableAt(i);
    if (entry.table == nullptr) continue;
    out += Concat(out.empty() ? "" : ", ", entry.name, entry.runnable ? "" : " (not here)");
  }
  return out;
}

int Run(const DoctorCommand& command, Session session) {
  Facts facts = {
      {"podium", BuildDescription()}, {"processor", ProcessorName()}, {"features", Features()}};
  for (auto& fact : Tables()) facts.push_back(std::move(fact));
  facts.emplace_back("amx permission", AmxPermission());
  facts.emplace_back("affinity", AffinityText() + " processors");
  facts.emplace_back("threads by default",
                     Concat(UsableCores(), " (the smaller of affinity and the group's quota)"));
  const std::string huge = FirstLine("/sys/kernel/mm/transparent_hugepage/enabled");
  facts.emplace_back("huge pages", huge.empty() ? "not offered by this kernel" : huge);
  facts.emplace_back("memory limit", MemoryLimit());
  facts.emplace_back("memory available", Field("/proc/meminfo", "MemAvailable"));

  // A model that is not there is what a doctor is asked about: shown, and the exit code says so.
  Status missing;
  const auto chosen = ChooseModel(command.model);
  if (!chosen.ok()) {
    missing = chosen.status();
  } else {
    facts.emplace_back("model", Printable(*chosen, 400));
    const auto folder = FindModelFolder(*chosen);
    if (folder.ok()) {
      facts.emplace_back("model folder", Printable(*folder, 400));
    } else {
      missing = folder.status();
    }
  }
  if (!missing.ok()) facts.emplace_back("model folder", "missing, see below");
  session.out.Write(RenderFacts(facts));
  if (Status status = session.out.Finish(); !status.ok()) return Fail(status);
  return missing.ok() ? kExitOk : Fail(missing);
}

int Run(const VersionCommand&, Session session) {
  session.out.Write(Concat("podium ", BuildDescription(), "\nkernel tables: ", TableNames(), "\n"));
  const Status status = session.out.Finish();
  return status.ok() ? kExitOk : Fail(status);
}

}  // namespace podium
