#include "tenon/remote/remote_service.h"

#include "tenon/remote/address.h"
#include "tenon/remote/connect_error.h"
#include "tenon/remote/wire.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>

namespace tenon::remote {

using std::chrono::milliseconds;
using xla::Literal;
using xla::Shape;

namespace {

// How much later than the server the client gives up, so that the server's answer arrives.
constexpr std::chrono::seconds kGrace{5};

std::shared_ptr<grpc::ChannelCredentials> credentialsOf(const xla::RemoteOptions &options) {
  if (!isEncrypted(options))
    return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({options.ca_certificates, options.private_key, options.certificate});
}

grpc::ChannelArguments argumentsOf(const xla::RemoteOptions &options) {
  grpc::ChannelArguments arguments;
  auto half = std::chrono::duration_cast<milliseconds>(options.keepalive).count() / 2;
  int period = static_cast<int>(std::clamp<int64_t>(half, 1000, 3600 * 1000));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, period);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, period);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_MAX_METADATA_SIZE, kHeaderBytes);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1); // a session is a connection's
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  if (!options.server_name.empty())
    arguments.SetSslTargetNameOverride(options.server_name);
  return arguments;
}

// Writes `part`, and then the bytes as parts that have nothing else; `set` puts a piece into `part`. A call that breaks
// off says why when it is finished.
template <typename Part, typename Set>
void writeParts(grpc::ClientWriter<Part> &writer, Part &part, std::span<const std::span<const char>> blocks, Set set) {
  bool isWritten = writer.Write(part);
  part.Clear();
  isWritten = isWritten && writePieces(blocks, [&](const char *data, size_t size) {
                set(data, size);
                return writer.Write(part);
              });
  if (isWritten)
    writer.WritesDone();
}

} // namespace

// One call: its context, and the header of its request. Handles that went along are handed back where the call did not
// reach the server, or may not have.
class RemoteService::Call {
public:
  explicit Call(RemoteService &service, Deadline deadline = std::nullopt) : service_(service), deadline_(deadline) {
    if (!service.token_.empty())
      context.AddMetadata(kAuthorization, "Bearer " + service.token_);
    if (!deadline)
      return;
    auto left = std::max(*deadline - std::chrono::steady_clock::now(), std::chrono::steady_clock::duration(1));
    timeout_ = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
    left = std::min<std::chrono::steady_clock::duration>(left, std::chrono::hours(24 * 365));
    context.set_deadline(std::chrono::system_clock::now() + left + kGrace);
  }

  void fill(v1::Header &header) {
    header.set_session(service_.session_);
    header.set_timeout_nanoseconds(timeout_);
    std::unique_lock lock(service_.mutex_);
    // Waits for a release that is under way, so that its handles are gone before this call reaches the server.
    auto isFree = [&] {
      return !service_.flushing_ || service_.flushing_ == &context || !service_.lost_.ok() || service_.ending_;
    };
    if (deadline_)
      service_.changed_.wait_until(lock, *deadline_, isFree);
    else
      service_.changed_.wait(lock, isFree);
    take(service_.releasedData_, data_);
    take(service_.releasedExecutables_, executables_);
    header.mutable_released_data()->Assign(data_.begin(), data_.end());
    header.mutable_released_executables()->Assign(executables_.begin(), executables_.end());
  }

  // The status of the call.
  Status finish(const grpc::Status &status) {
    if (status.ok())
      return {};
    std::lock_guard lock(service_.mutex_);
    if (!service_.lost_.ok())
      return service_.lost_;
    auto &data = service_.releasedData_, &executables = service_.releasedExecutables_;
    data.insert(data.end(), data_.begin(), data_.end());
    executables.insert(executables.end(), executables_.begin(), executables_.end());
    return fromGrpc(status);
  }

  grpc::ClientContext context;

private:
  // Moves as many handles as fit a message.
  static void take(std::vector<int64_t> &from, std::vector<int64_t> &to) {
    constexpr size_t kMost = 100'000;
    auto first = from.end() - static_cast<std::ptrdiff_t>(std::min(from.size(), kMost));
    to.assign(first, from.end());
    from.erase(first, from.end());
  }

  RemoteService &service_;
  const Deadline deadline_;
  int64_t timeout_ = 0;
  std::vector<int64_t> data_, executables_;
};

RemoteService::RemoteService(std::string address, const xla::RemoteOptions &options, milliseconds releaseDelay)
    : address_(std::move(address)), token_(options.token), releaseDelay_(releaseDelay),
      channel_(grpc::CreateCustomChannel(address_, credentialsOf(options), argumentsOf(options))),
      stub_(v1::Compute::NewStub(channel_)) {}

