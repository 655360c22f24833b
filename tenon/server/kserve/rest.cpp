#include "tenon/server/kserve/rest.h"

#include "tenon/server/kserve/json_messages.h"
#include "tenon/server/kserve/json_reader.h"

#include <charconv>

namespace tenon::kserve {

using nlohmann::json;
using server::HttpReply;
using server::HttpRequest;

namespace {

constexpr const char *kJsonLength = "inference-header-content-length";

int httpStatus(StatusCode code) {
  switch (code) {
  case StatusCode::kInvalidArgument:
  case StatusCode::kOutOfRange:
  case StatusCode::kFailedPrecondition:
    return 400;
  case StatusCode::kUnauthenticated:
    return 401;
  case StatusCode::kPermissionDenied:
    return 403;
  case StatusCode::kNotFound:
    return 404;
  case StatusCode::kResourceExhausted:
    return 429;
  case StatusCode::kUnimplemented:
    return 501;
  case StatusCode::kCancelled:
  case StatusCode::kUnavailable:
    return 503;
  case StatusCode::kDeadlineExceeded:
    return 504;
  default:
    return 500;
  }
}

HttpReply jsonReply(const json &value) {
  HttpReply reply;
  // Names of programs may be no UTF-8.
  reply.body = value.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
  return reply;
}

// A path's parts. "/v2/models/m" has three.
std::vector<std::string> partsOf(const std::string &path) {
  std::vector<std::string> parts;
  size_t begin = path.starts_with('/') ? 1 : 0;
  for (size_t end; (end = path.find('/', begin)) != std::string::npos; begin = end + 1)
    parts.push_back(path.substr(begin, end - begin));
  if (begin < path.size())
    parts.push_back(path.substr(begin));
  return parts;
}

HttpReply answerReady(const StatusOr<bool> &isReady) {
  if (!isReady.ok())
    return errorReply(isReady.status());
  return *isReady ? HttpReply{200, "", "application/json", {}}
                  : errorReply({StatusCode::kUnavailable, "it is not ready"});
}

json describeTensors(const std::vector<TensorInfo> &tensors) {
  json list = json::array();
  for (const TensorInfo &tensor : tensors)
    list.push_back({{"name", tensor.name}, {"datatype", datatypeOf(tensor.type)}, {"shape", tensor.dims}});
  return list;
}

HttpReply answerMetadata(Service &service, const std::string &name, const std::string &version) {
  auto metadata = service.metadata(name, version);
  if (!metadata.ok())
    return errorReply(metadata.status());
  json versions = json::array();
  for (int64_t number : metadata->versions)
    versions.push_back(std::to_string(number));
  return jsonReply({{"name", metadata->name},
                    {"versions", versions},
                    {"platform", kPlatform},
                    {"inputs", describeTensors(metadata->inputs)},
                    {"outputs", describeTensors(metadata->outputs)}});
}

StatusOr<size_t> jsonBytesOf(const HttpRequest &request) {
  std::string text = request.header(kJsonLength);
  size_t bytes = request.body.size();
  if (text.empty())
    return bytes;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size())
    return invalidArgument("Inference-Header-Content-Length must be a number, and is '" + text.substr(0, 40) + "'");
  return bytes;
}

HttpReply answerInfer(Service &service, const std::string &name, const std::string &version, HttpRequest &request) {
  auto body = [&]() -> StatusOr<Body> {
    TENON_ASSIGN_OR_RETURN(size_t jsonBytes, jsonBytesOf(request));
    TENON_ASSIGN_OR_RETURN(auto inference, readInferRequest(request.body, jsonBytes));
    std::string().swap(request.body); // its tensors are copies
    inference.model = name;
    inference.version = version;
    TENON_ASSIGN_OR_RETURN(auto response, service.infer(inference));
    return writeInferResponse(response, inference);
  }();
  if (!body.ok())
    return errorReply(body.status());
  HttpReply reply{200, std::move(body->text), "application/json", {}};
  if (body->jsonBytes != reply.body.size()) {
    reply.headers["Inference-Header-Content-Length"] = std::to_string(body->jsonBytes);
    reply.type = "application/octet-stream";
  }
  return reply;
}

json describe(const Duration &duration) { return {{"count", duration.count}, {"ns", duration.nanoseconds}}; }

HttpReply answerStatistics(Service &service, const std::string &name, const std::string &version) {
  auto statistics = service.statistics(name, version);
  if (!statistics.ok())
    return errorReply(statistics.status());
  json models = json::array();
  for (const ModelStatistics &model : *statistics) {
    const Statistics &numbers = model.statistics;
    json batches = json::array();
    for (const auto &[size, steps] : numbers.batches)
      batches.push_back({{"batch_size", size},
                         {"compute_input", describe(steps.input)},
                         {"compute_infer", describe(steps.infer)},
                         {"compute_output", describe(steps.output)}});
    models.push_back({{"name", model.name},
                      {"version", std::to_string(model.version)},
                      {"last_inference", numbers.lastInference},
                      {"inference_count", numbers.inferences},
                      {"execution_count", numbers.executions},
                      {"inference_stats",
                       {{"success", describe(numbers.success)},
                        {"fail", describe(numbers.fail)},
                        {"queue", describe(numbers.queue)},
                        {"compute_input", describe(numbers.steps.input)},
                        {"compute_infer", describe(numbers.steps.infer)},
                        {"compute_output", describe(numbers.steps.output)}}},
                      {"batch_stats", batches}});
  }
  return jsonReply({{"model_stats", models}});
}

// The body of a request of the extension model_repository, which may be missing, with one truth value at most: `flag`,
// in the object `where` if that has a name. False if it is not there.
StatusOr<bool> readFlag(const HttpRequest &request, const std::string &where, const std::string &flag) {
  if (request.body.empty())
    return false;
  TENON_ASSIGN_OR_RETURN(auto read, readJson(request.body));
  json *object = &read.value;
  bool isWhole = object->is_object();
  if (!where.empty() && isWhole && object->size() == 1 && object->contains(where))
    object = &(*object)[where];
  else
    isWhole &= where.empty() || object->empty();
  if (!isWhole || !object->is_object())
    return invalidArgument("the request must be an object, with " + (where.empty() ? flag : where) + " at most");
  bool value = false;
  for (const auto &[name, given] : object->items()) {
    if (name != flag || !given.is_boolean())
      return invalidArgument("the request has a field that the server does not know: '" + name.substr(0, 80) + "'");
    value = given.get<bool>();
  }
  return value;
}

HttpReply answerIndex(Service &service, const HttpRequest &request) {
  auto isReadyOnly = readFlag(request, "", "ready");
  if (!isReadyOnly.ok())
    return errorReply(isReadyOnly.status());
  json models = json::array();
  for (const IndexEntry &entry : service.index(*isReadyOnly))
    models.push_back({{"name", entry.name},
                      {"version", entry.version == 0 ? "" : std::to_string(entry.version)},
                      {"state", entry.state},
                      {"reason", entry.reason}});
  return jsonReply(models);
}

HttpReply answerChange(const HttpRequest &request, const std::function<Status()> &change) {
  // The files and configurations that Triton would take with the request come from the folder alone.
  auto withDependents = readFlag(request, "parameters", kUnloadDependents);
  Status status = withDependents.status();
  if (status.ok() && *withDependents)
    status = unimplemented(kNoDependents);
  if (status.ok())
    status = change();
  return status.ok() ? HttpReply{200, "", "application/json", {}} : errorReply(status);
}

// The paths below /v2/repository.
std::optional<HttpReply> answerRepository(Service &service, const std::vector<std::string> &parts,
                                          const HttpRequest &request) {
  if (parts.size() == 3 && parts[2] == "index")
    return answerIndex(service, request);
  if (parts.size() == 5 && parts[2] == "models" && parts[4] == "load")
    return answerChange(request, [&] { return service.load(parts[3]); });
  if (parts.size() == 5 && parts[2] == "models" && parts[4] == "unload")
    return answerChange(request, [&] { return service.unload(parts[3]); });
  return std::nullopt;
}

// The paths below /v2/models.
std::optional<HttpReply> answerModel(Service &service, const std::vector<std::string> &parts, HttpRequest &request) {
  bool isGet = request.method == "GET";
  if (isGet && parts.size() == 3 && parts[2] == "stats")
    return answerStatistics(service, "", "");
  if (parts.size() < 3)
    return std::nullopt;
  const std::string &name = parts[2];
  bool hasVersion = parts.size() >= 5 && parts[3] == "versions";
  std::string version = hasVersion ? parts[4] : "";
  size_t at = hasVersion ? 5 : 3;
  if (hasVersion && version.empty())
    return std::nullopt;
  if (parts.size() == at)
    return isGet ? std::optional(answerMetadata(service, name, version)) : std::nullopt;
  if (parts.size() != at + 1)
    return std::nullopt;
  if (isGet && parts[at] == "ready")
    return answerReady(service.isModelReady(name, version));
  if (isGet && parts[at] == "stats")
    return answerStatistics(service, name, version);
  if (!isGet && parts[at] == "infer")
    return answerInfer(service, name, version, request);
  return std::nullopt;
}

} // namespace

HttpReply errorReply(const Status &status) {
  HttpReply reply = jsonReply({{"error", status.message()}});
  reply.status = httpStatus(status.code());
  return reply;
}

HttpReply answer(Service &service, HttpRequest &request) {
  std::vector<std::string> parts = partsOf(request.path);
  bool isGet = request.method == "GET";
  std::optional<HttpReply> reply;
  if (parts.empty() || parts[0] != "v2")
    reply = std::nullopt;
  else if (isGet && parts.size() == 1)
    reply = jsonReply({{"name", kServerName}, {"version", TENON_VERSION}, {"extensions", extensions()}});
  else if (isGet && parts.size() == 3 && parts[1] == "health" && (parts[2] == "live" || parts[2] == "ready"))
    reply = answerReady(parts[2] == "live" || service.isReady());
  else if (!isGet && parts.size() > 1 && parts[1] == "repository")
    reply = answerRepository(service, parts, request);
  else if (parts.size() > 1 && parts[1] == "models")
    reply = answerModel(service, parts, request);
  return reply ? *std::move(reply) : errorReply(notFound("nothing is served at " + request.method + " of this path"));
}

} // namespace tenon::kserve
