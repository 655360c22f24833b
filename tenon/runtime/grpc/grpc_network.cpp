#include "tenon/runtime/grpc/grpc_network.h"

#include "tenon/support/secret.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <charconv>
#include <condition_variable>
#include <cstdlib>

namespace tenon::runtime {
namespace {

using std::chrono::milliseconds;

constexpr const char kFramesMethod[] = "/tenon.Processes/Frames", kControlMethod[] = "/tenon.Processes/Control",
                     kKeysMethod[] = "/tenon.Processes/Keys";
constexpr const char kAuthorization[] = "authorization", kProcess[] = "tenon-process";
// Calls that may wait for the start to end.
constexpr size_t kMaxEarly = size_t{1} << 14;

std::string metadata(const grpc::ServerContext &context, const char *key) {
  auto found = context.client_metadata().find(key);
  return found == context.client_metadata().end() ? "" : std::string(found->second.data(), found->second.size());
}

std::string bearer(const std::string &token) { return "Bearer " + token; }

std::shared_ptr<grpc::ServerCredentials> serverCredentials(const NetworkSecurity &security) {
  if (!security.isEncrypted())
    return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = security.authorities;
  tls.pem_key_cert_pairs.push_back({security.privateKey, security.certificate});
  return grpc::SslServerCredentials(tls);
}

// Each message is as long as ours are at most: longer ones end the call before there is memory for them.
constexpr int kMaxMessageBytes =
    static_cast<int>(std::max({kMaxFrameBytes, Network::kMaxControlBytes, kMaxKeyMessageBytes}));

// gRPC receives into blocks of 64 KiB that come and go. What is free at the end of a thread's heap glibc gives back to
// the system when it is more than 128 KiB, so that nearly every block would be of fresh pages. Once a program has freed
// a block that had a mapping of its own, glibc keeps twice as much as that had.
void keepFreedMemory() {
  constexpr size_t kHalfOfWhatIsKept = size_t{8} << 20;
  void *volatile block = std::malloc(kHalfOfWhatIsKept); // volatile: what nobody looks at is not asked for
  std::free(block);
}

void setServerArguments(grpc::ServerBuilder &builder) {
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 16); // of a connection
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

} // namespace

StatusOr<std::unique_ptr<GrpcNetwork>> GrpcNetwork::start(const NetworkOptions &options) {
  std::unique_ptr<GrpcNetwork> network(new GrpcNetwork(options));
  keepFreedMemory();
  grpc::ServerBuilder builder;
  builder.AddListeningPort(options.listen, serverCredentials(options.security), &network->port_);
  setServerArguments(builder);
  builder.RegisterAsyncGenericService(&network->service_);
  network->queue_ = builder.AddCompletionQueue();
  network->server_ = builder.BuildAndStart();
  if (!network->server_ || network->port_ == 0)
    return Status(StatusCode::kUnavailable,
                  "cannot listen on " + options.listen +
                      (options.security.isEncrypted() ? ", or certificate and private key do not fit together" : ""));
  network->accept();
  network->thread_ = std::thread([it = network.get()] { it->completions_.serve(*it->queue_); });
  return network;
}

GrpcNetwork::~GrpcNetwork() { shutDown({}, /*hasFailed=*/true); }

void GrpcNetwork::accept() {
  auto call = std::make_shared<IncomingStream>(completions_);
  service_.RequestCall(&call->context, &call->stream, queue_.get(), queue_.get(),
                       completions_.tag([this, call](bool ok) {
                         if (!ok)
                           return; // the server ends
                         accept();
                         admit(call);
                       }));
}

void GrpcNetwork::admit(const std::shared_ptr<IncomingStream> &call) {
  const std::string &method = call->context.method();
  if (method == kKeysMethod && !options_.keyToken.empty()) {
    if (!isSecret(metadata(call->context, kAuthorization), bearer(options_.keyToken)))
      call->finish({StatusCode::kUnauthenticated, "the call does not bear the job's token"});
    else
      call->answer([this](const std::string &request) { return keys_.answer(request); });
    return;
  }
  if (method != kFramesMethod && method != kControlMethod) {
    call->finish(unimplemented("there is no " + method + " here"));
    return;
  }
  {
    std::lock_guard lock(mutex_);
    if (!isOpen_) {
      if (early_.size() < kMaxEarly && !isEnding_)
        early_.push_back(call);
      else
        call->finish({StatusCode::kResourceExhausted, "the process has not started, or ends"});
      return;
    }
  }
  StatusOr<Peer> peer = identify(*call);
  Kind kind = method == kControlMethod ? Kind::kControl : Kind::kFrames;
  if (!peer.ok())
    call->finish(peer.status());
  else if (isTwice(*peer, kind))
    call->finish({StatusCode::kAlreadyExists, "the process is connected already"});
  else
    read(call, *peer, kind);
}

StatusOr<Peer> GrpcNetwork::identify(const IncomingStream &call) const {
  std::string text = metadata(call.context, kProcess);
  Peer peer = -1;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), peer);
  bool isKnown = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && peer >= 0 &&
                 static_cast<size_t>(peer) < addresses_.size() && peer != self_;
  if (!isKnown ||
      !isSecret(metadata(call.context, kAuthorization), bearer(addresses_[static_cast<size_t>(peer)].token)))
    return Status(StatusCode::kUnauthenticated, "the call is not from one of the job's processes");
  return peer;
}

