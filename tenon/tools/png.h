#pragma once

#include "tenon/tools/array.h"

namespace tenon::tools {

// Writes ui8[height,width] (grey), ui8[height,width,3] (RGB) or ui8[height,width,4] (RGBA) as a PNG image.
Status writePng(const std::string &path, const Literal &array);

} // namespace tenon::tools
