#include "tenon/codegen/gpu/transpose.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using tenon::codegen::loop::LLVMValues, tenon::codegen::loop::LoopEvaluator;

namespace tenon::codegen {
namespace {

// A square's elements in one direction: those of a warp. Each thread has some rows of it.
constexpr int64_t kSquare = 32, kRowsTogether = kTransposeThreads / kSquare;
// One element more than a row has, so that those of a column are in different banks.
constexpr int64_t kPitch = kSquare + 1;

const PlanAccess &accessOf(const loop::MapPlan &plan, size_t number) {
  return plan.use.accesses[plan.transposed[number]];
}

int64_t squaresAlong(const loop::MapPlan &plan, unsigned dim) {
  bool isTiled = int(dim) == plan.transposedDim || int(dim) == plan.vectorDim;
  int64_t extent = plan.dims[dim].extent;
  return isTiled ? int64_t(divideCeil(uint64_t(extent), uint64_t(kSquare))) : extent;
}

} // namespace

std::optional<TransposePlan> planTranspose(const loop::MapPlan &plan) {
  if (plan.transposedDim < 0 || plan.elements() == 0)
    return std::nullopt;
  TransposePlan transpose;
  for (size_t i = 0; i < plan.transposed.size(); ++i) {
    transpose.offsets.push_back(transpose.sharedBytes);
    int64_t bytes = kPitch * kSquare * storageBytes(elementTypeOf(accessOf(plan, i).value));
    transpose.sharedBytes += int64_t(alignTo(uint64_t(bytes), 16));
  }
  if (transpose.sharedBytes > kMostSharedBytes)
    return std::nullopt;
  for (unsigned d = 0; d < plan.dims.size(); ++d)
    transpose.tasks *= squaresAlong(plan, d);
  return transpose;
}

FormPhases TransposePlan::phases() const { return {{tasks, kTransposeThreads, sharedBytes}}; }

void TransposePlan::print(raw_ostream &os) const {
  os << "squares of " << kSquare << 'x' << kSquare << " through " << sharedBytes << " bytes shared, " << tasks
     << " blocks\n";
}

namespace {

class TransposeEmitter {
public:
  TransposeEmitter(const TransposePlan &transpose, const loop::MapPlan &plan, LoopEvaluator &evaluator, GpuBuilder &gpu)
      : transpose_(transpose), plan_(plan), evaluator_(evaluator), b_(evaluator.builder()), gpu_(gpu),
        u_(unsigned(plan.transposedDim)), v_(unsigned(plan.vectorDim)) {}

  void emit(Value *task) {
    bindSquare(task);
    shared_ = gpu_.at(b_, [&] { return gpu_.sharedMemory(); });
    Value *thread =
        b_.CreateZExt(gpu_.at(b_, [&] { return gpu_.number(GpuBuilder::Number::kThread); }), b_.getInt64Ty());
    Value *lane = b_.CreateAnd(thread, number(kSquare - 1)), *row = b_.CreateUDiv(thread, number(kSquare));
    forEachRow(row, [&](Value *of) { copyElements(lane, of); });
    gpu_.at(b_, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
    forEachRow(row, [&](Value *of) { computeElements(of, lane); });
  }

private:
  Value *number(int64_t value) { return evaluator_.constant(value); }

  // Squares in row-major order of the dimensions.
  void bindSquare(Value *task) {
    for (unsigned d = unsigned(plan_.dims.size()); d-- > 0;) {
      Value *count = number(squaresAlong(plan_, d));
      Value *outer = d == 0 ? nullptr : b_.CreateUDiv(task, count);
      Value *position = d == 0 ? task : b_.CreateSub(task, b_.CreateNSWMul(outer, count));
      task = outer;
      if (d == u_)
        uBegin_ = b_.CreateNSWMul(position, number(kSquare));
      else if (d == v_)
        vBegin_ = b_.CreateNSWMul(position, number(kSquare));
      else
        evaluator_.bindDim(d, position, 0);
    }
  }

  void forEachRow(Value *first, function_ref<void(Value *row)> body) {
    for (int64_t row = 0; row < kSquare; row += kRowsTogether)
      body(b_.CreateAdd(first, number(row)));
  }

  // Runs `body` at this place of the square, if there is one.
  void at(Value *u, Value *v, function_ref<void()> body) {
    Value *position[] = {b_.CreateNSWAdd(uBegin_, u), b_.CreateNSWAdd(vBegin_, v)};
    unsigned dims[] = {u_, v_};
    Value *isInside = nullptr;
    for (int i = 0; i < 2; ++i) {
      int64_t extent = plan_.dims[dims[i]].extent;
      if (extent % kSquare == 0)
        continue;
      Value *holds = b_.CreateICmpSLT(position[i], number(extent));
      isInside = isInside ? b_.CreateAnd(isInside, holds) : holds;
    }
    auto inside = [&] {
      evaluator_.bindDim(u_, position[0], 0);
      evaluator_.bindDim(v_, position[1], 0);
      body();
      return LLVMValues();
    };
    if (isInside)
      evaluator_.ifElse(isInside, inside, nullptr);
    else
      evaluator_.withMask(nullptr, [&] { inside(); }); // a scope of its own for the values at this place
  }

  Value *addressOf(size_t access, Value *u, Value *v) {
    Value *base = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared_, uint64_t(transpose_.offsets[access]));
    return elementAddress(b_, elementTypeOf(accessOf(plan_, access).value), base,
                          b_.CreateNSWAdd(b_.CreateNSWMul(u, number(kPitch)), v));
  }

  void copyElements(Value *u, Value *v) {
    at(u, v, [&] {
      for (size_t i = 0; i < transpose_.offsets.size(); ++i) {
        const PlanAccess &from = accessOf(plan_, i);
        mlir::Type type = elementTypeOf(from.value);
        Element element = evaluator_.loadAt(type, evaluator_.arrayPointer(from.value), from.position);
        storeElements(b_, type, element, addressOf(i, u, v), 1);
      }
    });
  }

  void computeElements(Value *u, Value *v) {
    at(u, v, [&] {
      for (size_t i = 0; i < transpose_.offsets.size(); ++i) {
        const PlanAccess &from = accessOf(plan_, i);
        evaluator_.bind(from.value, from.index, loadElements(b_, elementTypeOf(from.value), addressOf(i, u, v), 1));
      }
      loop::storeOutputs(evaluator_, plan_);
    });
  }

  const TransposePlan &transpose_;
  const loop::MapPlan &plan_;
  LoopEvaluator &evaluator_;
  IRBuilder<> &b_;
  GpuBuilder &gpu_;
  unsigned u_, v_; // along which the transposed arrays, and the results, lie
  Value *shared_ = nullptr, *uBegin_ = nullptr, *vBegin_ = nullptr;
};

} // namespace

LogicalResult emitTranspose(const TransposePlan &transpose, const loop::MapPlan &plan, const KernelSource &source,
                            Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  return loop::emitLoopFunction(plan.kernel.phases[0], plan, source, module, target,
                                [&](LoopEvaluator &evaluator, Function *function) {
                                  TransposeEmitter(transpose, plan, evaluator, gpu).emit(function->getArg(1));
                                });
}

} // namespace tenon::codegen
