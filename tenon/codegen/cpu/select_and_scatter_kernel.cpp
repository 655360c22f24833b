// For each window the element that `select` prefers gets the window's source value, combined by `scatter`.
//
// Dimensions that the window leaves alone (batch, features) keep windows apart: they are the tasks. Where the innermost
// dimension is one of them, a vector of its elements goes through the windows together, each lane remembering the place
// it selected; the places of different lanes are different elements, so gathering, combining and scattering a whole
// vector is safe. Windows of one task are visited in order: every partition gives the same bits.

#include "tenon/codegen/cpu/select_and_scatter_kernel.h"

#include "tenon/codegen/cpu/element.h"
#include "tenon/codegen/cpu/matmul/emitter.h"
#include "tenon/ir/stablehlo.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

// A dimension that windows move along.
struct WindowDim {
  int64_t size, window, step, low; // of the operand; window size, stride, low padding
  int64_t count;                   // of the source
  int64_t stride, sourceStride;    // elements
};
struct FreeDim {
  int64_t size, stride, sourceStride;
};

class SelectAndScatterEmitter {
public:
  SelectAndScatterEmitter(sh::SelectAndScatterOp op, llvm::Module &module, llvm::StringRef symbol,
                          const CpuTarget &target)
      : op(op), element(typeOf(op.getOperand()).getElementType()), symbol(symbol),
        e(module, symbol,
          {llvm::PointerType::get(module.getContext(), 0), llvm::Type::getInt64Ty(module.getContext()),
           llvm::Type::getInt64Ty(module.getContext()), llvm::PointerType::get(module.getContext(), 0)},
          /*internal=*/false) {
    classifyDims();
    int64_t width = target.lanes(std::max<int64_t>(8, storageBytes(element) * 8));
    lanes = laneDim.size >= width ? width : 1;
  }

  FailureOr<Kernel> run() {
    int64_t tasks = 1, windows = 1, cells = 1;
    for (const FreeDim &dim : free)
      tasks *= dim.size;
    for (const WindowDim &dim : windowed) {
      windows *= dim.count;
      cells *= dim.window;
    }
    Kernel kernel;
    kernel.kind = "select_and_scatter";
    if (typeOf(op.getOperand()).getNumElements() == 0)
      tasks = 0;
    double steps = double(tasks) * double(laneDim.size) / double(lanes) * double(windows);
    kernel.phases.push_back({symbol.str(), tasks, steps * (double(cells) * 1.5 + 12)});
    kernel.resultInit.assign(1, -1);
    kernel.bytes = double(storageBytes(element)) *
                   double(2 * typeOf(op.getOperand()).getNumElements() + typeOf(op.getSource()).getNumElements());
    e.loop(e.arg(1), e.arg(2), 1, [&](llvm::Value *task) { emitTask(task); });
    e.ret();
    if (failed)
      return failure();
    return kernel;
  }

private:
  void classifyDims() {
    RankedTensorType operand = typeOf(op.getOperand()), source = typeOf(op.getSource());
    int64_t rank = operand.getRank(), stride = 1, sourceStride = 1;
    SmallVector<int64_t> low(rank, 0);
    if (auto padding = op.getPaddingAttr())
      for (auto [i, value] : llvm::enumerate(padding.getValues<int64_t>()))
        if (i % 2 == 0)
          low[i / 2] = value;
    for (int64_t i = rank - 1; i >= 0; --i) {
      int64_t window = op.getWindowDimensions() ? (*op.getWindowDimensions())[i] : 1;
      int64_t step = op.getWindowStrides() ? (*op.getWindowStrides())[i] : 1;
      int64_t size = operand.getDimSize(i);
      bool isFree = window == 1 && step == 1 && low[i] == 0 && source.getDimSize(i) == size;
      if (isFree && i == rank - 1)
        laneDim = {size, 1, 1};
      else if (isFree)
        free.push_back({size, stride, sourceStride});
      else
        windowed.insert(windowed.begin(), {size, window, step, low[i], source.getDimSize(i), stride, sourceStride});
      stride *= size;
      sourceStride *= source.getDimSize(i);
    }
  }

  llvm::Value *addressOf(unsigned buffer, llvm::Value *index) {
    return elementAddress(e.b, element, e.buffer(e.arg(0), buffer), index);
  }

  void emitTask(llvm::Value *task) {
    llvm::Value *base = e.i64(0), *sourceBase = e.i64(0), *rest = task;
    for (const FreeDim &dim : free) {
      llvm::Value *index = e.urem(rest, dim.size);
      base = e.add(base, e.mul(index, dim.stride));
      sourceBase = e.add(sourceBase, e.mul(index, dim.sourceStride));
      rest = e.udiv(rest, dim.size);
    }
    int64_t whole = laneDim.size / lanes * lanes;
    emitLanes(base, sourceBase, 0, whole, lanes);
    if (whole < laneDim.size)
      emitLanes(base, sourceBase, whole, laneDim.size, 1);
  }

  void emitLanes(llvm::Value *base, llvm::Value *sourceBase, int64_t from, int64_t to, unsigned width) {
    e.loop(e.i64(from), e.i64(to), width, [&](llvm::Value *lane) {
      llvm::Value *at = e.add(base, lane), *sourceAt = e.add(sourceBase, lane);
      Element init = splat(e.b, loadElements(e.b, element, addressOf(2, e.i64(0)), 1), width);
      fill(0, at, init, width);
      overWindows(0, at, sourceAt, {}, width);
    });
  }

