#include "tenon/tools/svg.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

const char kPictureStyle[] =
#include "picture_css.inc"
    ;

std::string escapedXml(llvm::StringRef text) {
  std::string clean = llvm::json::isUTF8(text) ? text.str() : llvm::json::fixUTF8(text);
  std::string result;
  llvm::raw_string_ostream out(result);
  for (char c : clean)
    if (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t')
      out << "\xEF\xBF\xBD"; // control characters cannot be in XML, not even escaped
    else
      llvm::printHTMLEscaped(llvm::StringRef(&c, 1), out);
  return result;
}

} // namespace tenon::tools
