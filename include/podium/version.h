// The library's version and the export mark of its public symbols.
#ifndef PODIUM_VERSION_H_
#define PODIUM_VERSION_H_

#define PODIUM_EXPORT [[gnu::visibility("default")]]

namespace podium {

/// "0.1.0"
PODIUM_EXPORT const char* Version();
/// Commit, compiler and flags of this build: "0.1.0 (commit 1a2b3c4, g++ 12.2.0, Release)"
PODIUM_EXPORT const char* BuildDescription();

}  // namespace podium

#endif  // PODIUM_VERSION_H_
