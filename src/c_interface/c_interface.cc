#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concat.h"
#include "c_interface/boundary.h"
#include "podium/reranker.h"

struct podium_error {
  podium_code code = PODIUM_OK;
  std::string message;
};

struct podium_reranker {
  std::unique_ptr<podium::Reranker> reranker;
  podium_model_info info = {};
};

struct podium_cancel_token {
  std::atomic<bool> set{false};
};
static_assert(std::atomic<bool>::is_always_lock_free, "set by signal handlers");

struct podium_results {
  std::vector<podium_result> all;
};

namespace podium {
namespace {

podium_code CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return PODIUM_OK;
    case StatusCode::kInvalidArgument:
      return PODIUM_INVALID_ARGUMENT;
    case StatusCode::kNotFound:
      return PODIUM_NOT_FOUND;
    case StatusCode::kUnsupported:
      return PODIUM_UNSUPPORTED;
    case StatusCode::kCorrupt:
      return PODIUM_CORRUPT;
    case StatusCode::kResourceExhausted:
      return PODIUM_RESOURCE_EXHAUSTED;
    case StatusCode::kDeadlineExceeded:
      return PODIUM_DEADLINE_EXCEEDED;
    case StatusCode::kCancelled:
      return PODIUM_CANCELLED;
    case StatusCode::kIo:
      return PODIUM_IO;
    case StatusCode::kInternal:
      return PODIUM_INTERNAL;
  }
  return PODIUM_INTERNAL;
}

podium_error* OutOfMemory() {
  static podium_error error{PODIUM_RESOURCE_EXHAUSTED, "out of memory"};  // fits without allocating
  return &error;
}

constexpr size_t kCountMax = std::numeric_limits<uint32_t>::max();
// A struct_size above this is no size of a future version but a variable that was never set.
constexpr size_t kStructBytesMax = 4096;

Status CheckText(const podium_text& text, const char* what) {
  if (text.data != nullptr || text.size == 0) return OkStatus();
  return InvalidArgument(Concat(what, ": data is NULL and size is ", text.size));
}

Status CheckText(const podium_text& text, const char* what, size_t index, const char* part) {
  if (text.data != nullptr || text.size == 0) return OkStatus();
  return CheckText(text, Concat(what, " ", index, part).c_str());
}

std::string_view ViewOf(const podium_text& text) { return {text.data, text.size}; }

// What every call that scores checks first.
Status CheckCall(const podium_reranker* reranker, const void* inputs, const char* what,
                 size_t count) {
  if (reranker == nullptr) return InvalidArgument("reranker: got NULL");
  if (inputs == nullptr && count > 0) {
    return InvalidArgument(Concat(what, ": got NULL, and count is ", count));
  }
  if (count > kCountMax) {
    return ResourceExhausted(Concat("got ", count, " ", what, " in one call, at most ", kCountMax));
  }
  return OkStatus();
}

// A caller built with an older header gives a shorter struct, one built with a newer header a
// longer one, whose tail must be zero: this version does not know what it asks for.
Result<RankOptions> ReadOptions(const podium_rank_options* given) {
  podium_rank_options options = PODIUM_RANK_OPTIONS_INIT;
  if (given != nullptr) {
    const size_t size = given->struct_size;
    if (size < sizeof(options) || size > kStructBytesMax) {
      return InvalidArgument(Concat("rank options: struct_size: got ", size,
                                    ", allowed: ", sizeof(options), " to ", kStructBytesMax));
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(given);
    if (std::any_of(bytes + sizeof(options), bytes + size, [](auto byte) { return byte != 0; })) {
      return Unsupported(Concat("rank options: something is set beyond byte ", sizeof(options),
                                ", which podium ", Version(), " does not know"));
    }
    options = *given;
  }
  RankOptions read;
  if (options.top_n < std::numeric_limits<int>::max()) {
    read.top_n = static_cast<int>(std::max<int64_t>(options.top_n, -1));
  }
  if (options.timeout_us >= 0) {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::microseconds timeout(options.timeout_us);
    // Compared in microseconds: a long timeout in the clock's nanoseconds would overflow.
    const auto room = std::chrono::floor<std::chrono::microseconds>(read.deadline - now);
    if (timeout < room) read.deadline = now + timeout;
  }
  if (options.cancel != nullptr) read.cancel = &options.cancel->set;
  return read;
}

podium_result MakeResult(size_t index, const Score& score) {
  return {static_cast<uint32_t>(index), score.logit, score.tokens, score.truncated ? 1 : 0};
}

// Runs `body`, which returns Result<unique_ptr<T>>, and hands its object to the caller.
template <typename T, typename Body>
podium_code Give(T** out, const char* what, podium_error** error, Body body) {
  if (out != nullptr) *out = nullptr;
  return WithinBorder(error, [&]() -> Status {
    if (out == nullptr) return InvalidArgument(Concat(what, ": got NULL, expected a place for it"));
    PODIUM_ASSIGN_OR_RETURN(std::unique_ptr<T> made, body());
    *out = made.release();
    return OkStatus();
  });
}

Result<std::unique_ptr<podium_reranker>> Open(const char* model, const podium_options* given) {
  if (model == nullptr) return InvalidArgument("model: got NULL, expected a folder or a name");
  OpenOptions options;
  if (given != nullptr) options = given->open;
  options.model = model;
  auto made = std::make_unique<podium_reranker>();
  PODIUM_ASSIGN_OR_RETURN(made->reranker, Reranker::Open(options));
  const ModelInfo& info = made->reranker->info();
  made->info = {.name = info.name.c_str(),
                .folder = info.folder.c_str(),
                .architecture = info.architecture.c_str(),
                .precision = info.precision.c_str(),
                .isa = info.isa.c_str(),
                .max_length = info.max_length,
                .layers = info.layers,
                .hidden = info.hidden,
                .threads = info.threads,
                .parameters = info.parameters,
                .weight_bytes = info.weight_bytes,
                .arena_bytes = info.arena_bytes};
  return made;
}

Result<std::unique_ptr<podium_results>> Rank(const podium_reranker* reranker,
                                             const podium_text& query, const podium_text* documents,
                                             size_t count, const podium_rank_options* given) {
  PODIUM_ASSIGN_OR_RETURN(const RankOptions options, ReadOptions(given));
  PODIUM_RETURN_IF_ERROR(CheckCall(reranker, documents, "documents", count));
  PODIUM_RETURN_IF_ERROR(CheckText(query, "query"));
  std::vector<std::string_view> views;
  views.reserve(count);
  for (const podium_text& document : std::span(documents, count)) {
    PODIUM_RETURN_IF_ERROR(CheckText(document, "document", views.size(), ""));
    views.push_back(ViewOf(document));
  }
  PODIUM_ASSIGN_OR_RETURN(const std::vector<RankedDocument> ranking,
                          reranker->reranker->Rank(ViewOf(query), views, options));
  auto results = std::make_unique<podium_results>();
  results->all.reserve(ranking.size());
  for (const RankedDocument& hit : ranking) {
    results->all.push_back(MakeResult(hit.index, hit.score));
  }
  return results;
}

Result<std::unique_ptr<podium_results>> ScorePairs(const podium_reranker* reranker,
                                                   const podium_pair* pairs, size_t count,
                                                   const podium_rank_options* given) {
  PODIUM_ASSIGN_OR_RETURN(const RankOptions options, ReadOptions(given));
  PODIUM_RETURN_IF_ERROR(CheckCall(reranker, pairs, "pairs", count));
  std::vector<Pair> views;
  views.reserve(count);
  for (const podium_pair& pair : std::span(pairs, count)) {
    PODIUM_RETURN_IF_ERROR(CheckText(pair.query, "pair", views.size(), "'s query"));
    PODIUM_RETURN_IF_ERROR(CheckText(pair.document, "pair", views.size(), "'s document"));
    views.push_back({ViewOf(pair.query), ViewOf(pair.document)});
  }
  PODIUM_ASSIGN_OR_RETURN(const std::vector<Score> scores,
                          reranker->reranker->ScorePairs(views, options));
  auto results = std::make_unique<podium_results>();
  results->all.reserve(scores.size());
  for (const Score& score : scores) {
    results->all.push_back(MakeResult(results->all.size(), score));
  }
  return results;
}

}  // namespace

