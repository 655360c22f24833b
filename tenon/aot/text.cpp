#include "tenon/aot/text.h"

namespace tenon::aot {

std::string fillIn(std::string text, const std::vector<std::pair<std::string, std::string>> &values) {
  for (const auto &[name, value] : values)
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
      text.replace(at, name.size(), value);
  return text;
}

std::string escaped(std::string_view bytes) {
  static const char digits[] = "0123456789ABCDEF";
  std::string text;
  for (unsigned char c : bytes) {
    text += '\\';
    text += digits[c >> 4];
    text += digits[c & 15];
  }
  return text;
}

} // namespace tenon::aot
