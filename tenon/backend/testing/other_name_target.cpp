// A target that takes a name which is taken.
#include "tenon/target.h"

extern "C" TENON_API const tenon::target::Plugin *Tenon_TargetPlugin() {
  static const tenon::target::Plugin plugin = {tenon::target::kAbiVersion, tenon::target::kLayout, "cpu", nullptr};
  return &plugin;
}
