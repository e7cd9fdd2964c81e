#include "hub/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>
#include <thread>
#include <utility>

#include "base/concat.h"

namespace podium::hub {
namespace {

namespace fs = std::filesystem;

constexpr char kFolderLock[] = "podium";
constexpr char kCacheTag[] =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# Downloaded models, which can be downloaded again. See https://bford.info/cachedir/\n";

Status SystemError(const std::string& path, const char* action, const std::error_code& error) {
  return IoError(Concat(path, ": cannot ", action, ": ", error.message()));
}

std::error_code LastError() { return {errno, std::generic_category()}; }

Status MakeFolder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? SystemError(path, "make the folder", error) : OkStatus();
}

// A name beside `path` that nobody else uses: a number of chance, as machines and containers that
// share a cache have the same process numbers.
std::string Beside(const std::string& path) {
  std::random_device random;
  return Concat(path, ".", random(), random(), ".tmp");
}

Status Replace(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) return OkStatus();
  std::error_code ignored;
  fs::remove(from, ignored);
  return SystemError(to, "put it in place", error);
}

Status WriteWhole(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return SystemError(path, "write", LastError());
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  return written && closed ? OkStatus() : SystemError(path, "write", LastError());
}

}  // namespace

Store Store::InCache(const std::string& cache, const HubName& model, const std::string& commit) {
  Store store;
  const std::string repository = HubRepositoryFolder(cache, model);
  store.folder_ = Concat(repository, "/snapshots/", commit);
  store.blobs_ = repository + "/blobs";
  store.locks_ = HubRepositoryFolder(cache + "/.locks", model);
  store.cache_ = cache;
  return store;
}

Store Store::InFolder(const std::string& folder) {
  Store store;
  store.folder_ = folder;
  store.blobs_ = folder + "/.cache/huggingface/download";
  store.locks_ = store.blobs_;
  return store;
}

Status Store::Prepare() const {
  for (const std::string& folder : {folder_, blobs_, locks_}) {
    PODIUM_RETURN_IF_ERROR(MakeFolder(folder));
  }
  const std::string tag = cache_ + "/CACHEDIR.TAG";
  std::error_code error;
  if (cache_.empty() || fs::exists(tag, error)) return OkStatus();
  return WriteWhole(tag, kCacheTag);
}

Result<FileLock> Store::LockFolder(const std::atomic<bool>& cancel,
                                   const std::function<void()>& waiting) const {
  constexpr int kTriesMax = 100;
  for (int tries = 0; tries < kTriesMax; ++tries) {
    PODIUM_RETURN_IF_ERROR(Prepare());
    auto lock = FileLock::Acquire(LockPath(kFolderLock), cancel, waiting);
    // Whoever is done takes the folders of the lock away, perhaps just now.
    if (lock.ok() || lock.status().code() != StatusCode::kNotFound) return lock;
  }
  return IoError(Concat(blobs_, ": taken away again and again"));
}

bool Store::IsTrusted(const std::string& name) const {
  std::error_code error;
  return !cache_.empty() && fs::is_regular_file(FilePath(name), error);
}

Status Store::Publish(const std::string& name, const std::string& digest) const {
  const std::string path = FilePath(name);
  const std::string fresh = Beside(path);
  std::error_code error;
  if (!cache_.empty()) {
    fs::create_symlink("../../blobs/" + digest, fresh, error);
    if (error) return SystemError(path, "link it", error);
    return Replace(fresh, path);
  }
  // The blob stays until all names are given: two files may have the same contents.
  fs::create_hard_link(BlobPath(digest), fresh, error);
  return Replace(error ? BlobPath(digest) : fresh, path);
}

void Store::CleanUp(const std::string& digest) const {
  if (!cache_.empty()) return;
  std::error_code ignored;
  fs::remove(BlobPath(digest), ignored);
  fs::remove(LockPath(digest), ignored);
}

void Store::CleanUpLock() const {
  if (!cache_.empty()) return;
  std::error_code ignored;
  fs::remove(LockPath(kFolderLock), ignored);
  // Fails, as it should, where anything else is in there.
  for (fs::path folder = blobs_; folder != fs::path(folder_); folder = folder.parent_path()) {
    ::rmdir(folder.c_str());
  }
}

std::optional<uint64_t> Store::FreeBytes() const {
  struct statvfs status;
  if (::statvfs(blobs_.c_str(), &status) != 0) return std::nullopt;
  return static_cast<uint64_t>(status.f_bavail) * status.f_frsize;
}

Status WriteRef(const std::string& path, const std::string& commit) {
  PODIUM_RETURN_IF_ERROR(MakeFolder(fs::path(path).parent_path()));
  const std::string fresh = Beside(path);
  PODIUM_RETURN_IF_ERROR(WriteWhole(fresh, commit));
  return Replace(fresh, path);
}

Result<FileLock> FileLock::Acquire(const std::string& path, const std::atomic<bool>& cancel,
                                   const std::function<void()>& waiting) {
  constexpr mode_t kGroupWritable = 0664;  // users who share a cache wait for each other
  constexpr auto kStep = std::chrono::milliseconds(100);
  bool has_waited = false;
  while (!cancel.load(std::memory_order_relaxed)) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kGroupWritable);
    if (descriptor < 0 && errno == ENOENT) return NotFound(path + ": its folder is gone");
    if (descriptor < 0) return SystemError(path, "open the lock", LastError());
    FileLock lock(descriptor);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      // Whoever had it may have removed the file: then this is a lock on nothing.
      struct stat mine;
      struct stat there;
      if (::fstat(descriptor, &mine) == 0 && ::stat(path.c_str(), &there) == 0 &&
          mine.st_ino == there.st_ino && mine.st_dev == there.st_dev) {
        return lock;
      }
      continue;
    }
    if (errno != EWOULDBLOCK && errno != EINTR) return lock;
    if (!std::exchange(has_waited, true)) waiting();
    std::this_thread::sleep_for(kStep);
  }
  return Status(StatusCode::kCancelled, "the caller cancelled");
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace podium::hub
