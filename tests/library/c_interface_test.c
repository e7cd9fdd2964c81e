// The C interface from C: results, each error, what NULL does, structs of other sizes, two threads.
//   c_interface_test MODEL
//
// Over 400 lines because it is the one walk through every function of the header, wrong uses
// included.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "podium/podium.h"

static int failures = 0;

#define EXPECT(condition)                                                     \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                             \
    }                                                                         \
  } while (0)

// `call` uses `&error`; it must end with `code` and a message that has `word` in it.
#define FAILS(call, code, word)                                                           \
  do {                                                                                    \
    podium_error* error = (podium_error*)&failures; /* what was there is not looked at */ \
    const podium_code got = (call);                                                       \
    if (got != (code) || error == NULL || podium_error_code(error) != (code) ||           \
        strstr(podium_error_message(error), (word)) == NULL) {                            \
      fprintf(stderr, "%s:%d: %s\n  got %d (%s), \"%s\"; expected %d and \"%s\" in it\n", \
              __FILE__, __LINE__, #call, (int)got, podium_code_name(got),                 \
              podium_error_message(error), (int)(code), (word));                          \
      ++failures;                                                                         \
    }                                                                                     \
    if (error != (podium_error*)&failures) podium_error_free(error);                      \
  } while (0)

enum { DOCUMENTS = 5 };
static podium_text documents[DOCUMENTS];
static podium_text query;
static const char* model;

static podium_reranker* OpenWith(const char* key, const char* value) {
  podium_options* options = podium_options_new();
  podium_reranker* reranker = NULL;
  podium_error* error = NULL;
  EXPECT(options != NULL);
  EXPECT(podium_options_set(options, "threads", "2", &error) == PODIUM_OK && error == NULL);
  EXPECT(podium_options_set(options, key, value, NULL) == PODIUM_OK);
  if (podium_open(model, options, &reranker, &error) != PODIUM_OK) {
    fprintf(stderr, "%s\n", podium_error_message(error));
    exit(1);
  }
  podium_options_free(options);
  return reranker;
}

static void TestVersions(void) {
  char start[64];
  EXPECT(podium_abi_version() == PODIUM_ABI_VERSION);
  snprintf(start, sizeof start, "%s (commit ", podium_version());
  EXPECT(strncmp(podium_build_description(), start, strlen(start)) == 0);
}

static void TestCodes(void) {
  int code, other;
  for (code = PODIUM_OK; code <= PODIUM_INTERNAL; ++code) {
    EXPECT(strcmp(podium_code_name(code), "unknown code") != 0);
    for (other = PODIUM_OK; other < code; ++other) {
      EXPECT(strcmp(podium_code_name(code), podium_code_name(other)) != 0);
    }
  }
  EXPECT(strcmp(podium_code_name(PODIUM_INTERNAL + 1), "unknown code") == 0);
  EXPECT(strcmp(podium_code_name(-1), "unknown code") == 0);
}

static void TestNull(void) {
  podium_error* error = NULL;
  podium_error_free(NULL);
  podium_options_free(NULL);
  podium_close(NULL);
  podium_results_free(NULL);
  podium_cancel_token_free(NULL);
  podium_cancel_token_set(NULL);
  EXPECT(podium_error_code(NULL) == PODIUM_OK);
  EXPECT(strcmp(podium_error_message(NULL), "") == 0);
  EXPECT(podium_info(NULL) == NULL);
  EXPECT(podium_results_size(NULL) == 0);
  EXPECT(podium_results_at(NULL, 0) == NULL);
  // Without a place for the error the code still comes back.
  EXPECT(podium_open(NULL, NULL, NULL, NULL) == PODIUM_INVALID_ARGUMENT);
  EXPECT(podium_rank(NULL, query, NULL, 0, NULL, NULL, NULL) == PODIUM_INVALID_ARGUMENT);
  EXPECT(podium_score_pairs(NULL, NULL, 0, NULL, NULL, &error) == PODIUM_INVALID_ARGUMENT);
  podium_error_free(error);
}

