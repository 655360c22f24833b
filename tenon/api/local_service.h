// The service in this process: it compiles with a Backend and runs on its device (xla-preview-2017, "Using XLA").
#pragma once

#include "tenon/client/client.h"
#include "tenon/runtime/core/device_streams.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/service_interface.h"

#include <map>
#include <mutex>

namespace tenon::api {

// An array in the service's memory, in the layout of its shape. Never changed once it is made.
struct DeviceArray {
  xla::Shape shape;
  runtime::Buffer buffer;
  const void *shared = nullptr; // memory of the client's instead

  const void *data() const { return shared ? shared : buffer.data(); }
};

class LocalService : public xla::ServiceInterface {
public:
  // The backend must outlive the service.
  LocalService(std::string platform, client::Backend &backend);
  ~LocalService() override;

  std::string platform_name() const override { return platform_; }

  StatusOr<int64_t> TransferToServer(const xla::Literal &literal) override;
  StatusOr<xla::Literal> TransferFromServer(int64_t data, const xla::Shape &shape) override;
  StatusOr<std::vector<int64_t>> DeconstructTuple(int64_t data) override;
  Status Release(int64_t data) override;

  StatusOr<int64_t> Compile(const xla::CompileRequest &request) override;
  StatusOr<int64_t> Execute(const xla::ExecuteRequest &request, xla::ExecutionProfile *profile) override;
  Status ReleaseExecutable(int64_t executable) override;

  Status TransferToInfeed(const xla::Literal &literal, int64_t device, Deadline deadline) override;
  StatusOr<xla::Literal> TransferFromOutfeed(const xla::Shape &shape, int64_t device, Deadline deadline) override;

  StatusOr<xla::ServiceStatistics> GetStatistics() override;

  StatusOr<int64_t> ShareWithServer(const xla::Shape &shape, const void *data) override;
  StatusOr<const void *> ShareFromServer(int64_t data) override;

private:
  // The arrays inside a value, depth first.
  struct Data {
    xla::Shape shape;
    std::vector<std::shared_ptr<const DeviceArray>> leaves;
  };
  struct Compiled {
    xla::ProgramShape shape;
    std::shared_ptr<client::Executable> executable;
  };

  StatusOr<std::vector<std::shared_ptr<const DeviceArray>>>
  run(const client::Executable &executable, const xla::Shape &result,
      const std::vector<std::shared_ptr<const DeviceArray>> &arguments, const xla::ExecuteRequest &request);
  int64_t keep(Data data);
  StatusOr<std::shared_ptr<const Data>> find(int64_t data);
  StatusOr<std::shared_ptr<const Compiled>> findExecutable(int64_t executable);
  Status checkDevice(int64_t device) const;

  const std::string platform_;
  client::Backend &backend_;
  runtime::DeviceStreams streams_{0};

  std::mutex mutex_;
  int64_t lastHandle_ = 0;
  std::map<int64_t, std::shared_ptr<const Data>> data_;
  std::map<int64_t, std::shared_ptr<const Compiled>> executables_;
  xla::ServiceStatistics statistics_;
};

// "f32", ...: the type in programs; kInvalid of tuples and the like.
program::ElementType elementTypeOf(xla::PrimitiveType type);

} // namespace tenon::api