StatusOr<std::shared_ptr<RemoteService>>
RemoteService::connect(const std::string &address, const xla::RemoteOptions &options, milliseconds releaseDelay) {
  if (!isUnix(address) && split(address).port < 0)
    return invalidArgument("an address is host:port or unix:/path, and not '" + address + "'");
  if (!options.token.empty() && !isEncrypted(options) && !isLocal(address))
    return invalidArgument("a token travels encrypted, or on this machine alone: '" + address + "' needs TLS");
  if (options.certificate.empty() != options.private_key.empty())
    return invalidArgument("a certificate needs its private key, and the other way about");
  for (const auto &[name, text] : {std::pair("ca_certificates", &options.ca_certificates),
                                   {"certificate", &options.certificate},
                                   {"private_key", &options.private_key}})
    TENON_RETURN_IF_ERROR(checkPem(name, *text));
  std::shared_ptr<RemoteService> service(new RemoteService(address, options, releaseDelay));
  TENON_RETURN_IF_ERROR(service->open(options));
  return service;
}

// Waits until the channel is connected, or the first attempt at all of the host's addresses has failed.
Status RemoteService::reach(const xla::RemoteOptions &options) {
  using std::chrono::system_clock;
  auto end = system_clock::now() + std::chrono::duration_cast<system_clock::duration>(options.connect_timeout);
  for (grpc_connectivity_state state = channel_->GetState(/*try_to_connect=*/true); state != GRPC_CHANNEL_READY;
       state = channel_->GetState(true)) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
      // gRPC tells the reason to calls only.
      grpc::ClientContext context;
      context.set_deadline(end);
      grpc::Status status = stub_->Connect(&context)->Finish();
      return {StatusCode::kUnavailable, connectError(address_, options, status.error_message())};
    }
    if (!channel_->WaitForStateChange(state, end)) {
      double seconds = std::chrono::duration<double>(options.connect_timeout).count();
      return {StatusCode::kUnavailable,
              connectError(address_, options, "no answer within " + std::to_string(seconds) + " s")};
    }
  }
  return {};
}

Status RemoteService::open(const xla::RemoteOptions &options) {
  TENON_RETURN_IF_ERROR(reach(options));
  if (!token_.empty())
    connectionContext_.AddMetadata(kAuthorization, "Bearer " + token_);
  connection_ = stub_->Connect(&connectionContext_);
  v1::ConnectReply reply;
  bool isOpen = connection_->Write(v1::ConnectRequest()) && connection_->Read(&reply);
  if (!isOpen) {
    Status status = fromGrpc(connection_->Finish());
    connection_.reset();
    if (status.ok())
      return {StatusCode::kUnavailable, address_ + " has ended the connection"};
    if (status.code() == StatusCode::kUnavailable)
      return {StatusCode::kUnavailable, connectError(address_, options, status.message())};
    return status;
  }
  session_ = reply.session();
  platform_ = reply.platform_name();
  devices_ = reply.device_count();
  watcher_ = std::thread([this] { watch(); });
  flusher_ = std::thread([this] { flush(); });
  return {};
}

RemoteService::~RemoteService() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    if (flushing_)
      flushing_->TryCancel();
  }
  changed_.notify_all();
  if (flusher_.joinable())
    flusher_.join();
  connectionContext_.TryCancel();
  if (watcher_.joinable())
    watcher_.join();
}

// Reads the connection until it ends, and then marks the service as lost.
void RemoteService::watch() {
  v1::ConnectReply reply;
  while (connection_->Read(&reply)) {
  }
  grpc::Status status = connection_->Finish();
  std::lock_guard lock(mutex_);
  std::string why = status.error_message().empty() ? "" : ": " + status.error_message();
  lost_ = Status(StatusCode::kUnavailable, "the connection to " + address_ + " is lost" + why);
  changed_.notify_all();
}

Status RemoteService::lost() const {
  std::lock_guard lock(mutex_);
  return lost_;
}

