#include "hub/http.h"

#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <ctime>
#include <exception>
#include <filesystem>

#include "base/check.h"
#include "base/concat.h"
#include "hub/shared_library.h"
#include "podium/version.h"

namespace podium::hub {
namespace {

// What we call of libcurl, which is loaded with the first call.
struct CurlApi {
  decltype(&curl_global_init) global_init;
  decltype(&curl_easy_init) easy_init;
  decltype(&curl_easy_cleanup) easy_cleanup;
  decltype(&curl_easy_reset) easy_reset;
  decltype(&curl_easy_setopt) easy_setopt;
  decltype(&curl_easy_perform) easy_perform;
  decltype(&curl_easy_getinfo) easy_getinfo;
  decltype(&curl_easy_strerror) easy_strerror;
  decltype(&curl_easy_escape) easy_escape;
  decltype(&curl_easy_nextheader) easy_nextheader;
  decltype(&curl_free) free;
  decltype(&curl_slist_append) slist_append;
  decltype(&curl_slist_free_all) slist_free_all;
  decltype(&curl_getdate) getdate;
  decltype(&curl_url) url;
  decltype(&curl_url_cleanup) url_cleanup;
  decltype(&curl_url_set) url_set;
  decltype(&curl_url_get) url_get;
  Status status;

