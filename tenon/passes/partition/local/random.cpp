// Random bits come of counters, each of which every device can make: its part of them is that of one device's array.
#include "tenon/passes/legalize/decompose/random_bits.h"
#include "tenon/passes/partition/local/forms.h"
#include "tenon/passes/partition/local/indices.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

constexpr size_t kOutput = 1; // the other result is the state, which all devices have

bool canCutRandomBits(Operation *op, const ir::Factors &factors, size_t factor, int64_t) {
  return hasFactor(factors.results[kOutput], factor) && RandomBits::isDefinedFor(cast<sh::RngBitGeneratorOp>(op));
}

SmallVector<Value> buildRandomBits(LocalOp &op) {
  ir::Sharding sharding = op.resultSharding(kOutput);
  ArrayPart part{SmallVector<int64_t>(op.localResultType(kOutput).getShape()), {}};
  for (int64_t i = 0; i < op.resultType(kOutput).getRank(); ++i)
    part.starts.push_back(isCut(sharding, i) ? partStart(op.builder, op.resultType(kOutput), sharding, i) : Value());
  if (llvm::none_of(part.starts, [](Value start) { return bool(start); }))
    return op.cloneWith(op.operands);
  RandomBits random(op.builder.builder, cast<sh::RngBitGeneratorOp>(op.op), op.operands[0]);
  return {random.nextState(), random.part(part)};
}

} // namespace

LocalForm randomBitsForm() { return {.canCut = canCutRandomBits, .build = buildRandomBits}; }

} // namespace tenon::passes::partition
