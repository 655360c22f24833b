// What the opaque types of XLA's FFI are here. Only the ffi*.cpp files include this.
#pragma once

#include "tenon/program/attributes.h"
#include "tenon/runtime/core/device_call.h"
#include "tenon/status.h"

#include "xla/ffi/api/c_api.h"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

// Handlers use errors through the functions of the API, but jaxlib takes the one of XLA_FFI_Stream_Get for XLA's own
// structure (jaxlib/ffi.cc, PyFfiContext::stream): an absl::Status, which it moves out, and then frees the memory
// without our destructor. So an error begins as an absl::Status without a message does, a word of the code times four
// plus one, and that one error owns nothing.
struct XLA_FFI_Error {
  explicit XLA_FFI_Error(tenon::Status own) : XLA_FFI_Error(std::make_unique<tenon::Status>(std::move(own))) {}
  explicit XLA_FFI_Error(const tenon::Status *constant) : abslStatus(abslWord(*constant)), status(constant) {}

  uintptr_t abslStatus;
  std::unique_ptr<tenon::Status> owned;
  const tenon::Status *status;

private:
  explicit XLA_FFI_Error(std::unique_ptr<tenon::Status> own)
      : abslStatus(abslWord(*own)), owned(std::move(own)), status(owned.get()) {}
  static uintptr_t abslWord(const tenon::Status &status) { return (static_cast<uintptr_t>(status.code()) << 2) + 1; }
};

// Completed by the handler, from any thread.
struct XLA_FFI_Future {
  std::mutex mutex;
  std::condition_variable changed;
  bool available = false;
  tenon::Status status;
};

namespace tenon::runtime {

// An object that a handler made in one stage for the later ones.
struct FfiState {
  int64_t type = 0;
  void *object = nullptr;
};

// Destroys the object as its type's registration says.
void destroyFfiState(FfiState &state);

// Ownership of `error` passes here.
Status takeFfiError(XLA_FFI_Error *error);

// Stages that may leave a state for later ones.
constexpr int kFfiStages = 3;

// The attributes of one call site in the form that call frames point to. Built once; addresses stay.
class FfiAttributes {
public:
  static StatusOr<std::unique_ptr<FfiAttributes>> create(const program::AttributeDict &dict);
  const XLA_FFI_Attrs &attrs() const { return attrs_; }

private:
  FfiAttributes() = default;
  Status add(const program::NamedAttribute &attribute);
  Status addArray(program::ElementType type, size_t size, const std::vector<int64_t> *integers,
                  const std::vector<double> *floats);
  Status addDictionary(const program::AttributeDict &dict);

  XLA_FFI_Attrs attrs_ = {};
  std::vector<XLA_FFI_AttrType> types_;
  std::vector<XLA_FFI_ByteSpan *> namePointers_;
  std::vector<void *> values_;
  // What the pointers refer to.
  std::deque<std::string> texts_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::deque<std::vector<uint64_t>> storage_;
  std::deque<std::unique_ptr<FfiAttributes>> children_;
};

XLA_FFI_DataType ffiDataType(program::ElementType type);

} // namespace tenon::runtime

// One invocation, as the API's functions see it.
struct XLA_FFI_InvokeContext {
  const tenon::runtime::RunOptions *options = nullptr; // null while instantiating
  tenon::runtime::ThreadPool *pool = nullptr;
  tenon::runtime::FfiState *states[tenon::runtime::kFfiStages] = {};
  // Not null where the call is on a GPU.
  void *stream = nullptr;
  tenon::runtime::DeviceScratch *scratch = nullptr;
};
