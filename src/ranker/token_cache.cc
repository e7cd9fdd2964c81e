#include "ranker/token_cache.h"

#include <cstring>
#include <iterator>
#include <random>
#include <utility>

namespace podium {
namespace {

// Beside text and ids: the entry in its list, its place in the index, the shared ids' head, and
// what the allocator adds to five blocks.
constexpr size_t kEntryBytes = 320;
constexpr size_t kLargestShare = 64;

uint64_t Fold(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t Word(const char* from, size_t size) {
  uint64_t word = 0;
  if (size > 0) std::memcpy(&word, from, size);
  return word;
}

}  // namespace

// Multiply and fold, sixteen bytes a step. The texts come from strangers: the seed is this
// process's own, so that nobody can prepare texts that all fall into one place.
size_t TokenCache::Hash::operator()(const Key& key) const {
  constexpr uint64_t kFirst = 0xA0761D6478BD642F;
  constexpr uint64_t kSecond = 0xE7037ED1A0B428DB;
  uint64_t hash = seed ^ Fold(key.tokenizer ^ kFirst, key.text.size() ^ kSecond);
  const char* at = key.text.data();
  size_t left = key.text.size();
  for (; left > 16; left -= 16, at += 16) {
    hash = Fold(Word(at, 8) ^ kFirst ^ hash, Word(at + 8, 8) ^ seed);
  }
  const size_t first = left < 8 ? left : 8;
  return Fold(Word(at, first) ^ kSecond ^ hash, Word(at + first, left - first) ^ seed);
}

TokenCache::TokenCache(size_t bytes_max)
    : bytes_max_(bytes_max), index_(0, Hash{[] {
                                      std::random_device random;
                                      return uint64_t{random()} << 32 | random();
                                    }()}) {}

uint32_t TokenCache::NewTokenizer() {
  MutexLock lock(mutex_);
  return tokenizers_++;
}

TokenCache::Shared TokenCache::Find(uint32_t tokenizer, std::string_view text, size_t tokens_max) {
  MutexLock lock(mutex_);
  const auto found = index_.find({tokenizer, text});
  if (found != index_.end()) {
    const Entry& entry = *found->second;
    if (entry.encoded->complete || entry.tokens_max >= tokens_max) {
      entries_.splice(entries_.begin(), entries_, found->second);
      ++figures_.hits;
      return entry.encoded;
    }
  }
  ++figures_.misses;
  return nullptr;
}

void TokenCache::Insert(uint32_t tokenizer, std::string_view text, size_t tokens_max,
                        Shared encoded) {
  const size_t bytes = kEntryBytes + text.size() + encoded->ids.capacity() * sizeof(int32_t);
  if (bytes > bytes_max_ / kLargestShare) return;
  Entries fresh;  // what needs memory is had before anything changes
  fresh.push_back({.tokenizer = tokenizer,
                   .text = std::string(text),
                   .tokens_max = tokens_max,
                   .encoded = std::move(encoded),
                   .bytes = bytes});
  Entries gone;  // freed without the lock
  MutexLock lock(mutex_);
  if (const auto old = index_.find({tokenizer, text}); old != index_.end()) {
    gone.splice(gone.end(), entries_, old->second);
    index_.erase(old);
    figures_.bytes -= gone.back().bytes;
  }
  index_.emplace(Key{tokenizer, fresh.front().text}, fresh.begin());
  entries_.splice(entries_.begin(), fresh);
  figures_.bytes += bytes;
  while (figures_.bytes > bytes_max_) {
    const auto last = std::prev(entries_.end());
    index_.erase({last->tokenizer, last->text});
    figures_.bytes -= last->bytes;
    ++figures_.evictions;
    gone.splice(gone.end(), entries_, last);
  }
}

TokenCache::Figures TokenCache::figures() {
  MutexLock lock(mutex_);
  Figures figures = figures_;
  figures.texts = entries_.size();
  return figures;
}

CachedTokenizer::CachedTokenizer(std::unique_ptr<Tokenizer> tokenizer,
                                 std::shared_ptr<TokenCache> cache)
    : tokenizer_(std::move(tokenizer)), cache_(std::move(cache)), number_(cache_->NewTokenizer()) {}

Encoded CachedTokenizer::Encode(std::string_view text, size_t tokens_max) const {
  if (const TokenCache::Shared found = cache_->Find(number_, text, tokens_max)) return *found;
  Encoded encoded = tokenizer_->Encode(text, tokens_max);
  auto kept = std::make_shared<Encoded>();
  kept->ids.assign(encoded.ids.begin(), encoded.ids.end());  // no more memory than they need
  kept->complete = encoded.complete;
  cache_->Insert(number_, text, tokens_max, std::move(kept));
  return encoded;
}

}  // namespace podium