static void TestOptions(void) {
  static const char* const kKeys[] = {"precision",  "isa",        "threads",
                                      "max_length", "truncation", "batch_tokens_max"};
  podium_options* options = podium_options_new();
  size_t i;
  FAILS(podium_options_set(NULL, "threads", "1", &error), PODIUM_INVALID_ARGUMENT,
        "options: got NULL");
  FAILS(podium_options_set(options, NULL, "1", &error), PODIUM_INVALID_ARGUMENT, "key: got NULL");
  for (i = 0; i < sizeof kKeys / sizeof *kKeys; ++i) {
    FAILS(podium_options_set(options, kKeys[i], NULL, &error), PODIUM_INVALID_ARGUMENT, kKeys[i]);
    FAILS(podium_options_set(options, "thread", "1", &error), PODIUM_INVALID_ARGUMENT, kKeys[i]);
  }
  FAILS(podium_options_set(options, "", "1", &error), PODIUM_INVALID_ARGUMENT, "\"\"");
  FAILS(podium_options_set(options, "threads", "", &error), PODIUM_INVALID_ARGUMENT, "\"\"");
  FAILS(podium_options_set(options, "threads", "2 ", &error), PODIUM_INVALID_ARGUMENT, "\"2 \"");
  FAILS(podium_options_set(options, "threads", "two", &error), PODIUM_INVALID_ARGUMENT, "two");
  FAILS(podium_options_set(options, "max_length", "99999999999", &error), PODIUM_INVALID_ARGUMENT,
        "99999999999");
  podium_options_free(options);
}

static void FailsToOpen(const char* key, const char* value, podium_code code, const char* word) {
  podium_options* options = podium_options_new();
  podium_reranker* reranker = (podium_reranker*)&failures;
  EXPECT(podium_options_set(options, key, value, NULL) == PODIUM_OK);
  FAILS(podium_open(model, options, &reranker, &error), code, word);
  EXPECT(reranker == NULL);
  podium_options_free(options);
}

static void TestOpenErrors(void) {
  podium_reranker* reranker = (podium_reranker*)&failures;
  FAILS(podium_open(model, NULL, NULL, &error), PODIUM_INVALID_ARGUMENT, "reranker: got NULL");
  FAILS(podium_open(NULL, NULL, &reranker, &error), PODIUM_INVALID_ARGUMENT, "model: got NULL");
  EXPECT(reranker == NULL);
  FAILS(podium_open("", NULL, &reranker, &error), PODIUM_INVALID_ARGUMENT, "model");
  FAILS(podium_open("/nowhere/at all", NULL, &reranker, &error), PODIUM_NOT_FOUND,
        "/nowhere/at all");
  FailsToOpen("precision", "int3", PODIUM_INVALID_ARGUMENT, "int3");
  FailsToOpen("isa", "mmx", PODIUM_INVALID_ARGUMENT, "mmx");
  FailsToOpen("threads", "-1", PODIUM_INVALID_ARGUMENT, "-1");
  FailsToOpen("max_length", "100000", PODIUM_INVALID_ARGUMENT, "100000");
  FailsToOpen("truncation", "middle", PODIUM_INVALID_ARGUMENT, "middle");
  FailsToOpen("batch_tokens_max", "-5", PODIUM_INVALID_ARGUMENT, "-5");
}

static void TestInfo(const podium_reranker* reranker) {
  const podium_model_info* info = podium_info(reranker);
  EXPECT(strcmp(info->name, "podium-mini-zh-en") == 0);
  EXPECT(strcmp(info->folder, model) == 0);
  EXPECT(strcmp(info->architecture, "XLMRobertaForSequenceClassification") == 0);
  EXPECT(strcmp(info->precision, "fp32") == 0);
  EXPECT(strlen(info->isa) > 0);
  EXPECT(info->max_length == 512 && info->layers == 12 && info->hidden == 384 &&
         info->threads == 2);
  EXPECT(info->parameters == 44680321u);
  EXPECT(info->weight_bytes > 1000000 && info->arena_bytes > 1000);
}

