#include "tenon/runtime/grpc/streams.h"

#include <algorithm>

namespace tenon::runtime {

void Completions::serve(grpc::CompletionQueue &queue) {
  void *tag = nullptr;
  bool ok = false;
  while (queue.Next(&tag, &ok)) {
    std::unique_ptr<Function> function(static_cast<Function *>(tag));
    (*function)(ok);
    function.reset(); // what it holds on to, too
    --pending_;
  }
}

Status fromGrpc(const grpc::Status &status) {
  return {static_cast<StatusCode>(status.error_code()), status.error_message()};
}

std::string textOf(const grpc::ByteBuffer &buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (buffer.Dump(&slices).ok())
    for (const grpc::Slice &slice : slices)
      text.append(reinterpret_cast<const char *>(slice.begin()), slice.size());
  return text;
}

grpc::ByteBuffer bufferOf(const std::string &text) {
  grpc::Slice slice(text);
  return {&slice, 1};
}

grpc::ByteBuffer bufferOf(Exchange::Outgoing frame) {
  std::vector<grpc::Slice> slices;
  slices.reserve(2 + frame.chunk.size());
  slices.emplace_back(frame.header.data(), frame.header.size());
  if (!frame.text.empty())
    slices.emplace_back(frame.text);
  for (std::span<const std::byte> piece : frame.chunk)
    slices.emplace_back(
        const_cast<std::byte *>(piece.data()), piece.size(),
        [](void *memory) { delete static_cast<std::shared_ptr<void> *>(memory); },
        new std::shared_ptr<void>(frame.memory));
  return {slices.data(), slices.size()};
}

void OutgoingStream::start(const std::string &method, const std::multimap<std::string, std::string> &metadata,
                           grpc::CompletionQueue &queue) {
  for (const auto &[key, value] : metadata)
    context_.AddMetadata(key, value);
  call_ = stub_.PrepareCall(&context_, method, &queue);
  call_->StartCall(completions_.tag([self = shared_from_this()](bool ok) {
    if (!ok) {
      self->ended();
      return;
    }
    {
      std::lock_guard lock(self->mutex_);
      self->isStarted_ = true;
    }
    // Ends when the call does, or when the peer sends something, which it must not.
    self->call_->Read(&self->nothing_, self->completions_.tag([self](bool) { self->ended(); }));
    self->pump();
  }));
}

void OutgoingStream::pump() {
  std::lock_guard lock(mutex_);
  if (!isStarted_ || isWriting_ || isOver_)
    return;
  std::optional<grpc::ByteBuffer> message = source_();
  if (!message && !isFinishing_)
    return;
  isWriting_ = true; // for good where it finishes
  if (!message) {
    call_->WritesDone(completions_.tag([self = shared_from_this()](bool) {}));
    return;
  }
  call_->Write(*message, completions_.tag([self = shared_from_this()](bool ok) {
    {
      std::lock_guard lock(self->mutex_);
      self->isWriting_ = false;
    }
    if (ok)
      self->pump();
  }));
}

void OutgoingStream::finish() {
  {
    std::lock_guard lock(mutex_);
    isFinishing_ = true;
  }
  pump();
}

bool OutgoingStream::isOver() const {
  std::lock_guard lock(mutex_);
  return isOver_;
}

void OutgoingStream::cancel() { context_.TryCancel(); }

void OutgoingStream::ended() {
  {
    std::lock_guard lock(mutex_);
    if (isOver_)
      return;
    isOver_ = true;
  }
  context_.TryCancel();
  call_->Finish(&status_,
                completions_.tag([self = shared_from_this()](bool) { self->ended_(fromGrpc(self->status_)); }));
}

void IncomingStream::finish(const Status &status) {
  stream.Finish({static_cast<grpc::StatusCode>(status.code()), status.message().substr(0, 1000)},
                completions_.tag([self = shared_from_this()](bool) {}));
}

void IncomingStream::readAll(Receive receive, Ended ended) {
  receive_ = std::move(receive);
  ended_ = std::move(ended);
  read();
}

void IncomingStream::read() {
  stream.Read(&message_, completions_.tag([self = shared_from_this()](bool ok) {
    if (Status status = ok ? self->receive_(self->message_) : Status(); !ok || !status.ok()) {
      self->finish(status);
      self->ended_();
    } else {
      self->read();
    }
  }));
}

void IncomingStream::answer(std::function<std::string(const std::string &)> answer) {
  stream.Read(&message_, completions_.tag([self = shared_from_this(), answer = std::move(answer)](bool ok) {
    if (!ok) {
      self->finish(invalidArgument("a request is missing"));
      return;
    }
    self->stream.WriteAndFinish(bufferOf(answer(textOf(self->message_))), {}, grpc::Status::OK,
                                self->completions_.tag([self](bool) {}));
  }));
}

} // namespace tenon::runtime
