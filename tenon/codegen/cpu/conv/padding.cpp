// Copies the input into the padded array, row by row.
#include "tenon/codegen/cpu/conv/lowering.h"
#include "tenon/codegen/cpu/matmul/kernels.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

// Dimensions of the padded array, outermost first, the last ones joined where the copy is one run.
SmallVector<PadDim, 5> padDims(const ConvolutionSpec &spec, const PaddedInput &input, int64_t units) {
  struct Placed {
    PadDim dim;
    int64_t stride;
  };
  SmallVector<Placed, 6> placed = {
      {{spec.batch, 0, 0, spec.lhsBatchStride * units}, input.batchStride * units},
      {{spec.inputFeatures, 0, 0, spec.lhsFeatureStride * units}, input.featureStride * units}};
  for (auto [d, window] : llvm::enumerate(spec.spatial))
    placed.push_back(
        {{window.inputSize, input.low[d], input.high[d], window.lhsStride * units}, input.strides[d] * units});
  if (units > 1)
    placed.push_back({{units, 0, 0, 1}, 1});
  for (size_t i = 1; i < placed.size(); ++i)
    for (size_t j = i; j > 0 && placed[j].stride > placed[j - 1].stride; --j)
      std::swap(placed[j], placed[j - 1]);
  SmallVector<PadDim, 5> dims;
  for (const Placed &item : placed)
    if (item.dim.padded() != 1)
      dims.push_back(item.dim);
  while (dims.size() > 1) {
    PadDim inner = dims.back(), outer = dims[dims.size() - 2];
    if (inner.low || inner.high || outer.sourceStride != inner.sourceStride * inner.size)
      break;
    dims.pop_back();
    dims.back() = {outer.size * inner.size, outer.low * inner.size, outer.high * inner.size, inner.sourceStride};
  }
  if (dims.empty())
    dims.push_back({1, 0, 0, 1});
  return dims;
}

class RowCopier {
public:
  RowCopier(Emitter &e, llvm::Type *element, unsigned lanes) : e_(e), element_(element), lanes_(lanes) {}

  void zero(Value *to, Value *count) {
    pieces(count, lanes_, [&](Value *i, unsigned width) {
      e_.store(Constant::getNullValue(e_.vec(element_, width)), e_.gep(element_, to, i));
    });
  }

  void copy(Value *to, Value *from, int64_t stride, Value *count) {
    pieces(count, stride == 1 ? lanes_ : 1, [&](Value *i, unsigned width) {
      Value *value = e_.load(e_.vec(element_, width), e_.gep(element_, from, e_.mul(i, stride)));
      e_.store(value, e_.gep(element_, to, i));
    });
  }

private:
  void pieces(Value *count, unsigned width, function_ref<void(Value *, unsigned)> body) {
    Value *done = e_.i64(0);
    for (; width >= 1; width = width > 4 ? 4 : width > 1 ? 1 : 0) {
      Value *full = e_.b.CreateAnd(count, e_.i64(-int64_t(width)));
      e_.loop(done, full, width, [&](Value *i) { body(i, width); });
      done = full;
      if (auto *c = dyn_cast<ConstantInt>(count); c && c->getSExtValue() % width == 0)
        return;
    }
  }

  Emitter &e_;
  llvm::Type *element_;
  unsigned lanes_;
};

} // namespace

PaddingPlan planPadding(const ConvolutionSpec &spec, const PaddedInput &input) {
  int64_t bytes = storageBytes(spec.lhs);
  PaddingPlan plan;
  plan.unitBytes = std::min<int64_t>(bytes, 8);
  plan.dims = padDims(spec, input, bytes / plan.unitBytes);
  plan.inner = plan.dims.pop_back_val();
  for (const PadDim &dim : plan.dims)
    plan.rows *= dim.padded();
  plan.rowsPerTask = std::clamp<int64_t>(65536 / std::max<int64_t>(plan.inner.padded() * plan.unitBytes, 1), 1,
                                         std::max<int64_t>(plan.rows, 1));
  return plan;
}

void emitPadding(const PaddingPlan &plan, Module &module, StringRef symbol, const MatmulTarget &target, int lhsBuffer,
                 int tempBuffer) {
  const PadDim &inner = plan.inner;
  ArrayRef<PadDim> dims = plan.dims;
  emitTasks(module, symbol, target, [&](Emitter &e, Value *table, Value *task, Value *) {
    llvm::Type *element = e.b.getIntNTy(unsigned(plan.unitBytes) * 8);
    RowCopier copier(e, element, unsigned(target.vectorBits / 8 / plan.unitBytes));
    Value *source = e.buffer(table, lhsBuffer), *temp = e.buffer(table, tempBuffer);
    Value *first = e.mul(task, plan.rowsPerTask);
    e.loop(first, e.min(e.add(first, plan.rowsPerTask), plan.rows), e.i64(1), {}, [&](Value *row, ArrayRef<Value *>) {
      Value *inside = e.b.getTrue(), *from = e.i64(0), *rest = row;
      for (size_t i = dims.size(); i-- > 0;) {
        const PadDim &dim = dims[i];
        Value *index = e.add(i == 0 ? rest : e.urem(rest, dim.padded()), -dim.low);
        rest = i == 0 ? rest : e.udiv(rest, dim.padded());
        if (dim.low || dim.high)
          inside = e.b.CreateAnd(inside, e.b.CreateICmpULT(index, e.i64(dim.size)));
        from = e.add(from, e.mul(index, dim.sourceStride));
      }
      Value *to = e.gep(element, temp, e.mul(row, inner.padded()));
      e.ifElse(
          inside,
          [&] {
            copier.zero(to, e.i64(inner.low));
            copier.copy(e.gep(element, to, inner.low), e.gep(element, source, from), inner.sourceStride,
                        e.i64(inner.size));
            copier.zero(e.gep(element, to, inner.low + inner.size), e.i64(inner.high));
            return Values();
          },
          [&] {
            copier.zero(to, e.i64(inner.padded()));
            return Values();
          });
      return Values();
    });
  });
}

} // namespace tenon::codegen::matmul
