#include "app/tokens.h"

#include <algorithm>
namespace podium {

TokenizedText TokenizeText(const Tokenizer& tokenizer, std::string_view text, int length_max) {
  const std::vector<TemplatePiece>& pieces = tokenizer.single_template();
  const auto literals = std::count_if(pieces.begin(), pieces.end(), [](const TemplatePiece& piece) {
    return piece.kind == TemplatePiece::Kind::kId;
  });
  const auto room = static_cast<size_t>(std::max<std::ptrdiff_t>(0, length_max - literals));
  Encoded encoded = tokenizer.Encode(text, room);
  TokenizedText out;
  out.truncated = !encoded.complete || encoded.ids.size() > room;
  encoded.ids.resize(std::min(encoded.ids.size(), room));
  for (const TemplatePiece& piece : pieces) {
    if (piece.kind == TemplatePiece::Kind::kId) {
      out.ids.push_back(piece.id);
    } else {
      out.ids.insert(out.ids.end(), encoded.ids.begin(), encoded.ids.end());
    }
    out.types.resize(out.ids.size(), piece.type);
  }
  return out;
}

Result<TokenizedText> TokenizePair(const Tokenizer& tokenizer, std::string_view query,
                                   std::string_view document, int length_max, PairRule rule) {
  const PairEncoder encoder(tokenizer, length_max, rule);
  const Encoded first = encoder.EncodeQuery(query);
  const Encoded second = encoder.EncodeDocument(document, first);
  PODIUM_RETURN_IF_ERROR(encoder.CheckRoom(first, second));
  TokenizedText out;
  out.truncated = encoder.AppendPair(first, second, out.ids, out.types);
  return out;
}

}  // namespace podium
