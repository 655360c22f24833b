#include "tenon/support/format_message.h"

#include <charconv>

namespace tenon {

std::string formatMessage(std::string_view format, std::span<const int64_t> values) {
  std::string text;
  while (!format.empty()) {
    size_t brace = format.find('{');
    text += format.substr(0, brace);
    if (brace == std::string_view::npos)
      break;
    format.remove_prefix(brace);
    size_t end = format.find('}'), index = values.size();
    const char *last = end == std::string_view::npos ? nullptr : format.data() + end;
    bool isNumber = last && std::from_chars(format.data() + 1, last, index).ptr == last;
    if (isNumber && index < values.size()) {
      text += std::to_string(values[index]);
      format.remove_prefix(end + 1);
    } else {
      text += '{';
      format.remove_prefix(1);
    }
  }
  return text;
}

} // namespace tenon
