// Records that processes send each other: integers of 8 bytes, little-endian, and texts behind their lengths. What is
// read comes from outside: a reader that has met the end, or a text longer than it may be, gives zeros from then on.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tenon::runtime {

class ByteWriter {
public:
  void integer(uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      bytes_ += static_cast<char>(value >> shift & 0xff);
  }
  void text(std::string_view text) {
    integer(text.size());
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

private:
  std::string bytes_;
};

class ByteReader {
public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  uint64_t integer() {
    uint64_t value = 0;
    std::string_view bytes = take(8);
    for (size_t i = bytes.size(); i-- > 0;)
      value = value << 8 | static_cast<uint8_t>(bytes[i]);
    return value;
  }
  // An integer of at most `most`.
  uint64_t integer(uint64_t most) {
    uint64_t value = integer();
    if (value > most)
      fail();
    return ok_ ? value : 0;
  }
  std::string text(size_t most) {
    uint64_t size = integer(most);
    return std::string(take(size));
  }
  bool ok() const { return ok_; }
  // Whether all has been read, and was as it should be.
  bool isDone() const { return ok_ && rest_.empty(); }

private:
  std::string_view take(size_t size) {
    if (size > rest_.size())
      fail();
    if (!ok_)
      return {};
    std::string_view bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return bytes;
  }
  void fail() {
    ok_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace tenon::runtime
