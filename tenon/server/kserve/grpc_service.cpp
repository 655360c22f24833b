#include "tenon/server/kserve/grpc_service.h"

#include "tenon/server/kserve/grpc_messages.h"

namespace tenon::kserve {
namespace {

grpc::Status toGrpc(const Status &status) {
  // Messages travel as headers, and compilers quote the program in them.
  constexpr size_t kMost = 16 << 10;
  return status.ok() ? grpc::Status::OK
                     : grpc::Status(static_cast<grpc::StatusCode>(status.code()), status.message().substr(0, kMost));
}

void describe(const TensorInfo &tensor, inference::ModelMetadataResponse::TensorMetadata &message) {
  message.set_name(tensor.name);
  message.set_datatype(std::string(datatypeOf(tensor.type)));
  message.mutable_shape()->Assign(tensor.dims.begin(), tensor.dims.end());
}

void describe(const Duration &duration, inference::StatisticDuration &message) {
  message.set_count(duration.count);
  message.set_ns(duration.nanoseconds);
}

template <typename Message> void describe(const StepDurations &steps, Message &message) {
  describe(steps.input, *message.mutable_compute_input());
  describe(steps.infer, *message.mutable_compute_infer());
  describe(steps.output, *message.mutable_compute_output());
}

void describe(const ModelStatistics &model, inference::ModelStatistics &message) {
  const Statistics &numbers = model.statistics;
  message.set_name(model.name);
  message.set_version(std::to_string(model.version));
  message.set_last_inference(numbers.lastInference);
  message.set_inference_count(numbers.inferences);
  message.set_execution_count(numbers.executions);
  inference::InferStatistics &total = *message.mutable_inference_stats();
  describe(numbers.success, *total.mutable_success());
  describe(numbers.fail, *total.mutable_fail());
  describe(numbers.queue, *total.mutable_queue());
  describe(numbers.steps, total);
  for (const auto &[size, steps] : numbers.batches) {
    inference::InferBatchStatistics &batch = *message.add_batch_stats();
    batch.set_batch_size(size);
    describe(steps, batch);
  }
}

} // namespace

grpc::Status GrpcService::ServerLive(grpc::ServerContext *, const inference::ServerLiveRequest *,
                                     inference::ServerLiveResponse *response) {
  response->set_live(true);
  return grpc::Status::OK;
}

grpc::Status GrpcService::ServerReady(grpc::ServerContext *, const inference::ServerReadyRequest *,
                                      inference::ServerReadyResponse *response) {
  response->set_ready(service_.isReady());
  return grpc::Status::OK;
}

grpc::Status GrpcService::ServerMetadata(grpc::ServerContext *context, const inference::ServerMetadataRequest *,
                                         inference::ServerMetadataResponse *response) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  response->set_name(kServerName);
  response->set_version(TENON_VERSION);
  for (const std::string &extension : extensions())
    if (extension != "binary_tensor_data") // which is of HTTP
      response->add_extensions(extension);
  return grpc::Status::OK;
}

grpc::Status GrpcService::ModelReady(grpc::ServerContext *context, const inference::ModelReadyRequest *request,
                                     inference::ModelReadyResponse *response) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  auto isReady = service_.isModelReady(request->name(), request->version());
  response->set_ready(isReady.ok() && *isReady);
  return toGrpc(isReady.status());
}

grpc::Status GrpcService::ModelMetadata(grpc::ServerContext *context, const inference::ModelMetadataRequest *request,
                                        inference::ModelMetadataResponse *response) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  auto metadata = service_.metadata(request->name(), request->version());
  if (!metadata.ok())
    return toGrpc(metadata.status());
  response->set_name(metadata->name);
  response->set_platform(kPlatform);
  for (int64_t version : metadata->versions)
    response->add_versions(std::to_string(version));
  for (const TensorInfo &input : metadata->inputs)
    describe(input, *response->add_inputs());
  for (const TensorInfo &output : metadata->outputs)
    describe(output, *response->add_outputs());
  return grpc::Status::OK;
}

grpc::Status GrpcService::ModelInfer(grpc::ServerContext *context, const inference::ModelInferRequest *request,
                                     inference::ModelInferResponse *response) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  try {
    // The message is ours, but for its type: it is not used after the call.
    auto inference = takeInferRequest(const_cast<inference::ModelInferRequest &>(*request));
    if (!inference.ok())
      return toGrpc(inference.status());
    if (context->deadline() != std::chrono::system_clock::time_point::max()) {
      auto left = std::chrono::ceil<std::chrono::microseconds>(context->deadline() - std::chrono::system_clock::now());
      (void)setTimeout(*inference, std::max<int64_t>(left.count(), 1)); // above 0
    }
    auto answer = service_.infer(*inference);
    if (!answer.ok())
      return toGrpc(answer.status());
    giveInferResponse(std::move(*answer), *response);
    return grpc::Status::OK;
  } catch (const std::bad_alloc &) {
    return toGrpc({StatusCode::kResourceExhausted, "the server has no memory left"});
  }
}

grpc::Status GrpcService::ModelStatistics(grpc::ServerContext *context,
                                          const inference::ModelStatisticsRequest *request,
                                          inference::ModelStatisticsResponse *response) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  auto statistics = service_.statistics(request->name(), request->version());
  if (!statistics.ok())
    return toGrpc(statistics.status());
  for (const kserve::ModelStatistics &model : *statistics)
    describe(model, *response->add_model_stats());
  return grpc::Status::OK;
}

grpc::Status GrpcService::RepositoryIndex(grpc::ServerContext *context,
                                          const inference::RepositoryIndexRequest *request,
                                          inference::RepositoryIndexResponse *response) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  for (const IndexEntry &entry : service_.index(request->ready())) {
    auto &message = *response->add_models();
    message.set_name(entry.name);
    message.set_version(entry.version == 0 ? "" : std::to_string(entry.version));
    message.set_state(entry.state);
    message.set_reason(entry.reason);
  }
  return grpc::Status::OK;
}

grpc::Status GrpcService::RepositoryModelLoad(grpc::ServerContext *context,
                                              const inference::RepositoryModelLoadRequest *request,
                                              inference::RepositoryModelLoadResponse *) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  if (!request->parameters().empty())
    return toGrpc(invalidArgument("models and their configurations come from the server's folder alone"));
  return toGrpc(service_.load(request->model_name()));
}

grpc::Status GrpcService::RepositoryModelUnload(grpc::ServerContext *context,
                                                const inference::RepositoryModelUnloadRequest *request,
                                                inference::RepositoryModelUnloadResponse *) {
  if (Status status = admission_(*context); !status.ok())
    return toGrpc(status);
  for (const auto &[name, value] : request->parameters())
    if (name != kUnloadDependents || value.bool_param())
      return toGrpc(name == kUnloadDependents
                        ? unimplemented(kNoDependents)
                        : invalidArgument("the request has a parameter that the server does not know: '" +
                                          name.substr(0, 80) + "'"));
  return toGrpc(service_.unload(request->model_name()));
}

} // namespace tenon::kserve
