#include "hub/download.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/concat.h"
#include "hub/digest.h"

namespace podium::hub {
namespace {

namespace fs = std::filesystem;

std::string LastError() { return std::generic_category().message(errno); }

// The file that grows.
class IncompleteFile final : public ResumableSink {
 public:
  IncompleteFile(const RemoteFile& file, std::string path, const DownloadEvents& events)
      : file_(file), path_(std::move(path)), events_(events) {}
  ~IncompleteFile() override {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  IncompleteFile(const IncompleteFile&) = delete;
  IncompleteFile& operator=(const IncompleteFile&) = delete;

  Status Open() {
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    struct stat status;
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
      return IoError(Concat(path_, ": cannot write: ", LastError()));
    }
    offset_ = static_cast<uint64_t>(status.st_size);
    was_resumed_ = offset_ > 0;
    // What is longer than the file is none of it.
    return file_.size && offset_ > *file_.size ? StartAgain() : OkStatus();
  }

  Status StartAgain() override {
    offset_ = 0;
    if (::ftruncate(descriptor_, 0) == 0) return OkStatus();
    return IoError(Concat(path_, ": cannot cut it: ", LastError()));
  }

  Status Begin(const HttpReply& reply) override {
    constexpr int kPartialContent = 206;
    if (offset_ == 0) return OkStatus();
    if (reply.status == kPartialContent) {
      const std::string wanted = Concat("bytes ", offset_, "-");
      const std::string range = reply.Header("content-range");
      if (range.starts_with(wanted)) return OkStatus();
      return Corrupt(
          Concat("asked for ", wanted, ", got Content-Range \"", range.substr(0, 100), '"'));
    }
    events_.note(Concat(file_.name, ": the server does not resume; starting at 0"));
    return StartAgain();
  }

  Status Take(std::string_view bytes) override {
    const uint64_t bytes_max = file_.size.value_or(kUnsizedBytesMax);
    if (bytes.size() > bytes_max - offset_) {
      return Corrupt(Concat("more than the ", bytes_max, " bytes ",
                            file_.size ? "that the hub names" : "allowed where it names no size"));
    }
    events_.received(bytes.size());
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) {
        return IoError(Concat(path_, ": cannot write at byte ", offset_, ": ", LastError()));
      }
      offset_ += static_cast<uint64_t>(written);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    events_.progress(offset_, /*checking=*/false);
    return OkStatus();
  }

  uint64_t offset() const override { return offset_; }
  bool IsComplete() const override { return !file_.size || offset_ == *file_.size; }
  bool was_resumed() const { return was_resumed_; }

  // A blob promises its contents for ever: they are on the disk before it has its name.
  Status Sync() {
    return ::fsync(descriptor_) == 0 ? OkStatus()
                                     : IoError(Concat(path_, ": cannot sync: ", LastError()));
  }

 private:
  const RemoteFile& file_;
  const std::string path_;
  const DownloadEvents& events_;
  int descriptor_ = -1;
  uint64_t offset_ = 0;
  bool was_resumed_ = false;
};

}  // namespace

Status DownloadBlob(Client& client, const Store& store, const RemoteFile& file,
                    const DownloadEvents& events, const std::atomic<bool>& cancel) {
  const auto waiting = [&] {
    events.note(Concat(file.name, ": another process downloads it; waiting"));
  };
  PODIUM_ASSIGN_OR_RETURN(const FileLock lock,
                          FileLock::Acquire(store.LockPath(file.digest), cancel, waiting));
  std::error_code error;
  const std::string blob = store.BlobPath(file.digest);
  if (fs::exists(blob, error)) return OkStatus();
  const std::string path = store.IncompletePath(file.digest);
  while (true) {
    IncompleteFile incomplete(file, path, events);
    PODIUM_RETURN_IF_ERROR(incomplete.Open());
    Status status;
    // Without a known size nothing says what is missing.
    if (!file.size) status = incomplete.StartAgain();
    if (status.ok() && (!file.size || !incomplete.IsComplete())) {
      status = client.Download(file.url, file.name, incomplete);
    }
    if (status.ok()) {
      const auto read = [&](uint64_t bytes) { events.progress(bytes, /*checking=*/true); };
      status = CheckDigest(path, file.digest, cancel, read);
    }
    if (status.ok()) {
      PODIUM_RETURN_IF_ERROR(incomplete.Sync());
      fs::rename(path, blob, error);
      return error ? IoError(Concat(blob, ": cannot put it in place: ", error.message()))
                   : OkStatus();
    }
    if (status.code() != StatusCode::kCorrupt) return status;
    fs::remove(path, error);
    if (!incomplete.was_resumed()) {
      return Corrupt(Concat(file.name, ": ", status.message(),
                            "; what was downloaded is removed. Something between the hub and here "
                            "changes files, or the hub's copy is damaged"));
    }
    events.note(Concat(file.name, ": ", status.message(),
                       "; what an earlier run left is removed, starting at 0"));
  }
}

uint64_t IncompleteBytes(const Store& store, const std::string& digest) {
  std::error_code error;
  const uintmax_t size = fs::file_size(store.IncompletePath(digest), error);
  return error ? 0 : size;
}

}  // namespace podium::hub
