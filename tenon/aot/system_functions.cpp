#include "tenon/aot/system_functions.h"

#include <set>

namespace tenon::aot {

bool isSystemFunction(const std::string &name, const llvm::Triple &triple) {
  static const std::set<std::string> everywhere = {
      "memcpy",        "memmove",      "memset",       "memcmp",       "floor",       "floorf",    "ceil",
      "ceilf",         "trunc",        "truncf",       "rint",         "rintf",       "nearbyint", "nearbyintf",
      "round",         "roundf",       "roundeven",    "roundevenf",   "fmod",        "fmodf",     "fma",
      "fmaf",          "sqrt",         "sqrtf",        "__divti3",     "__modti3",    "__udivti3", "__umodti3",
      "__extendhfsf2", "__truncsfhf2", "__truncdfhf2", "__truncsfbf2", "__truncdfbf2"};
  if (everywhere.contains(name))
    return true;
  if (triple.isARM() || triple.isThumb()) // the run-time ABI of ARM, and what GNU has beside it
    return name.starts_with("__aeabi_") || name == "__gnu_h2f_ieee" || name == "__gnu_f2h_ieee";
  if (triple.isWasm()) // 128 bits
    return name == "__multi3" || name == "__ashlti3" || name == "__lshrti3" || name == "__ashrti3";
  if (triple.isOSBinFormatCOFF()) // frames of several pages, and the use of floats
    return name == "__chkstk" || name == "_fltused";
  return triple.isOSBinFormatMachO() && name == "bzero";
}

} // namespace tenon::aot
