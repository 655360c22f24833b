// The protocol over gRPC.
#pragma once

#include "tenon/open_inference.grpc.pb.h"
#include "tenon/server/kserve/service.h"

namespace tenon::kserve {

class GrpcService final : public inference::GRPCInferenceService::Service {
public:
  // OK where the caller may use the server.
  using Admission = std::function<Status(const grpc::ServerContext &context)>;

  // `service` must outlive this.
  GrpcService(kserve::Service &service, Admission admission) : service_(service), admission_(std::move(admission)) {}

  grpc::Status ServerLive(grpc::ServerContext *context, const inference::ServerLiveRequest *request,
                          inference::ServerLiveResponse *response) override;
  grpc::Status ServerReady(grpc::ServerContext *context, const inference::ServerReadyRequest *request,
                           inference::ServerReadyResponse *response) override;
  grpc::Status ModelReady(grpc::ServerContext *context, const inference::ModelReadyRequest *request,
                          inference::ModelReadyResponse *response) override;
  grpc::Status ServerMetadata(grpc::ServerContext *context, const inference::ServerMetadataRequest *request,
                              inference::ServerMetadataResponse *response) override;
  grpc::Status ModelMetadata(grpc::ServerContext *context, const inference::ModelMetadataRequest *request,
                             inference::ModelMetadataResponse *response) override;
  grpc::Status ModelInfer(grpc::ServerContext *context, const inference::ModelInferRequest *request,
                          inference::ModelInferResponse *response) override;
  grpc::Status ModelStatistics(grpc::ServerContext *context, const inference::ModelStatisticsRequest *request,
                               inference::ModelStatisticsResponse *response) override;
  grpc::Status RepositoryIndex(grpc::ServerContext *context, const inference::RepositoryIndexRequest *request,
                               inference::RepositoryIndexResponse *response) override;
  grpc::Status RepositoryModelLoad(grpc::ServerContext *context, const inference::RepositoryModelLoadRequest *request,
                                   inference::RepositoryModelLoadResponse *response) override;
  grpc::Status RepositoryModelUnload(grpc::ServerContext *context,
                                     const inference::RepositoryModelUnloadRequest *request,
                                     inference::RepositoryModelUnloadResponse *response) override;

private:
  kserve::Service &service_;
  const Admission admission_;
};

} // namespace tenon::kserve
