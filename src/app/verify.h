// Compares a model with reference values: published ones for public models, and the pairs of
// reference.jsonl where one lies beside the model.
#ifndef PODIUM_APP_VERIFY_H_
#define PODIUM_APP_VERIFY_H_

#include <string>
#include <vector>

#include "app/anchors.h"
#include "base/status.h"
#include "podium/reranker.h"
#include "text/tokenizer.h"

namespace podium {

struct Check {
  std::string id;
  std::string what;      // the pair or text
  std::string expected;  // ids, or a logit with its tolerance
  std::string got;
  std::string source;
  bool ok = false;
};

struct Verification {
  std::string model;       // hub name, or "" when only reference.jsonl was used
  std::string assumption;  // why this model; "" when there was nothing to assume
  std::vector<Check> checks;
};

/// The public model that this is, or null. `assumption` says what was assumed where shapes
/// coincide.
const KnownModel* Recognise(const EncoderSpec& spec, const std::string& name,
                            std::string* assumption);

/// kNotFound when there is nothing to compare with.
Result<Verification> Verify(const Reranker& reranker, const EncoderSpec& spec,
                            const Tokenizer& tokenizer);

}  // namespace podium

#endif  // PODIUM_APP_VERIFY_H_