  CurlApi() {
    SharedLibrary library("libcurl.so.4", "libcurl4");
    library.Find("curl_global_init", global_init);
    library.Find("curl_easy_init", easy_init);
    library.Find("curl_easy_cleanup", easy_cleanup);
    library.Find("curl_easy_reset", easy_reset);
    library.Find("curl_easy_setopt", easy_setopt);
    library.Find("curl_easy_perform", easy_perform);
    library.Find("curl_easy_getinfo", easy_getinfo);
    library.Find("curl_easy_strerror", easy_strerror);
    library.Find("curl_easy_escape", easy_escape);
    library.Find("curl_easy_nextheader", easy_nextheader);
    library.Find("curl_free", free);
    library.Find("curl_slist_append", slist_append);
    library.Find("curl_slist_free_all", slist_free_all);
    library.Find("curl_getdate", getdate);
    library.Find("curl_url", url);
    library.Find("curl_url_cleanup", url_cleanup);
    library.Find("curl_url_set", url_set);
    library.Find("curl_url_get", url_get);
    status = library.status();
    if (status.ok() && global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
      status = Internal("libcurl does not start");
    }
  }
};

const CurlApi& Curl() {
  static const CurlApi api;
  return api;
}

struct CurlStringFree {
  void operator()(char* text) const { Curl().free(text); }
};
using CurlString = std::unique_ptr<char, CurlStringFree>;

struct UrlFree {
  void operator()(CURLU* url) const { Curl().url_cleanup(url); }
};
using Url = std::unique_ptr<CURLU, UrlFree>;

struct ListFree {
  void operator()(curl_slist* list) const { Curl().slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListFree>;

Url ParseUrl(const std::string& text) {
  Url url(Curl().url());
  if (url && Curl().url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) url.reset();
  return url;
}

std::string UrlPart(const Url& url, CURLUPart part, unsigned flags = 0) {
  char* text = nullptr;
  if (!url || Curl().url_get(url.get(), part, &text, flags) != CURLUE_OK) return "";
  return CurlString(text).get();
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Retry-After as seconds or as a date; else the "t" of a rate limit that is used up:
// RateLimit: "api";r=0;t=55
std::optional<double> RetryAfter(const HttpReply& reply) {
  const std::string after = reply.Header("retry-after");
  if (!after.empty() && after.size() <= 9 &&
      after.find_first_not_of("0123456789") == std::string::npos) {
    return std::stod(after);
  }
  if (!after.empty()) {
    const time_t at = Curl().getdate(after.c_str(), nullptr);
    if (at != -1) return std::max(0.0, std::difftime(at, std::time(nullptr)));
  }
  const std::string limit = reply.Header("ratelimit");
  const size_t t = limit.find(";t=");
  if (limit.find(";r=0") == std::string::npos || t == std::string::npos) return std::nullopt;
  const std::string digits =
      limit.substr(t + 3, limit.find_first_not_of("0123456789", t + 3) - (t + 3));
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  return std::stod(digits);
}

class CurlHttp final : public Http {
 public:
  CurlHttp(CURL* handle, Options options) : handle_(handle), options_(std::move(options)) {}
  ~CurlHttp() override { Curl().easy_cleanup(handle_); }
  CurlHttp(const CurlHttp&) = delete;
  CurlHttp& operator=(const CurlHttp&) = delete;

  HttpOutcome Perform(const HttpRequest& request, BodySink* sink,
                      const std::atomic<bool>& cancel) override;

 private:
  // One request under way; what the callbacks see.
  struct Exchange {
    CurlHttp* http;
    BodySink* sink;
    const std::atomic<bool>* cancel;
    HttpOutcome* outcome;
    bool begun = false;
    size_t discarded = 0;
  };

  static size_t OnBody(char* data, size_t one, size_t size, void* exchange);
  static int OnProgress(void* exchange, curl_off_t, curl_off_t, curl_off_t, curl_off_t);
  Status Begin(Exchange& exchange);
  void ReadReply(HttpReply& reply);
  void Prepare(const HttpRequest& request, Exchange& exchange, const List& headers);
  HttpOutcome Explain(CURLcode code, const HttpRequest& request) const;

  CURL* const handle_;
  const Options options_;
  char error_[CURL_ERROR_SIZE] = {};
};

template <typename T>
void Set(CURL* handle, CURLoption option, T value) {
  // Every option we set exists since 7.85; only memory can fail.
  PODIUM_CHECK(Curl().easy_setopt(handle, option, value) == CURLE_OK);
}

void CurlHttp::ReadReply(HttpReply& reply) {
  long status = 0;
  Curl().easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  curl_header* header = nullptr;
  for (size_t i = 0; i < kHeadersMax; ++i) {
    header = Curl().easy_nextheader(handle_, CURLH_HEADER, -1, header);
    if (header == nullptr) break;
    reply.headers.emplace(Lower(header->name), header->value);
  }
  const char* redirect = nullptr;
  Curl().easy_getinfo(handle_, CURLINFO_REDIRECT_URL, &redirect);
  if (redirect != nullptr && status >= 300 && status < 400) reply.redirect = redirect;
  reply.retry_after_seconds = RetryAfter(reply);
}

Status CurlHttp::Begin(Exchange& exchange) {
  if (exchange.begun) return OkStatus();
  exchange.begun = true;
  ReadReply(exchange.outcome->reply);
  const int status = exchange.outcome->reply.status;
  const bool wanted = exchange.sink != nullptr && status >= 200 && status < 300;
  if (!wanted) exchange.sink = nullptr;
  return wanted ? exchange.sink->Begin(exchange.outcome->reply) : OkStatus();
}

size_t CurlHttp::OnBody(char* data, size_t one, size_t size, void* opaque) {
  Exchange& exchange = *static_cast<Exchange*>(opaque);
  const size_t bytes = one * size;
  Status& status = exchange.outcome->status;
  try {
    status = exchange.http->Begin(exchange);
    if (status.ok() && exchange.sink != nullptr) {
      status = exchange.sink->Take(std::string_view(data, bytes));
    }
  } catch (const std::exception& error) {  // a failed allocation must not fly through C
    status = ResourceExhausted(error.what());
  }
  if (!status.ok()) return bytes == 0 ? 1 : 0;  // anything but `bytes` ends the transfer
  if (exchange.sink == nullptr) exchange.discarded += bytes;
  return exchange.discarded > kErrorBodyBytesMax ? 0 : bytes;
}

int CurlHttp::OnProgress(void* opaque, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<Exchange*>(opaque)->cancel->load(std::memory_order_relaxed) ? 1 : 0;
}

void CurlHttp::Prepare(const HttpRequest& request, Exchange& exchange, const List& headers) {
  Curl().easy_reset(handle_);  // connections stay open
  error_[0] = '\0';
  Set(handle_, CURLOPT_URL, request.url.c_str());
  Set(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  Set(handle_, CURLOPT_NOSIGNAL, 1L);
  Set(handle_, CURLOPT_USERAGENT, Concat("podium/", Version()).c_str());
  Set(handle_, CURLOPT_HTTPHEADER, headers.get());
  Set(handle_, CURLOPT_ERRORBUFFER, error_);
  Set(handle_, CURLOPT_CONNECTTIMEOUT, static_cast<long>(kConnectSeconds));
  Set(handle_, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
  Set(handle_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.stall_seconds));
  Set(handle_, CURLOPT_BUFFERSIZE, 512L << 10);
  Set(handle_, CURLOPT_WRITEFUNCTION, &CurlHttp::OnBody);
  Set(handle_, CURLOPT_WRITEDATA, &exchange);
  Set(handle_, CURLOPT_NOPROGRESS, 0L);
  Set(handle_, CURLOPT_XFERINFOFUNCTION, &CurlHttp::OnProgress);
  Set(handle_, CURLOPT_XFERINFODATA, &exchange);
  if (request.head) Set(handle_, CURLOPT_NOBODY, 1L);
  if (request.from > 0) {
    Set(handle_, CURLOPT_RANGE, Concat(request.from, "-").c_str());
  }
  if (!options_.ca_bundle.empty()) {
    std::error_code error;
    const bool folder = std::filesystem::is_directory(options_.ca_bundle, error);
    Set(handle_, folder ? CURLOPT_CAPATH : CURLOPT_CAINFO, options_.ca_bundle.c_str());
  }
}

HttpOutcome CurlHttp::Explain(CURLcode code, const HttpRequest& request) const {
  const std::string detail = error_[0] != '\0' ? error_ : Curl().easy_strerror(code);
  const auto outcome = [&](Failure failure, const std::string& message) {
    return HttpOutcome{failure, IoError(Concat(DisplayUrl(request.url), ": ", message)), {}};
  };
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return outcome(Failure::kUnreachable, detail + " (no network, or a wrong name?)");
    case CURLE_COULDNT_CONNECT:
      return outcome(Failure::kUnreachable, detail);
    case CURLE_OPERATION_TIMEDOUT: {
      curl_off_t connected = 0;
      Curl().easy_getinfo(handle_, CURLINFO_CONNECT_TIME_T, &connected);
      if (connected == 0) return outcome(Failure::kUnreachable, detail);
      return outcome(Failure::kBroken,
                     Concat("no data to speak of for ", options_.stall_seconds, " s"));
    }
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return outcome(Failure::kTls,
                     Concat(detail,
                            "\nBehind a proxy with a certificate of its own, name its "
                            "bundle in SSL_CERT_FILE"));
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_OUT_OF_MEMORY:
    case CURLE_FAILED_INIT:
      return outcome(Failure::kLocal, detail);
    default:
      return outcome(Failure::kBroken, detail);
  }
}

HttpOutcome CurlHttp::Perform(const HttpRequest& request, BodySink* sink,
                              const std::atomic<bool>& cancel) {
  HttpOutcome outcome;
  outcome.reply.url = request.url;
  Exchange exchange{.http = this, .sink = sink, .cancel = &cancel, .outcome = &outcome};
  List headers;
  const auto add = [&](const std::string& line) {
    curl_slist* longer = Curl().slist_append(headers.get(), line.c_str());
    PODIUM_CHECK(longer != nullptr);
    [[maybe_unused]] curl_slist* const shorter =
        headers.release();  // the longer one starts with it
    headers.reset(longer);
  };
  add("Accept-Encoding: identity");  // sizes and checksums are those of the file itself
  if (!request.token.empty()) add(Concat("Authorization: Bearer ", request.token));
  Prepare(request, exchange, headers);
  const CURLcode code = Curl().easy_perform(handle_);
  if (cancel.load(std::memory_order_relaxed)) {
    return {Failure::kLocal, Status(StatusCode::kCancelled, "the caller cancelled"), {}};
  }
  if (!outcome.status.ok()) {
    outcome.failure = Failure::kLocal;
    return outcome;
  }
  const bool whole = code == CURLE_OK || exchange.discarded > kErrorBodyBytesMax;
  if (!whole) return Explain(code, request);
  outcome.status = Begin(exchange);
  if (!outcome.status.ok()) outcome.failure = Failure::kLocal;
  return outcome;
}

}  // namespace

std::string HttpReply::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

Result<std::unique_ptr<Http>> Http::Open(const Options& options) {
  PODIUM_RETURN_IF_ERROR(Curl().status);
  CURL* handle = Curl().easy_init();
  if (handle == nullptr) return Internal("libcurl does not start");
  if (std::error_code error;
      !options.ca_bundle.empty() && !std::filesystem::exists(options.ca_bundle, error)) {
    Curl().easy_cleanup(handle);
    return NotFound(Concat(options.ca_bundle,
                           ": no such certificate bundle (SSL_CERT_FILE, REQUESTS_CA_BUNDLE or "
                           "CURL_CA_BUNDLE names it)"));
  }
  return std::unique_ptr<Http>(std::make_unique<CurlHttp>(handle, options));
}

std::string Origin(const std::string& url) {
  const Url parsed = ParseUrl(url);
  const std::string host = Lower(UrlPart(parsed, CURLUPART_HOST));
  if (host.empty()) return "";
  return Concat(Lower(UrlPart(parsed, CURLUPART_SCHEME)), "://", host, ":",
                UrlPart(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT));
}

std::string DisplayUrl(const std::string& url) {
  const Url parsed = ParseUrl(url);
  if (!parsed) return "(a malformed URL)";
  for (const CURLUPart part :
       {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT}) {
    Curl().url_set(parsed.get(), part, nullptr, 0);
  }
  return UrlPart(parsed, CURLUPART_URL);
}

std::string EscapeSegment(const std::string& text) {
  const CurlString escaped(Curl().easy_escape(nullptr, text.data(), static_cast<int>(text.size())));
  PODIUM_CHECK(escaped != nullptr);
  return escaped.get();
}

}  // namespace podium::hub