static void TestRank(const podium_reranker* reranker) {
  podium_results *all = NULL, *best = NULL, *pairs = NULL;
  podium_rank_options options = PODIUM_RANK_OPTIONS_INIT;
  podium_pair in_pairs[DOCUMENTS];
  podium_error* error = (podium_error*)&failures;
  size_t i;
  EXPECT(podium_rank(reranker, query, documents, DOCUMENTS, NULL, &all, &error) == PODIUM_OK);
  EXPECT(error == NULL);
  EXPECT(podium_results_size(all) == DOCUMENTS);
  EXPECT(podium_results_at(all, DOCUMENTS) == NULL && podium_results_at(all, (size_t)-1) == NULL);
  EXPECT(podium_results_at(all, 0)->index == 3);

  for (i = 0; i < DOCUMENTS; ++i) {
    in_pairs[i].query = query;
    in_pairs[i].document = documents[i];
  }
  options.top_n = 1;  // of no meaning for pairs
  EXPECT(podium_score_pairs(reranker, in_pairs, DOCUMENTS, &options, &pairs, &error) == PODIUM_OK);
  EXPECT(podium_results_size(pairs) == DOCUMENTS);
  for (i = 0; i < DOCUMENTS; ++i) {
    const podium_result* hit = podium_results_at(all, i);
    const podium_result* same = podium_results_at(pairs, hit->index);
    EXPECT(same->index == hit->index && same->logit == hit->logit && same->tokens == hit->tokens);
    EXPECT(i == 0 || hit->logit <= podium_results_at(all, i - 1)->logit);
    EXPECT(hit->tokens > 4 && hit->tokens <= 512);
    EXPECT(hit->truncated == (hit->index == 4));
  }

  options.top_n = 2;
  options.timeout_us = INT64_MAX;
  EXPECT(podium_rank(reranker, query, documents, DOCUMENTS, &options, &best, &error) == PODIUM_OK);
  EXPECT(podium_results_size(best) == 2);
  EXPECT(podium_results_at(best, 1)->index == podium_results_at(all, 1)->index);
  podium_results_free(best);
  options.top_n = INT64_MAX;
  EXPECT(podium_rank(reranker, query, documents, DOCUMENTS, &options, &best, &error) == PODIUM_OK);
  EXPECT(podium_results_size(best) == DOCUMENTS);
  podium_results_free(best);
  options.top_n = INT64_MIN;
  EXPECT(podium_rank(reranker, query, documents, DOCUMENTS, &options, &best, &error) == PODIUM_OK);
  EXPECT(podium_results_size(best) == DOCUMENTS);
  podium_results_free(best);
  options.top_n = 0;
  EXPECT(podium_rank(reranker, query, documents, DOCUMENTS, &options, &best, &error) == PODIUM_OK);
  EXPECT(best != NULL && podium_results_size(best) == 0);
  podium_results_free(best);
  EXPECT(podium_rank(reranker, query, NULL, 0, NULL, &best, &error) == PODIUM_OK);
  EXPECT(best != NULL && podium_results_size(best) == 0);
  podium_results_free(best);
  podium_results_free(pairs);
  podium_results_free(all);
}

// A length is a length: what follows is not read, and a NUL inside is text.
static void TestLengths(const podium_reranker* reranker) {
  podium_results *a = NULL, *b = NULL;
  podium_text text[3], none = {NULL, 0};
  text[0] = podium_text_of("The tomato is a berry.");
  text[1].data = "The tomato is a berry. The warranty is two years.";
  text[1].size = text[0].size;
  text[2].data = "The tomato is a berry.\0 The warranty is two years.";
  text[2].size = 50;
  EXPECT(podium_rank(reranker, query, text, 3, NULL, &a, NULL) == PODIUM_OK);
  EXPECT(podium_results_size(a) == 3);
  {
    float logits[3];
    size_t i;
    for (i = 0; i < 3; ++i) logits[podium_results_at(a, i)->index] = podium_results_at(a, i)->logit;
    EXPECT(logits[0] == logits[1]);
    EXPECT(logits[0] != logits[2]);
  }
  text[1].size = 0;
  EXPECT(podium_rank(reranker, none, &none, 1, NULL, &b, NULL) == PODIUM_OK);
  podium_results_free(a);
  EXPECT(podium_rank(reranker, text[1], text + 1, 1, NULL, &a, NULL) == PODIUM_OK);
  EXPECT(podium_results_at(a, 0)->logit == podium_results_at(b, 0)->logit);
  podium_results_free(a);
  podium_results_free(b);
  EXPECT(podium_text_of(NULL).size == 0);
}

