#include "tenon/runtime/control/mpi.h"

#include <climits>
#include <dlfcn.h>

namespace tenon::runtime {

constexpr int kShimInterface = 1;

Status Mpi::open(const std::string &shim) {
  void *library = dlopen(shim.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failedPrecondition("TENON_MPI_SHIM cannot be opened: " + std::string(dlerror()));
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  int (*interface)() = nullptr;
  bool isWhole = find("tenon_mpi_interface", interface) && find("tenon_mpi_error", error_) &&
                 find("tenon_mpi_start", start_) && find("tenon_mpi_send", send_) && find("tenon_mpi_find", find_) &&
                 find("tenon_mpi_receive", receive_) && find("tenon_mpi_test", test_) && find("tenon_mpi_end", end_);
  if (!isWhole || interface() != kShimInterface)
    return failedPrecondition("TENON_MPI_SHIM names '" + shim +
                              "', which was not made from this version's tenon_mpi.c");
  return {};
}

Status Mpi::check(int code, const char *what) const {
  if (!code)
    return {};
  char text[512] = "";
  error_(code, text, sizeof text);
  return {StatusCode::kUnavailable, std::string("MPI cannot ") + what + ": " + text};
}

StatusOr<std::unique_ptr<Mpi>> Mpi::start(const std::string &shim) {
  std::unique_ptr<Mpi> mpi(new Mpi);
  TENON_RETURN_IF_ERROR(mpi->open(shim));
  TENON_RETURN_IF_ERROR(mpi->check(mpi->start_(&mpi->rank_, &mpi->size_), "start"));
  return mpi;
}

StatusOr<Mpi::Request> Mpi::send(std::span<const std::byte> bytes, int to, int tag) {
  if (bytes.size() > INT_MAX)
    return invalidArgument("a message of MPI has less than 2 GiB");
  Request request;
  TENON_RETURN_IF_ERROR(
      check(send_(bytes.data(), static_cast<int>(bytes.size()), to, tag, &request.request_), "send a message"));
  return request;
}

StatusOr<std::optional<Mpi::Message>> Mpi::find(int tag) {
  Message message;
  int bytes = 0;
  TENON_RETURN_IF_ERROR(check(find_(tag, &message.from, &bytes, &message.message_), "look for messages"));
  message.bytes = static_cast<size_t>(bytes);
  return message.message_ ? std::optional(message) : std::nullopt;
}

StatusOr<Mpi::Request> Mpi::receive(const Message &message, std::span<std::byte> into) {
  Request request;
  TENON_RETURN_IF_ERROR(check(receive_(into.data(), static_cast<int>(into.size()), message.message_, &request.request_),
                              "receive a message"));
  return request;
}

StatusOr<bool> Mpi::isDone(Request &request) {
  int isDone = 0;
  Status status = check(test_(request.request_, &isDone), "move a message");
  if (isDone || !status.ok())
    request.request_ = nullptr;
  TENON_RETURN_IF_ERROR(status);
  return isDone != 0;
}

Status Mpi::end() { return check(end_(), "end"); }

} // namespace tenon::runtime
