// The C interface of Podium, for C and for every language that can call C: open a model once, rank
// with it from any thread.
//
//   podium_reranker* reranker = NULL;
//   podium_results* results = NULL;
//   podium_error* error = NULL;
//   podium_text query = podium_text_of("how do I reset my router"), documents[2] = {…};
//   if (podium_open("models/podium-mini-zh-en", NULL, &reranker, &error) != PODIUM_OK ||
//       podium_rank(reranker, query, documents, 2, NULL, &results, &error) != PODIUM_OK) {
//     fprintf(stderr, "%s\n", podium_error_message(error));
//   }
//
// Errors. What can fail returns a podium_code and takes a `podium_error**` as its last argument,
// which may be NULL. On failure it is set to an error that the caller frees, on success to NULL;
// what it held before is not looked at. The message is the caller's own, not the thread's: a
// runtime that moves its tasks between threads (Go, async ones) would read another task's message
// there. A wrong argument, NULL included, is PODIUM_INVALID_ARGUMENT. No C++ exception crosses this
// interface. Other results are set to NULL on failure. `_free` and `_close` take NULL.
//
// Threads. A reranker, results, an error and a cancel token may be used by any number of threads at
// once; closing or freeing one must be the last use. Options are used by one thread at a time.
//
// Versions. Functions, codes and option keys are added, never changed, within a soname. Structs
// that the library hands out may grow at the end: take them by pointer, as they are returned.
// Structs that the caller fills in start with their size. `podium_abi_version() >=
// PODIUM_ABI_VERSION` says that the library which was loaded has all that this header declares.
#ifndef PODIUM_PODIUM_H_
#define PODIUM_PODIUM_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PODIUM_API __attribute__((visibility("default")))

/// Grows with every addition to this header.
#define PODIUM_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// The PODIUM_ABI_VERSION that the loaded library was built with.
PODIUM_API int32_t podium_abi_version(void);
/// "0.1.0"
PODIUM_API const char* podium_version(void);
/// "0.1.0 (commit 1a2b3c4, GNU 12.2.0, Release)"
PODIUM_API const char* podium_build_description(void);

typedef int32_t podium_code;
enum {
  PODIUM_OK = 0,
  PODIUM_INVALID_ARGUMENT = 1,    // the caller's input is wrong: an option, a text, a pointer
  PODIUM_NOT_FOUND = 2,           // a file or a model is not where it was looked for
  PODIUM_UNSUPPORTED = 3,         // a valid file asks for something that Podium does not do
  PODIUM_CORRUPT = 4,             // a file's bytes contradict its own format
  PODIUM_RESOURCE_EXHAUSTED = 5,  // a named limit is reached, or memory is
  PODIUM_DEADLINE_EXCEEDED = 6,   // the timeout passed before the result was ready
  PODIUM_CANCELLED = 7,           // the cancel token was set
  PODIUM_IO = 8,                  // the operating system refused a read or a write
  PODIUM_INTERNAL = 9             // a fault of Podium or of the model (e.g. a NaN score)
};
/// "ok", "invalid argument", …; "unknown code" for any other number.
PODIUM_API const char* podium_code_name(podium_code code);

typedef struct podium_error podium_error;
/// PODIUM_OK of NULL.
PODIUM_API podium_code podium_error_code(const podium_error* error);
/// What, where, got, allowed; UTF-8, ends with a NUL, lives as long as the error. "" of NULL.
PODIUM_API const char* podium_error_message(const podium_error* error);
PODIUM_API void podium_error_free(podium_error* error);

/// UTF-8 of a known length; NULs inside are text. Invalid bytes count as U+FFFD. `data` may be NULL
/// when `size` is 0. The library reads it during the call only.
typedef struct podium_text {
  const char* data;
  size_t size;
} podium_text;

static inline podium_text podium_text_of(const char* string) {
  podium_text text;
  text.data = string;
  text.size = string ? strlen(string) : 0;
  return text;
}

typedef struct podium_pair {
  podium_text query;
  podium_text document;
} podium_pair;