static void TestWrongArguments(const podium_reranker* reranker) {
  podium_results* results = (podium_results*)&failures;
  podium_text broken[2] = {{"", 0}, {NULL, 7}};
  podium_pair pairs[2] = {{{"", 0}, {"", 0}}, {{"", 0}, {NULL, 9}}};
  FAILS(podium_rank(reranker, query, documents, 1, NULL, NULL, &error), PODIUM_INVALID_ARGUMENT,
        "results: got NULL");
  FAILS(podium_rank(NULL, query, documents, 1, NULL, &results, &error), PODIUM_INVALID_ARGUMENT,
        "reranker: got NULL");
  EXPECT(results == NULL);
  FAILS(podium_rank(reranker, query, NULL, 1, NULL, &results, &error), PODIUM_INVALID_ARGUMENT,
        "documents: got NULL");
  FAILS(podium_rank(reranker, broken[1], documents, 1, NULL, &results, &error),
        PODIUM_INVALID_ARGUMENT, "query: data is NULL and size is 7");
  FAILS(podium_rank(reranker, query, broken, 2, NULL, &results, &error), PODIUM_INVALID_ARGUMENT,
        "document 1: data is NULL and size is 7");
  FAILS(podium_rank(reranker, query, documents, (size_t)-1, NULL, &results, &error),
        PODIUM_RESOURCE_EXHAUSTED, "4294967295");
  FAILS(podium_score_pairs(reranker, pairs, 2, NULL, &results, &error), PODIUM_INVALID_ARGUMENT,
        "pair 1's document: data is NULL and size is 9");
  pairs[0].query = broken[1];
  FAILS(podium_score_pairs(reranker, pairs, 2, NULL, &results, &error), PODIUM_INVALID_ARGUMENT,
        "pair 0's query");
  FAILS(podium_score_pairs(reranker, NULL, 2, NULL, &results, &error), PODIUM_INVALID_ARGUMENT,
        "pairs: got NULL");
  FAILS(podium_score_pairs(reranker, pairs, (size_t)1 << 60, NULL, &results, &error),
        PODIUM_RESOURCE_EXHAUSTED, "4294967295");
  EXPECT(results == NULL);
}

// Callers built with an older or a newer header.
static void TestStructSizes(const podium_reranker* reranker) {
  struct {
    podium_rank_options known;
    int64_t more[2];
  } options = {PODIUM_RANK_OPTIONS_INIT, {0, 0}};
  podium_results* results = NULL;
  options.known.struct_size = sizeof options;
  options.known.top_n = 1;
  EXPECT(podium_rank(reranker, query, documents, 2, &options.known, &results, NULL) == PODIUM_OK);
  EXPECT(podium_results_size(results) == 1);
  podium_results_free(results);
  options.more[1] = 1;
  FAILS(podium_rank(reranker, query, documents, 2, &options.known, &results, &error),
        PODIUM_UNSUPPORTED, "does not know");
  options.known.struct_size = 0;
  FAILS(podium_rank(reranker, query, documents, 2, &options.known, &results, &error),
        PODIUM_INVALID_ARGUMENT, "struct_size: got 0");
  options.known.struct_size = sizeof options.known - 1;
  FAILS(podium_score_pairs(reranker, NULL, 0, &options.known, &results, &error),
        PODIUM_INVALID_ARGUMENT, "struct_size");
  options.known.struct_size = (size_t)-1;
  FAILS(podium_rank(reranker, query, documents, 2, &options.known, &results, &error),
        PODIUM_INVALID_ARGUMENT, "struct_size");
}

static podium_cancel_token* from_signal;
static void OnSignal(int signal) {
  (void)signal;
  podium_cancel_token_set(from_signal);
}

static void* CancelSoon(void* token) {
  const struct timespec wait = {0, 20000000};
  nanosleep(&wait, NULL);
  podium_cancel_token_set(token);
  return NULL;
}

static void TestInterrupts(const podium_reranker* reranker) {
  enum { MANY = 3000 };
  podium_rank_options options = PODIUM_RANK_OPTIONS_INIT;
  podium_cancel_token* token = podium_cancel_token_new();
  podium_results* results = NULL;
  podium_text* many = malloc(MANY * sizeof *many);
  pthread_t thread;
  size_t i;
  for (i = 0; i < MANY; ++i) many[i] = documents[4];
  // Equal documents are scored once, so each starts one character later.
  for (i = 0; i < MANY; ++i) {
    many[i].data += i;
    many[i].size -= i;
  }

  options.timeout_us = 0;
  FAILS(podium_rank(reranker, query, documents, DOCUMENTS, &options, &results, &error),
        PODIUM_DEADLINE_EXCEEDED, "deadline");
  options.timeout_us = 20000;
  FAILS(podium_rank(reranker, query, many, MANY, &options, &results, &error),
        PODIUM_DEADLINE_EXCEEDED, "deadline");
  EXPECT(results == NULL);

  options.timeout_us = -1;
  options.cancel = token;
  EXPECT(podium_rank(reranker, query, documents, 2, &options, &results, NULL) == PODIUM_OK);
  podium_results_free(results);
  EXPECT(pthread_create(&thread, NULL, CancelSoon, token) == 0);
  FAILS(podium_rank(reranker, query, many, MANY, &options, &results, &error), PODIUM_CANCELLED,
        "cancelled");
  pthread_join(thread, NULL);
  FAILS(podium_rank(reranker, query, documents, 2, &options, &results, &error), PODIUM_CANCELLED,
        "cancelled");
  podium_cancel_token_free(token);

  from_signal = podium_cancel_token_new();
  signal(SIGUSR1, OnSignal);
  raise(SIGUSR1);
  options.cancel = from_signal;
  FAILS(podium_rank(reranker, query, documents, 2, &options, &results, &error), PODIUM_CANCELLED,
        "cancelled");
  podium_cancel_token_free(from_signal);
  free(many);

  // The next call is none the worse for it.
  EXPECT(podium_rank(reranker, query, documents, 2, NULL, &results, NULL) == PODIUM_OK);
  podium_results_free(results);
}

