#include "tenon/codegen/llvm/loop/map.h"

#include "tenon/codegen/common/plan/joined_lanes.h"
#include "tenon/codegen/llvm/routines.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen::loop {

PlanTarget planTarget(const KernelTarget &target) {
  return {target.vectorBits() / 8, target.hasMaskedMemory(), target.costs()};
}

llvm::Function *createKernelFunction(llvm::Module &module, llvm::StringRef name) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::getUnqual(context), *i64 = llvm::Type::getInt64Ty(context);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, i64, i64, pointer}, false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoUnwind);
  function->getArg(0)->setName("buffers");
  function->getArg(1)->setName("begin");
  function->getArg(2)->setName("end");
  function->getArg(3)->setName("scratch");
  return function;
}

// What is left of a dimension behind whole vectors, in vectors of half as many lanes, and half of that: with the last
// ones of 6 elements in a vector of 2 lanes a copy takes 0.6 of the time. Each has code of its own, those that
// something is left for, or all where that is known at run time alone. Returns where the rest begins.
static llvm::Value *overHalves(LoopEvaluator &evaluator, const LoopPlan &plan, unsigned dim, unsigned lanes,
                               llvm::Value *begin, llvm::Value *end, LoopNest::Step step) {
  constexpr int64_t kMostEvaluations = 64, kMostOnBytes = 512; // ops that all of them evaluate
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(begin), *last = llvm::dyn_cast<llvm::ConstantInt>(end);
  bool isKnown = first && last, isAcrossRows = plan.keptDims < plan.dims.size();
  if (!isKnown && !(isAcrossRows && evaluator.readsSizes()))
    return begin;
  uint64_t rest = isKnown ? uint64_t(last->getSExtValue() - first->getSExtValue()) : lanes - 1;
  // Routines are for rows of any length, and unroll none.
  int64_t evaluations = plan.use.evaluations * (isAcrossRows && isKnown ? plan.unrolledPoints() : 1);
  int64_t most = plan.use.widestBytes == 1 ? kMostOnBytes : kMostEvaluations; // up to 31 bytes are left
  if (llvm::popcount(rest) * evaluations > most || (isAcrossRows && isStrided(plan, dim)))
    return begin;
  llvm::IRBuilder<> &b = evaluator.builder();
  for (unsigned half = lanes / 2; half > 1; half /= 2) {
    if (!(rest & half))
      continue;
    evaluator.setLanes(half);
    llvm::Value *count = b.CreateAnd(b.CreateSub(end, begin), evaluator.constant(-static_cast<int64_t>(half)));
    llvm::Value *next = b.CreateAdd(begin, count);
    evaluator.forLoop(begin, next, half, [&](llvm::Value *iv) {
      evaluator.bindDim(dim, iv, 1);
      step({});
    });
    begin = next;
  }
  return begin;
}

LLVMValues LoopNest::overVector(unsigned dim, unsigned lanes, llvm::Value *begin, llvm::Value *end, bool wholeVectors,
                                llvm::ArrayRef<llvm::Value *> init, Step step) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  unsigned outerLanes = evaluator_.lanes();
  llvm::Value *mainEnd = end;
  if (!wholeVectors && lanes > 1) {
    llvm::Value *whole = b.CreateAnd(b.CreateSub(end, begin), evaluator_.constant(-static_cast<int64_t>(lanes)));
    mainEnd = b.CreateAdd(begin, whole);
  }
  auto isEmpty = [](llvm::Value *from, llvm::Value *to) {
    auto *first = llvm::dyn_cast<llvm::ConstantInt>(from), *last = llvm::dyn_cast<llvm::ConstantInt>(to);
    return first && last && first->getSExtValue() >= last->getSExtValue();
  };
  LLVMValues carried(init);
  evaluator_.setLanes(lanes);
  if (!isEmpty(begin, mainEnd))
    carried = evaluator_.forLoop(begin, mainEnd, lanes, carried, [&](llvm::Value *iv, auto values) {
      evaluator_.bindDim(dim, iv, 1);
      return step(values);
    });
  if (!wholeVectors && lanes > 1 && evaluator_.target()->hasMaskedMemory()) {
    llvm::Value *some = b.CreateICmpSLT(mainEnd, end);
    auto remainder = [&] {
      evaluator_.bindDim(dim, mainEnd, 1);
      llvm::SmallVector<llvm::Constant *> numbers;
      for (unsigned lane = 0; lane < lanes; ++lane)
        numbers.push_back(b.getInt32(lane));
      llvm::Value *left = b.CreateVectorSplat(lanes, b.CreateTrunc(b.CreateSub(end, mainEnd), b.getInt32Ty()));
      llvm::Value *mask = b.CreateICmpULT(llvm::ConstantVector::get(numbers), left);
      LLVMValues results;
      auto masked = [&] {
        evaluator_.bindDim(dim, mainEnd, 1);
        results = step(carried);
      };
      evaluator_.withMask(mask, masked, /*mayBeEmpty=*/false);
      return results;
    };
    LLVMValues before = carried;
    if (llvm::isa<llvm::ConstantInt>(some))
      carried = remainder();
    else
      carried = evaluator_.ifElse(some, remainder, [&] { return before; });
  } else if (!wholeVectors && lanes > 1) {
    if (init.empty() && (dim < plan_.keptDims || plan_.keptDims == plan_.dims.size()))
      mainEnd = overHalves(evaluator_, plan_, dim, lanes, mainEnd, end, step);
    evaluator_.setLanes(1);
    if (!isEmpty(mainEnd, end))
      carried = evaluator_.forLoop(mainEnd, end, 1, carried, [&](llvm::Value *iv, auto values) {
        evaluator_.bindDim(dim, iv, 1);
        return step(values);
      });
  }
  evaluator_.setLanes(outerLanes);
  return carried;
}

