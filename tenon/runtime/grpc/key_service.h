// Keys that one process serves to all, as messages: a request and its answer.
#pragma once

#include "tenon/status.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tenon::runtime {

inline constexpr size_t kMaxKeyBytes = 256, kMaxValueBytes = size_t{1} << 16, kMaxKeys = size_t{1} << 16;
inline constexpr size_t kMaxKeyMessageBytes = kMaxKeyBytes + kMaxValueBytes + 64;

// Without a value: asks for the key's.
std::string keyRequest(const std::string &key, const std::optional<std::string> &value);
// The value that is asked for; kNotFound: nobody has put it yet.
StatusOr<std::string> readKeyAnswer(const std::string &answer);

class KeyService {
public:
  // Any bytes may come.
  std::string answer(const std::string &request);

private:
  StatusOr<std::string> serve(const std::string &request);

  std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

} // namespace tenon::runtime