bool GrpcNetwork::isTwice(Peer peer, Kind kind) {
  std::lock_guard lock(mutex_);
  return !incoming_.emplace(peer, kind).second;
}

void GrpcNetwork::read(const std::shared_ptr<IncomingStream> &call, Peer peer, Kind kind) {
  auto receive = [this, peer, kind](const grpc::ByteBuffer &message) -> Status {
    if (kind == Kind::kControl) {
      if (message.Length() > kMaxControlBytes)
        return {StatusCode::kResourceExhausted, "the message is too long"};
      events_->controlled(peer, textOf(message));
      return {};
    }
    std::vector<grpc::Slice> slices;
    if (!message.Dump(&slices).ok())
      return {StatusCode::kDataLoss, "the message cannot be read"};
    std::vector<std::span<const std::byte>> pieces;
    pieces.reserve(slices.size());
    for (const grpc::Slice &slice : slices)
      pieces.push_back(std::as_bytes(std::span(slice.begin(), slice.size())));
    return events_->received(peer, pieces);
  };
  call->readAll(receive, [this, peer, kind] {
    if (!isEnding_)
      events_->disconnected(peer, kind == Kind::kControl, {});
  });
}

void GrpcNetwork::open(Peer self, std::vector<PeerAddress> addresses, Events &events) {
  self_ = self;
  addresses_ = std::move(addresses);
  events_ = &events;
  for (size_t i = 0; i < addresses_.size(); ++i)
    out_.push_back(std::make_unique<Out>());
  std::vector<std::shared_ptr<IncomingStream>> early;
  {
    std::lock_guard lock(mutex_);
    isOpen_ = true;
    early.swap(early_);
  }
  for (const std::shared_ptr<IncomingStream> &call : early)
    admit(call);
}

std::shared_ptr<grpc::Channel> GrpcNetwork::channel(const std::string &address) const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1); // a connection of its own
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, 16 << 10);
  const NetworkSecurity &security = options_.security;
  if (!security.isEncrypted())
    return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  if (!security.name.empty())
    arguments.SetSslTargetNameOverride(security.name);
  return grpc::CreateCustomChannel(
      address, grpc::SslCredentials({security.authorities, security.privateKey, security.certificate}), arguments);
}

std::optional<grpc::ByteBuffer> GrpcNetwork::nextControl(Peer peer) {
  Out &out = *out_[static_cast<size_t>(peer)];
  std::lock_guard lock(out.messageMutex);
  if (out.messages.empty())
    return std::nullopt;
  grpc::ByteBuffer message = bufferOf(out.messages.front());
  out.messages.pop_front();
  return message;
}

std::shared_ptr<OutgoingStream> GrpcNetwork::stream(Peer peer, Kind kind) {
  Out &out = *out_[static_cast<size_t>(peer)];
  bool isControl = kind == Kind::kControl;
  std::lock_guard lock(out.mutex);
  std::shared_ptr<OutgoingStream> &stream = isControl ? out.control : out.frames;
  if (stream || isEnding_)
    return stream;
  auto source = [this, peer, isControl]() -> std::optional<grpc::ByteBuffer> {
    if (isControl)
      return nextControl(peer);
    std::optional<Exchange::Outgoing> frame = events_->nextFrame(peer);
    return frame ? std::optional(bufferOf(*std::move(frame))) : std::nullopt;
  };
  auto ended = [this, peer, isControl](const Status &why) {
    if (!isEnding_)
      events_->disconnected(peer, isControl, why);
  };
  stream = std::make_shared<OutgoingStream>(completions_, channel(addresses_[static_cast<size_t>(peer)].address),
                                            source, ended);
  stream->start(
      isControl ? kControlMethod : kFramesMethod,
      {{kProcess, std::to_string(self_)}, {kAuthorization, bearer(addresses_[static_cast<size_t>(self_)].token)}},
      *queue_);
  return stream;
}

void GrpcNetwork::wake(Peer peer) {
  if (auto frames = stream(peer, Kind::kFrames))
    frames->pump();
}

void GrpcNetwork::cut(Peer peer) {
  Out &out = *out_[static_cast<size_t>(peer)];
  std::lock_guard lock(out.mutex);
  if (out.frames)
    out.frames->cancel();
}