struct caller {
  const podium_reranker* reranker;
  const podium_results* want;
  int wrong;
};

static void* Call(void* argument) {
  struct caller* caller = argument;
  int round;
  size_t i;
  for (round = 0; round < 3; ++round) {
    podium_results* got = NULL;
    podium_error* error = NULL;
    // Every second call of each thread fails; its error must be its own.
    char missing[32];
    podium_reranker* none = NULL;
    snprintf(missing, sizeof missing, "/nowhere/%p", argument);
    if (podium_open(missing, NULL, &none, &error) != PODIUM_NOT_FOUND ||
        strstr(podium_error_message(error), missing) == NULL) {
      ++caller->wrong;
    }
    podium_error_free(error);
    if (podium_rank(caller->reranker, query, documents, DOCUMENTS, NULL, &got, &error) !=
        PODIUM_OK) {
      ++caller->wrong;
    }
    for (i = 0; i < DOCUMENTS && caller->wrong == 0; ++i) {
      const podium_result *a = podium_results_at(got, i), *b = podium_results_at(caller->want, i);
      if (memcmp(a, b, sizeof *a) != 0) ++caller->wrong;
    }
    podium_results_free(got);
  }
  return NULL;
}

static void TestThreads(const podium_reranker* reranker) {
  podium_results* want = NULL;
  struct caller callers[2];
  pthread_t threads[2];
  int i;
  EXPECT(podium_rank(reranker, query, documents, DOCUMENTS, NULL, &want, NULL) == PODIUM_OK);
  for (i = 0; i < 2; ++i) {
    callers[i].reranker = reranker;
    callers[i].want = want;
    callers[i].wrong = 0;
    EXPECT(pthread_create(&threads[i], NULL, Call, &callers[i]) == 0);
  }
  for (i = 0; i < 2; ++i) {
    pthread_join(threads[i], NULL);
    EXPECT(callers[i].wrong == 0);
  }
  podium_results_free(want);
}

static void TestSigmoid(void) {
  EXPECT(podium_sigmoid(0) == 0.5);
  EXPECT(fabs(podium_sigmoid(2) - 0.88079707797788243) < 1e-15);
  EXPECT(podium_sigmoid(100) <= 1 && podium_sigmoid(-100) > 0);
}

int main(int argc, char** argv) {
  enum { LONG = 20000 };
  char* page = malloc(LONG);
  podium_reranker* reranker;
  size_t i;
  if (argc != 2 || page == NULL) return 2;
  model = argv[1];
  for (i = 0; i < LONG; ++i) page[i] = "train "[i % 6];
  query = podium_text_of("what is a tomato");
  documents[0] = podium_text_of("Trains run twice a day.");
  documents[1] = podium_text_of("The warranty is two years.");
  documents[2] = podium_text_of("");
  documents[3] = podium_text_of("The tomato is the edible berry of a plant.");
  documents[4].data = page;
  documents[4].size = LONG;

  TestVersions();
  TestCodes();
  TestNull();
  TestOptions();
  TestOpenErrors();
  TestSigmoid();
  reranker = OpenWith("batch_tokens_max", "1000");
  TestInfo(reranker);
  TestRank(reranker);
  TestLengths(reranker);
  TestWrongArguments(reranker);
  TestStructSizes(reranker);
  TestInterrupts(reranker);
  TestThreads(reranker);
  podium_close(reranker);
  free(page);
  if (failures != 0) fprintf(stderr, "%d failures\n", failures);
  return failures != 0;
}
