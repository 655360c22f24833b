// Calls of gRPC as the network uses them: one completion queue and one thread for all, messages as bytes.
#pragma once

#include "tenon/runtime/transport/exchange.h"

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>

#include <atomic>
#include <functional>
#include <mutex>

namespace tenon::runtime {

// A completion queue, whose tags are functions: each is called once, with gRPC's "ok".
class Completions {
public:
  using Function = std::function<void(bool ok)>;

  void *tag(Function function) {
    ++pending_;
    return new Function(std::move(function));
  }
  // Calls what completes, until the queue has been shut down and is empty.
  void serve(grpc::CompletionQueue &queue);
  // How many operations have not completed. A function that begins another one counts until that does, so that 0 stays
  // where nobody else begins any: then the queue may be shut down.
  int pending() const { return pending_; }

private:
  std::atomic<int> pending_{0};
};

Status fromGrpc(const grpc::Status &status);
std::string textOf(const grpc::ByteBuffer &buffer);
grpc::ByteBuffer bufferOf(const std::string &text);
// Without copying the chunk.
grpc::ByteBuffer bufferOf(Exchange::Outgoing frame);

// The messages that this process sends to a peer: a call whose only other end is that the peer, or the connection,
// ends.
class OutgoingStream : public std::enable_shared_from_this<OutgoingStream> {
public:
  // The next message; nothing: there is none now. Called with the stream's lock held.
  using Source = std::function<std::optional<grpc::ByteBuffer>()>;
  using Ended = std::function<void(const Status &why)>;

  OutgoingStream(Completions &completions, const std::shared_ptr<grpc::Channel> &channel, Source source, Ended ended)
      : completions_(completions), stub_(channel), source_(std::move(source)), ended_(std::move(ended)) {}

  void start(const std::string &method, const std::multimap<std::string, std::string> &metadata,
             grpc::CompletionQueue &queue);
  // There may be a message. Any thread.
  void pump();
  // Ends the call when there is no message left, and the peer has taken them all.
  void finish();
  bool isOver() const;
  void cancel();

private:
  void ended();

  Completions &completions_;
  grpc::GenericStub stub_;
  const Source source_;
  const Ended ended_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
  grpc::ByteBuffer nothing_; // what the peer sends: it does not
  grpc::Status status_;

  mutable std::mutex mutex_;
  bool isStarted_ = false, isWriting_ = false, isFinishing_ = false, isOver_ = false;
};

// A call of a peer's.
class IncomingStream : public std::enable_shared_from_this<IncomingStream> {
public:
  // An error: the message is damaged, and the call ends with that.
  using Receive = std::function<Status(const grpc::ByteBuffer &message)>;
  using Ended = std::function<void()>;

  explicit IncomingStream(Completions &completions) : completions_(completions) {}

  grpc::GenericServerContext context;
  grpc::GenericServerAsyncReaderWriter stream{&context};

  // Gives each message to `receive` until the call ends.
  void readAll(Receive receive, Ended ended);
  // Answers one message by one, and ends.
  void answer(std::function<std::string(const std::string &)> answer);
  void finish(const Status &status);

private:
  void read();

  Completions &completions_;
  Receive receive_;
  Ended ended_;
  grpc::ByteBuffer message_;
};

} // namespace tenon::runtime
