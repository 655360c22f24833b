// The version of Tenon.
#pragma once

#include <string>

namespace tenon {

// "tenon 0.1.0, build 5d1c..." (the build id of this library, if the linker wrote one). Frameworks put it into the keys
// of their caches, so it has to change whenever the compiler does.
std::string libraryVersion();

} // namespace tenon