void GrpcNetwork::control(Peer peer, std::string message) {
  // A peer that takes nothing is noticed by its silence, long before.
  constexpr size_t kMaxMessages = 10'000;
  Out &out = *out_[static_cast<size_t>(peer)];
  {
    std::lock_guard lock(out.messageMutex);
    if (out.messages.size() >= kMaxMessages)
      return;
    out.messages.push_back(std::move(message));
  }
  if (auto control = stream(peer, Kind::kControl))
    control->pump();
}

void GrpcNetwork::shutDown(milliseconds grace, bool) {
  if (!server_)
    return;
  isEnding_ = true;
  std::vector<std::shared_ptr<OutgoingStream>> streams;
  for (auto &out : out_) {
    std::lock_guard lock(out->mutex);
    for (auto &stream : {out->frames, out->control})
      if (stream)
        streams.push_back(stream);
  }
  for (const auto &stream : streams)
    stream->finish();
  auto end = std::chrono::steady_clock::now() + grace;
  for (const auto &stream : streams)
    while (!stream->isOver() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(milliseconds(1));
  for (const auto &stream : streams)
    stream->cancel();
  {
    std::lock_guard lock(mutex_);
    for (const std::shared_ptr<IncomingStream> &call : early_)
      call->finish({StatusCode::kCancelled, "the process ends"});
    early_.clear();
  }
  server_->Shutdown(std::chrono::system_clock::now());
  while (completions_.pending() > 0)
    std::this_thread::sleep_for(milliseconds(1));
  queue_->Shutdown();
  thread_.join();
  server_.reset();
}

// --- Keys ---

namespace {

// Calls wait on a queue of their own.
class GrpcKeyStore final : public KeyStore {
public:
  GrpcKeyStore(const std::shared_ptr<grpc::Channel> &channel, std::string address, std::string token,
               milliseconds timeout)
      : stub_(channel), address_(std::move(address)), token_(std::move(token)), timeout_(timeout) {}

  Status put(const std::string &key, const std::string &value) override {
    auto end = std::chrono::steady_clock::now() + timeout_;
    return call(keyRequest(key, value), end).status();
  }

  StatusOr<std::string> get(const std::string &key, milliseconds timeout) override {
    auto end = std::chrono::steady_clock::now() + timeout;
    for (milliseconds pause(5);; pause = std::min(2 * pause, milliseconds(200))) {
      StatusOr<std::string> value = call(keyRequest(key, std::nullopt), end);
      if (value.ok() || value.status().code() != StatusCode::kNotFound)
        return value;
      if (std::chrono::steady_clock::now() + pause >= end)
        return Status(StatusCode::kDeadlineExceeded, value.status().message());
      std::this_thread::sleep_for(pause);
    }
  }

private:
  // How long a call may take where hardly any time is left: the server is busy when all start.
  static constexpr milliseconds kLeastTime{3'000};

  // Waits for the server to come up, too.
  StatusOr<std::string> call(const std::string &request, std::chrono::steady_clock::time_point end) {
    grpc::ClientContext context;
    end = std::max(end, std::chrono::steady_clock::now() + kLeastTime);
    context.AddMetadata(kAuthorization, bearer(token_));
    context.set_wait_for_ready(true);
    context.set_deadline(std::chrono::system_clock::now() + (end - std::chrono::steady_clock::now()));
    grpc::ByteBuffer answer;
    grpc::Status status;
    grpc::CompletionQueue queue;
    auto call = stub_.PrepareUnaryCall(&context, kKeysMethod, bufferOf(request), &queue);
    call->StartCall();
    Completions completions;
    call->Finish(&answer, &status, completions.tag([&](bool) { queue.Shutdown(); }));
    completions.serve(queue);
    if (status.ok())
      return readKeyAnswer(textOf(answer));
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
      return Status(StatusCode::kUnavailable,
                    "nobody serves keys at " + address_ +
                        ", or its certificate is not trusted: process 0 must be started there");
    return Status(fromGrpc(status).code(), "the keys at " + address_ + ": " + status.error_message());
  }

  grpc::GenericStub stub_;
  const std::string address_, token_;
  const milliseconds timeout_;
};

} // namespace

std::unique_ptr<KeyStore> GrpcNetwork::connectKeys(const std::string &address, const std::string &token,
                                                   milliseconds timeout) {
  return std::make_unique<GrpcKeyStore>(channel(address), address, token, timeout);
}

} // namespace tenon::runtime

extern "C" __attribute__((visibility("default"))) tenon::runtime::Network *
tenonMakeNetwork(uint32_t interface, const tenon::runtime::NetworkOptions &options, tenon::Status &status) {
  if (interface != tenon::runtime::kNetworkInterface) {
    status = tenon::failedPrecondition("the library for several processes is of another version of Tenon");
    return nullptr;
  }
  auto network = tenon::runtime::GrpcNetwork::start(options);
  status = network.status();
  return network.ok() ? network->release() : nullptr;
}
