// Clients, and the data that services hold, as Python has them.
#pragma once

#include "tenon/client.h"
#include "tenon/python/module/errors.h"

#include <memory>
#include <optional>

namespace tenon::python {

struct ClientObject {
  std::shared_ptr<xla::Client> client;
  bool inProcess;
};

// That of this process, for a platform's name or the usual one.
ClientObject localClient(const std::optional<std::string> &platform);

// Data keeps its client, and what owns the memory that it shares.
class DataObject {
public:
  DataObject(std::unique_ptr<xla::GlobalData> data, ClientObject client, nb::object owner = {},
             std::optional<double> computeTime = std::nullopt)
      : computeTime(computeTime), owner_(std::move(owner)), client_(std::move(client)), data_(std::move(data)) {}
  DataObject(DataObject &&) = default;
  ~DataObject() {
    // A server elsewhere may take its time.
    if (data_)
      unlocked([&] { data_.reset(); });
  }

  xla::GlobalData &data() const { return *data_; }
  xla::Client &client() const { return *client_.client; }
  const ClientObject &clientObject() const { return client_; }
  bool inProcess() const { return client_.inProcess; }
  const xla::Shape &shape() const { return data_->shape(); }

  // Seconds that the execution took which made it.
  std::optional<double> computeTime;

private:
  nb::object owner_;
  ClientObject client_;
  std::unique_ptr<xla::GlobalData> data_;
};

// Keeps its client; the computation is not needed any more.
struct ExecutableObject {
  ExecutableObject(std::unique_ptr<xla::Executable> executable, ClientObject client)
      : client(std::move(client)), executable(std::move(executable)) {}
  ExecutableObject(ExecutableObject &&) = default;
  ~ExecutableObject() {
    if (executable)
      unlocked([&] { executable.reset(); });
  }

  ClientObject client;
  std::unique_ptr<xla::Executable> executable;
};

} // namespace tenon::python
