#include "app/calibration.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/lists.h"
#include "base/concat.h"
#include "text/pair_encoder.h"

namespace podium {
namespace {

constexpr int kTokensOfAPairMax = 512;
constexpr int kTokensOfABatch = 2048;

struct EncodedBatch {
  std::vector<int32_t> ids;
  std::vector<uint8_t> types;
  std::vector<int32_t> starts = {0};
  Batch view(bool with_types) const {
    return {
        ids, with_types ? std::span<const uint8_t>(types) : std::span<const uint8_t>(), starts, {}};
  }
};

std::vector<EncodedBatch> Encode(const RerankSet& set, int pairs, const PairEncoder& encoder) {
  size_t all = 0;
  for (const RerankList& list : set.lists) all += list.documents.size();
  const size_t taken = std::min(all, static_cast<size_t>(pairs));
  std::vector<EncodedBatch> batches(1);
  size_t index = 0;
  size_t next = 0;  // of the taken ones
  for (const RerankList& list : set.lists) {
    const Encoded query = encoder.EncodeQuery(list.query);
    for (const size_t document : list.documents) {
      if (index++ != next * all / taken) continue;
      ++next;
      if (batches.back().ids.size() + static_cast<size_t>(encoder.length_max()) > kTokensOfABatch &&
          !batches.back().ids.empty()) {
        batches.emplace_back();
      }
      EncodedBatch& batch = batches.back();
      encoder.AppendPair(query, encoder.EncodeDocument(set.texts[document], query), batch.ids,
                         batch.types);
      batch.starts.push_back(static_cast<int32_t>(batch.ids.size()));
      if (next == taken) return batches;
    }
  }
  return batches;
}

std::string Fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

}  // namespace

Result<Calibration> CalibrateOnLists(const PackCommand& command,
                                     const std::shared_ptr<const Model>& model,
                                     const Tokenizer& tokenizer, Team& team, Session session) {
  PODIUM_ASSIGN_OR_RETURN(const RerankSet set, ReadLists(command.calibrate));
  const PairEncoder encoder(tokenizer, std::min(kTokensOfAPairMax, model->spec().length_max()));
  const std::vector<EncodedBatch> encoded = Encode(set, command.pairs, encoder);
  std::vector<Batch> batches;
  for (const EncodedBatch& batch : encoded) {
    batches.push_back(batch.view(model->spec().token_types > 1));
  }
  const bool show = ::isatty(STDERR_FILENO) == 1;
  const auto progress = [&](int done, int of) {
    if (show)
      std::fprintf(stderr, "\rcalibrating: pass %d of %d%s", done, of, done == of ? "\n" : "");
  };
  const Interrupt interrupt{.cancel = &session.cancel};
  PODIUM_ASSIGN_OR_RETURN(Calibration calibration, Calibrate(model, batches,
                                                             {.target_sd = command.target_sd,
                                                              .float_share = command.float_share},
                                                             team, interrupt, progress));
  if (!std::isfinite(calibration.after)) {
    return Unsupported(Concat(model->folder(),
                              ": in bytes its scores are no numbers, whatever is "
                              "left in float; use it with --precision fp32"));
  }
  return calibration;
}

std::string CalibrationText(const Calibration& calibration) {
  std::string text = Concat("mean error ", Fixed(calibration.before),
                            " of the logits' standard deviation on ", calibration.pairs, " pairs");
  text += calibration.inputs == nullptr
              ? std::string(", each weight at the nearest byte")
              : Concat(", for which weights are rounded (", Fixed(calibration.nearest),
                       " with each at the nearest byte)");
  if (!calibration.in_float.empty()) {
    text += Concat(", ", Fixed(calibration.after), " with ", std::lround(100 * calibration.share),
                   " % of the work in float");
  }
  return text;
}

}  // namespace podium
