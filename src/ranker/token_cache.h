// Ids of texts that were tokenized before: queries that users repeat, documents that retrieval
// finds again and again.
#ifndef PODIUM_RANKER_TOKEN_CACHE_H_
#define PODIUM_RANKER_TOKEN_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "text/tokenizer.h"

namespace podium {

/// Bounded by the bytes it holds; what was used longest ago leaves first. Any thread. One mutex,
/// held for a look-up or an insertion (ids are shared, not copied under it): all of a hit takes
/// half to one microsecond, encoding the same passages twenty to thirty (docs/measuring.md), so a
/// mutex is enough for the few threads that tokenize.
class TokenCache {
 public:
  /// Texts larger than a 64th of `bytes_max`, with their ids, are not kept.
  explicit TokenCache(size_t bytes_max);

  /// A tokenizer's own part of the key: texts are the same, ids are not.
  uint32_t NewTokenizer() EXCLUDES(mutex_);

  using Shared = std::shared_ptr<const Encoded>;
  /// What Encode(text, tokens_max) may give, or null. Ids are those of the whole text, or of at
  /// least `tokens_max` tokens of it.
  Shared Find(uint32_t tokenizer, std::string_view text, size_t tokens_max) EXCLUDES(mutex_);
  /// `encoded` is what Encode(text, tokens_max) gave. In place of what is there.
  void Insert(uint32_t tokenizer, std::string_view text, size_t tokens_max, Shared encoded)
      EXCLUDES(mutex_);

  struct Figures {
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t evictions = 0;
    size_t texts = 0;
    size_t bytes = 0;
  };
  Figures figures() EXCLUDES(mutex_);

 private:
  struct Key {
    uint32_t tokenizer = 0;
    std::string_view text;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    uint64_t seed;
    size_t operator()(const Key& key) const;
  };
  struct Entry {
    uint32_t tokenizer = 0;
    std::string text;
    size_t tokens_max = 0;
    Shared encoded;
    size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  const size_t bytes_max_;
  Mutex mutex_;
  Entries entries_ GUARDED_BY(mutex_);  // what was used last comes first
  std::unordered_map<Key, Entries::iterator, Hash> index_ GUARDED_BY(mutex_);
  Figures figures_ GUARDED_BY(mutex_);
  uint32_t tokenizers_ GUARDED_BY(mutex_) = 0;
};

/// A tokenizer whose Encode looks into a cache first. Ids of a text that was not cut are those of
/// the tokenizer; of one that was cut they may be more than were asked for.
class CachedTokenizer final : public Tokenizer {
 public:
  CachedTokenizer(std::unique_ptr<Tokenizer> tokenizer, std::shared_ptr<TokenCache> cache);

  Encoded Encode(std::string_view text, size_t tokens_max) const override;
  std::string_view Piece(int32_t id) const override { return tokenizer_->Piece(id); }
  int vocabulary() const override { return tokenizer_->vocabulary(); }
  const PairTemplate& pair_template() const override { return tokenizer_->pair_template(); }
  const std::vector<TemplatePiece>& single_template() const override {
    return tokenizer_->single_template();
  }
  int length_max() const override { return tokenizer_->length_max(); }

 private:
  const std::unique_ptr<Tokenizer> tokenizer_;
  const std::shared_ptr<TokenCache> cache_;
  const uint32_t number_;
};

}  // namespace podium

#endif  // PODIUM_RANKER_TOKEN_CACHE_H_
