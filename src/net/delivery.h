// The way of a reply to its connection, which needs no memory.
//
// Only connection.cc includes this.
#ifndef PODIUM_NET_DELIVERY_H_
#define PODIUM_NET_DELIVERY_H_

#include <boost/asio/dispatch.hpp>
#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "net/http.h"

namespace podium {

/// What is posted from here is held here: one at a time.
class PostedBlock {
 public:
  template <typename T>
  struct Allocator {
    using value_type = T;
    explicit Allocator(PostedBlock& of) : block(&of) {}
    template <typename U>
    Allocator(const Allocator<U>& other)  // NOLINT(google-explicit-constructor): as allocators do
        : block(other.block) {}
    T* allocate([[maybe_unused]] size_t count) {
      static_assert(sizeof(T) <= kBytes && alignof(T) <= alignof(std::max_align_t));
      PODIUM_CHECK(count == 1 && !std::exchange(block->taken_, true));
      return reinterpret_cast<T*>(block->bytes_);
    }
    void deallocate(T*, size_t) { block->taken_ = false; }
    template <typename U>
    bool operator==(const Allocator<U>& other) const {
      return block == other.block;
    }
    PostedBlock* block;
  };

 private:
  static constexpr size_t kBytes = 512;
  alignas(std::max_align_t) std::byte bytes_[kBytes];
  bool taken_ = false;
};

/// Calls receiver->OnDelivery(reply) on the receiver's thread once its last owner lets go of it:
/// with the reply that was put in, or with none, where there was no memory to make one.
template <typename Receiver>
class Delivery {
 public:
  using Executor = boost::asio::io_context::executor_type;

  /// `block` is the receiver's.
  Delivery(std::shared_ptr<Receiver> receiver, const Executor& executor, PostedBlock& block)
      : receiver_(std::move(receiver)), executor_(executor), block_(block) {}
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  ~Delivery() {
    boost::asio::dispatch(executor_, Arrival{std::move(receiver_), std::move(reply_), &block_});
  }

  void Put(HttpReply reply) { reply_.emplace(std::move(reply)); }

 private:
  struct Arrival {
    using allocator_type = PostedBlock::Allocator<Arrival>;
    allocator_type get_allocator() const { return allocator_type(*block); }
    void operator()() { receiver->OnDelivery(std::move(reply)); }
    std::shared_ptr<Receiver> receiver;
    std::optional<HttpReply> reply;
    PostedBlock* block;
  };
  std::shared_ptr<Receiver> receiver_;
  const Executor executor_;
  PostedBlock& block_;
  std::optional<HttpReply> reply_;
};

}  // namespace podium

#endif  // PODIUM_NET_DELIVERY_H_
