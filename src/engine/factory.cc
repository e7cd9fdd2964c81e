#include "engine/factory.h"

#include <utility>

#include "base/concat.h"
#include "engine/native/native_engine.h"
#include "kernels/select.h"

namespace podium {
namespace {

Result<const kernels::Table*> ChooseTable(const std::string& isa, bool int8) {
  if (isa.empty()) return int8 ? kernels::BestTable() : kernels::BestFloatTable();
  if (const kernels::Table* table = kernels::FindTable(isa.c_str())) return table;
  std::string known;
  std::string needs;
  for (size_t i = 0; i < kernels::TableCount(); ++i) {
    const kernels::TableEntry entry = kernels::TableAt(i);
    if (entry.runnable) known += Concat(known.empty() ? "" : ", ", entry.name);
    if (isa == entry.name) {
      needs = entry.table == nullptr
                  ? " is not in this build"
                  : Concat(" needs ", entry.needs, ", which this processor lacks");
    }
  }
  return InvalidArgument(Concat("isa: got \"", isa, "\"", needs, "; allowed here: ", known));
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeEngine(std::shared_ptr<const Model> model,
                                           const EngineOptions& options, Team& team) {
  if (options.backend != "native") {
    return InvalidArgument(Concat("backend: got \"", options.backend, "\", allowed: native"));
  }
  const bool int8 = options.precision == "int8";
  if (!int8 && options.precision != "fp32") {
    return InvalidArgument(
        Concat("precision: got \"", options.precision, "\", allowed: fp32, int8"));
  }
  PODIUM_ASSIGN_OR_RETURN(const kernels::Table* table, ChooseTable(options.isa, int8));
  return MakeNativeEngine(std::move(model), int8 ? WeightPrecision::kInt8 : WeightPrecision::kFloat,
                          *table, team);
}

}  // namespace podium
