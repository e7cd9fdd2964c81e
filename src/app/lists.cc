#include "app/lists.h"

#include <algorithm>

#include "base/concat.h"

namespace podium {

Result<RerankSet> ReadLists(const ListsOptions& options) {
  PODIUM_ASSIGN_OR_RETURN(RerankSet set, ReadRerankSet(options.path, options.set));
  std::erase_if(set.lists, [](const RerankList& list) { return list.documents.empty(); });
  if (set.lists.empty()) {
    return InvalidArgument(Concat(options.path, ": no list with a document in it"));
  }
  if (options.limit > 0) {
    set.lists.resize(std::min(set.lists.size(), static_cast<size_t>(options.limit)));
  }
  return set;
}

}  // namespace podium
