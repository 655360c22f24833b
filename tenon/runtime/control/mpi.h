// MPI, as far as Tenon uses it: messages of bytes from process to process, by the shim (tenon_mpi.c) that users compile
// for the MPI that they have.
#pragma once

#include "tenon/status.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon::runtime {

class Mpi {
public:
  // Opens the shim, and starts MPI where the program has not. Errors name the file.
  static StatusOr<std::unique_ptr<Mpi>> start(const std::string &shim);
  Mpi(const Mpi &) = delete;
  Mpi &operator=(const Mpi &) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  // A message on its way. The memory must stay until isDone has said so.
  class Request {
  public:
    bool isEmpty() const { return !request_; }

  private:
    friend class Mpi;
    void *request_ = nullptr;
  };
  struct Message {
    int from = 0;
    size_t bytes = 0;

  private:
    friend class Mpi;
    void *message_ = nullptr;
  };

  StatusOr<Request> send(std::span<const std::byte> bytes, int to, int tag);
  // The next message with that tag that has come, of any process: it must be received.
  StatusOr<std::optional<Message>> find(int tag);
  StatusOr<Request> receive(const Message &message, std::span<std::byte> into);
  // Once it is, the request is empty.
  StatusOr<bool> isDone(Request &request);
  // All processes do so, and use it no more.
  Status end();

private:
  Mpi() = default;
  Status open(const std::string &shim);
  Status check(int code, const char *what) const;

  int rank_ = 0, size_ = 1;
  void (*error_)(int, char *, int) = nullptr;
  int (*start_)(int *, int *) = nullptr;
  int (*send_)(const void *, int, int, int, void **) = nullptr;
  int (*find_)(int, int *, int *, void **) = nullptr;
  int (*receive_)(void *, int, void *, void **) = nullptr;
  int (*test_)(void *, int *) = nullptr;
  int (*end_)() = nullptr;
};

} // namespace tenon::runtime