  void fill(unsigned dim, llvm::Value *at, Element init, unsigned width) {
    if (dim == windowed.size()) {
      storeElements(e.b, element, init, addressOf(3, at), width);
      return;
    }
    e.loop(e.i64(0), e.i64(windowed[dim].size), 1,
           [&](llvm::Value *i) { fill(dim + 1, e.add(at, e.mul(i, windowed[dim].stride)), init, width); });
  }

  void overWindows(unsigned dim, llvm::Value *at, llvm::Value *sourceAt, SmallVector<llvm::Value *> origins,
                   unsigned width) {
    if (dim < windowed.size()) {
      e.loop(e.i64(0), e.i64(windowed[dim].count), 1, [&](llvm::Value *i) {
        SmallVector<llvm::Value *> next(origins);
        next.push_back(e.add(e.mul(i, windowed[dim].step), -windowed[dim].low));
        overWindows(dim + 1, at, e.add(sourceAt, e.mul(i, windowed[dim].sourceStride)), next, width);
      });
      return;
    }
    bool complex = isa<ComplexType>(element);
    Element nothing = zeroElement(e.b.getContext(), element, width);
    Values state{e.b.getInt1(false), llvm::Constant::getNullValue(e.vec(e.b.getInt64Ty(), width)), nothing.re};
    if (complex)
      state.push_back(nothing.im);
    Values selected = overCells(0, at, e.i64(0), origins, state, width);
    e.ifThen(selected[0], [&] { scatter(at, sourceAt, selected[1], width); });
  }

  // State: whether something is selected, its offset from `at` for each lane, its value.
  Values overCells(unsigned dim, llvm::Value *at, llvm::Value *offset, llvm::ArrayRef<llvm::Value *> origins,
                   llvm::ArrayRef<llvm::Value *> state, unsigned width) {
    if (dim == windowed.size())
      return consider(at, offset, state, width);
    const WindowDim &window = windowed[dim];
    return e.loop(e.i64(0), e.i64(window.window), e.i64(1), state,
                  [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) -> Values {
                    llvm::Value *position = e.add(origins[dim], i);
                    llvm::Value *inside = e.b.CreateICmpULT(position, e.i64(window.size)); // negative is large
                    return e.ifElse(
                        inside,
                        [&] {
                          return overCells(dim + 1, at, e.add(offset, e.mul(position, window.stride)), origins, now,
                                           width);
                        },
                        [&] { return Values(now); });
                  });
  }

  Values consider(llvm::Value *at, llvm::Value *offset, llvm::ArrayRef<llvm::Value *> state, unsigned width) {
    Element value = loadElements(e.b, element, addressOf(0, e.add(at, offset)), width);
    Element best{state[2], state.size() > 3 ? state[3] : nullptr};
    ElementContext context{e.b};
    auto chosen = emitScalarRegion(context, op.getSelect(), {best, value}, width);
    if (llvm::failed(chosen)) {
      failed = true;
      return Values(state);
    }
    llvm::Value *keep = e.b.CreateAnd((*chosen)[0].re, e.splat(state[0], width));
    Element next = selectElement(e.b, keep, best, value);
    Values result{e.b.getInt1(true), e.b.CreateSelect(keep, state[1], e.splat(offset, width)), next.re};
    if (next.im)
      result.push_back(next.im);
    return result;
  }

  void scatter(llvm::Value *at, llvm::Value *sourceAt, llvm::Value *offsets, unsigned width) {
    llvm::Value *base = addressOf(3, at), *places = offsets;
    if (width > 1) {
      SmallVector<llvm::Constant *> steps;
      for (unsigned lane = 0; lane < width; ++lane)
        steps.push_back(e.b.getInt64(lane));
      places = e.b.CreateAdd(offsets, llvm::ConstantVector::get(steps));
    }
    Element source = loadElements(e.b, element, addressOf(1, sourceAt), width);
    Element current = width == 1 ? loadElements(e.b, element, elementAddress(e.b, element, base, places), 1)
                                 : gatherElements(e.b, element, base, places, width);
    ElementContext context{e.b};
    auto combined = emitScalarRegion(context, op.getScatter(), {current, source}, width);
    if (llvm::failed(combined)) {
      failed = true;
      return;
    }
    if (width == 1)
      storeElements(e.b, element, (*combined)[0], elementAddress(e.b, element, base, places), 1);
    else
      scatterElements(e.b, element, (*combined)[0], base, places, width);
  }

  sh::SelectAndScatterOp op;
  Type element;
  llvm::StringRef symbol;
  Emitter e;
  SmallVector<WindowDim> windowed;
  SmallVector<FreeDim> free;
  FreeDim laneDim{1, 0, 0};
  unsigned lanes = 1;
  bool failed = false;
};

} // namespace

bool canEmitSelectAndScatter(Operation *op) {
  auto scatter = dyn_cast<sh::SelectAndScatterOp>(op);
  if (!scatter)
    return false;
  for (Type type : op->getOperandTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape() || !isElementTypeSupported(tensor.getElementType()) ||
        tensor.getElementType() != typeOf(op->getResult(0)).getElementType())
      return false;
  }
  return isScalarRegionSupported(scatter.getSelect()) && isScalarRegionSupported(scatter.getScatter());
}

FailureOr<Kernel> emitSelectAndScatterKernel(Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                             const CpuTarget &target) {
  return SelectAndScatterEmitter(cast<sh::SelectAndScatterOp>(op), module, symbol, target).run();
}

} // namespace tenon::codegen
