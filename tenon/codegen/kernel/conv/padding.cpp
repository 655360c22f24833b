// Copies the input into the padded array, row by row.
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/kernels.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/routines.h"
#include "tenon/codegen/llvm/sizes.h"
#include "tenon/support/insertion_sort.h"

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
  insertionSort(placed, [](const Placed &a, const Placed &b) { return a.stride > b.stride; });
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

// Rows of the padded array, as a routine: how large the array is, and how many dimensions it has, is data.
class PadWriter {
public:
  PadWriter(Module &module, const PaddingPlan &plan, const MatmulTarget &target, SizeTable &table)
      : plan_(plan), lanes_(target.vectorBits / 8 / plan.unitBytes),
        e_(module, "tenon.pad", {pointer(module), pointer(module), i64(module), i64(module), pointer(module)}, true),
        sizes_(e_, table, e_.arg(4)), element_(e_.b.getIntNTy(unsigned(plan.unitBytes) * 8)) {
    e_.opaqueLoops = true;
  }

  // void(ptr source, ptr padded, i64 from, i64 to, ptr sizes): rows [from, to).
  Function *write() {
    ArrayRef<PadDim> outer = plan_.dims;
    PadDim last = outer.empty() ? PadDim{1, 0, 0, 0} : outer.back();
    SmallVector<int64_t> table;
    for (const PadDim &dim : reverse(outer.empty() ? outer : outer.drop_back()))
      table.append({dim.padded(), dim.low, dim.size, dim.sourceStride});
    outer_ = sizes_.addressOf(table);
    outerEnd_ = sizes_(int64_t(table.size()));
    rowUnits_ = sizes_(plan_.inner.padded());
    Value *to = e_.arg(3), *padded = sizes_(last.padded());
    e_.whileLess(e_.arg(2), to, [&](Value *row) {
      Value *first = e_.b.CreateURem(row, padded), *count = e_.min(e_.sub(padded, first), e_.sub(to, row));
      rowsOf(last, e_.b.CreateUDiv(row, padded), first, count, at(e_.arg(1), e_.b.CreateMul(row, rowUnits_)));
      return e_.add(row, count);
    });
    e_.ret();
    sizes_.finish();
    markRoutine(*e_.function, "pad", 4.0 * double(plan_.rowsPerTask * plan_.inner.padded()) / double(lanes_));
    return e_.function;
  }

private:
  static llvm::Type *pointer(Module &module) { return PointerType::get(module.getContext(), 0); }
  static llvm::Type *i64(Module &module) { return llvm::Type::getInt64Ty(module.getContext()); }
  Value *at(Value *base, Value *units) { return e_.gep(element_, base, units); }
  Value *max(Value *x, Value *y) { return e_.b.CreateBinaryIntrinsic(Intrinsic::smax, x, y); }

  // Rows [first, first + count) of dimension `last`, those with the indices `outer` of the dimensions outside of it.
  void rowsOf(const PadDim &last, Value *outer, Value *first, Value *count, Value *to) {
    auto [inside, source] = outerPlace(outer);
    Value *low = sizes_(last.low), *end = sizes_(last.low + last.size);
    Value *from = e_.min(max(e_.sub(low, first), e_.i64(0)), count);
    from = e_.b.CreateSelect(inside, from, count);
    Value *until = max(e_.min(e_.sub(end, first), count), from);
    zero(to, e_.b.CreateMul(from, rowUnits_));
    e_.loop(from, until, 1, [&](Value *i) {
      Value *index = e_.sub(e_.add(first, i), low);
      row(at(to, e_.b.CreateMul(i, rowUnits_)),
          at(e_.arg(0), e_.add(source, sizes_.product(index, last.sourceStride))));
    });
    zero(at(to, e_.b.CreateMul(until, rowUnits_)), e_.b.CreateMul(e_.sub(count, until), rowUnits_));
  }

