// Extensions of the PJRT API: a linked list of further function tables.
#pragma once

#include "xla/pjrt/c/pjrt_c_api.h"

#include <string_view>

namespace tenon::pjrt {

// Each returns its table, linked to `next`.
PJRT_Extension_Base *layoutsExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *shardingsExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *memoryDescriptionsExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *streamExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *crossHostTransfersExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *ffiExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *customPartitionerExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *profilerExtension(PJRT_Extension_Base *next);
PJRT_Extension_Base *tenonExtension(PJRT_Extension_Base *next);

// Which custom call targets are the framework's host callbacks (Tenon_RegisterCallback).
void markHostCallback(std::string_view target);
bool isHostCallback(std::string_view target);

} // namespace tenon::pjrt
