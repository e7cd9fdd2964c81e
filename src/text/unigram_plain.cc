#include "text/unigram_plain.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>

#include "base/utf8.h"

namespace podium {

std::vector<int32_t> EncodeUnigramPlain(const std::vector<Unigram::Piece>& pieces,
                                        int32_t unknown_id, std::string_view segment) {
  std::unordered_map<std::string_view, int32_t> id_of;
  double lowest = std::numeric_limits<double>::infinity();
  size_t longest = 0;
  for (size_t i = 0; i < pieces.size(); ++i) {
    id_of[pieces[i].text] = static_cast<int32_t>(i);
    lowest = std::min(lowest, pieces[i].score);
    longest = std::max(longest, pieces[i].text.size());
  }
  struct Node {
    bool reached = false;
    double score = 0;
    size_t start = 0;
    int32_t id = 0;
  };
  std::vector<Node> nodes(segment.size() + 1);
  nodes[0].reached = true;
  const auto offer = [&](size_t start, size_t end, double score, int32_t id) {
    const double total = score + nodes[start].score;
    if (!nodes[end].reached || total > nodes[end].score) nodes[end] = {true, total, start, id};
  };
  for (size_t start = 0; start < segment.size();) {
    const auto character = static_cast<size_t>(DecodeUtf8(segment.substr(start)).bytes);
    bool character_known = false;
    for (size_t bytes = 1; bytes <= longest && start + bytes <= segment.size(); ++bytes) {
      const auto found = id_of.find(segment.substr(start, bytes));
      if (found == id_of.end()) continue;
      offer(start, start + bytes, pieces[static_cast<size_t>(found->second)].score, found->second);
      if (bytes == character) character_known = true;
    }
    if (!character_known) offer(start, start + character, lowest - 10.0, unknown_id);
    start += character;
  }
  std::vector<std::string> texts;  // last piece first, runs of unknown ones joined
  bool joining = false;
  for (size_t end = segment.size(); end > 0; end = nodes[end].start) {
    const std::string text(segment.substr(nodes[end].start, end - nodes[end].start));
    const bool unknown = nodes[end].id == unknown_id;
    if (unknown && joining) {
      texts.back().insert(0, text);
    } else {
      texts.push_back(text);
    }
    joining = unknown;
  }
  std::vector<int32_t> ids;
  for (size_t i = texts.size(); i-- > 0;) {
    const auto found = id_of.find(texts[i]);
    ids.push_back(found == id_of.end() ? unknown_id : found->second);
  }
  return ids;
}

}  // namespace podium