// Whether whatever loop over the dimension is one of whole multiples.
bool LoopNest::isWhole(unsigned dim, int64_t multiple) const {
  IndexRange range = evaluator_.space().dimRange(dim);
  int64_t extent = range.max - range.min + 1;
  bool chunked = plan_.taskDim == dim && plan_.taskChunk < plan_.dims[dim].extent;
  return extent % multiple == 0 && (!chunked || (plan_.taskChunk % multiple == 0 && range.min % multiple == 0));
}

void LoopNest::overDim(unsigned dim, llvm::Value *begin, llvm::Value *end, Body body) {
  if (static_cast<int>(dim) != plan_.vectorDim) {
    evaluator_.forLoop(begin, end, 1, [&](llvm::Value *iv) {
      evaluator_.bindDim(dim, iv, 0);
      body();
    });
    return;
  }
  overVector(dim, plan_.lanes, begin, end, isWhole(dim, plan_.lanes), {}, [&](auto) {
    body();
    return LLVMValues();
  });
}

// The vectors of a block from `iv` on.
void LoopNest::overJoinedVectors(unsigned dim, llvm::Value *iv, Body body) {
  const JoinedLanes &joined = *plan_.joined;
  unsigned last = unsigned(plan_.vectorDim);
  for (int64_t vector = 0; vector < joined.vectors; ++vector) {
    evaluator_.withMask(evaluator_.mask(), [&] { // a scope of its own for the values at these lanes
      int64_t inner = 1;                         // elements of the dimensions behind d
      for (unsigned d = last + 1; d-- > dim;) {
        llvm::SmallVector<int64_t> offsets;
        for (int64_t at = vector * joined.lanes; at < (vector + 1) * joined.lanes; ++at)
          offsets.push_back(d == dim ? at / inner : at / inner % plan_.dims[d].extent);
        evaluator_.bindDim(d, d == dim ? iv : evaluator_.constant(0), offsets);
        inner *= plan_.dims[d].extent;
      }
      body();
    });
  }
}

// Columns of as many rows as they have lanes, row after row. Lanes of an odd number of columns are first brought,
// column by column, to where they go in vectors; no two columns' lanes have the same places in one.
static Elements interleaveColumns(llvm::IRBuilderBase &b, llvm::ArrayRef<Element> columns, int lanes) {
  auto count = static_cast<int>(columns.size());
  if (count == 1)
    return {columns.front()};
  Elements rows;
  if (count % 2 == 0) { // the even columns interleaved with the odd ones
    Elements halves[2];
    for (auto [i, column] : llvm::enumerate(columns))
      halves[i % 2].push_back(column);
    Elements even = interleaveColumns(b, halves[0], lanes), odd = interleaveColumns(b, halves[1], lanes);
    for (auto [x, y] : llvm::zip_equal(even, odd)) {
      for (int first : {0, lanes / 2}) {
        llvm::SmallVector<int> mask;
        for (int lane = 0; lane < lanes; ++lane)
          mask.push_back(first + lane / 2 + lane % 2 * lanes);
        rows.push_back(shuffleLanes(b, x, y, mask));
      }
    }
    return rows;
  }
  Elements placed;
  for (auto [column, element] : llvm::enumerate(columns)) {
    llvm::SmallVector<int> places(lanes, 0);
    for (int row = 0; row < lanes; ++row)
      places[(row * count + int(column)) % lanes] = row;
    placed.push_back(shuffleLanes(b, element, {}, places));
  }
  for (int vector = 0; vector < count; ++vector) {
    Element merged = placed.front();
    for (int column = 1; column < count; ++column) {
      llvm::SmallVector<int> mask;
      for (int lane = 0; lane < lanes; ++lane)
        mask.push_back((vector * lanes + lane) % count == column ? lanes + lane : lane);
      merged = shuffleLanes(b, merged, placed[column], mask);
    }
    rows.push_back(merged);
  }
  return rows;
}

