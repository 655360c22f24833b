// The rules that both ends of a connection share beside service.proto.
#pragma once

#include "tenon/literal.h"
#include "tenon/status.h"

#include <grpcpp/support/status.h>

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tenon::remote {

inline constexpr size_t kPieceBytes = size_t{1} << 20;
// The maximum length of error messages. They travel as headers, and compilers quote the program in them.
inline constexpr size_t kErrorBytes = 16 << 10;
inline constexpr int kHeaderBytes = 64 << 10;
inline constexpr const char *kAuthorization = "authorization";

// The codes are the same. A long message is cut.
grpc::Status toGrpc(const Status &status);
Status fromGrpc(const grpc::Status &status);

// The memory of the arrays inside a literal, depth first.
std::vector<std::span<const char>> bytesOf(const xla::Literal &literal);

// Hands out the blocks in pieces, until `write` returns false.
bool writePieces(std::span<const std::span<const char>> blocks,
                 const std::function<bool(const char *data, size_t size)> &write);

// Fills blocks from pieces.
class PieceReader {
public:
  explicit PieceReader(std::vector<std::span<char>> blocks) : blocks_(std::move(blocks)) { skipFull(); }
  // INVALID_ARGUMENT for more than there is room for.
  Status add(std::string_view piece);
  // INVALID_ARGUMENT unless all of it is there.
  Status finish() const;

private:
  void skipFull();

  std::vector<std::span<char>> blocks_;
  size_t block_ = 0, at_ = 0;
};

// Checks the bytes of an array that came from outside and fills its padding. INVALID_ARGUMENT for bytes that are no
// values of its element type.
Status acceptBytes(const xla::Shape &shape, void *data);
// The same for a literal that was allocated to receive the data.
Status acceptBytes(const xla::Literal &literal);

// INVALID_ARGUMENT, naming `what`, for text that is neither empty nor PEM: a file's name, say.
Status checkPem(const std::string &what, const std::string &text);

// OK where a value of that shape can be sent: arrays, and tuples of them.
Status checkSendable(const xla::Shape &shape);

} // namespace tenon::remote