// Sends what was released and no call has taken along.
void RemoteService::flush() {
  std::unique_lock lock(mutex_);
  auto isDone = [&] { return ending_ || !lost_.ok(); };
  while (true) {
    changed_.wait(lock, [&] { return isDone() || !releasedData_.empty() || !releasedExecutables_.empty(); });
    if (isDone() || changed_.wait_for(lock, releaseDelay_, isDone))
      return;
    if (releasedData_.empty() && releasedExecutables_.empty())
      continue;
    Call call(*this, std::chrono::steady_clock::now() + kGrace);
    flushing_ = &call.context;
    lock.unlock();
    v1::ReleaseRequest request;
    v1::ReleaseReply reply;
    call.fill(*request.mutable_header());
    (void)call.finish(stub_->Release(&call.context, request, &reply));
    lock.lock();
    flushing_ = nullptr;
    changed_.notify_all();
  }
}

// --- Data ---

StatusOr<int64_t> RemoteService::TransferToServer(const Literal &literal) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this);
  v1::DataReply reply;
  auto writer = stub_->TransferToServer(&call.context, &reply);
  v1::ValuePart part;
  call.fill(*part.mutable_header());
  *part.mutable_shape() = literal.shape();
  writeParts(*writer, part, bytesOf(literal), [&](const char *data, size_t size) { part.set_data(data, size); });
  TENON_RETURN_IF_ERROR(call.finish(writer->Finish()));
  return reply.data();
}

StatusOr<Literal> RemoteService::readValue(Call &call, grpc::ClientReader<v1::Piece> &reader, const Shape &shape) {
  auto stop = [&](Status status) {
    call.context.TryCancel();
    (void)reader.Finish();
    return status;
  };
  auto literal = Literal::Create(shape);
  if (!literal.ok())
    return stop(literal.status());
  std::vector<std::span<char>> blocks;
  for (std::span<const char> block : bytesOf(*literal))
    blocks.emplace_back(const_cast<char *>(block.data()), block.size());
  PieceReader pieces(std::move(blocks));
  v1::Piece piece;
  while (reader.Read(&piece))
    if (Status status = pieces.add(piece.data()); !status.ok())
      return stop({StatusCode::kDataLoss, status.message()});
  TENON_RETURN_IF_ERROR(call.finish(reader.Finish()));
  Status status = pieces.finish();
  if (status.ok())
    status = acceptBytes(*literal);
  if (!status.ok())
    return Status(StatusCode::kDataLoss, status.message());
  return literal;
}

StatusOr<Literal> RemoteService::TransferFromServer(int64_t data, const Shape &shape) {
  TENON_RETURN_IF_ERROR(lost());
  TENON_RETURN_IF_ERROR(checkSendable(shape));
  Call call(*this);
  v1::TransferFromServerRequest request;
  call.fill(*request.mutable_header());
  request.set_data(data);
  *request.mutable_shape() = shape;
  auto reader = stub_->TransferFromServer(&call.context, request);
  return readValue(call, *reader, shape);
}

StatusOr<std::vector<int64_t>> RemoteService::DeconstructTuple(int64_t data) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this);
  v1::DataRequest request;
  v1::DeconstructTupleReply reply;
  call.fill(*request.mutable_header());
  request.set_data(data);
  TENON_RETURN_IF_ERROR(call.finish(stub_->DeconstructTuple(&call.context, request, &reply)));
  return std::vector<int64_t>(reply.elements().begin(), reply.elements().end());
}

Status RemoteService::Release(int64_t data) {
  std::lock_guard lock(mutex_);
  if (!lost_.ok())
    return lost_;
  releasedData_.push_back(data);
  changed_.notify_all();
  return {};
}

// --- Programs ---

StatusOr<int64_t> RemoteService::Compile(const xla::CompileRequest &request) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this);
  v1::CompileReply reply;
  auto writer = stub_->Compile(&call.context, &reply);
  v1::ProgramPart part;
  call.fill(*part.mutable_header());
  part.set_name(request.name);
  *part.mutable_shape() = request.shape;
  std::span<const char> program(request.program);
  writeParts(*writer, part, {&program, 1}, [&](const char *data, size_t size) { part.set_program(data, size); });
  TENON_RETURN_IF_ERROR(call.finish(writer->Finish()));
  return reply.executable();
}

StatusOr<int64_t> RemoteService::Execute(const xla::ExecuteRequest &request, xla::ExecutionProfile *profile) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this, request.deadline);
  v1::ExecuteRequest message;
  v1::ExecuteReply reply;
  call.fill(*message.mutable_header());
  message.set_executable(request.executable);
  message.mutable_arguments()->Assign(request.arguments.begin(), request.arguments.end());
  if (request.seed)
    message.set_seed(*request.seed);
  TENON_RETURN_IF_ERROR(call.finish(stub_->Execute(&call.context, message, &reply)));
  if (profile)
    profile->compute_time = std::chrono::nanoseconds(reply.compute_nanoseconds());
  return reply.data();
}