// Computes the results at each index of the inner dimension for the rows of a block from `iv` on, and stores them.
void LoopNest::storeColumns(unsigned dim, llvm::Value *iv) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  unsigned inner = dim + 1, lanes = evaluator_.lanes();
  IndexRange whole = evaluator_.space().dimRange(inner);
  llvm::SmallVector<Elements> columns(plan_.outputs.size());
  for (int64_t column = 0; column < plan_.joined->vectors; ++column) {
    evaluator_.space().setDimRange(inner, {column, column});
    evaluator_.withMask(evaluator_.mask(), [&] {
      evaluator_.bindDim(dim, iv, 1);
      evaluator_.bindDim(inner, evaluator_.constant(column), 0);
      for (auto [output, elements] : llvm::zip(plan_.outputs, columns))
        elements.push_back(evaluator_.evalVector(output.value, output.index));
    });
  }
  evaluator_.space().setDimRange(inner, whole);
  evaluator_.withMask(evaluator_.mask(), [&] {
    evaluator_.bindDim(dim, iv, 0);
    evaluator_.bindDim(inner, evaluator_.constant(0), 0);
    for (auto [number, output] : llvm::enumerate(plan_.outputs)) {
      mlir::Type type = elementTypeOf(output.value);
      llvm::Value *first = evaluator_.uniformIndex(output.store);
      for (auto [vector, element] : llvm::enumerate(interleaveColumns(b, columns[number], int(lanes)))) {
        llvm::Value *position = b.CreateNSWAdd(first, evaluator_.constant(int64_t(vector * lanes)));
        storeElements(b, type, element, elementAddress(b, type, evaluator_.outputPointer(number), position), lanes);
      }
    }
  });
}

// The whole blocks of vectors over this dimension and those behind it. Returns where what is left begins.
llvm::Value *LoopNest::overJoined(unsigned dim, llvm::Value *begin, llvm::Value *end, Body body) {
  const JoinedLanes &joined = *plan_.joined;
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Value *count = b.CreateAnd(b.CreateSub(end, begin), evaluator_.constant(-joined.rows));
  llvm::Value *middle = b.CreateAdd(begin, count);
  unsigned before = evaluator_.lanes();
  evaluator_.setLanes(joined.lanes);
  evaluator_.forLoop(begin, middle, joined.rows, [&](llvm::Value *iv) {
    if (joined.byColumns)
      storeColumns(dim, iv);
    else
      overJoinedVectors(dim, iv, body);
  });
  evaluator_.setLanes(before);
  return middle;
}

void LoopNest::overPart(unsigned dim, IndexRange part, unsigned dims, llvm::Value *begin, llvm::Value *end, Body body) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  IndexRange whole = evaluator_.space().dimRange(dim);
  evaluator_.space().setDimRange(dim, part);
  auto clamp = [&](llvm::Value *value, int64_t bound, llvm::Intrinsic::ID id) -> llvm::Value * {
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      int64_t n = known->getSExtValue();
      return evaluator_.constant(id == llvm::Intrinsic::smax ? std::max(n, bound) : std::min(n, bound));
    }
    return b.CreateBinaryIntrinsic(id, value, evaluator_.constant(bound));
  };
  if (part.min > whole.min)
    begin = clamp(begin, part.min, llvm::Intrinsic::smax);
  if (part.max < whole.max)
    end = clamp(end, part.max + 1, llvm::Intrinsic::smin);
  // Tasks that have nothing of this part: what is left after whole vectors must not lie before its begin.
  if (!llvm::isa<llvm::ConstantInt>(begin) || !llvm::isa<llvm::ConstantInt>(end))
    end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, end, begin);
  bool isJoined = plan_.joined && dim == outermostJoined(plan_), isRange = ranges_ && dim + 1 == dims;
  if (isRange)
    ranges_(begin, end);
  if (isJoined)
    begin = overJoined(dim, begin, end, body);
  if (!isRange && (!isJoined || !isWhole(dim, plan_.joined->rows)))
    overDim(dim, begin, end, [&] {
      if (dim + 1 == dims)
        body();
      else
        overInner(dim + 1, dims, evaluator_.constant(0), evaluator_.size(plan_.dims[dim + 1].extent), body);
    });
  evaluator_.space().setDimRange(dim, whole);
}

