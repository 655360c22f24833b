#include "tenon/server/kserve/service.h"

#include <algorithm>
#include <sstream>

namespace tenon::kserve {

std::vector<std::string> extensions() { return {"binary_tensor_data", "model_repository", "statistics"}; }

// One call: counted while it is under way, and told of at its end.
class Service::Call {
public:
  Call(Service &service, const char *method, std::string model)
      : service_(service), method_(method), model_(std::move(model)) {
    ++service_.underWay_;
  }
  ~Call() { --service_.underWay_; }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  // UNAVAILABLE where calls are refused.
  Status admit() const {
    return service_.refuses_ ? Status(StatusCode::kUnavailable, "the server is shutting down") : Status();
  }
  template <typename Result> Result end(Result result) {
    const Status *status = nullptr;
    if constexpr (std::is_same_v<Result, Status>)
      status = &result;
    else
      status = &result.status();
    if (service_.observer_)
      service_.observer_(method_, model_, *status, std::chrono::steady_clock::now() - start_);
    return result;
  }

private:
  Service &service_;
  const char *const method_;
  const std::string model_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

StatusOr<bool> Service::isModelReady(const std::string &name, const std::string &version) {
  Call call(*this, "ModelReady", name);
  return call.end([&]() -> StatusOr<bool> {
    TENON_ASSIGN_OR_RETURN(int64_t number, parseVersion(version));
    auto model = store_.find(name, number);
    if (model.status().code() == StatusCode::kNotFound)
      return model.status();
    return model.ok();
  }());
}

StatusOr<ModelMetadata> Service::metadata(const std::string &name, const std::string &version) {
  Call call(*this, "ModelMetadata", name);
  return call.end([&]() -> StatusOr<ModelMetadata> {
    TENON_ASSIGN_OR_RETURN(int64_t number, parseVersion(version));
    TENON_ASSIGN_OR_RETURN(auto model, store_.find(name, number));
    ModelMetadata metadata{name, {}, model->inputs(), model->outputs()};
    for (const auto &each : store_.serving(name))
      metadata.versions.push_back(each->version());
    return metadata;
  }());
}

StatusOr<InferResponse> Service::infer(InferRequest &request) {
  Call call(*this, "ModelInfer", request.model);
  return call.end([&]() -> StatusOr<InferResponse> {
    TENON_RETURN_IF_ERROR(call.admit());
    TENON_ASSIGN_OR_RETURN(int64_t number, parseVersion(request.version));
    TENON_ASSIGN_OR_RETURN(auto model, store_.find(request.model, number));
    return model->infer(request);
  }());
}

StatusOr<std::vector<ModelStatistics>> Service::statistics(const std::string &name, const std::string &version) {
  Call call(*this, "ModelStatistics", name);
  return call.end([&]() -> StatusOr<std::vector<ModelStatistics>> {
    TENON_ASSIGN_OR_RETURN(int64_t number, parseVersion(version));
    if (!name.empty())
      TENON_RETURN_IF_ERROR(store_.find(name, number).status());
    std::vector<ModelStatistics> result;
    for (const auto &model : name.empty() ? store_.serving() : store_.serving(name))
      if (number == 0 || model->version() == number)
        result.push_back({model->name(), model->version(), model->statistics()});
    return result;
  }());
}

std::vector<IndexEntry> Service::index(bool isReadyOnly) {
  Call call(*this, "RepositoryIndex", "");
  auto entries = store_.index();
  if (isReadyOnly)
    std::erase_if(entries, [](const IndexEntry &entry) { return entry.state != "READY"; });
  (void)call.end(Status());
  return entries;
}

Status Service::load(const std::string &name) {
  Call call(*this, "RepositoryModelLoad", name);
  Status admitted = call.admit();
  return call.end(admitted.ok() ? store_.load(name) : admitted);
}

Status Service::unload(const std::string &name) {
  Call call(*this, "RepositoryModelUnload", name);
  Status admitted = call.admit();
  return call.end(admitted.ok() ? store_.unload(name) : admitted);
}

std::string metricsText(const Store &store) {
  struct Line {
    std::string labels;
    Statistics numbers;
    int64_t waiting;
  };
  std::vector<Line> lines;
  for (const auto &model : store.serving())
    lines.push_back({"model=\"" + model->name() + "\",version=\"" + std::to_string(model->version()) + "\"",
                     model->statistics(), model->waiting()});
  std::ostringstream out;
  auto family = [&](const char *name, const char *type, const char *help, auto write) {
    out << "# HELP tenon_model_" << name << " " << help << "\n# TYPE tenon_model_" << name << " " << type << "\n";
    for (const Line &line : lines)
      write(line, std::string("tenon_model_") + name + "{" + line.labels);
  };
  family("requests_total", "counter", "Requests of a model that have ended.",
         [&](const Line &line, const std::string &name) {
           out << name << ",result=\"success\"} " << line.numbers.success.count << "\n"
               << name << ",result=\"failure\"} " << line.numbers.fail.count << "\n";
         });
  family("inferences_total", "counter", "Rows that a model has computed.",
         [&](const Line &line, const std::string &name) { out << name << "} " << line.numbers.inferences << "\n"; });
  family("executions_total", "counter", "Runs of a model's program.",
         [&](const Line &line, const std::string &name) { out << name << "} " << line.numbers.executions << "\n"; });
  family("seconds_total", "counter", "The time of requests, by step.", [&](const Line &line, const std::string &name) {
    for (const auto &[step, duration] : {std::pair("queue", line.numbers.queue),
                                         {"input", line.numbers.steps.input},
                                         {"infer", line.numbers.steps.infer},
                                         {"output", line.numbers.steps.output}})
      out << name << ",step=\"" << step << "\"} " << static_cast<double>(duration.nanoseconds) * 1e-9 << "\n";
  });
  family("waiting", "gauge", "Requests that wait for their turn.",
         [&](const Line &line, const std::string &name) { out << name << "} " << line.waiting << "\n"; });
  return out.str();
}

} // namespace tenon::kserve
