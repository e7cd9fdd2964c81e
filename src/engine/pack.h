// A model → one packed file (model/packed_file.h): what `--precision int8` makes of it at every
// load, made once.
#ifndef PODIUM_ENGINE_PACK_H_
#define PODIUM_ENGINE_PACK_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/team.h"
#include "model/model.h"
#include "model/packed_file.h"

namespace podium {

class InputMoments;

struct PackOptions {
  std::string source = {};  // the model's name, for whoever looks at the file later
  /// Word embeddings: "auto", 16 bits where none of them is too large; "keep", as the model has
  /// them.
  std::string embeddings = "auto";
  /// Linear layers that keep the model's own element type: "layers.9.ffn" (both of its products),
  /// "layers.0.attention" (all four), "layers.*.ffn".
  std::vector<std::string> in_float = {};
  /// Rounds weights for inputs like these; null: each to the nearest byte.
  std::shared_ptr<const InputMoments> inputs = nullptr;
  std::string calibration = {};  // what led to that, for whoever looks at the file later
};

/// The linear layers of such names, "layers.9.ffn_up". kInvalidArgument for a name that says
/// nothing.
Result<std::set<std::string>> LinearsInFloat(const std::vector<std::string>& groups, int layers);

/// Writes a file that is there whole or not at all; an old one is replaced. Returns what it holds.
/// kInvalidArgument for options that the model cannot have, or a model that is packed already.
Result<PackedDirectory> PackModel(const std::shared_ptr<const Model>& model,
                                  const PackOptions& options, Team& team, const std::string& path);

/// Compares every section with its checksum, on the team's cores, and binds the model as opening it
/// does. The first thing that is wrong, naming file, section, got and expected.
Status VerifyPacked(const std::string& path, Team& team);

}  // namespace podium

#endif  // PODIUM_ENGINE_PACK_H_
