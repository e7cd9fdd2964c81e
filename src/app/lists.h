// Queries with their documents, as `compare` and `lengths` read them.
#ifndef PODIUM_APP_LISTS_H_
#define PODIUM_APP_LISTS_H_

#include "app/options.h"
#include "base/status.h"
#include "evaluation/rerank_set.h"

namespace podium {

/// The lists that have a document, the first `limit` of them. kInvalidArgument when there is none.
Result<RerankSet> ReadLists(const ListsOptions& options);

}  // namespace podium

#endif  // PODIUM_APP_LISTS_H_
