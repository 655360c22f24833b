// The protocol buffer wire format, as much of it as the few messages of PJRT and XLA need: these come without .proto
// files and without a library to read them.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

struct ProtoField {
  enum Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };
  uint32_t number = 0;
  Wire wire = kVarint;
  uint64_t value = 0;     // kVarint, kFixed64, kFixed32
  std::string_view bytes; // kBytes

  int64_t asInt() const { return static_cast<int64_t>(value); }
  double asDouble() const {
    double result;
    std::memcpy(&result, &value, sizeof(result));
    return result;
  }
};

// Walks over the fields of one message:
//   ProtoReader reader(bytes);
//   while (reader.next(field)) ...
//   if (!reader.ok()) ...
class ProtoReader {
public:
  explicit ProtoReader(std::string_view bytes) : rest_(bytes) {}
  // False at the end, and at the first thing that is not well formed.
  bool next(ProtoField &field);
  bool ok() const { return ok_; }

private:
  bool varint(uint64_t &value);
  bool fixed(size_t size, uint64_t &value);
  std::string_view rest_;
  bool ok_ = true;
};

// Adds the integers of one occurrence of a repeated field, packed or not. False if malformed.
bool appendInts(const ProtoField &field, std::vector<int64_t> &values);

class ProtoWriter {
public:
  void integer(uint32_t number, int64_t value);
  void number(uint32_t number, double value);
  void bytes(uint32_t number, std::string_view value);
  void packed(uint32_t number, const std::vector<int64_t> &values);
  std::string take() { return std::move(out_); }

private:
  void varint(uint64_t value);
  std::string out_;
};

} // namespace tenon
