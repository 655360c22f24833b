// Loops, branches and address arithmetic on top of IRBuilder: what every kernel of this folder is written with.
#pragma once

#include "llvm/ADT/ArrayRef.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

using Values = llvm::SmallVector<llvm::Value *, 32>;

// The parameters of every kernel function: (ptr buffers, i64 begin, i64 end, ptr scratch).
llvm::SmallVector<llvm::Type *, 4> kernelParameters(llvm::LLVMContext &context);

// Writes one function. All integer indices are i64.
class Emitter {
public:
  Emitter(llvm::Module &module, llvm::StringRef name, llvm::ArrayRef<llvm::Type *> parameters, bool internal);

  llvm::IRBuilder<> b;
  llvm::Function *function;

  llvm::Value *arg(unsigned i) { return function->getArg(i); }
  llvm::Value *i64(int64_t value) { return b.getInt64(value); }
  llvm::Type *vec(llvm::Type *element, unsigned lanes) {
    return lanes == 1 ? element : llvm::FixedVectorType::get(element, lanes);
  }

  // Arithmetic with the trivial cases removed at once: constants are everywhere here.
  llvm::Value *add(llvm::Value *x, llvm::Value *y);
  llvm::Value *add(llvm::Value *x, int64_t y) { return add(x, i64(y)); }
  llvm::Value *mul(llvm::Value *x, int64_t y);
  llvm::Value *sub(llvm::Value *x, llvm::Value *y) { return b.CreateSub(x, y); }
  llvm::Value *udiv(llvm::Value *x, int64_t y);
  llvm::Value *urem(llvm::Value *x, int64_t y);
  llvm::Value *min(llvm::Value *x, llvm::Value *y);
  llvm::Value *min(llvm::Value *x, int64_t y) { return min(x, i64(y)); }

  llvm::Value *gep(llvm::Type *element, llvm::Value *pointer, llvm::Value *index);
  llvm::Value *gep(llvm::Type *element, llvm::Value *pointer, int64_t index) {
    return gep(element, pointer, i64(index));
  }
  // Vectors are only aligned to `align` bytes (their element's alignment unless told).
  llvm::Value *load(llvm::Type *type, llvm::Value *pointer, int64_t align = 0);
  void store(llvm::Value *value, llvm::Value *pointer, int64_t align = 0);
  // Entry `index` of the buffer table.
  llvm::Value *buffer(llvm::Value *table, int index);

  llvm::Value *splat(llvm::Value *scalar, unsigned lanes) {
    return lanes == 1 ? scalar : b.CreateVectorSplat(lanes, scalar);
  }

  // Hides how a value came about, so that loop strength reduction, which takes a third of a small kernel's compile
  // time, does not look for better addresses where there are none to be had.
  llvm::Value *opaque(llvm::Value *value);
  // Whether loops made from here on have such counters. For outer loops.
  bool opaqueLoops = false;

  // for (i = lo; i < hi; i += step). The second form carries values and returns their last ones.
  void loop(llvm::Value *lo, llvm::Value *hi, int64_t step, llvm::function_ref<void(llvm::Value *)> body);
  Values loop(llvm::Value *lo, llvm::Value *hi, llvm::Value *step, llvm::ArrayRef<llvm::Value *> init,
              llvm::function_ref<Values(llvm::Value *, llvm::ArrayRef<llvm::Value *>)> body);
  void ifThen(llvm::Value *condition, llvm::function_ref<void()> then);
  Values ifElse(llvm::Value *condition, llvm::function_ref<Values()> then, llvm::function_ref<Values()> otherwise);
  // Runs the body `count` times (at least once); returns the carried values after the last.
  Values countDown(llvm::Value *count, llvm::ArrayRef<llvm::Value *> init,
                   llvm::function_ref<Values(llvm::ArrayRef<llvm::Value *>)> body);
  // while (i < hi): body returns the next i.
  void whileLess(llvm::Value *lo, llvm::Value *hi, llvm::function_ref<llvm::Value *(llvm::Value *)> body);

  void ret() { b.CreateRetVoid(); }
};

// One array's view of a role's dimensions: what is left after adjacent dimensions that are one run in memory have been
// joined. Outermost first; never empty.
struct StridedDims {
  struct Dim {
    int64_t size, stride;
  };
  llvm::SmallVector<Dim, 3> dims;

  const Dim &inner() const { return dims.back(); }
  bool isAffine() const { return dims.size() == 1; }
  bool isContiguous() const { return isAffine() && inner().stride == 1; }
  bool hasContiguousRuns() const { return inner().stride == 1; }
};

StridedDims collapse(llvm::ArrayRef<StridedDims::Dim> dims);

// The element offset of a linear index into the dimensions.
llvm::Value *offsetOf(Emitter &e, const StridedDims &dims, llvm::Value *linear);

} // namespace tenon::codegen
