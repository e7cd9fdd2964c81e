#include "hub/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "base/concat.h"
#include "hub/shared_library.h"

namespace podium::hub {
namespace {

constexpr size_t kStepBytes = size_t{1} << 20;  // between two looks at `cancel`

// What we call of libcrypto, which is loaded with the first call.
struct CryptoApi {
  decltype(&EVP_MD_CTX_new) make;
  decltype(&EVP_MD_CTX_free) free;
  decltype(&EVP_DigestInit_ex) init;
  decltype(&EVP_DigestUpdate) update;
  decltype(&EVP_DigestFinal_ex) final;
  decltype(&EVP_sha1) sha1;
  decltype(&EVP_sha256) sha256;
  Status status;

  CryptoApi() {
    SharedLibrary library("libcrypto.so.3", "libssl3");
    library.Find("EVP_MD_CTX_new", make);
    library.Find("EVP_MD_CTX_free", free);
    library.Find("EVP_DigestInit_ex", init);
    library.Find("EVP_DigestUpdate", update);
    library.Find("EVP_DigestFinal_ex", final);
    library.Find("EVP_sha1", sha1);
    library.Find("EVP_sha256", sha256);
    status = library.status();
  }
};

const CryptoApi& Crypto() {
  static const CryptoApi api;
  return api;
}

struct ContextFree {
  void operator()(EVP_MD_CTX* context) const { Crypto().free(context); }
};

}  // namespace

Status CanDigest() { return Crypto().status; }

bool IsDigest(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Status CheckDigest(const std::string& path, const std::string& expected,
                   const std::atomic<bool>& cancel, FunctionRef<void(uint64_t)> read) {
  // Read, not mapped: a file that someone cuts short meanwhile is an error then, and no SIGBUS.
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff end = file.tellg();
  if (!file || end < 0) return IoError(Concat(path, ": cannot read it back"));
  file.seekg(0);
  const auto size = static_cast<uint64_t>(end);
  const bool is_git = expected.size() == 40;
  const std::unique_ptr<EVP_MD_CTX, ContextFree> context(Crypto().make());
  bool good = context != nullptr &&
              Crypto().init(context.get(), is_git ? Crypto().sha1() : Crypto().sha256(), nullptr);
  if (is_git) {
    const std::string header = Concat("blob ", size, '\0');
    good = good && Crypto().update(context.get(), header.data(), header.size());
  }
  std::vector<char> bytes(kStepBytes);
  uint64_t at = 0;
  while (good && at < size) {
    if (cancel.load(std::memory_order_relaxed)) {
      return Status(StatusCode::kCancelled, "the caller cancelled");
    }
    file.read(bytes.data(),
              static_cast<std::streamsize>(std::min<uint64_t>(kStepBytes, size - at)));
    const auto got = static_cast<size_t>(file.gcount());
    if (got == 0) return IoError(Concat(path, ": cannot read it back, from byte ", at));
    good = Crypto().update(context.get(), bytes.data(), got) == 1;
    at += got;
    read(at);
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned digest_bytes = 0;
  if (!good || Crypto().final(context.get(), digest, &digest_bytes) != 1) {
    return Internal(Concat(path, ": libcrypto refuses ", is_git ? "SHA-1" : "SHA-256"));
  }
  std::string found;
  for (unsigned i = 0; i < digest_bytes; ++i) {
    found.push_back("0123456789abcdef"[digest[i] >> 4]);
    found.push_back("0123456789abcdef"[digest[i] & 15]);
  }
  if (found == expected) return OkStatus();
  return Corrupt(Concat("checksum ", found, ", expected ", expected, " (",
                        is_git ? "git blob SHA-1" : "SHA-256", ", ", size, " bytes)"));
}

}  // namespace podium::hub
