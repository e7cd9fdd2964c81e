#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <boost/asio/ssl/context.hpp>
#include <boost/system/system_error.hpp>
#include <ctime>
#include <utility>

#include "base/concat.h"
#include "base/file.h"

namespace podium {
namespace {

// Asio's functions return the error that they also put into their argument.
// NOLINTBEGIN(bugprone-unused-return-value)

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using boost::system::error_code;

// Of the protocols that a client offers: HTTP/1.1 where it is among them; else none is agreed on,
// and the client says HTTP/1.1 anyway or leaves.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* chosen_size,
                   const unsigned char* offered, unsigned size, void*) {
  static constexpr unsigned char kHttp11[] = "\x08http/1.1";
  unsigned char* found = nullptr;
  if (SSL_select_next_proto(&found, chosen_size, kHttp11, sizeof kHttp11 - 1, offered, size) !=
      OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_NOACK;
  }
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

int64_t UnixSeconds(const ASN1_TIME* time) {
  std::tm parts = {};
  return ASN1_TIME_to_tm(time, &parts) == 1 ? timegm(&parts) : 0;
}

std::string NameText(const X509_NAME* name) {
  char text[256];
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  if (out == nullptr || X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253) < 0) return "";
  const int size = BIO_read(out.get(), text, sizeof text);
  return std::string(text, static_cast<size_t>(size > 0 ? size : 0));
}

void SetRules(ssl::context& context) {
  SSL_CTX* const native = context.native_handle();
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_options(native, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                  SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  // Sessions are resumed by tickets, which the client keeps: nothing here grows with clients.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_alpn_select_cb(native, ChooseProtocol, nullptr);
}

}  // namespace

TlsIdentity::TlsIdentity() = default;
TlsIdentity::~TlsIdentity() = default;

Result<std::shared_ptr<const TlsIdentity>> TlsIdentity::Read(const std::string& certificate_file,
                                                             const std::string& key_file) {
  PODIUM_ASSIGN_OR_RETURN(const std::string certificate, ReadFile(certificate_file, kPemBytesMax));
  PODIUM_ASSIGN_OR_RETURN(const std::string key, ReadFile(key_file, kPemBytesMax));
  std::shared_ptr<TlsIdentity> identity(new TlsIdentity);
  try {
    identity->context_ = std::make_unique<ssl::context>(ssl::context::tls_server);
  } catch (const boost::system::system_error& error) {
    return Internal(Concat("TLS: ", error.what()));
  }
  ssl::context& context = *identity->context_;
  SetRules(context);
  error_code error;
  context.use_certificate_chain(asio::buffer(certificate), error);
  if (error) {
    return Corrupt(Concat(certificate_file, ": no certificate in PEM form: ", error.message()));
  }
  // Without this OpenSSL asks the terminal.
  bool asked = false;
  context.set_password_callback(
      [&asked](size_t, ssl::context::password_purpose) {
        asked = true;
        return std::string();
      },
      error);
  context.use_private_key(asio::buffer(key), ssl::context::pem, error);
  if (asked) {
    return Unsupported(Concat(key_file, ": the key has a passphrase, expected one without"));
  }
  const bool other = error && ERR_GET_REASON(static_cast<unsigned long>(error.value())) ==
                                  X509_R_KEY_VALUES_MISMATCH;
  // A key of another kind than the certificate's is taken without a word.
  if (other || (!error && SSL_CTX_check_private_key(context.native_handle()) != 1)) {
    return InvalidArgument(
        Concat(key_file, ": not the key of the certificate in ", certificate_file));
  }
  if (error) {
    return Corrupt(Concat(key_file, ": no private key in PEM form for the certificate in ",
                          certificate_file, ": ", error.message()));
  }
  context.set_password_callback(
      [](size_t, ssl::context::password_purpose) { return std::string(); }, error);
  const X509* const shown = SSL_CTX_get0_certificate(context.native_handle());
  identity->subject_ = NameText(X509_get_subject_name(shown));
  identity->valid_from_ = UnixSeconds(X509_get0_notBefore(shown));
  identity->valid_until_ = UnixSeconds(X509_get0_notAfter(shown));
  return std::shared_ptr<const TlsIdentity>(std::move(identity));
}

// NOLINTEND(bugprone-unused-return-value)

}  // namespace podium
