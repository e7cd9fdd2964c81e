#include "hub/pull.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/byte_size.h"
#include "base/concat.h"
#include "base/file.h"
#include "hub/client.h"
#include "hub/digest.h"
#include "hub/download.h"
#include "hub/http.h"
#include "hub/repository.h"
#include "hub/settings.h"
#include "hub/store.h"
#include "model/config.h"
#include "model/shard_index.h"

namespace podium::hub {
namespace {

namespace fs = std::filesystem;

// "W/"abc"" and ""abc"" name what abc names.
std::string BareEtag(std::string etag) {
  if (etag.starts_with("W/")) etag.erase(0, 2);
  if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
    etag = etag.substr(1, etag.size() - 2);
  }
  return etag;
}

std::optional<uint64_t> ParseSize(const std::string& text) {
  constexpr size_t kDigitsMax = 18;  // an exabyte
  if (text.empty() || text.size() > kDigitsMax ||
      text.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  return std::stoull(text);
}

// The model's files in a folder; an error when it is not all there.
Result<size_t> CountFiles(const std::string& folder, const std::string& model) {
  Repository local;
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::error_code dangling;
    if (entry->is_regular_file(dangling)) local.files.insert(entry->path().filename().string());
  }
  PODIUM_ASSIGN_OR_RETURN(const Selection selection, ChooseFiles(local, model));
  if (selection.index.empty()) return selection.files.size();
  const std::string path = Concat(folder, "/", selection.index);
  PODIUM_ASSIGN_OR_RETURN(const std::string index, ReadFile(path, kShardIndexBytesMax));
  PODIUM_ASSIGN_OR_RETURN(const auto shards, ChooseShards(local, index, path));
  return selection.files.size() + shards.size();
}

class Puller {
 public:
  Puller(const PullOptions& options, const Settings& settings, std::unique_ptr<Http> http,
         const PullEvents& events, const std::atomic<bool>& cancel)
      : options_(options),
        settings_(settings),
        events_(events),
        cancel_(cancel),
        client_(std::move(http), settings, options.model, options.retries, events.note, cancel) {}

  Result<PullResult> Run();
  bool is_unreachable() const { return client_.is_unreachable(); }

 private:
  // A file that the model needs: there already, or described.
  struct Part {
    std::string name;
    std::optional<RemoteFile> remote;  // nullopt: there under its name
  };

  Result<Repository> Ask();
  Result<Part> Describe(const std::string& name);
  bool IsInFolder(const RemoteFile& file);
  bool IsMissing(const Part& part) const;
  Status Fetch(const Part& part);
  std::string PathOf(const Part& part) const;
  Status CheckSupported(const Part& config) const;
  Status CheckSpace(uint64_t bytes) const;
  Status Publish();

