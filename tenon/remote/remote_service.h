// A service behind a network connection.
#pragma once

#include "tenon/remote.h"
#include "tenon/service.grpc.pb.h"

#include <grpcpp/channel.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace tenon::remote {

// Holds its session by a stream that a thread reads: when that ends, the service is lost, and every call says so.
// Handles that are released wait for the next call, which takes them along, or for a thread that sends them where no
// call comes: so releasing never waits for the network, and what is released is gone before whatever is asked next.
class RemoteService : public xla::ServiceInterface {
public:
  // How long a handle waits for a call that takes it along.
  static constexpr std::chrono::milliseconds kReleaseDelay{20};

  static StatusOr<std::shared_ptr<RemoteService>> connect(const std::string &address, const xla::RemoteOptions &options,
                                                          std::chrono::milliseconds releaseDelay = kReleaseDelay);
  ~RemoteService() override;

  std::string platform_name() const override { return platform_; }
  int64_t device_count() const override { return devices_; }

  StatusOr<int64_t> TransferToServer(const xla::Literal &literal) override;
  StatusOr<xla::Literal> TransferFromServer(int64_t data, const xla::Shape &shape) override;
  StatusOr<std::vector<int64_t>> DeconstructTuple(int64_t data) override;
  Status Release(int64_t data) override;

  StatusOr<int64_t> Compile(const xla::CompileRequest &request) override;
  StatusOr<int64_t> Execute(const xla::ExecuteRequest &request, xla::ExecutionProfile *profile) override;
  StatusOr<std::vector<int64_t>> ExecuteParallel(const xla::ParallelExecuteRequest &request,
                                                 xla::ExecutionProfile *profile) override;
  StatusOr<xla::ExecutableAnalysis> Analyze(int64_t executable) override;
  Status ReleaseExecutable(int64_t executable) override;

  Status TransferToInfeed(const xla::Literal &literal, int64_t device, Deadline deadline) override;
  StatusOr<xla::Literal> TransferFromOutfeed(const xla::Shape &shape, int64_t device, Deadline deadline) override;

  StatusOr<xla::ServiceStatistics> GetStatistics() override;

private:
  class Call;
  using Connection = grpc::ClientReaderWriter<v1::ConnectRequest, v1::ConnectReply>;

  RemoteService(std::string address, const xla::RemoteOptions &options, std::chrono::milliseconds releaseDelay);
  Status reach(const xla::RemoteOptions &options);
  Status open(const xla::RemoteOptions &options);
  Status lost() const;
  void watch();
  void flush();
  StatusOr<xla::Literal> readValue(Call &call, grpc::ClientReader<v1::Piece> &reader, const xla::Shape &shape);

  const std::string address_, token_;
  const std::chrono::milliseconds releaseDelay_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::Compute::Stub> stub_;
  std::string session_, platform_;
  int64_t devices_ = 1;

  grpc::ClientContext connectionContext_;
  std::unique_ptr<Connection> connection_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool ending_ = false;
  Status lost_;
  grpc::ClientContext *flushing_ = nullptr; // of the call that flush waits for
  std::vector<int64_t> releasedData_, releasedExecutables_;
  std::thread watcher_, flusher_;
};

} // namespace tenon::remote
