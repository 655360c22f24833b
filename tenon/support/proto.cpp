#include "tenon/support/proto.h"

namespace tenon {

bool ProtoReader::varint(uint64_t &value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (rest_.empty())
      return false;
    uint8_t byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

bool ProtoReader::fixed(size_t size, uint64_t &value) {
  if (rest_.size() < size)
    return false;
  value = 0;
  std::memcpy(&value, rest_.data(), size); // little-endian, like every host we run on
  rest_.remove_prefix(size);
  return true;
}

bool ProtoReader::next(ProtoField &field) {
  if (!ok_ || rest_.empty())
    return false;
  uint64_t tag = 0;
  ok_ = varint(tag) && (tag >> 3) != 0 && (tag >> 3) < (uint64_t{1} << 29);
  if (!ok_)
    return false;
  field = ProtoField{static_cast<uint32_t>(tag >> 3), static_cast<ProtoField::Wire>(tag & 7), 0, {}};
  switch (field.wire) {
  case ProtoField::kVarint:
    ok_ = varint(field.value);
    break;
  case ProtoField::kFixed64:
    ok_ = fixed(8, field.value);
    break;
  case ProtoField::kFixed32:
    ok_ = fixed(4, field.value);
    break;
  case ProtoField::kBytes: {
    uint64_t size = 0;
    ok_ = varint(size) && size <= rest_.size();
    if (ok_) {
      field.bytes = rest_.substr(0, size);
      rest_.remove_prefix(size);
    }
    break;
  }
  default:
    ok_ = false; // groups, which nothing uses, and undefined numbers
  }
  return ok_;
}

bool appendInts(const ProtoField &field, std::vector<int64_t> &values) {
  if (field.wire == ProtoField::kVarint) {
    values.push_back(field.asInt());
    return true;
  }
  if (field.wire != ProtoField::kBytes)
    return false;
  // A packed field is a run of varints without tags.
  uint64_t value = 0;
  int shift = 0;
  for (char byte : field.bytes) {
    if (shift >= 64)
      return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    shift += 7;
    if (!(byte & 0x80)) {
      values.push_back(static_cast<int64_t>(value));
      value = 0;
      shift = 0;
    }
  }
  return shift == 0;
}

void ProtoWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    out_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
}

void ProtoWriter::integer(uint32_t number, int64_t value) {
  varint(static_cast<uint64_t>(number) << 3 | ProtoField::kVarint);
  varint(static_cast<uint64_t>(value));
}

void ProtoWriter::number(uint32_t number, double value) {
  varint(static_cast<uint64_t>(number) << 3 | ProtoField::kFixed64);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value); // little-endian, as above
  out_.append(bytes, sizeof value);
}

void ProtoWriter::bytes(uint32_t number, std::string_view value) {
  varint(static_cast<uint64_t>(number) << 3 | ProtoField::kBytes);
  varint(value.size());
  out_ += value;
}

void ProtoWriter::packed(uint32_t number, const std::vector<int64_t> &values) {
  if (values.empty())
    return;
  ProtoWriter inner;
  for (int64_t value : values)
    inner.varint(static_cast<uint64_t>(value));
  bytes(number, inner.out_);
}

} // namespace tenon
