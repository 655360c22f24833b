#include "tenon/aot/cuda/tenon_cuda.h"

#include "tenon/program/serialization.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/cuda/library.h"

#include <memory>
#include <string>
#include <vector>

using tenon::Status, tenon::StatusOr;
using namespace tenon::runtime::cuda;

// In a context of the caller's, with a stream for what is not a run's.
struct TenonCudaModel {
  Driver driver;
  tenon::program::Program description;
  StreamHandle *stream = nullptr;
  std::unique_ptr<DeviceExecutable> executable;

  TenonCudaModel() = default;
  TenonCudaModel(const TenonCudaModel &) = delete;
  TenonCudaModel &operator=(const TenonCudaModel &) = delete;
  ~TenonCudaModel() {
    executable.reset();
    if (stream)
      driver.streamDestroy(stream);
  }
};

namespace {

std::string &lastError() {
  thread_local std::string text;
  return text;
}

int32_t report(const Status &status) {
  lastError() = status.ok() ? "" : status.message();
  return status.ok() ? 0 : 1;
}

StatusOr<std::unique_ptr<TenonCudaModel>> load(std::string_view bytes) {
  auto model = std::make_unique<TenonCudaModel>();
  TENON_ASSIGN_OR_RETURN(model->driver, openDriver());
  TENON_DRIVER(model->driver, init, 0);
  ContextHandle *context = nullptr;
  TENON_DRIVER(model->driver, contextGetCurrent, &context);
  if (!context)
    return tenon::failedPrecondition("the thread has no CUDA context: call cudaSetDevice or cuCtxSetCurrent first");
  std::string_view code, rest;
  TENON_ASSIGN_OR_RETURN(model->description, tenon::program::deserialize(bytes, code));
  TENON_ASSIGN_OR_RETURN(tenon::program::DeviceProgram program,
                         tenon::program::deserializeDeviceProgram(code, model->description, rest));
  TENON_DRIVER(model->driver, streamCreate, &model->stream, 0);
  std::string chip = program.chip;
  auto loaded = DeviceExecutable::load(model->driver, std::move(program), model->description, model->stream);
  if (!loaded.ok())
    return Status(loaded.status().code(),
                  "the model, for GPUs of the kind " + chip + ", is not loaded: " + loaded.status().message());
  model->executable = *std::move(loaded);
  return model;
}

std::vector<DeviceAddress> addressesOf(const void *const *arrays, size_t count) {
  std::vector<DeviceAddress> addresses;
  for (size_t i = 0; i < count; ++i)
    addresses.push_back(reinterpret_cast<DeviceAddress>(arrays[i]));
  return addresses;
}

} // namespace

int32_t tenon_cuda_load(const void *bytes, int64_t size, TenonCudaModel **model) {
  *model = nullptr;
  StatusOr<std::unique_ptr<TenonCudaModel>> loaded = load({static_cast<const char *>(bytes), size_t(size)});
  if (loaded.ok())
    *model = loaded->release();
  return report(loaded.status());
}

int32_t tenon_cuda_run(TenonCudaModel *model, void *stream, const void *const *arguments, void *const *results) {
  std::vector<DeviceAddress> from = addressesOf(arguments, model->description.arguments.size()),
                             to = addressesOf(results, model->description.results.size());
  return report(model->executable->enqueue({from, to, {}}, static_cast<StreamHandle *>(stream)));
}

int32_t tenon_cuda_unload(TenonCudaModel *model) {
  delete model;
  return report({});
}

const char *tenon_cuda_error(void) { return lastError().c_str(); }
