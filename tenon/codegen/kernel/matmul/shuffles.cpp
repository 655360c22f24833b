#include "tenon/codegen/kernel/matmul/shuffles.h"

using namespace llvm;

namespace tenon::codegen::matmul {

Value *interleave(Emitter &e, ArrayRef<Value *> rows, unsigned lanes, llvm::Type *unit) {
  if (rows.size() == 1)
    return rows[0];
  unsigned group = unsigned(rows.size());
  llvm::Type *element = rows[0]->getType()->getScalarType();
  Value *merged;
  if (lanes == 1) {
    merged = PoisonValue::get(FixedVectorType::get(element, group));
    for (unsigned q = 0; q < group; ++q)
      merged = e.b.CreateInsertElement(merged, rows[q], q);
  } else {
    auto zip = [&](Value *x, Value *y) {
      SmallVector<int, 64> mask;
      unsigned count = cast<FixedVectorType>(x->getType())->getNumElements();
      for (unsigned i = 0; i < count; ++i)
        mask.append({int(i), int(i + count)});
      return e.b.CreateShuffleVector(x, y, mask);
    };
    merged = group == 2 ? zip(rows[0], rows[1]) : zip(zip(rows[0], rows[2]), zip(rows[1], rows[3]));
  }
  return e.b.CreateBitCast(merged, e.vec(unit, lanes));
}

Values transposedSquare(Emitter &e, Values rows) {
  unsigned count = unsigned(rows.size());
  for (unsigned round = 1; round < count; round *= 2) {
    Values next;
    for (unsigned i = 0; i < count / 2; ++i)
      for (unsigned half : {0U, 1U}) {
        SmallVector<int, 16> mask;
        for (unsigned x = 0; x < count / 2; ++x)
          mask.append({int(half * count / 2 + x), int(count + half * count / 2 + x)});
        next.push_back(e.b.CreateShuffleVector(rows[i], rows[i + count / 2], mask));
      }
    rows = std::move(next);
  }
  return rows;
}

} // namespace tenon::codegen::matmul