podium_code Leave(const Status& status, podium_error** error) noexcept {
  const podium_code code = CodeOf(status.code());
  if (error == nullptr) return code;
  *error = nullptr;
  if (status.ok()) return code;
  try {
    *error = new podium_error{code, status.message()};
    return code;
  } catch (const std::bad_alloc&) {
    *error = OutOfMemory();
    return PODIUM_RESOURCE_EXHAUSTED;
  }
}

}  // namespace podium

int32_t podium_abi_version(void) { return PODIUM_ABI_VERSION; }
const char* podium_version(void) { return podium::Version(); }
const char* podium_build_description(void) { return podium::BuildDescription(); }
double podium_sigmoid(float logit) { return podium::Sigmoid(logit); }

const char* podium_code_name(podium_code code) {
  for (int i = 0; i <= static_cast<int>(podium::StatusCode::kInternal); ++i) {
    const auto status = static_cast<podium::StatusCode>(i);
    if (podium::CodeOf(status) == code) return podium::StatusCodeName(status);
  }
  return "unknown code";
}

podium_code podium_error_code(const podium_error* error) {
  return error == nullptr ? PODIUM_OK : error->code;
}
const char* podium_error_message(const podium_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}
void podium_error_free(podium_error* error) {
  if (error != podium::OutOfMemory()) delete error;
}

podium_code podium_open(const char* model, const podium_options* options,
                        podium_reranker** reranker, podium_error** error) {
  return podium::Give(reranker, "reranker", error, [&] { return podium::Open(model, options); });
}
void podium_close(podium_reranker* reranker) { delete reranker; }
const podium_model_info* podium_info(const podium_reranker* reranker) {
  return reranker == nullptr ? nullptr : &reranker->info;
}

podium_cancel_token* podium_cancel_token_new(void) {
  return new (std::nothrow) podium_cancel_token;
}
void podium_cancel_token_set(podium_cancel_token* token) {
  if (token != nullptr) token->set.store(true);
}
void podium_cancel_token_free(podium_cancel_token* token) { delete token; }

size_t podium_results_size(const podium_results* results) {
  return results == nullptr ? 0 : results->all.size();
}
const podium_result* podium_results_at(const podium_results* results, size_t position) {
  if (position >= podium_results_size(results)) return nullptr;
  return &results->all[position];
}
void podium_results_free(podium_results* results) { delete results; }

podium_code podium_rank(const podium_reranker* reranker, podium_text query,
                        const podium_text* documents, size_t count,
                        const podium_rank_options* options, podium_results** results,
                        podium_error** error) {
  return podium::Give(results, "results", error,
                      [&] { return podium::Rank(reranker, query, documents, count, options); });
}

podium_code podium_score_pairs(const podium_reranker* reranker, const podium_pair* pairs,
                               size_t count, const podium_rank_options* options,
                               podium_results** results, podium_error** error) {
  return podium::Give(results, "results", error,
                      [&] { return podium::ScorePairs(reranker, pairs, count, options); });
}
