#include "tenon/codegen/gpu/finite_values.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

constexpr int64_t kVector = 8; // elements of 16 bits

// The bits of the exponent, of which only numbers have all that are not finite.
uint64_t exponentBits(mlir::Type type) { return type.isBF16() ? 0x7f80 : 0x7c00; }

// The words of all lanes together.
Value *ofWarp(Emitter &e, Value *word, GpuBuilder &gpu) {
  for (unsigned lanes = kWarpThreads / 2; lanes > 0; lanes /= 2)
    word = e.b.CreateOr(word, gpu.at(e.b, [&] { return gpu.shuffleXor(word, lanes); }));
  return word;
}

} // namespace

FiniteValuesPlan planFiniteValues(const Problem &product, const CostModel::Blocks &costs) {
  constexpr int64_t kMostBlocks = kWarpThreads / (FiniteValuesPlan::kThreads / kWarpThreads); // a word for each lane
  constexpr int64_t kLeastVectors = 8 * FiniteValuesPlan::kThreads;
  int64_t worthwhile = std::max<int64_t>(1, product.k * product.n / kVector / kLeastVectors);
  auto needed = int64_t(divideCeil(uint64_t(costs.multiprocessors), uint64_t(product.batch)));
  return {product.batch, std::min({needed, worthwhile, kMostBlocks})};
}

void emitFiniteValues(const FiniteValuesPlan &plan, Problem product, int values, int arrays, Module &module,
                      StringRef symbol, GpuBuilder &gpu) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  product.buffers.rhs = values;
  Value *batch = e.udiv(e.arg(1), plan.blocks), *block = e.urem(e.arg(1), plan.blocks);
  Value *number = gpu.at(e.b, [&] { return gpu.number(GpuBuilder::Number::kThread); });
  Value *thread = e.b.CreateZExt(number, e.b.getInt64Ty());
  Value *base = matmul::rhsBase(e, product, e.arg(0), batch);
  bool isAlongKeys = product.innerK().rhsStride == 1;
  int64_t inner = (isAlongKeys ? product.k : product.n) / kVector, vectors = product.k * product.n / kVector;
  auto *type = FixedVectorType::get(e.b.getInt16Ty(), kVector);
  Constant *exponent = ConstantInt::get(type, exponentBits(product.spec.rhs));
  auto look = [&](Value *vector, ArrayRef<Value *> before) -> Values {
    Value *outer = e.udiv(vector, inner), *along = e.mul(e.urem(vector, inner), kVector);
    Value *column = isAlongKeys ? outer : along, *key = isAlongKeys ? along : outer;
    Value *at = e.add(offsetOf(e, product.nRhs, column), e.mul(key, product.innerK().rhsStride));
    Value *loaded = e.load(type, e.gep(e.b.getInt16Ty(), base, at), kVector * 2);
    return {e.b.CreateBinaryIntrinsic(Intrinsic::umax, before[0], e.b.CreateAnd(loaded, exponent))};
  };
  Value *first = e.add(e.mul(block, FiniteValuesPlan::kThreads), thread);
  Values most = e.loop(first, e.i64(vectors), e.i64(plan.blocks * FiniteValuesPlan::kThreads),
                       {Constant::getNullValue(type)}, look);
  Value *found = e.b.CreateOrReduce(e.b.CreateICmpEQ(most[0], exponent));
  Value *word = ofWarp(e, e.b.CreateZExt(found, e.b.getInt32Ty()), gpu);
  Value *to = e.add(e.mul(e.arg(1), FiniteValuesPlan::kThreads / kWarpThreads), e.udiv(thread, kWarpThreads));
  e.ifThen(e.b.CreateICmpEQ(e.urem(thread, kWarpThreads), e.i64(0)),
           [&] { e.store(word, e.gep(e.b.getInt32Ty(), e.buffer(e.arg(0), arrays), to)); });
  e.ret();
}

Value *areFinite(Emitter &e, const FiniteValuesPlan &plan, Value *temp, Value *batch, Value *lane, GpuBuilder &gpu) {
  Value *first = e.mul(batch, plan.wordsOfBatch());
  Value *number = e.min(lane, plan.wordsOfBatch() - 1); // lanes without a word of their own have the last one
  Value *word = e.load(e.b.getInt32Ty(), e.gep(e.b.getInt32Ty(), temp, e.add(first, number)));
  return e.b.CreateIsNull(ofWarp(e, word, gpu));
}

} // namespace tenon::codegen
