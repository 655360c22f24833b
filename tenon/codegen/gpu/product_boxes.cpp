#include "tenon/codegen/gpu/product_boxes.h"

#include "tenon/codegen/gpu/product_emitter.h"

using namespace llvm;
using tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

constexpr int64_t kLineBytes = 128; // of a row of a tile

Value *mapOf(Emitter &e, const Problem &p, bool isLhs) {
  return e.gep(e.b.getInt8Ty(), temporary(e, p, e.arg(0)), isLhs ? 0 : GpuBuilder::kMapBytes);
}

// The dense dimension is the inner one, and a batch the outer.
GpuBuilder::BoxedArray arrayOf(Emitter &e, const Problem &p, const ProductPlan &product, bool isLhs) {
  const StridedDims &rows = isLhs ? p.mLhs : p.nRhs, &batches = isLhs ? p.batchLhs : p.batchRhs;
  int64_t extent = isLhs ? p.m : p.n, bytes = product.elementBytes;
  int64_t ofRow = rows.inner().stride, ofK = isLhs ? p.innerK().lhsStride : p.innerK().rhsStride;
  GpuBuilder::BoxedArray array{};
  array.address = isLhs ? matmul::lhsBase(e, p, e.arg(0), e.i64(0)) : matmul::rhsBase(e, p, e.arg(0), e.i64(0));
  array.elementBytes = bytes;
  if (product.hasDenseK(isLhs)) {
    array.sizes = {p.k, extent, p.batch};
    array.boxes = {kLineBytes / bytes, product.blockExtent(isLhs), 1};
    array.strides[0] = ofRow * bytes;
  } else {
    array.sizes = {extent, p.k, p.batch};
    array.boxes = {kLineBytes / bytes, product.steps, 1};
    array.strides[0] = ofK * bytes;
  }
  array.strides[1] = p.batch == 1 ? array.strides[0] : batches.inner().stride * bytes;
  return array;
}

} // namespace

void emitMaps(const ProductPlan &product, const Problem &problem, Module &module, StringRef symbol, GpuBuilder &gpu) {
  Emitter e(module, symbol, kernelParameters(module.getContext()), false);
  for (bool isLhs : {true, false}) {
    GpuBuilder::BoxedArray array = arrayOf(e, problem, product, isLhs);
    Value *map = mapOf(e, problem, isLhs);
    gpu.at(e.b, [&]() -> Value * { return gpu.emitMap(map, array), nullptr; });
  }
  e.ret();
}

BoxCopier::BoxCopier(Emitter &e, const Problem &p, const ProductPlan &product, bool isLhs, Value *batch, Value *first)
    : e_(e), product_(product), isLhs_(isLhs), map_(mapOf(e, p, isLhs)), batch_(batch), first_(first) {}

void BoxCopier::useMap(GpuBuilder &gpu) {
  gpu.at(e_.b, [&]() -> Value * { return gpu.emitUseOfMap(map_), nullptr; });
}

// A tile has several boxes of a dense dimension that is not k.
void BoxCopier::copy(Value *tile, Value *k, Value *barrier, GpuBuilder &gpu) {
  bool isDense = product_.hasDenseK(isLhs_);
  int64_t rows = isDense ? product_.blockExtent(isLhs_) : kLineBytes / product_.elementBytes;
  auto place = [&](Value *index) { return e_.b.CreateTrunc(index, e_.b.getInt32Ty()); };
  for (int64_t row = 0; row < product_.blockExtent(isLhs_); row += rows) {
    Value *outer = place(e_.add(first_, row)), *step = place(k), *batch = place(batch_);
    Value *to = e_.gep(e_.b.getInt8Ty(), tile, row / rows * product_.steps * kLineBytes);
    gpu.at(e_.b, [&]() -> Value * {
      gpu.emitBoxCopy(to, map_, {isDense ? step : outer, isDense ? outer : step, batch}, barrier);
      return nullptr;
    });
  }
}

} // namespace tenon::codegen