  const PullOptions& options_;
  const Settings& settings_;
  const PullEvents& events_;
  const std::atomic<bool>& cancel_;
  Client client_;
  Repository repository_;
  std::optional<Store> store_;
  std::vector<Part> parts_;
  uint64_t received_ = 0;
  uint64_t done_ = 0;  // of the files before this one
  uint64_t total_ = 0;
};

Result<Repository> Puller::Ask() {
  const std::string revision = options_.model.revision.empty() ? "main" : options_.model.revision;
  const std::string url = Concat(settings_.endpoint, "/api/models/", options_.model.name,
                                 "/revision/", EscapeSegment(revision));
  PODIUM_ASSIGN_OR_RETURN(const std::string text,
                          client_.GetText(url, "revision " + revision, kDescriptionBytesMax));
  auto repository = ParseRepository(text, DisplayUrl(url));
  if (repository.ok() || repository.status().code() != StatusCode::kCorrupt) return repository;
  return Corrupt(Concat(repository.status().message(),
                        "\nWhat answered is no Hugging Face hub: check HF_ENDPOINT, and proxies or "
                        "login pages in between"));
}

Result<Puller::Part> Puller::Describe(const std::string& name) {
  Part part{.name = name, .remote = std::nullopt};
  if (store_->IsTrusted(name)) return part;
  RemoteFile file{.name = name,
                  .url = Concat(settings_.endpoint, "/", options_.model.name, "/resolve/",
                                repository_.commit, "/", EscapeSegment(name)),
                  .digest = "",
                  .size = std::nullopt};
  PODIUM_ASSIGN_OR_RETURN(const HttpReply reply, client_.Head(file.url, name));
  const std::string commit = reply.Header("x-repo-commit");
  if (!commit.empty() && commit != repository_.commit) {
    return Corrupt(
        Concat(name, ": asked for commit ", repository_.commit, ", got ", commit.substr(0, 100)));
  }
  const std::string linked = reply.Header("x-linked-etag");
  file.digest = BareEtag(linked.empty() ? reply.Header("etag") : linked);
  if (!IsDigest(file.digest)) {
    return Corrupt(
        Concat(name, ": the hub's ETag \"", file.digest.substr(0, 100),
               "\" is neither a SHA-256 nor a git SHA-1, so the file cannot be checked"));
  }
  const std::string linked_size = reply.Header("x-linked-size");
  file.size = ParseSize(linked_size);
  if (linked_size.empty() && reply.redirect.empty()) {
    file.size = ParseSize(reply.Header("content-length"));
  }
  if (!IsInFolder(file)) part.remote = std::move(file);
  return part;
}

// In a plain folder nothing tells which commit a file is of: its digest does.
bool Puller::IsInFolder(const RemoteFile& file) {
  const std::string path = store_->FilePath(file.name);
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (options_.folder.empty() || error || (file.size && size != *file.size)) return false;
  const auto read = [&](uint64_t bytes) {
    events_.progress({.file = file.name,
                      .checking = true,
                      .file_done = bytes,
                      .file_total = size,
                      .done = 0,
                      .total = 0});
  };
  return CheckDigest(path, file.digest, cancel_, read).ok();
}

bool Puller::IsMissing(const Part& part) const {
  std::error_code error;
  return part.remote && !fs::exists(store_->BlobPath(part.remote->digest), error);
}

std::string Puller::PathOf(const Part& part) const {
  return part.remote ? store_->BlobPath(part.remote->digest) : store_->FilePath(part.name);
}

Status Puller::Fetch(const Part& part) {
  if (!IsMissing(part)) return OkStatus();
  const RemoteFile& file = *part.remote;
  DownloadEvents events;
  events.note = events_.note;
  events.received = [&](uint64_t bytes) { received_ += bytes; };
  events.progress = [&](uint64_t bytes, bool checking) {
    const uint64_t file_total = file.size.value_or(0);
    events_.progress({.file = file.name,
                      .checking = checking,
                      .file_done = bytes,
                      .file_total = file_total,
                      .done = done_ + (checking ? file_total : bytes),
                      .total = total_});
  };
  PODIUM_RETURN_IF_ERROR(DownloadBlob(client_, *store_, file, events, cancel_));
  done_ += file.size.value_or(0);
  return OkStatus();
}

// Before gigabytes are spent on it.
Status Puller::CheckSupported(const Part& config) const {
  const std::string path = PathOf(config);
  PODIUM_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kConfigBytesMax));
  const auto spec = ParseConfig(text, Concat(options_.model.name, "/config.json"));
  if (spec.ok()) return OkStatus();
  return Status(spec.status().code(),
                Concat(spec.status().message(),
                       "\nPodium cannot run this model, so its weights are not downloaded"));
}

Status Puller::CheckSpace(uint64_t bytes) const {
  const auto free = store_->FreeBytes();
  if (!free || bytes <= *free) return OkStatus();
  return ResourceExhausted(Concat(store_->folder(), ": ", ByteSize(bytes),
                                  " to download, but only ", ByteSize(*free),
                                  " free on that disk; HF_HUB_CACHE or --to name another place"));
}

Status Puller::Publish() {
  // config.json comes last: with it the folder is a model, for find.h and for everyone else.
  for (size_t i = parts_.size(); i-- > 0;) {
    if (!parts_[i].remote) continue;
    PODIUM_RETURN_IF_ERROR(store_->Publish(parts_[i].name, parts_[i].remote->digest));
  }
  for (const Part& part : parts_) {
    if (part.remote) store_->CleanUp(part.remote->digest);
  }
  store_->CleanUpLock();
  const std::string& revision = options_.model.revision;
  if (!options_.folder.empty() || revision == repository_.commit) return OkStatus();
  const std::string ref =
      HubRefFile(HubRepositoryFolder(settings_.cache, options_.model), options_.model);
  const auto written = ReadFile(ref, repository_.commit.size());
  if (written.ok() && *written == repository_.commit) return OkStatus();
  return WriteRef(ref, repository_.commit);
}

