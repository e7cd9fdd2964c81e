#include "text/chain_tokenizer.h"

#include "base/utf8.h"

namespace podium {
namespace {

// How much text goes down the chain at once: small, so that little is done beyond the last id that
// was asked for; large enough for the stages' fixed work not to show.
constexpr size_t kPartBytes = 2048;

class EncodeRun {
 public:
  EncodeRun(const TokenizerParts& parts, size_t tokens_max)
      : parts_(parts),
        tokens_max_(tokens_max),
        normalizer_(parts.normalizer),
        model_(parts.model->Start()),
        pre_tokenizer_(parts.pre_tokenizer, *model_) {}

  Encoded Encode(std::string_view text) {
    AddedTokens::State state;
    size_t window = kPartBytes;
    while (!text.empty() && !full()) {
      const size_t end = CutPosition(text, window);
      const size_t done = Scan(parts_.raw_tokens, text.substr(0, end), end == text.size(), state);
      text.remove_prefix(done);
      text_used_ += done;
      // Only white space before a token that may swallow it needs a second look.
      window = done == 0 ? window * 2 : kPartBytes;
    }
    if (!full()) EndSpan();
    encoded_.complete = text.empty() && !span_open_ && !stopped_;
    return std::move(encoded_);
  }

 private:
  bool full() const { return encoded_.ids.size() >= tokens_max_; }

  size_t Scan(const AddedTokens& tokens, std::string_view window, bool last,
              AddedTokens::State& state) {
    if (tokens.empty()) {
      Text(window);
      return window.size();
    }
    return tokens.Scan(
        window, last, state, [this](std::string_view text) { Text(text); },
        [this](int32_t id) {
          if (full()) stopped_ = true;
          if (stopped_) return;
          EndSpan();
          seen_token_ = true;
          encoded_.ids.push_back(id);
        });
  }

  void Text(std::string_view text) {
    if (!span_open_) {
      span_open_ = true;
      pre_tokenizer_.BeginSpan(text_used_ == 0 && !seen_token_);
    }
    while (!text.empty()) {
      if (full()) stopped_ = true;
      if (stopped_) return;
      const size_t end = CutPosition(text, kPartBytes);
      std::string_view part = text.substr(0, end);
      text.remove_prefix(end);
      if (ValidUtf8Prefix(part) != part.size()) {
        replaced_.clear();
        AppendReplaced(part, replaced_);
        part = replaced_;
      }
      Normalized(normalizer_.Feed(part, false), false);
    }
  }

  void EndSpan() {
    if (!span_open_) return;
    Normalized(normalizer_.Feed("", true), true);
    span_open_ = false;
  }

  void Normalized(std::string_view text, bool last) {
    if (parts_.normalized_tokens.empty()) {
      pre_tokenizer_.Feed(text, encoded_.ids);
    } else {
      window_.append(text);
      const size_t done = parts_.normalized_tokens.Scan(
          window_, last, window_state_,
          [this](std::string_view part) { pre_tokenizer_.Feed(part, encoded_.ids); },
          [this](int32_t id) {
            pre_tokenizer_.EndSpan(encoded_.ids);
            pre_tokenizer_.BeginSpan(false);
            encoded_.ids.push_back(id);
          });
      window_.erase(0, done);
    }
    if (last) {
      pre_tokenizer_.EndSpan(encoded_.ids);
      window_state_ = {};
    }
  }

  const TokenizerParts& parts_;
  const size_t tokens_max_;
  Normalizer::Run normalizer_;
  const std::unique_ptr<Model::Run> model_;
  PreTokenizerRun pre_tokenizer_;
  Encoded encoded_;
  size_t text_used_ = 0;
  bool seen_token_ = false;
  bool stopped_ = false;    // text was left out because there were enough ids: nothing may follow
  bool span_open_ = false;  // a stretch of text between added tokens has begun
  std::string replaced_;    // a part of it without invalid UTF-8
  std::string window_;      // normalised text that may still hold part of an added token
  AddedTokens::State window_state_;
};

}  // namespace

Encoded ChainTokenizer::Encode(std::string_view text, size_t tokens_max) const {
  return EncodeRun(parts_, tokens_max).Encode(text);
}

std::string_view ChainTokenizer::Piece(int32_t id) const {
  if (id < parts_.model->vocabulary().size()) return parts_.model->vocabulary().Text(id);
  const auto extra = static_cast<size_t>(id - parts_.model->vocabulary().size());
  return extra < parts_.extra_pieces.size() ? std::string_view(parts_.extra_pieces[extra]) : "";
}

}  // namespace podium
