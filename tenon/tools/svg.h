// What pictures in SVG have in common.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tenon::tools {

// Text that may stand in XML, whatever bytes it is made of.
std::string escapedXml(llvm::StringRef text);

// The colours and fonts of pictures, for the browser's light and dark scheme: of elements in an svg of class "picture".
extern const char kPictureStyle[];

} // namespace tenon::tools
