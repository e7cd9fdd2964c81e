// The certificate and key of the server, and what it speaks with them: TLS 1.2 and 1.3.
#ifndef PODIUM_NET_TLS_H_
#define PODIUM_NET_TLS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"

namespace boost::asio::ssl {
class context;
}

namespace podium {

/// Of each of the two files.
constexpr size_t kPemBytesMax = 1 << 20;

/// Immutable once read; any thread. Connections hold the one they began with.
class TlsIdentity {
 public:
  /// Reads a PEM file with the certificate, its issuers behind it, and one with the certificate's
  /// key, which may be the same file. The error names the file: it cannot be read, has no
  /// certificate or key in it, has a key with a passphrase, or the key is another certificate's.
  static Result<std::shared_ptr<const TlsIdentity>> Read(const std::string& certificate_file,
                                                         const std::string& key_file);
  ~TlsIdentity();
  TlsIdentity(const TlsIdentity&) = delete;
  TlsIdentity& operator=(const TlsIdentity&) = delete;

  boost::asio::ssl::context& context() const { return *context_; }
  /// Who the certificate is for, as it says itself: "CN=podium.example".
  const std::string& subject() const { return subject_; }
  /// From when to when the certificate is valid, in seconds since 1970.
  int64_t valid_from() const { return valid_from_; }
  int64_t valid_until() const { return valid_until_; }

 private:
  TlsIdentity();
  std::unique_ptr<boost::asio::ssl::context> context_;
  std::string subject_;
  int64_t valid_from_ = 0;
  int64_t valid_until_ = 0;
};

}  // namespace podium

#endif  // PODIUM_NET_TLS_H_
