#include "tenon/runtime/core/untyped_call.h"

#include <optional>
#include <string>
#include <vector>

// Laid out as in XLA, since a library may bring XLA's own functions that set it.
struct XlaCustomCallStatus_ {
  std::optional<std::string> message; // of a failure
};

extern "C" void XlaCustomCallStatusSetSuccess(XlaCustomCallStatus *status) { status->message.reset(); }

extern "C" void XlaCustomCallStatusSetFailure(XlaCustomCallStatus *status, const char *message, size_t message_len) {
  status->message.emplace(message, message_len);
}

namespace tenon::runtime {
namespace {

class UntypedCall final : public RuntimeCallInstance {
public:
  UntypedCall(const program::RuntimeCall &runtimeCall, void *function)
      : apiVersion_(runtimeCall.apiVersion), opaque_(runtimeCall.opaque),
        isOneResult_(runtimeCall.results.size() == 1 && !runtimeCall.isTupleResult), function_(function) {}

  Status call(const CallBuffers &call) override {
    std::vector<const void *> operands(call.operands.begin(), call.operands.end());
    std::vector<void *> results(call.results.begin(), call.results.end());
    void *out = isOneResult_ ? results[0] : static_cast<void *>(results.data());
    XlaCustomCallStatus status;
    using Plain = void (*)(void *, const void **);
    using WithStatus = void (*)(void *, const void **, XlaCustomCallStatus *);
    using Unified = void (*)(void *, const void **, const char *, size_t, XlaCustomCallStatus *);
    if (apiVersion_ == 3)
      reinterpret_cast<Unified>(function_)(out, operands.data(), opaque_.data(), opaque_.size(), &status);
    else if (apiVersion_ == 2)
      reinterpret_cast<WithStatus>(function_)(out, operands.data(), &status);
    else
      reinterpret_cast<Plain>(function_)(out, operands.data());
    return status.message ? internalError(*status.message) : Status();
  }

private:
  const int32_t apiVersion_;
  const std::string opaque_;
  const bool isOneResult_;
  void *const function_;
};

} // namespace

StatusOr<std::unique_ptr<RuntimeCallInstance>> makeUntypedCall(const program::RuntimeCall &runtimeCall,
                                                               void *function) {
  return std::unique_ptr<RuntimeCallInstance>(std::make_unique<UntypedCall>(runtimeCall, function));
}

} // namespace tenon::runtime