void LoopNest::overInner(unsigned dim, unsigned dims, llvm::Value *begin, llvm::Value *end, Body body) {
  int64_t extent = plan_.dims[dim].extent, start = 0;
  llvm::SmallVector<int64_t> ends;
  if (dim < plan_.peels.size())
    ends = plan_.peels[dim];
  ends.push_back(extent);
  for (int64_t stop : ends) {
    overPart(dim, {start, stop - 1}, dims, begin, end, body);
    start = stop;
  }
}

void LoopNest::overTasks(unsigned dims, Body body) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::Value *begin = function->getArg(1), *end = function->getArg(2);
  if (dims == 0) {
    body();
    return;
  }
  unsigned split = plan_.taskDim;
  int64_t extent = plan_.dims[split].extent, chunk = plan_.taskChunk;
  llvm::Value *limit = evaluator_.size(extent), *size = evaluator_.size(chunk);
  // Where sizes are read, how many tasks there are is no part of the code.
  bool isCode = !evaluator_.readsSizes();
  if (isCode && plan_.tasks == 1) {
    overInner(0, dims, evaluator_.constant(0), limit, body);
    return;
  }
  if (split == 0 && !rangesOfOneTask_) {
    // Neighbouring tasks are one range.
    llvm::Value *from = b.CreateNSWMul(begin, size), *to = b.CreateNSWMul(end, size);
    to = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, limit);
    overInner(0, dims, from, to, body);
    return;
  }
  int64_t chunks = (extent + chunk - 1) / chunk;
  evaluator_.forLoop(begin, end, 1, [&](llvm::Value *task) {
    int64_t combinations = plan_.tasks / chunks;
    llvm::Value *count = evaluator_.size(plan_.chunksFirst ? combinations : chunks), *rest = b.CreateUDiv(task, count);
    llvm::Value *part = b.CreateSub(task, b.CreateNSWMul(rest, count));
    if (plan_.chunksFirst)
      std::swap(rest, part);
    for (unsigned d = split; d-- > 0;) {
      count = evaluator_.size(plan_.dims[d].extent);
      llvm::Value *next = d == 0 ? nullptr : b.CreateUDiv(rest, count);
      evaluator_.bindDim(d, d == 0 ? rest : b.CreateSub(rest, b.CreateNSWMul(next, count)), 0);
      rest = next;
    }
    llvm::Value *from = b.CreateNSWMul(part, size), *to = b.CreateNSWAdd(from, size);
    if (!isCode || extent % chunk != 0)
      to = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, to, limit);
    if (isCode && chunks == 1) {
      from = evaluator_.constant(0);
      to = limit;
    }
    overInner(split, dims, from, to, body);
  });
}

void LoopNest::overRanges(unsigned dims, bool ofOneTask, RangeBody body) {
  ranges_ = body;
  rangesOfOneTask_ = ofOneTask;
  overTasks(dims, [] {});
  ranges_ = nullptr;
  rangesOfOneTask_ = false;
}

double trafficBytes(const KernelSource &source) {
  double bytes = 0;
  auto add = [&](mlir::Value value) { bytes += elementCount(shapeOf(value)) * storageBytes(elementTypeOf(value)); };
  llvm::for_each(source.inputs, add);
  llvm::for_each(source.outputs, add);
  return bytes;
}

void findAliases(const KernelSource &source, const LoopPlan &plan, Kernel &kernel) {
  for (auto [result, output] : llvm::enumerate(plan.outputs)) {
    if (output.inPlaceOperand >= 0)
      continue;
    int64_t bytes = storageBytes(elementTypeOf(output.value));
    llvm::ArrayRef<mlir::Value> operands = llvm::ArrayRef(source.inputs).take_front(source.op->getNumOperands());
    for (auto [operand, input] : llvm::enumerate(operands)) {
      if (storageBytes(elementTypeOf(input)) != bytes || llvm::count(source.inputs, input) != 1 ||
          elementCount(shapeOf(input)) != elementCount(shapeOf(source.outputs[result])))
        continue;
      bool same = llvm::all_of(plan.use.accesses, [&, input = input](const PlanAccess &access) {
        return access.isOutput || access.value != input || access.position == output.store;
      });
      if (same)
        kernel.mayAlias.push_back({static_cast<int>(operand), static_cast<int>(result)});
    }
  }
}

