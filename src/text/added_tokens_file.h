// Added tokens of tokenizer files: reads them, gives them their ids and hands them to the chain.
#ifndef PODIUM_TEXT_ADDED_TOKENS_FILE_H_
#define PODIUM_TEXT_ADDED_TOKENS_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "json/json.h"
#include "text/added_tokens.h"
#include "text/chain_tokenizer.h"

namespace podium {

/// No public file has more than a few thousand.
constexpr size_t kAddedTokensMax = 65536;

struct FileToken {
  AddedToken token;  // id: what the file says, or -1 when it says nothing
  bool normalized = false;
  std::string where;
};

/// `value` is an object with "content" and its flags. Without `all_flags` those that are left out
/// are false.
Result<FileToken> ParseAddedToken(json::Value value, const std::string& where, bool all_flags);

/// Gives each token the vocabulary's id for its text, or the next free one, as the reference does
/// whatever the file says; a file that says otherwise is kCorrupt.
Status InstallAddedTokens(std::vector<FileToken> tokens, TokenizerParts& parts);

}  // namespace podium

#endif  // PODIUM_TEXT_ADDED_TOKENS_FILE_H_
