// Where processes that do not know each other yet leave what the others need to find them.
#pragma once

#include "tenon/status.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace tenon::runtime {

class KeyStore {
public:
  virtual ~KeyStore() = default;
  virtual Status put(const std::string &key, const std::string &value) = 0;
  // Waits until somebody has put the key. kDeadlineExceeded where nobody has.
  virtual StatusOr<std::string> get(const std::string &key, std::chrono::milliseconds timeout) = 0;
};

// A store of a framework's, of which two functions are known.
class CallbackKeyStore final : public KeyStore {
public:
  using Put = std::function<Status(const std::string &key, const std::string &value)>;
  using Get = std::function<StatusOr<std::string>(const std::string &key, std::chrono::milliseconds timeout)>;

  CallbackKeyStore(Put put, Get get) : put_(std::move(put)), get_(std::move(get)) {}
  Status put(const std::string &key, const std::string &value) override { return put_(key, value); }
  StatusOr<std::string> get(const std::string &key, std::chrono::milliseconds timeout) override {
    return get_(key, timeout);
  }

private:
  Put put_;
  Get get_;
};

} // namespace tenon::runtime