Result<PullResult> Puller::Run() {
  PODIUM_ASSIGN_OR_RETURN(repository_, Ask());
  PODIUM_ASSIGN_OR_RETURN(const Selection selection, ChooseFiles(repository_, options_.model.name));
  store_ = options_.folder.empty()
               ? Store::InCache(settings_.cache, options_.model, repository_.commit)
               : Store::InFolder(options_.folder);
  std::optional<FileLock> lock;
  if (!options_.folder.empty()) {
    const auto waiting = [&] {
      events_.note(Concat(options_.folder, ": another process fills it; waiting"));
    };
    PODIUM_ASSIGN_OR_RETURN(FileLock held, store_->LockFolder(cancel_, waiting));
    lock.emplace(std::move(held));
  }
  // What must be read before the rest is known or wanted.
  bool is_prepared = false;
  const auto add = [&](const std::string& name) -> Status {
    PODIUM_ASSIGN_OR_RETURN(Part part, Describe(name));
    // A complete model in a cache that is read-only is one.
    if (part.remote && options_.folder.empty() && !std::exchange(is_prepared, true)) {
      PODIUM_RETURN_IF_ERROR(store_->Prepare());
    }
    if (name == "config.json" || name == selection.index) {
      PODIUM_RETURN_IF_ERROR(Fetch(part));
    }
    if (name == "config.json") PODIUM_RETURN_IF_ERROR(CheckSupported(part));
    parts_.push_back(std::move(part));
    return OkStatus();
  };
  for (const std::string& name : selection.files) PODIUM_RETURN_IF_ERROR(add(name));
  if (!selection.index.empty()) {
    PODIUM_ASSIGN_OR_RETURN(const std::string text,
                            ReadFile(PathOf(parts_.back()), kShardIndexBytesMax));
    PODIUM_ASSIGN_OR_RETURN(
        const auto shards,
        ChooseShards(repository_, text, Concat(options_.model.name, "/", selection.index)));
    for (const std::string& shard : shards) PODIUM_RETURN_IF_ERROR(add(shard));
  }

  PullPlan plan{.commit = repository_.commit, .folder = store_->folder(), .files = 0, .bytes = 0};
  done_ = 0;
  total_ = 0;
  for (const Part& part : parts_) {
    if (!IsMissing(part)) continue;
    const uint64_t size = part.remote->size.value_or(0);
    ++plan.files;
    total_ += size;
    plan.bytes += size - std::min(size, IncompleteBytes(*store_, part.remote->digest));
  }
  events_.plan(plan);
  if (plan.files > 0) PODIUM_RETURN_IF_ERROR(CheckSpace(plan.bytes));
  for (const Part& part : parts_) PODIUM_RETURN_IF_ERROR(Fetch(part));
  PODIUM_RETURN_IF_ERROR(Publish());
  return PullResult{.folder = store_->folder(), .files = parts_.size(), .downloaded = received_};
}

// What is there already: for whoever is offline.
Result<PullResult> Look(const PullOptions& options, const Settings& settings) {
  const std::string folder =
      options.folder.empty()
          ? HubSnapshotFolder(HubRepositoryFolder(settings.cache, options.model), options.model)
          : options.folder;
  std::error_code error;
  if (!fs::is_directory(folder, error)) return NotFound(folder + " is not there");
  auto files = CountFiles(folder, options.model.name);
  if (files.ok()) return PullResult{.folder = folder, .files = *files, .downloaded = 0};
  return NotFound(Concat(folder, " does not hold the whole model: ", files.status().message()));
}

}  // namespace

Result<PullResult> Pull(const PullOptions& options, const Environment& environment,
                        const PullEvents& events, const std::atomic<bool>& cancel) {
  PODIUM_ASSIGN_OR_RETURN(const Settings settings, ReadSettings(environment));
  if (options.offline || settings.offline) {
    auto found = Look(options, settings);
    if (found.ok()) return found;
    return NotFound(Concat("offline (", options.offline ? "--offline" : "HF_HUB_OFFLINE", "), and ",
                           found.status().message()));
  }
  PODIUM_ASSIGN_OR_RETURN(auto http, Http::Open({.ca_bundle = settings.ca_bundle,
                                                 .stall_seconds = settings.stall_seconds}));
  PODIUM_RETURN_IF_ERROR(CanDigest());
  Puller puller(options, settings, std::move(http), events, cancel);
  auto pulled = puller.Run();
  if (pulled.ok() || !puller.is_unreachable()) return pulled;
  // A hub that is down must not stop a program whose model was pulled before.
  auto found = Look(options, settings);
  if (!found.ok()) return pulled;
  events.note(Concat(pulled.status().message(), "\nThe hub does not answer; using what is there"));
  return found;
}

}  // namespace podium::hub
