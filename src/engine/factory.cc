#include "engine/factory.h"

#include <utility>

#include "base/concat.h"
#include "engine/native/native_engine.h"
#include "engine/pack.h"
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

// The rule of "auto": what a packed file was made for; of a folder fp32, whatever the table, since
// its scores are the reference's. Never a timing: the same files score the same everywhere.
Result<bool> ChooseInt8(const Model& model, const std::string& precision) {
  if (precision != "auto" && precision != "fp32" && precision != "int8") {
    return InvalidArgument(Concat("precision: got \"", precision, "\", allowed: auto, fp32, int8"));
  }
  const PackedFile* packed = model.packed();
  if (packed == nullptr) return precision == "int8";
  const std::string& stored = packed->directory().precision;
  if (stored != "int8") {
    return Unsupported(Concat(packed->path(), ": directory: precision: got \"", stored,
                              "\", this Podium has int8"));
  }
  if (precision == "fp32") {
    return InvalidArgument(Concat("precision: got \"fp32\", but ", packed->path(),
                                  " was packed for int8; open the model's folder for fp32"));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<Engine>> MakeEngine(std::shared_ptr<const Model> model,
                                           const EngineOptions& options, Team& team) {
  if (options.backend != "native") {
    return InvalidArgument(Concat("backend: got \"", options.backend, "\", allowed: native"));
  }
  PODIUM_ASSIGN_OR_RETURN(const bool int8, ChooseInt8(*model, options.precision));
  PODIUM_ASSIGN_OR_RETURN(const kernels::Table* table, ChooseTable(options.isa, int8));
  WeightPlan plan{.precision = int8 ? WeightPrecision::kInt8 : WeightPrecision::kFloat};
  plan.inputs = options.inputs.get();
  plan.in_place = options.read_in_place;
  if (int8 && model->packed() == nullptr) {
    PODIUM_ASSIGN_OR_RETURN(plan.in_float, LinearsInFloat(options.in_float, model->spec().layers));
  }
  return MakeNativeEngine(std::move(model), plan, *table, team, options.lock_memory);
}

}  // namespace podium