// Whether the results are so large that writing them through the caches would only read them first and push out other
// data, and their vectors fill aligned cache lines wherever the buffers are aligned.
static bool worthStreaming(const KernelSource &source, const LoopPlan &plan, const KernelTarget &target) {
  if (!target.hasStreamingStores() || plan.vectorDim < 0 || plan.outputs.size() != 1 ||
      plan.outputs[0].inPlaceOperand >= 0)
    return false;
  mlir::Type type = elementTypeOf(source.outputs[0]);
  bool plain = type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8;
  int64_t bytes = storageBytes(type), vectorBytes = plan.lanes * bytes;
  bool isPeeled = llvm::any_of(plan.peels, [](auto &list) { return !list.empty(); });
  int64_t resultBytes = elementCount(shapeOf(source.outputs[0])) * bytes;
  return plain && !isPeeled && vectorBytes % 64 == 0 && plan.dims.back().extent * bytes % vectorBytes == 0 &&
         (resultBytes > target.lastLevelCacheBytes() ||
          (plan.transposedDim >= 0 && resultBytes >= target.costs().streamedTranspose));
}

// Whether the kernel does nothing but to transpose one array, and the rows of a tile of its results do not displace
// each other from the L1 cache while they are written: those that are so many bytes apart have few places there.
static bool copiesBlocks(const MapPlan &plan) {
  constexpr int64_t kRowsOfFewPlaces = 1024;
  if (plan.transposed.size() != 1 || plan.use.accesses.size() != 2 || plan.use.arithmetic || plan.streams ||
      !plan.use.conditions.empty() || plan.outputs.size() != 1 || plan.outputs[0].inPlaceOperand >= 0)
    return false;
  const OutputPlan &output = plan.outputs[0];
  LinearForm form = IndexSpace::linearForm(output.store);
  auto stride = [&](unsigned dim) { return form.coefficient(plan.space().dim(dim)); };
  unsigned rows = unsigned(plan.transposedDim), columns = unsigned(plan.vectorDim);
  return isLinearIn(plan, output.store, rows) && isLinearIn(plan, output.store, columns) && stride(columns) == 1 &&
         stride(rows) * storageBytes(elementTypeOf(output.value)) % kRowsOfFewPlaces != 0;
}

// The loops twice: with streaming stores, if the buffer is aligned, and without.
static void emitStreaming(LoopEvaluator &evaluator, llvm::function_ref<void()> loops) {
  llvm::IRBuilder<> &b = evaluator.builder();
  llvm::Value *low = b.CreateAnd(b.CreatePtrToInt(evaluator.outputPointer(0), b.getInt64Ty()), evaluator.constant(63));
  auto aligned = [&] {
    evaluator.setStreaming(true);
    loops();
    evaluator.setStreaming(false);
    // Streaming stores are not ordered with what tells other threads that the task is done.
    evaluator.target()->emitStoreFence(b);
    return LLVMValues();
  };
  auto unaligned = [&] {
    loops();
    return LLVMValues();
  };
  evaluator.ifElse(b.CreateICmpEQ(low, evaluator.constant(0)), aligned, unaligned);
}

MapPlan planMapKernel(const KernelSource &source, llvm::StringRef symbol, const KernelTarget &target) {
  MapPlan plan{planMap(source, planTarget(target)), {}, false, false, {}, {}};
  Kernel &kernel = plan.kernel;
  kernel.kind = "loop";
  kernel.bytes = trafficBytes(source);
  for (const OutputPlan &output : plan.outputs)
    kernel.resultInit.push_back(output.inPlaceOperand);
  if (plan.elements() > 0) {
    plan.streams = worthStreaming(source, plan, target);
    plan.copiesBlocks = copiesBlocks(plan);
    for (unsigned number : plan.copiesBlocks ? llvm::ArrayRef<unsigned>() : llvm::ArrayRef(plan.transposed)) {
      plan.tileOffsets.push_back(kernel.scratchBytes);
      int64_t bytes = storageBytes(elementTypeOf(plan.use.accesses[number].value));
      kernel.scratchBytes += llvm::alignTo(plan.tileSize * plan.tileSize * bytes, 64);
    }
  }
  orderInterleavedReads(plan, target.costs());
  if (plan.iteratesOverRows)
    planIteratedRows(plan, source);
  findAliases(source, plan, kernel);
  kernel.phases.push_back({symbol.str(), std::max<int64_t>(plan.tasks, 1), plan.nanoseconds});
  return plan;
}

