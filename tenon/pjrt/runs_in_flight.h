// Runs that are in a device's stream: whoever started them goes on, and so may runs that take their results, which the
// device finds in its order. The arrays are completed when the device says so, with the outcome of what made them.
#pragma once

#include "tenon/pjrt/run.h"
#include "tenon/pjrt/work_queue.h"

namespace tenon::pjrt {

// Whether a run that works in this device's memory (null: the host's) may use the array: it is there, or will be in the
// device's order.
bool isUsable(const Value &value, const runtime::Device *device);

// Whether the caller, who has one reference, is the only one to use the array.
bool isHeldAlone(const Value &value);

// The run, whose `work` is in the stream, has promised `results`, which have no memory yet: they have that of
// `run->blocks` from now on, and are completed, as `run->done` is, by the queue when the work has been done.
void completeWhenDone(WorkQueue &completions, std::unique_ptr<Run> run);

} // namespace tenon::pjrt
