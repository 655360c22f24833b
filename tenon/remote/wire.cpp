#include "tenon/remote/wire.h"

#include "tenon/literal/primitive_type.h"
#include "tenon/literal/storage.h"

#include <algorithm>
#include <cstring>

namespace tenon::remote {

using xla::Literal;
using xla::Shape;
using xla::ShapeUtil;

grpc::Status toGrpc(const Status &status) {
  if (status.ok())
    return grpc::Status::OK;
  std::string message = status.message();
  if (message.size() > kErrorBytes)
    message = message.substr(0, kErrorBytes) + " ...";
  return {static_cast<grpc::StatusCode>(status.code()), message};
}

Status fromGrpc(const grpc::Status &status) {
  if (status.ok())
    return {};
  return {static_cast<StatusCode>(status.error_code()), status.error_message()};
}

std::vector<std::span<const char>> bytesOf(const Literal &literal) {
  std::vector<std::span<const char>> blocks;
  for (const Literal *leaf : literal.Leaves())
    blocks.emplace_back(static_cast<const char *>(leaf->untyped_data()), static_cast<size_t>(leaf->size_bytes()));
  return blocks;
}

bool writePieces(std::span<const std::span<const char>> blocks,
                 const std::function<bool(const char *data, size_t size)> &write) {
  for (std::span<const char> block : blocks)
    while (!block.empty()) {
      size_t size = std::min(block.size(), kPieceBytes);
      if (!write(block.data(), size))
        return false;
      block = block.subspan(size);
    }
  return true;
}

void PieceReader::skipFull() {
  while (block_ < blocks_.size() && at_ == blocks_[block_].size()) {
    ++block_;
    at_ = 0;
  }
}

Status PieceReader::add(std::string_view piece) {
  while (!piece.empty()) {
    if (block_ == blocks_.size())
      return invalidArgument("there are more bytes than the shape has");
    size_t size = std::min(piece.size(), blocks_[block_].size() - at_);
    std::memcpy(blocks_[block_].data() + at_, piece.data(), size);
    piece.remove_prefix(size);
    at_ += size;
    skipFull();
  }
  return {};
}

Status PieceReader::finish() const {
  if (block_ < blocks_.size())
    return invalidArgument("there are fewer bytes than the shape has");
  return {};
}

Status acceptBytes(const Shape &shape, void *data) {
  const auto *info = xla::internal::findType(shape.element_type());
  if (!info)
    return invalidArgument("no value can be sent as " + ShapeUtil::HumanString(shape));
  if (!xla::internal::allCanonical(*info, data, ShapeUtil::ByteSizeOf(shape)))
    return invalidArgument("bytes that no " + xla::PrimitiveTypeName(shape.element_type()) + " has");
  xla::internal::fillPadding(shape, data, /*is_zero=*/false);
  return {};
}

Status acceptBytes(const Literal &literal) {
  if (!ShapeUtil::IsTuple(literal.shape()))
    return acceptBytes(literal.shape(), const_cast<void *>(literal.untyped_data()));
  for (int64_t i = 0; i < literal.tuple_size(); ++i)
    TENON_RETURN_IF_ERROR(acceptBytes(literal.tuple_literal(i)));
  return {};
}

Status checkPem(const std::string &what, const std::string &text) {
  if (text.empty() || text.find("-----BEGIN ") != std::string::npos)
    return {};
  return invalidArgument(what + " must be the contents of a PEM file, and has no '-----BEGIN '");
}

Status checkSendable(const Shape &shape) {
  TENON_RETURN_IF_ERROR(ShapeUtil::Validate(shape));
  for (const Shape &leaf : ShapeUtil::Leaves(shape))
    if (!ShapeUtil::IsArray(leaf))
      return invalidArgument("no value can be sent as " + ShapeUtil::HumanString(leaf));
  return {};
}

} // namespace tenon::remote