/// How to open a model. Keys, with the defaults for what is not set (podium/types.h has the same):
///   precision         "fp32", the reference; "int8", several times faster, scores close; or
///                     "auto": what a packed file was made for, of a folder fp32
///   isa               kernel table: "" for the best this processor has, or its name
///   threads           compute threads; "0" for as many as this process may use
///   max_length        tokens of a pair, special tokens included; "0" for the model's own limit
///   truncation        how a pair that is too long is cut: "longest_first", "only_second" or
///                     "flag_embedding"
///   batch_tokens_max  tokens computed together; "0" for the default; never changes a score
///   lock_memory       "1": weights are locked in memory, or opening fails; "0" is the default
///   read_in_place     "1": a packed file's weights are used where they are mapped, shared between
///                     processes, slower; "0", a copy in huge pages, is the default
typedef struct podium_options podium_options;
/// NULL when memory is exhausted.
PODIUM_API podium_options* podium_options_new(void);
/// An unknown key or a number that is none is an error here; whether the model and this machine
/// have the value is said by podium_open.
PODIUM_API podium_code podium_options_set(podium_options* options, const char* key,
                                          const char* value, podium_error** error);
PODIUM_API void podium_options_free(podium_options* options);

typedef struct podium_reranker podium_reranker;
/// `model` is a folder, a packed file, or a hub name ("BAAI/bge-reranker-v2-m3") that is looked up
/// in the local caches. `options` may be NULL and are not needed afterwards.
PODIUM_API podium_code podium_open(const char* model, const podium_options* options,
                                   podium_reranker** reranker, podium_error** error);
PODIUM_API void podium_close(podium_reranker* reranker);

/// What was opened; fixed.
typedef struct podium_model_info {
  const char* name;          // the hub name that was asked for, or the folder's own name
  const char* folder;        // where it was found
  const char* architecture;  // "XLMRobertaForSequenceClassification"
  const char* precision;     // "fp32", "int8"
  const char* isa;           // the kernel table in use
  int32_t max_length;        // tokens of a pair, special tokens included
  int32_t layers;
  int32_t hidden;
  int32_t threads;
  uint64_t parameters;
  uint64_t weight_bytes;  // packed weights and embeddings, in memory or mapped
  uint64_t arena_bytes;   // activations, reserved once
} podium_model_info;
/// Lives as long as the reranker. NULL of NULL.
PODIUM_API const podium_model_info* podium_info(const podium_reranker* reranker);

/// Ends a call from another thread, or from a signal handler.
typedef struct podium_cancel_token podium_cancel_token;
/// NULL when memory is exhausted.
PODIUM_API podium_cancel_token* podium_cancel_token_new(void);
/// Calls that were given the token, now running or later, end with PODIUM_CANCELLED.
PODIUM_API void podium_cancel_token_set(podium_cancel_token* token);
PODIUM_API void podium_cancel_token_free(podium_cancel_token* token);

/// One call's options; start from PODIUM_RANK_OPTIONS_INIT. A NULL pointer to it means the same.
typedef struct podium_rank_options {
  size_t struct_size;                 // sizeof(podium_rank_options)
  int64_t top_n;                      // best results to return; negative for all
  int64_t timeout_us;                 // from the start of the call; negative for none
  const podium_cancel_token* cancel;  // NULL for none; must outlive the call
} podium_rank_options;
#define PODIUM_RANK_OPTIONS_INIT {sizeof(podium_rank_options), -1, -1, NULL}

typedef struct podium_result {
  uint32_t index;     // position of the document or the pair in the call's input
  float logit;        // the model's raw output; orders documents
  int32_t tokens;     // ids given to the model, special tokens included
  int32_t truncated;  // 1 when query or document was cut to fit, else 0
} podium_result;
typedef struct podium_results podium_results;
/// 0 of NULL.
PODIUM_API size_t podium_results_size(const podium_results* results);
/// Lives as long as the results. NULL for a position that there is not.
PODIUM_API const podium_result* podium_results_at(const podium_results* results, size_t position);
PODIUM_API void podium_results_free(podium_results* results);

/// Documents by falling logit, ties in input order, the best `top_n`. No documents give empty
/// results.
PODIUM_API podium_code podium_rank(const podium_reranker* reranker, podium_text query,
                                   const podium_text* documents, size_t count,
                                   const podium_rank_options* options, podium_results** results,
                                   podium_error** error);

/// One result per pair, in input order. `top_n` is not looked at.
PODIUM_API podium_code podium_score_pairs(const podium_reranker* reranker, const podium_pair* pairs,
                                          size_t count, const podium_rank_options* options,
                                          podium_results** results, podium_error** error);

/// A logit as a score in [0, 1], computed in double.
PODIUM_API double podium_sigmoid(float logit);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // PODIUM_PODIUM_H_
