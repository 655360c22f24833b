// As a library that was built with another version of the header.
#include "tenon/target.h"

extern "C" TENON_API const tenon::target::Plugin *Tenon_TargetPlugin() {
  static const tenon::target::Plugin plugin = {tenon::target::kAbiVersion + 1, tenon::target::kLayout, "old", nullptr};
  return &plugin;
}
