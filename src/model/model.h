// A model, opened: spec, tensors, and the small files beside them.
#ifndef PODIUM_MODEL_MODEL_H_
#define PODIUM_MODEL_MODEL_H_

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/encoder_spec.h"
#include "model/packed_file.h"
#include "model/weights.h"

namespace podium {

/// Holds the mapped files that `weights` points into. Immutable; usable from any thread.
class Model {
 public:
  virtual ~Model() = default;
  /// The folder, or the packed file.
  const std::string& folder() const { return folder_; }
  const EncoderSpec& spec() const { return spec_; }
  const WeightsView& weights() const { return weights_; }
  size_t parameters() const { return parameters_; }
  /// kIo, naming the file, when one that `weights` points into was cut short or written to since it
  /// was opened: what was computed from it since does not count. Allocates nothing when it
  /// succeeds.
  virtual Status CheckUnchanged() const { return OkStatus(); }
  /// A file of the model's folder by its name there, wherever it is kept. Errors as
  /// podium::ReadFile.
  virtual Result<std::string> ReadFile(const std::string& name, size_t bytes_max) const;
  /// The packed file that this is, or null: then linear layers of `weights` may have no data.
  virtual const PackedFile* packed() const { return nullptr; }

 protected:
  std::string folder_;
  EncoderSpec spec_;
  WeightsView weights_;
  size_t parameters_ = 0;
};

/// Reads config.json and the safetensors of a Hugging Face folder, or a packed file. Every error
/// names the file and what was expected.
Result<std::shared_ptr<const Model>> OpenModel(const std::string& folder);

/// The text of the padding token that the tokenizer's files name (tokenizer_config.json, else
/// special_tokens_map.json); "" when they name none.
Result<std::string> ReadPaddingToken(const Model& model);

/// Folder of a model given as a folder, a packed file or as a hub name, `org/name` or
/// `org/name@revision`. Names are looked up in the Hugging Face and ModelScope caches; when absent
/// the error says where it was looked for and holds the download commands.
Result<std::string> FindModelFolder(const std::string& name_or_folder);

/// The model to use when none is asked for: $PODIUM_MODEL (folder or name), else the bundled one,
/// in the executable's installation (../share/podium/models) or in the source tree above it.
Result<std::string> DefaultModelFolder(const std::string& executable_path);

}  // namespace podium

#endif  // PODIUM_MODEL_MODEL_H_
