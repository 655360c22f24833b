#include "tenon/runtime/grpc/key_service.h"

#include "tenon/runtime/control/bytes.h"

namespace tenon::runtime {
namespace {

enum : uint64_t { kGet = 1, kPut = 2 };

} // namespace

std::string keyRequest(const std::string &key, const std::optional<std::string> &value) {
  ByteWriter writer;
  writer.integer(value ? kPut : kGet);
  writer.text(key);
  writer.text(value.value_or(""));
  return writer.take();
}

StatusOr<std::string> readKeyAnswer(const std::string &answer) {
  ByteReader reader(answer);
  auto code = static_cast<StatusCode>(reader.integer(static_cast<uint64_t>(StatusCode::kUnauthenticated)));
  std::string text = reader.text(kMaxValueBytes);
  if (!reader.isDone())
    return Status(StatusCode::kDataLoss, "the server of keys has answered with something else");
  if (code != StatusCode::kOk)
    return Status(code, text);
  return text;
}

StatusOr<std::string> KeyService::serve(const std::string &request) {
  ByteReader reader(request);
  uint64_t kind = reader.integer();
  std::string key = reader.text(kMaxKeyBytes), value = reader.text(kMaxValueBytes);
  if (!reader.isDone() || key.empty() || (kind != kGet && kind != kPut))
    return invalidArgument("that is no request for a key");
  std::lock_guard lock(mutex_);
  auto found = values_.find(key);
  if (kind == kGet)
    return found == values_.end() ? StatusOr<std::string>(notFound("nobody has put '" + key + "'")) : found->second;
  if (found != values_.end())
    return Status(StatusCode::kAlreadyExists, "another process has put '" + key + "'");
  if (values_.size() >= kMaxKeys)
    return Status(StatusCode::kResourceExhausted, "there are " + std::to_string(kMaxKeys) + " keys already");
  values_.emplace(std::move(key), std::move(value));
  return std::string();
}

std::string KeyService::answer(const std::string &request) {
  StatusOr<std::string> value = serve(request);
  ByteWriter writer;
  writer.integer(static_cast<uint64_t>(value.status().code()));
  writer.text(value.ok() ? *value : value.status().message());
  return writer.take();
}

} // namespace tenon::runtime
