#include "tenon/server/compute.h"

#include "tenon/remote/wire.h"
#include "tenon/server/log.h"
#include "tenon/server/token.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <malloc.h>
#include <new>

namespace tenon::server {

using remote::toGrpc;
using std::chrono::nanoseconds;
using xla::Literal;
using xla::Shape;
using xla::ShapeUtil;

namespace {

class Counted {
public:
  explicit Counted(std::atomic<int> &count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted &) = delete;
  Counted &operator=(const Counted &) = delete;

private:
  std::atomic<int> &count_;
};

// The rest of the parts, into memory.
Status readPieces(grpc::ServerReader<v1::ValuePart> &reader, const std::string &first,
                  std::vector<std::span<char>> blocks, Metrics &metrics) {
  remote::PieceReader pieces(std::move(blocks));
  Status status = pieces.add(first);
  v1::ValuePart part;
  while (status.ok() && reader.Read(&part)) {
    metrics.receivedBytes += static_cast<int64_t>(part.data().size());
    status = pieces.add(part.data());
  }
  return status.ok() ? pieces.finish() : status;
}

} // namespace

Status ComputeService::admit(const grpc::ServerContext &context) const {
  if (refuses_)
    return {StatusCode::kUnavailable, "the server is shutting down"};
  auto found = context.client_metadata().find(remote::kAuthorization);
  bool isThere = found != context.client_metadata().end();
  return checkToken(isThere ? std::string_view(found->second.data(), found->second.size()) : "", token_);
}

ComputeService::Deadline ComputeService::deadlineOf(const grpc::ServerContext &context,
                                                    const v1::Header &header) const {
  auto now = std::chrono::steady_clock::now();
  Deadline deadline;
  auto limit = [&](nanoseconds time) {
    if (time <= now.time_since_epoch().max() - now.time_since_epoch())
      deadline = std::min(deadline.value_or(now + time), now + time);
  };
  if (header.timeout_nanoseconds() > 0)
    limit(nanoseconds(header.timeout_nanoseconds()));
  if (limits_.deadline.count() > 0)
    limit(limits_.deadline);
  if (context.deadline() != std::chrono::system_clock::time_point::max())
    limit(context.deadline() - std::chrono::system_clock::now());
  return deadline;
}

grpc::Status ComputeService::call(const char *method, grpc::ServerContext &context, const v1::Header &header,
                                  const std::function<Status(Session &)> &body) {
  Counted counted(underWay_);
  auto start = std::chrono::steady_clock::now();
  std::string name;
  Status status = admit(context);
  if (status.ok()) {
    auto session = sessions_.find(header.session());
    status = session.status();
    if (session.ok()) {
      name = (*session)->name();
      for (int64_t data : header.released_data())
        (void)(*session)->service().Release(data);
      for (int64_t executable : header.released_executables())
        (void)(*session)->service().ReleaseExecutable(executable);
      try {
        status = body(**session);
      } catch (const std::bad_alloc &) {
        status = Status(StatusCode::kResourceExhausted, "the server has no memory left");
      }
    }
  }
  auto time = std::chrono::steady_clock::now() - start;
  metrics_.countCall(method, status.code(), time);
  log(status.ok() ? Level::kDebug : Level::kInfo, "call",
      {{"method", method},
       {"session", name},
       {"status", statusCodeName(status.code())},
       {"seconds", std::chrono::duration<double>(time).count()},
       {"message", status.message().substr(0, 400)}});
  return toGrpc(status);
}

grpc::Status ComputeService::Connect(grpc::ServerContext *context,
                                     grpc::ServerReaderWriter<v1::ConnectReply, v1::ConnectRequest> *stream) {
  auto start = std::chrono::steady_clock::now();
  Status status = admit(*context);
  v1::ConnectRequest request;
  std::shared_ptr<Session> session;
  if (status.ok()) {
    auto opened = sessions_.open();
    status = opened.status();
    if (opened.ok())
      session = *std::move(opened);
  }
  metrics_.countCall("Connect", status.code(), std::chrono::steady_clock::now() - start);
  if (!status.ok()) {
    log(Level::kWarning, "refused", {{"client", context->peer()}, {"message", status.message()}});
    return toGrpc(status);
  }
  log(Level::kInfo, "connected", {{"client", context->peer()}, {"session", session->name()}});
  v1::ConnectReply reply;
  reply.set_session(session->id());
  reply.set_platform_name(session->service().platform_name());
  reply.set_device_count(session->service().device_count());
  if (stream->Write(reply))
    while (stream->Read(&request)) {
    }
  sessions_.close(session->id());
  log(Level::kInfo, "disconnected", {{"client", context->peer()}, {"session", session->name()}});
  // Returns the memory of the session to the system, not only to the allocator's lists.
  session.reset();
  malloc_trim(0);
  return grpc::Status::OK;
}

// --- Data ---

grpc::Status ComputeService::TransferToServer(grpc::ServerContext *context, grpc::ServerReader<v1::ValuePart> *reader,
                                              v1::DataReply *reply) {
  // Before its first message is waited for.
  if (Status status = admit(*context); !status.ok())
    return toGrpc(status);
  v1::ValuePart part;
  (void)reader->Read(&part);
  return call("TransferToServer", *context, part.header(), [&](Session &session) -> Status {
    TENON_RETURN_IF_ERROR(remote::checkSendable(part.shape()));
    TENON_ASSIGN_OR_RETURN(auto incoming, session.service().allocateData(part.shape()));
    std::vector<std::span<char>> blocks;
    for (const auto &leaf : incoming.leaves)
      blocks.emplace_back(static_cast<char *>(leaf->buffer.data()),
                          static_cast<size_t>(ShapeUtil::ByteSizeOf(leaf->shape)));
    TENON_RETURN_IF_ERROR(readPieces(*reader, part.data(), std::move(blocks), metrics_));
    for (const auto &leaf : incoming.leaves)
      TENON_RETURN_IF_ERROR(remote::acceptBytes(leaf->shape, leaf->buffer.data()));
    TENON_ASSIGN_OR_RETURN(auto handle, session.service().keepData(std::move(incoming)));
    reply->set_data(handle);
    return {};
  });
}

bool ComputeService::writePiece(grpc::ServerWriter<v1::Piece> &writer, const char *data, size_t size) {
  v1::Piece piece;
  piece.set_data(data, size);
  metrics_.sentBytes += static_cast<int64_t>(size);
  return writer.Write(piece);
}

grpc::Status ComputeService::TransferFromServer(grpc::ServerContext *context,
                                                const v1::TransferFromServerRequest *request,
                                                grpc::ServerWriter<v1::Piece> *writer) {
  return call("TransferFromServer", *context, request->header(), [&](Session &session) -> Status {
    TENON_RETURN_IF_ERROR(remote::checkSendable(request->shape()));
    auto write = [&](const char *bytes, size_t size) { return writePiece(*writer, bytes, size); };
    TENON_ASSIGN_OR_RETURN(auto data, session.service().find(request->data()));
    if (!ShapeUtil::Equal(data->shape, request->shape())) {
      // The array is asked for in another layout, or with a wrong shape, which the service reports.
      TENON_ASSIGN_OR_RETURN(auto share, session.service().quota().take(ShapeUtil::ByteSizeOf(request->shape()),
                                                                        "the array's other layout"));
      TENON_ASSIGN_OR_RETURN(auto literal, session.service().TransferFromServer(request->data(), request->shape()));
      remote::writePieces(remote::bytesOf(literal), write);
      return {};
    }
    std::vector<std::span<const char>> blocks;
    for (const auto &leaf : data->leaves)
      blocks.emplace_back(static_cast<const char *>(leaf->data()),
                          static_cast<size_t>(ShapeUtil::ByteSizeOf(leaf->shape)));
    remote::writePieces(blocks, write);
    return {};
  });
}

grpc::Status ComputeService::DeconstructTuple(grpc::ServerContext *context, const v1::DataRequest *request,
                                              v1::DeconstructTupleReply *reply) {
  return call("DeconstructTuple", *context, request->header(), [&](Session &session) -> Status {
    TENON_ASSIGN_OR_RETURN(auto elements, session.service().DeconstructTuple(request->data()));
    reply->mutable_elements()->Assign(elements.begin(), elements.end());
    return {};
  });
}

grpc::Status ComputeService::Release(grpc::ServerContext *context, const v1::ReleaseRequest *request,
                                     v1::ReleaseReply *) {
  return call("Release", *context, request->header(), [](Session &) { return Status(); });
}

// --- Programs ---

StatusOr<std::string> ComputeService::readProgram(Session &session, grpc::ServerReader<v1::ProgramPart> &reader,
                                                  std::string first) {
  std::vector<api::MemoryQuota::Share> shares; // while it is read
  std::string program = std::move(first);
  v1::ProgramPart part;
  while (reader.Read(&part)) {
    TENON_ASSIGN_OR_RETURN(auto share,
                           session.service().quota().take(static_cast<int64_t>(part.program().size()), "a program"));
    shares.push_back(std::move(share));
    metrics_.receivedBytes += static_cast<int64_t>(part.program().size());
    program += part.program();
  }
  return program;
}

grpc::Status ComputeService::Compile(grpc::ServerContext *context, grpc::ServerReader<v1::ProgramPart> *reader,
                                     v1::CompileReply *reply) {
  // Before its first message is waited for.
  if (Status status = admit(*context); !status.ok())
    return toGrpc(status);
  v1::ProgramPart part;
  (void)reader->Read(&part);
  return call("Compile", *context, part.header(), [&](Session &session) -> Status {
    for (const Shape &parameter : part.shape().parameters())
      TENON_RETURN_IF_ERROR(remote::checkSendable(parameter));
    TENON_RETURN_IF_ERROR(remote::checkSendable(part.shape().result()));
    if (part.shape().parameter_names_size() != part.shape().parameters_size())
      return invalidArgument("there must be a name for each parameter");
    TENON_ASSIGN_OR_RETURN(auto program, readProgram(session, *reader, part.program()));
    if (context->IsCancelled())
      return {StatusCode::kCancelled, "the client has given up"};
    TENON_ASSIGN_OR_RETURN(auto executable, session.service().Compile({part.name(), std::move(program), part.shape()}));
    reply->set_executable(executable);
    return {};
  });
}

grpc::Status ComputeService::Execute(grpc::ServerContext *context, const v1::ExecuteRequest *request,
                                     v1::ExecuteReply *reply) {
  return call("Execute", *context, request->header(), [&](Session &session) -> Status {
    xla::ExecuteRequest execution;
    execution.executable = request->executable();
    execution.arguments.assign(request->arguments().begin(), request->arguments().end());
    execution.deadline = deadlineOf(*context, request->header());
    if (request->has_seed())
      execution.seed = request->seed();
    TENON_RETURN_IF_ERROR(session.enter(execution.deadline));
    xla::ExecutionProfile profile;
    auto result = session.service().Execute(execution, &profile);
    session.leave();
    if (!result.ok())
      return result.status();
    if (context->IsCancelled()) {
      (void)session.service().Release(*result);
      return {StatusCode::kCancelled, "the client has given up"};
    }
    reply->set_data(*result);
    reply->set_compute_nanoseconds(profile.compute_time.count());
    return {};
  });
}

grpc::Status ComputeService::ExecuteParallel(grpc::ServerContext *context, const v1::ExecuteParallelRequest *request,
                                             v1::ExecuteParallelReply *reply) {
  return call("ExecuteParallel", *context, request->header(), [&](Session &session) -> Status {
    xla::ParallelExecuteRequest execution;
    execution.num_replicas = request->num_replicas();
    execution.num_partitions = request->num_partitions();
    for (const auto &process : request->processes())
      execution.processes.push_back({process.executable(), {process.arguments().begin(), process.arguments().end()}});
    execution.deadline = deadlineOf(*context, request->header());
    if (request->has_seed())
      execution.seed = request->seed();
    TENON_RETURN_IF_ERROR(session.enter(execution.deadline));
    xla::ExecutionProfile profile;
    auto results = session.service().ExecuteParallel(execution, &profile);
    session.leave();
    if (!results.ok())
      return results.status();
    if (context->IsCancelled()) {
      for (int64_t data : *results)
        (void)session.service().Release(data);
      return {StatusCode::kCancelled, "the client has given up"};
    }
    reply->mutable_data()->Assign(results->begin(), results->end());
    reply->set_compute_nanoseconds(profile.compute_time.count());
    return {};
  });
}

grpc::Status ComputeService::Analyze(grpc::ServerContext *context, const v1::AnalyzeRequest *request,
                                     grpc::ServerWriter<v1::Piece> *writer) {
  return call("Analyze", *context, request->header(), [&](Session &session) -> Status {
    TENON_ASSIGN_OR_RETURN(auto analysis, session.service().Analyze(request->executable()));
    std::string bytes = analysis.SerializeAsString();
    std::span<const char> block(bytes);
    remote::writePieces({&block, 1}, [&](const char *data, size_t size) { return writePiece(*writer, data, size); });
    return {};
  });
}

// --- Streams ---

grpc::Status ComputeService::TransferToInfeed(grpc::ServerContext *context, grpc::ServerReader<v1::ValuePart> *reader,
                                              v1::TransferToInfeedReply *) {
  // Before its first message is waited for.
  if (Status status = admit(*context); !status.ok())
    return toGrpc(status);
  v1::ValuePart part;
  (void)reader->Read(&part);
  return call("TransferToInfeed", *context, part.header(), [&](Session &session) -> Status {
    TENON_RETURN_IF_ERROR(remote::checkSendable(part.shape()));
    TENON_ASSIGN_OR_RETURN(
        auto share, session.service().quota().take(ShapeUtil::ByteSizeOf(part.shape()), "an item of the infeed"));
    TENON_ASSIGN_OR_RETURN(auto literal, Literal::Create(part.shape()));
    std::vector<std::span<char>> blocks;
    for (std::span<const char> block : remote::bytesOf(literal))
      blocks.emplace_back(const_cast<char *>(block.data()), block.size());
    TENON_RETURN_IF_ERROR(readPieces(*reader, part.data(), std::move(blocks), metrics_));
    TENON_RETURN_IF_ERROR(remote::acceptBytes(literal));
    return session.service().TransferToInfeed(literal, part.device(), deadlineOf(*context, part.header()));
  });
}

grpc::Status ComputeService::TransferFromOutfeed(grpc::ServerContext *context,
                                                 const v1::TransferFromOutfeedRequest *request,
                                                 grpc::ServerWriter<v1::Piece> *writer) {
  return call("TransferFromOutfeed", *context, request->header(), [&](Session &session) -> Status {
    TENON_RETURN_IF_ERROR(remote::checkSendable(request->shape()));
    TENON_ASSIGN_OR_RETURN(
        auto share, session.service().quota().take(ShapeUtil::ByteSizeOf(request->shape()), "an item of the outfeed"));
    TENON_ASSIGN_OR_RETURN(auto literal,
                           session.service().TransferFromOutfeed(request->shape(), request->device(),
                                                                 deadlineOf(*context, request->header())));
    remote::writePieces(remote::bytesOf(literal),
                        [&](const char *bytes, size_t size) { return writePiece(*writer, bytes, size); });
    return {};
  });
}

grpc::Status ComputeService::GetStatistics(grpc::ServerContext *context, const v1::StatisticsRequest *request,
                                           v1::StatisticsReply *reply) {
  return call("GetStatistics", *context, request->header(), [&](Session &session) -> Status {
    TENON_ASSIGN_OR_RETURN(auto statistics, session.service().GetStatistics());
    reply->set_compilations(statistics.compilations);
    reply->set_executions(statistics.executions);
    reply->set_executables(statistics.executables);
    reply->set_allocations(statistics.allocations);
    reply->set_bytes(statistics.bytes);
    return {};
  });
}

} // namespace tenon::server
