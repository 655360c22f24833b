// What a plan says of the buffers that values are in.
#include "tenon/codegen/common/memory/buffer_plan.h"

#include <algorithm>

using namespace mlir;

namespace tenon::codegen {

void BufferClass::addLife(ArrayRef<Interval> intervals) {
  live.append(intervals.begin(), intervals.end());
  for (Interval interval : intervals)
    hull = {std::min(hull.begin, interval.begin), std::max(hull.end, interval.end)};
}

bool BufferClass::isAliveIn(ArrayRef<Interval> intervals) const {
  return llvm::any_of(intervals, [&](Interval interval) {
    return hull.overlaps(interval) && llvm::any_of(live, [&](Interval own) { return own.overlaps(interval); });
  });
}

int BufferPlan::root(int index) const {
  while (classes_[index].mergedInto >= 0)
    index = classes_[index].mergedInto;
  return index;
}

const BufferClass &BufferPlan::classOf(Value value) const { return classes_[root(classIndex_.at(value))]; }
const BufferClass &BufferPlan::classAt(int index) const { return classes_[root(index)]; }

const BufferClass *BufferPlan::temporaryOf(Operation *op) const {
  auto found = temporaries_.find(op);
  return found == temporaries_.end() ? nullptr : &classes_[root(found->second)];
}

const BufferClass *BufferPlan::returnTemporary(int result) const {
  int index = returnTemporaries_[result];
  return index < 0 ? nullptr : &classes_[root(index)];
}

} // namespace tenon::codegen
