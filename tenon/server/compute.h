// The calls of service.proto.
#pragma once

#include "tenon/server/session.h"
#include "tenon/service.grpc.pb.h"

#include <atomic>
#include <functional>

namespace tenon::server {

class ComputeService final : public v1::Compute::Service {
public:
  // `token`: what calls must bear; empty: nothing.
  ComputeService(Sessions &sessions, ClientLimits limits, std::string token, Metrics &metrics)
      : sessions_(sessions), limits_(std::move(limits)), token_(std::move(token)), metrics_(metrics) {}

  // Makes all calls from now on fail with UNAVAILABLE. Those under way go on.
  void refuse() { refuses_ = true; }
  int callsUnderWay() const { return underWay_; }

  grpc::Status Connect(grpc::ServerContext *context,
                       grpc::ServerReaderWriter<v1::ConnectReply, v1::ConnectRequest> *stream) override;
  grpc::Status TransferToServer(grpc::ServerContext *context, grpc::ServerReader<v1::ValuePart> *reader,
                                v1::DataReply *reply) override;
  grpc::Status TransferFromServer(grpc::ServerContext *context, const v1::TransferFromServerRequest *request,
                                  grpc::ServerWriter<v1::Piece> *writer) override;
  grpc::Status DeconstructTuple(grpc::ServerContext *context, const v1::DataRequest *request,
                                v1::DeconstructTupleReply *reply) override;
  grpc::Status Release(grpc::ServerContext *context, const v1::ReleaseRequest *request,
                       v1::ReleaseReply *reply) override;
  grpc::Status Compile(grpc::ServerContext *context, grpc::ServerReader<v1::ProgramPart> *reader,
                       v1::CompileReply *reply) override;
  grpc::Status Execute(grpc::ServerContext *context, const v1::ExecuteRequest *request,
                       v1::ExecuteReply *reply) override;
  grpc::Status ExecuteParallel(grpc::ServerContext *context, const v1::ExecuteParallelRequest *request,
                               v1::ExecuteParallelReply *reply) override;
  grpc::Status Analyze(grpc::ServerContext *context, const v1::AnalyzeRequest *request,
                       grpc::ServerWriter<v1::Piece> *writer) override;
  grpc::Status TransferToInfeed(grpc::ServerContext *context, grpc::ServerReader<v1::ValuePart> *reader,
                                v1::TransferToInfeedReply *reply) override;
  grpc::Status TransferFromOutfeed(grpc::ServerContext *context, const v1::TransferFromOutfeedRequest *request,
                                   grpc::ServerWriter<v1::Piece> *writer) override;
  grpc::Status GetStatistics(grpc::ServerContext *context, const v1::StatisticsRequest *request,
                             v1::StatisticsReply *reply) override;

private:
  using Deadline = xla::ServiceInterface::Deadline;

  // What every call but Connect does: checks that it may be, finds its session, releases what the header names, runs
  // `body`, and counts and logs what came of it.
  grpc::Status call(const char *method, grpc::ServerContext &context, const v1::Header &header,
                    const std::function<Status(Session &session)> &body);
  Status admit(const grpc::ServerContext &context) const;
  // When the call must be over.
  Deadline deadlineOf(const grpc::ServerContext &context, const v1::Header &header) const;
  bool writePiece(grpc::ServerWriter<v1::Piece> &writer, const char *data, size_t size);
  StatusOr<std::string> readProgram(Session &session, grpc::ServerReader<v1::ProgramPart> &reader, std::string first);

  Sessions &sessions_;
  const ClientLimits limits_;
  const std::string token_;
  Metrics &metrics_;
  std::atomic<bool> refuses_{false};
  std::atomic<int> underWay_{0};
};

} // namespace tenon::server
