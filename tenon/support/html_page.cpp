#include "tenon/support/html_page.h"

namespace tenon {

std::string fillPage(std::string_view page, const std::map<std::string, std::string_view> &parts) {
  std::string result;
  for (size_t open; (open = page.find("{{")) != std::string_view::npos;) {
    size_t close = page.find("}}", open);
    result += page.substr(0, open);
    result += parts.at(std::string(page.substr(open + 2, close - open - 2)));
    page = page.substr(close + 2);
  }
  result += page;
  return result;
}

std::string jsonForScript(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (char c : json)
    c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

} // namespace tenon