StatusOr<std::vector<int64_t>> RemoteService::ExecuteParallel(const xla::ParallelExecuteRequest &request,
                                                              xla::ExecutionProfile *profile) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this, request.deadline);
  v1::ExecuteParallelRequest message;
  v1::ExecuteParallelReply reply;
  call.fill(*message.mutable_header());
  message.set_num_replicas(request.num_replicas);
  message.set_num_partitions(request.num_partitions);
  for (const auto &process : request.processes) {
    v1::ExecuteParallelRequest::Process &entry = *message.add_processes();
    entry.set_executable(process.executable);
    entry.mutable_arguments()->Assign(process.arguments.begin(), process.arguments.end());
  }
  if (request.seed)
    message.set_seed(*request.seed);
  TENON_RETURN_IF_ERROR(call.finish(stub_->ExecuteParallel(&call.context, message, &reply)));
  if (static_cast<size_t>(reply.data_size()) != request.processes.size())
    return Status(StatusCode::kDataLoss, "the server gave " + std::to_string(reply.data_size()) + " results for " +
                                             std::to_string(request.processes.size()) + " processes");
  if (profile)
    profile->compute_time = std::chrono::nanoseconds(reply.compute_nanoseconds());
  return std::vector<int64_t>(reply.data().begin(), reply.data().end());
}

StatusOr<xla::ExecutableAnalysis> RemoteService::Analyze(int64_t executable) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this);
  v1::AnalyzeRequest request;
  call.fill(*request.mutable_header());
  request.set_executable(executable);
  auto reader = stub_->Analyze(&call.context, request);
  std::string bytes;
  v1::Piece piece;
  while (reader->Read(&piece))
    bytes += piece.data();
  TENON_RETURN_IF_ERROR(call.finish(reader->Finish()));
  xla::ExecutableAnalysis analysis;
  if (!analysis.ParseFromString(bytes))
    return Status(StatusCode::kDataLoss, "what the server says of its executable cannot be read");
  return analysis;
}

Status RemoteService::ReleaseExecutable(int64_t executable) {
  std::lock_guard lock(mutex_);
  if (!lost_.ok())
    return lost_;
  releasedExecutables_.push_back(executable);
  changed_.notify_all();
  return {};
}

// --- Streams ---

Status RemoteService::TransferToInfeed(const Literal &literal, int64_t device, Deadline deadline) {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this, deadline);
  v1::TransferToInfeedReply reply;
  auto writer = stub_->TransferToInfeed(&call.context, &reply);
  v1::ValuePart part;
  call.fill(*part.mutable_header());
  *part.mutable_shape() = literal.shape();
  part.set_device(device);
  writeParts(*writer, part, bytesOf(literal), [&](const char *data, size_t size) { part.set_data(data, size); });
  return call.finish(writer->Finish());
}

StatusOr<Literal> RemoteService::TransferFromOutfeed(const Shape &shape, int64_t device, Deadline deadline) {
  TENON_RETURN_IF_ERROR(lost());
  TENON_RETURN_IF_ERROR(checkSendable(shape));
  Call call(*this, deadline);
  v1::TransferFromOutfeedRequest request;
  call.fill(*request.mutable_header());
  request.set_device(device);
  *request.mutable_shape() = shape;
  auto reader = stub_->TransferFromOutfeed(&call.context, request);
  return readValue(call, *reader, shape);
}

StatusOr<xla::ServiceStatistics> RemoteService::GetStatistics() {
  TENON_RETURN_IF_ERROR(lost());
  Call call(*this);
  v1::StatisticsRequest request;
  v1::StatisticsReply reply;
  call.fill(*request.mutable_header());
  TENON_RETURN_IF_ERROR(call.finish(stub_->GetStatistics(&call.context, request, &reply)));
  xla::ServiceStatistics statistics;
  statistics.compilations = reply.compilations();
  statistics.executions = reply.executions();
  statistics.executables = reply.executables();
  statistics.allocations = reply.allocations();
  statistics.bytes = reply.bytes();
  return statistics;
}

} // namespace tenon::remote

namespace tenon::xla_2017 {

StatusOr<std::unique_ptr<Client>> ConnectRemote(const std::string &address, const RemoteOptions &options) {
  TENON_ASSIGN_OR_RETURN(auto service, tenon::remote::RemoteService::connect(address, options));
  return std::make_unique<Client>(std::move(service));
}

} // namespace tenon::xla_2017