void MapPlan::print(llvm::raw_ostream &os) const {
  LoopPlan::print(os);
  if (chunksFirst)
    os << "all tasks of a chunk before those of the next\n";
  if (streams)
    os << "stores past the caches\n";
  if (copiesBlocks)
    os << "stores transposed blocks\n";
}

// Drops a function, and the constants that it alone refers to.
static void eraseWithConstants(llvm::Function &function) {
  llvm::Module &module = *function.getParent();
  function.eraseFromParent();
  for (llvm::GlobalVariable &variable : llvm::make_early_inc_range(module.globals())) {
    variable.removeDeadConstantUsers();
    if (variable.hasLocalLinkage() && variable.use_empty())
      variable.eraseFromParent();
  }
}

// Nothing where the routine is one only if it ships, and does not: code for any sizes has loops for all that whole
// vectors may leave, which cost three times as much to compile as those that the kernel's own sizes need.
static std::optional<llvm::LogicalResult>
emitLoopRoutine(const KernelPhase &phase, const LoopPlan &plan, const KernelSource &source, llvm::Module &module,
                const EmissionTarget &target, llvm::function_ref<void(LoopEvaluator &, llvm::Function *)> body,
                const TaskRoutine &routine) {
  Emitter e(module, phase.symbol + ".tasks", taskRoutineParameters(module.getContext()), true);
  SizeTable table;
  Sizes sizes(e, table, e.arg(4));
  LoopEvaluator evaluator(source, *plan.indexer, e.b.saveIP(), e.arg(0), target);
  evaluator.readSizes(sizes);
  body(evaluator, e.function);
  evaluator.builder().CreateRetVoid();
  sizes.finish();
  if (evaluator.failed()) {
    e.function->eraseFromParent();
    return llvm::failure();
  }
  if (routine.onlyIfShipped && !shipsAsRoutine(*e.function, routine.name, *target)) {
    eraseWithConstants(*e.function);
    return std::nullopt;
  }
  emitCallsOfTasks(module, phase.symbol, *e.function, table, routine);
  return llvm::success();
}

llvm::LogicalResult emitLoopFunction(const KernelPhase &phase, const LoopPlan &plan, const KernelSource &source,
                                     llvm::Module &module, const EmissionTarget &target,
                                     llvm::function_ref<void(LoopEvaluator &, llvm::Function *)> body,
                                     const TaskRoutine *routine) {
  if (routine)
    if (auto result = emitLoopRoutine(phase, plan, source, module, target, body, *routine))
      return *result;
  llvm::Function *function = createKernelFunction(module, phase.symbol);
  LoopEvaluator evaluator(source, *plan.indexer, function, target);
  body(evaluator, function);
  evaluator.builder().CreateRetVoid();
  if (!evaluator.failed())
    return llvm::success();
  function->eraseFromParent();
  return llvm::failure();
}

void storeOutputs(LoopEvaluator &evaluator, const LoopPlan &plan) {
  llvm::SmallVector<Element, 4> values;
  for (const OutputPlan &output : plan.outputs)
    values.push_back(evaluator.eval(output.value, output.index));
  for (auto [number, output] : llvm::enumerate(plan.outputs))
    if (!output.isWrittenByLoop)
      evaluator.storeAt(elementTypeOf(output.value), evaluator.outputPointer(number), output.store, values[number]);
}

llvm::LogicalResult emitMapKernel(const MapPlan &plan, const KernelSource &source, llvm::Module &module,
                                  const EmissionTarget &target) {
  auto emit = [&](LoopEvaluator &evaluator, llvm::Function *) {
    if (plan.elements() == 0)
      return;
    auto body = [&] { storeOutputs(evaluator, plan); };
    auto loops = [&] {
      if (plan.transposedDim >= 0)
        emitTransposedMap(evaluator, plan, body);
      else if (plan.iteratesOverRows)
        emitIteratedRows(evaluator, plan);
      else
        LoopNest(evaluator, plan).overTasks(plan.dims.size(), body);
    };
    if (plan.streams)
      emitStreaming(evaluator, loops);
    else
      loops();
  };
  return emitLoopFunction(plan.kernel.phases[0], plan, source, module, target, emit);
}

} // namespace tenon::codegen::loop