  // Whether the indices are inside of the source, and where they are there.
  std::pair<Value *, Value *> outerPlace(Value *linear) {
    Values start{linear, e_.b.getTrue(), e_.i64(0)};
    Values last = e_.loop(e_.i64(0), outerEnd_, e_.i64(4), start, [&](Value *i, ArrayRef<Value *> before) {
      auto field = [&](int64_t k) {
        return e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), outer_, e_.add(i, k)));
      };
      Value *padded = field(0), *index = e_.sub(e_.b.CreateURem(before[0], padded), field(1));
      return Values{e_.b.CreateUDiv(before[0], padded), e_.b.CreateAnd(before[1], e_.b.CreateICmpULT(index, field(2))),
                    e_.add(before[2], e_.b.CreateMul(index, field(3)))};
    });
    return {last[1], last[2]};
  }

  void row(Value *to, Value *from) {
    const PadDim &inner = plan_.inner;
    Value *low = sizes_(inner.low), *size = sizes_(inner.size);
    zero(to, low);
    copy(at(to, low), from, size);
    zero(at(at(to, low), size), sizes_(inner.high));
  }

  void zero(Value *to, Value *count) {
    pieces(count, unsigned(lanes_),
           [&](Value *i, unsigned width) { e_.store(Constant::getNullValue(e_.vec(element_, width)), at(to, i)); });
  }

  void copy(Value *to, Value *from, Value *count) {
    int64_t stride = plan_.inner.sourceStride;
    pieces(count, stride == 1 ? unsigned(lanes_) : 1, [&](Value *i, unsigned width) {
      e_.store(e_.load(e_.vec(element_, width), at(from, sizes_.times(i, stride))), at(to, i));
    });
  }

  // body(i, width) for all of [0, count): the last vector may do again what the one before has done.
  void pieces(Value *count, unsigned width, function_ref<void(Value *, unsigned)> body) {
    auto singly = [&] { e_.loop(e_.i64(0), count, 1, [&](Value *i) { body(i, 1); }); };
    if (width == 1)
      return singly();
    Value *last = e_.add(count, -int64_t(width));
    e_.ifElse(
        e_.b.CreateICmpSGE(last, e_.i64(0)),
        [&] {
          e_.loop(e_.i64(0), last, width, [&](Value *i) { body(i, width); });
          body(last, width);
          return Values();
        },
        [&] {
          singly();
          return Values();
        });
  }

  const PaddingPlan &plan_;
  int64_t lanes_;
  Emitter e_;
  Sizes sizes_;
  llvm::Type *element_;
  Value *outer_ = nullptr, *outerEnd_ = nullptr, *rowUnits_ = nullptr;
};

} // namespace

PaddingPlan planPadding(const ConvolutionSpec &spec, const PaddedInput &input, const CostModel &costs) {
  int64_t bytes = storageBytes(spec.lhs);
  PaddingPlan plan;
  plan.unitBytes = std::min<int64_t>(bytes, 8);
  plan.dims = padDims(spec, input, bytes / plan.unitBytes);
  plan.inner = plan.dims.pop_back_val();
  for (const PadDim &dim : plan.dims)
    plan.rows *= dim.padded();
  plan.rowsPerTask =
      std::clamp<int64_t>(int64_t(costs.copyTask) / std::max<int64_t>(plan.inner.padded() * plan.unitBytes, 1), 1,
                          std::max<int64_t>(plan.rows, 1));
  return plan;
}

void emitPadding(const PaddingPlan &plan, Module &module, StringRef symbol, const MatmulTarget &target, int lhsBuffer,
                 int tempBuffer) {
  SizeTable sizes;
  Function *pad = PadWriter(module, plan, target, sizes).write();
  Value *table = sizes.write(module, (symbol + ".sizes").str());
  emitTasks(module, symbol, target, [&](Emitter &e, Value *buffers, Value *task, Value *) {
    Value *from = e.mul(task, plan.rowsPerTask), *to = e.min(e.add(from, plan.rowsPerTask), plan.rows);
    e.b.CreateCall(pad, {e.buffer(buffers, lhsBuffer), e.buffer(buffers, tempBuffer), from, to, table});
  });
  compileQuickly(*module.getFunction(symbol));
}

} // namespace tenon::codegen::matmul
