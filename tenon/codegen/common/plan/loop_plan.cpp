#include "tenon/codegen/common/plan/loop_plan.h"

#include "tenon/codegen/common/plan/byte_lanes.h"
#include "tenon/codegen/common/plan/joined_lanes.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using mlir::AffineExpr;

namespace tenon::codegen {

int64_t LoopPlan::keptElements() const {
  int64_t count = 1;
  for (const PlanDim &dim : llvm::ArrayRef(dims).take_front(keptDims))
    count *= dim.extent;
  return count;
}

int64_t LoopPlan::elements() const {
  int64_t count = 1;
  for (const PlanDim &dim : dims)
    count *= dim.extent;
  return count;
}

bool LoopPlan::isUnrolled(unsigned dim) const {
  int64_t points = 1; // that unrolling from here on makes
  for (const PlanDim &inner : llvm::ArrayRef(dims).drop_front(dim))
    points *= inner.extent;
  return dims[dim].extent <= kUnrolledRow && points <= kMaxUnrolledPoints;
}

int64_t LoopPlan::unrolledPoints() const {
  int64_t points = 1;
  for (unsigned dim = keptDims; dim < dims.size(); ++dim)
    points *= isUnrolled(dim) ? dims[dim].extent : 1;
  return points;
}

void LoopPlan::print(llvm::raw_ostream &os) const {
  os << "dims";
  for (auto [i, dim] : llvm::enumerate(dims))
    os << ' ' << dim.extent << (dim.reduced ? "r" : "") << (static_cast<int>(i) == vectorDim ? "v" : "");
  os << " lanes " << lanes << " tasks " << tasks << " = dim " << taskDim << " by " << taskChunk << '\n';
  for (auto [i, list] : llvm::enumerate(peels)) {
    if (list.empty())
      continue;
    os << "peel dim " << i << " at";
    for (int64_t at : list)
      os << ' ' << at;
    os << '\n';
  }
  for (const PlanAccess &access : use.accesses)
    if (!access.isOutput)
      os << "read " << access.value.getType() << " at " << access.position << (access.conditional ? " if" : "")
         << (access.repeated ? " in each iteration" : "") << '\n';
  if (transposedDim >= 0)
    os << "tiles of " << tileSize << " over dims " << transposedDim << " and " << vectorDim << '\n';
  if (joined)
    os << joined->vectors << " vectors of " << joined->lanes << " for " << joined->rows << " of dim "
       << outermostJoined(*this) << (joined->byColumns ? ", by columns\n" : "\n");
  if (iteratesOverRows)
    os << "iterates over rows\n";
  for (const OutputPlan &output : outputs) {
    os << "write " << output.value.getType() << " at " << output.store;
    if (output.inPlaceOperand >= 0)
      os << " in place of operand " << output.inPlaceOperand;
    if (output.isWrittenByLoop)
      os << " in each iteration";
    os << '\n';
  }
}

// --- Iteration space ---

static IterationSpace walkSpace(mlir::MLIRContext *context, llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                                llvm::ArrayRef<Factors> factors, UseWalker walk) {
  IterationSpace result;
  IndexSpace &space = result.indexer.emplace(IndexSpace(context)).space();
  llvm::SmallVector<IndexVector> dims;
  for (const Factors &group : factors) {
    dims.emplace_back();
    for (int64_t extent : group)
      dims.back().push_back(space.addDim(extent));
    result.extents.push_back(group);
  }
  for (auto [group, extents, shape] : llvm::zip(dims, factors, shapes))
    result.indices.push_back(IndexVector(space.reshape(group, extents, shape)));
  result.use = walk(*result.indexer, result.indices);
  return result;
}

bool refine(llvm::MutableArrayRef<Factors> groups, llvm::ArrayRef<SplitRequest> requests) {
  for (const SplitRequest &request : requests) {
    unsigned dim = request.dim;
    for (Factors &group : groups) {
      if (dim >= group.size()) {
        dim -= group.size();
        continue;
      }
      if (group[dim] % request.factor != 0 || group[dim] == request.factor)
        break;
      group[dim] /= request.factor;
      group.insert(group.begin() + dim + 1, request.factor);
      return true;
    }
  }
  return false;
}

// Whether dimensions d and d + 1 only occur as d * extent(d + 1) + (d + 1).
static bool mergeable(const IndexSpace &space, AffineExpr expr, unsigned d) {
  LinearForm form = IndexSpace::linearForm(expr);
  AffineExpr outer = space.dim(d), inner = space.dim(d + 1);
  int64_t extent = space.dimRange(d + 1).max + 1;
  if (form.coefficient(outer) != form.coefficient(inner) * extent)
    return false;
  for (auto &[atom, factor] : form.terms)
    if (auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(atom))
      if (!mergeable(space, binary.getLHS(), d))
        return false;
  return true;
}

static bool hasQuotient(AffineExpr expr) {
  return llvm::any_of(IndexSpace::linearForm(expr).terms,
                      [](const auto &term) { return llvm::isa<mlir::AffineBinaryOpExpr>(term.first); });
}

// What the use depends on dimensions by.
static llvm::SmallVector<AffineExpr> expressionsOf(const RegionUse &use) {
  llvm::SmallVector<AffineExpr> exprs(use.indices);
  for (const PlanAccess &access : use.accesses)
    exprs.push_back(access.position);
  return exprs;
}

// The space with two neighbouring dimensions as one, if there are two that addresses allow it for. Where the results'
// shape has both with others in one dimension, an address may become a quotient by that: they stay apart.
static std::optional<IterationSpace>
mergeOnce(const IterationSpace &current, llvm::SmallVector<Factors> &factors,
          llvm::function_ref<IterationSpace(llvm::ArrayRef<Factors> factors)> walk) {
  llvm::SmallVector<AffineExpr> exprs = expressionsOf(current.use);
  const IndexSpace &space = current.indexer->space();
  auto quotients = llvm::count_if(exprs, hasQuotient);
  unsigned first = 0;
  for (auto [number, group] : llvm::enumerate(factors)) {
    for (unsigned i = group.size(); i-- > 1;) {
      unsigned d = first + i - 1;
      if (!llvm::all_of(exprs, [&](AffineExpr expr) { return mergeable(space, expr, d); }))
        continue;
      llvm::SmallVector<Factors> fewer(factors);
      fewer[number][i - 1] *= fewer[number][i];
      fewer[number].erase(fewer[number].begin() + i);
      IterationSpace merged = walk(fewer);
      if (llvm::count_if(expressionsOf(merged.use), hasQuotient) > quotients)
        continue;
      factors = fewer;
      return merged;
    }
    first += group.size();
  }
  return std::nullopt;
}

IterationSpace findIterationSpace(mlir::MLIRContext *context, llvm::ArrayRef<llvm::SmallVector<int64_t>> groups,
                                  UseWalker walk) {
  llvm::SmallVector<Factors> factors;
  for (const auto &shape : groups) {
    factors.emplace_back();
    llvm::copy_if(shape, std::back_inserter(factors.back()), [](int64_t n) { return n != 1; });
  }
  constexpr int kMaxRefinements = 12;
  llvm::SmallVector<Factors> last; // the walker keeps what it has found there
  auto walkFactors = [&](llvm::ArrayRef<Factors> extents) {
    last.assign(extents.begin(), extents.end());
    return walkSpace(context, groups, extents, walk);
  };
  IterationSpace current = walkFactors(factors);
  for (int i = 0; i < kMaxRefinements && refine(factors, current.indexer->space().splitRequests()); ++i)
    current = walkFactors(factors);
  while (std::optional<IterationSpace> merged = mergeOnce(current, factors, walkFactors))
    current = std::move(*merged);
  return last == factors ? std::move(current) : walkFactors(factors);
}

// --- Map kernels ---

// The operand that an output updates in place, if the output is a dynamic_update_slice whose operand is read nowhere
// else in the region.
static int inPlaceOperand(const KernelSource &source, mlir::Value output) {
  auto update = output.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  if (!update || source.outputs.size() != 1)
    return -1;
  int number = source.inputNumber(update.getOperand());
  if (source.op == update.getOperation())
    return update.getOperand() == update.getUpdate() ? -1 : 0;
  return number >= 0 && update.getOperand().hasOneUse() && update.getResult().hasOneUse() ? number : -1;
}

// What a loop inside of the kernel writes of the output in each iteration; null for any other.
static stablehlo::DynamicUpdateSliceOp writtenPart(mlir::Value output) {
  auto loop = output.getDefiningOp<stablehlo::WhileOp>();
  return loop ? ir::writtenPart(loop, llvm::cast<mlir::OpResult>(output).getResultNumber()) : nullptr;
}

// The shape that elements of the output are computed in.
static llvm::ArrayRef<int64_t> elementShape(mlir::Value output) {
  return writtenPart(output) ? ir::elementShape(output.getDefiningOp<stablehlo::WhileOp>()) : shapeOf(output);
}

static OutputPlan planOutput(const KernelSource &source, mlir::Value output, RegionIndexer &indexer,
                             llvm::ArrayRef<AffineExpr> index, llvm::ArrayRef<int64_t> shape) {
  OutputPlan plan{output, {}, {}, inPlaceOperand(source, output)};
  IndexSpace &space = indexer.space();
  if (stablehlo::DynamicUpdateSliceOp part = writtenPart(output)) {
    plan.isWrittenByLoop = true;
    plan.index = IndexVector(space.reshape(index, shape, elementShape(output)));
    plan.store = indexer.updatePosition(part, space.reshape(index, shape, shapeOf(part.getUpdate())));
    return plan;
  }
  if (plan.inPlaceOperand < 0) {
    plan.index = IndexVector(space.reshape(index, shape, shapeOf(output)));
    plan.store = space.linearize(plan.index, shapeOf(output));
    return plan;
  }
  auto update = output.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  plan.value = update.getUpdate();
  plan.index = IndexVector(index);
  plan.store = indexer.updatePosition(update, plan.index);
  return plan;
}

// Where the truth of a condition on one dimension changes.
static void addPeels(const Condition &condition, const LoopPlan &plan,
                     llvm::SmallVectorImpl<llvm::SmallVector<int64_t>> &peels) {
  LinearForm form = IndexSpace::linearForm(condition.expr);
  if (form.terms.size() != 1)
    return;
  auto dim = llvm::dyn_cast<mlir::AffineDimExpr>(form.terms[0].first);
  int64_t factor = form.terms[0].second;
  if (!dim || factor <= 0 || dim.getPosition() >= plan.dims.size())
    return;
  int64_t extent = plan.dims[dim.getPosition()].extent;
  auto add = [&](int64_t at) {
    auto &list = peels[dim.getPosition()];
    if (at > 0 && at < extent && !llvm::is_contained(list, at))
      list.push_back(at);
  };
  IndexRange range = plan.space().range(condition.expr);
  if (condition.min > range.min)
    add(llvm::divideCeilSigned(condition.min - form.constant, factor));
  if (condition.max < range.max)
    add(llvm::divideFloorSigned(condition.max - form.constant, factor) + 1);
}

static void planPeels(LoopPlan &plan) {
  constexpr int64_t kMaxParts = 16, kMaxCode = 600;
  llvm::SmallVector<llvm::SmallVector<int64_t>> peels(plan.dims.size());
  for (const Condition &condition : plan.use.conditions)
    addPeels(condition, plan, peels);
  plan.peels.resize(plan.dims.size());
  int64_t parts = 1;
  for (unsigned d = plan.dims.size(); d-- > 0;) {
    int64_t more = parts * (peels[d].size() + 1);
    if (more > kMaxParts || more * plan.use.evaluations > kMaxCode)
      continue;
    parts = more;
    llvm::sort(peels[d]);
    plan.peels[d] = peels[d];
  }
}

bool variesAlong(llvm::ArrayRef<AffineExpr> index, unsigned dim) {
  return llvm::any_of(index, [&](AffineExpr expr) { return expr.isFunctionOfDim(dim); });
}

void planTasks(LoopPlan &plan, unsigned dims, int64_t granularity, double totalNanoseconds, const CostModel &costs) {
  int64_t elements = 1;
  for (unsigned d = 0; d < dims; ++d)
    elements *= plan.dims[d].extent;
  double wanted = std::clamp(totalNanoseconds / costs.task, 1.0, static_cast<double>(costs.mostTasks));
  int64_t perTask = std::max<int64_t>(1, static_cast<int64_t>(elements / wanted));
  int64_t inner = elements, outer = 1;
  plan.taskDim = 0;
  plan.tasks = 1;
  plan.taskChunk = dims > 0 ? plan.dims[0].extent : 1;
  if (elements == 0)
    return;
  for (unsigned d = 0; d < dims; ++d) {
    int64_t extent = plan.dims[d].extent;
    inner /= std::max<int64_t>(extent, 1);
    plan.taskDim = d;
    int64_t chunk = std::clamp<int64_t>(llvm::divideCeil(perTask, std::max<int64_t>(inner, 1)), 1, extent);
    if (static_cast<int>(d) == plan.vectorDim)
      chunk = std::min(extent, static_cast<int64_t>(llvm::alignTo(chunk, granularity)));
    else if (plan.joined && d == outermostJoined(plan))
      chunk = std::min(extent, static_cast<int64_t>(llvm::alignTo(chunk, plan.joined->rows)));
    plan.taskChunk = chunk;
    plan.tasks = outer * llvm::divideCeil(extent, chunk);
    if (inner <= perTask)
      break;
    outer *= extent;
  }
}

// A vector holds as many as it can of the widest elements, so that each value is one register. Not where most of the
// time is for elements of half the width, as of random bits that are counted in 64: these would fill half of a
// register.
static unsigned chooseLanes(const LoopPlan &plan, const PlanTarget &target, int64_t extent) {
  constexpr double kMostWide = 0.75; // of the time
  int bytes = std::max(plan.use.widestBytes, plan.use.arithmetic && !computesWholeBytes(plan, target) ? 2 : 1);
  if (bytes == 8 && plan.use.wideNanoseconds < kMostWide * plan.use.nanoseconds)
    bytes = 4;
  int64_t lanes = std::max(1, target.vectorBytes / bytes);
  if (extent < lanes)
    lanes = target.masks ? llvm::PowerOf2Ceil(extent) : llvm::bit_floor(static_cast<uint64_t>(extent));
  return std::max<int64_t>(lanes, 1);
}

// Also by way of the numbers read at run time that it adds.
static bool dependsOn(const RegionIndexer &indexer, AffineExpr expr, unsigned dim) {
  if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(expr))
    return llvm::any_of(indexer.symbolInfo(symbol.getPosition()).index,
                        [&](AffineExpr part) { return dependsOn(indexer, part, dim); });
  if (auto binary = llvm::dyn_cast<mlir::AffineBinaryOpExpr>(expr))
    return dependsOn(indexer, binary.getLHS(), dim) || dependsOn(indexer, binary.getRHS(), dim);
  return expr.isFunctionOfDim(dim);
}

bool isLinearIn(const LoopPlan &plan, AffineExpr position, unsigned dim) {
  AffineExpr self = plan.space().dim(dim);
  return llvm::none_of(IndexSpace::linearForm(position).terms, [&](const auto &term) {
    return term.first != self && dependsOn(*plan.indexer, term.first, dim);
  });
}

// Accesses that are contiguous along another dimension than the vectorised one.
static void planTransposes(LoopPlan &plan, const PlanTarget &target) {
  int64_t least = target.costs.transposedExtent;
  if (plan.elements() == 0 || plan.vectorDim < 1 || plan.dims[plan.vectorDim].extent < least || plan.lanes < 2)
    return;
  AffineExpr vector = plan.space().dim(plan.vectorDim);
  for (auto [number, access] : llvm::enumerate(plan.use.accesses)) {
    mlir::Type type = elementTypeOf(access.value);
    auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
    bool wide = complex && complex.getElementType().isF64();
    LinearForm form = IndexSpace::linearForm(access.position);
    if (access.isOutput || access.conditional || access.repeated || wide || std::abs(form.coefficient(vector)) <= 4 ||
        !isLinearIn(plan, access.position, plan.vectorDim))
      continue;
    for (int d = plan.vectorDim - 1; d >= 0; --d) {
      if (plan.dims[d].extent < least || form.coefficient(plan.space().dim(d)) != 1 ||
          !isLinearIn(plan, access.position, d))
        continue;
      if (plan.transposedDim >= 0 && plan.transposedDim != d)
        break;
      plan.transposedDim = d;
      plan.transposed.push_back(number);
      break;
    }
  }
  if (plan.transposedDim < 0)
    return;
  plan.tileSize = plan.use.widestBytes >= 8 ? 32 : 64;
  int64_t tiles = 1;
  for (auto [d, dim] : llvm::enumerate(plan.dims)) {
    bool tiled = static_cast<int>(d) == plan.transposedDim || static_cast<int>(d) == plan.vectorDim;
    tiles *= tiled ? llvm::divideCeil(dim.extent, plan.tileSize) : dim.extent;
  }
  plan.nanoseconds += target.costs.transposedAccess * plan.transposed.size() * plan.elements();
  double wanted = std::clamp(plan.nanoseconds / target.costs.task, 1.0, static_cast<double>(target.costs.mostTasks));
  plan.taskChunk = std::max<int64_t>(1, static_cast<int64_t>(tiles / wanted));
  plan.tasks = llvm::divideCeil(tiles, plan.taskChunk);
  plan.taskDim = 0;
}

// Whether there are functions of floats that look their coefficients up in registers.
static bool looksUpFloats(const KernelSource &source) {
  auto find = [](mlir::Operation *op) {
    bool looksUp = llvm::isa<stablehlo::TanhOp, chlo::ErfOp>(op) && elementTypeOf(op->getResult(0)).isF32();
    return looksUp ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return source.op->walk(find).wasInterrupted();
}

// Whether the kernel is a loop that reads or writes a part of arrays in each iteration, whose elements lie side by side
// and are so many that a processor had better go over the part from end to end, which it fetches ahead, than over some
// vectors of each: a moving average of 1,024 floats takes 1.6 times as long so, gates with sigmoids of 128 floats 1.15
// times. Of parts that lie across rows, the next iteration takes the next element of the same cache lines. Hardware's
// threads read side by side.
static bool iteratesOverRows(const LoopPlan &plan, const PlanTarget &target) {
  constexpr int64_t kMostInRegisters = 256, kMostOfLongFunctions = 64; // elements
  auto loop = plan.outputs.front().value.getDefiningOp<stablehlo::WhileOp>();
  if (!loop || plan.transposedDim >= 0 || !target.costs.hasCores())
    return false;
  bool isLong = llvm::any_of(loop.getBody().front(), [](mlir::Operation &op) { return ir::isLongFunction(&op); });
  if (plan.elements() <= (isLong ? kMostOfLongFunctions : kMostInRegisters))
    return false;
  auto isResult = [&](const OutputPlan &output) { return output.value.getDefiningOp() == loop; };
  auto isPart = [](const PlanAccess &access) { return access.repeated; };
  auto isAcross = [&](const PlanAccess &access) {
    AffineExpr vector = plan.space().dim(plan.vectorDim);
    return access.repeated && std::abs(IndexSpace::linearForm(access.position).coefficient(vector)) > 1;
  };
  return llvm::all_of(plan.outputs, isResult) && llvm::any_of(plan.use.accesses, isPart) &&
         llvm::none_of(plan.use.accesses, isAcross);
}

static bool hasLongFunctions(const KernelSource &source) {
  auto find = [](mlir::Operation *op) {
    return ir::isLongFunction(op) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return source.op->walk(find).wasInterrupted();
}

// So many vectors go through the iterations of a loop side by side that most carried values are in registers; a few
// that are only read may be in memory. The Mandelbrot set with four in place of two: 0.7 of the time with
// AVX-512, 0.9 with AVX2.
//
// Few ops on one carried value take longer to wait for each other than to compute even of four vectors, and need few
// temporary registers.
static unsigned vectorsThatIterate(const LoopPlan &plan, const KernelSource &source, const PlanTarget &target) {
  constexpr unsigned kMost = 4, kTemporaries = 2;
  constexpr int64_t kFewEvaluations = 24; // constants among them
  bool isShort = plan.use.iterated == 1 && plan.use.evaluations <= kFewEvaluations && !hasLongFunctions(source);
  unsigned registers = target.vectorBytes >= 64 ? 32 : 16, count = isShort ? 2 * kMost : kMost;
  unsigned temporaries = isShort ? kTemporaries / 2 : kTemporaries;
  while (count > 1 && count * (plan.use.iterated + temporaries) > registers + registers / 4)
    count /= 2;
  return count;
}

// Vectors of widened elements that come from one register, and go to one: pixels that are added in 16 bits take as long
// to pack, and to store, as two vectors of them. Chips with masks widen and narrow whole registers in one instruction.
static unsigned vectorsThatFill(const LoopPlan &plan, const PlanTarget &target) {
  constexpr int64_t kMostEvaluations = 32;
  int64_t bytes = 1;
  for (const PlanAccess &access : plan.use.accesses) {
    auto type = llvm::dyn_cast<mlir::IntegerType>(elementTypeOf(access.value));
    bytes = std::max(bytes, type ? int64_t(llvm::divideCeil(type.getWidth(), 8U)) : int64_t(target.vectorBytes));
  }
  bool isShort = plan.use.evaluations <= kMostEvaluations && !plan.use.longFunctions;
  return target.masks || !isShort || bytes > 2
             ? 1
             : unsigned(std::max<int64_t>(1, target.vectorBytes / (bytes * plan.lanes)));
}

// Each is a loop until the last lane is done, of floats of 32 bits or more.
static bool hasRemaindersOfFloats(const KernelSource &source) {
  auto isOfFloats = [](stablehlo::RemainderOp op) {
    return mlir::WalkResult(mlir::failure(llvm::isa<mlir::FloatType>(elementTypeOf(op.getResult()))));
  };
  return source.op->walk(isOfFloats).wasInterrupted();
}

// Vectors that a map computes side by side: what an op waits for the one before it, it has time for those of the other
// vectors, of which the processor does not look far enough ahead in a long chain: sines and powers, too, whose
// constants then come from memory. Special functions would take too long to compile, and what is memory's time gains
// nothing. More than two take long to compile where there are many ops; they gain most where functions look
// coefficients up.
static unsigned vectorsTogether(const LoopPlan &plan, const KernelSource &source, const PlanTarget &target) {
  constexpr int64_t kMostBytes = 128, kLeastVectors = 32, kLeastOfIterations = 4;
  const CostModel &costs = target.costs;
  int64_t extent = plan.dims[plan.vectorDim].extent;
  AffineExpr vector = plan.space().dim(plan.vectorDim);
  auto isPlain = [&](const PlanAccess &access) {
    int64_t step = IndexSpace::linearForm(access.position).coefficient(vector);
    return !access.conditional && (step == 0 || step == 1) && isLinearIn(plan, access.position, plan.vectorDim);
  };
  bool isChain = plan.use.iterated > 0 || (plan.use.nanoseconds >= costs.latentMap && !plan.use.longFunctions);
  unsigned filling = isChain ? 1 : vectorsThatFill(plan, target);
  if ((!isChain && filling == 1) || plan.lanes == 1 || !costs.hasCores() || !plan.use.conditions.empty() ||
      !llvm::all_of(plan.use.accesses, isPlain))
    return 1;
  double shortest = costs.shortMap * (looksUpFloats(source) ? 2 : 1);
  unsigned most = plan.use.nanoseconds < shortest ? 4 : 2, count = 1;
  bool iterates = plan.use.iterated > 0;
  int64_t bytes = hasRemaindersOfFloats(source) ? std::max<int64_t>(plan.use.widestBytes, 4) : plan.use.widestBytes;
  if (filling > 1)
    most = filling;
  else if (iterates)
    most = vectorsThatIterate(plan, source, target);
  auto fits = [&](int64_t lanes) {
    int64_t least = iterates ? kLeastOfIterations : kLeastVectors;
    return (iterates || lanes * bytes <= kMostBytes) && (extent % lanes == 0 || extent >= least * lanes);
  };
  while (count < most && fits(int64_t(plan.lanes) * count * 2))
    count *= 2;
  return count;
}

// Vectors that a row of so many elements takes which is cut at these places, those of what whole ones leave included.
static int64_t vectorsOfRow(int64_t extent, llvm::ArrayRef<int64_t> cuts, int64_t lanes, bool masks) {
  int64_t vectors = 0, begin = 0;
  for (size_t i = 0; i <= cuts.size(); ++i) {
    int64_t end = i < cuts.size() ? cuts[i] : extent, rest = (end - begin) % lanes;
    vectors += (end - begin) / lanes + (masks ? rest != 0 : llvm::popcount(uint64_t(rest)));
    begin = end;
  }
  return vectors;
}

// Parts of rows begin and end at whole vectors where what is read under their conditions can be read by mask: a row of
// 32 whose first and last elements are others than those between is four vectors, not three, what these leave, and two
// scalars, of which each takes as long as a vector. Of vectors that are cut in two both sides are computed.
static void alignPeels(LoopPlan &plan, const PlanTarget &target) {
  constexpr size_t kMostParts = 8;
  llvm::SmallVector<int64_t> &peels = plan.peels[plan.vectorDim];
  int64_t lanes = plan.lanes, extent = plan.dims[plan.vectorDim].extent;
  AffineExpr vector = plan.space().dim(plan.vectorDim);
  auto isMaskable = [&](const PlanAccess &access) {
    mlir::Type type = elementTypeOf(access.value);
    if (!access.conditional)
      return true;
    bool hasMasks = type.isIntOrFloat() && (target.masks || llvm::is_contained({32, 64}, type.getIntOrFloatBitWidth()));
    int64_t step = IndexSpace::linearForm(access.position).coefficient(vector);
    return hasMasks && (step == 0 || step == 1) && isLinearIn(plan, access.position, plan.vectorDim);
  };
  if (lanes == 1 || !target.costs.hasCores() || !llvm::all_of(plan.use.accesses, isMaskable))
    return;
  llvm::SmallVector<int64_t> aligned;
  int64_t cutVectors = 0, last = -1;
  for (int64_t at : peels) {
    cutVectors += at % lanes != 0 && at / lanes != last;
    last = at / lanes;
    for (int64_t edge : {at / lanes * lanes, int64_t(llvm::alignTo(uint64_t(at), uint64_t(lanes)))})
      if (edge > 0 && edge < extent && (aligned.empty() || aligned.back() < edge))
        aligned.push_back(edge);
  }
  int64_t before = vectorsOfRow(extent, peels, lanes, target.masks);
  int64_t after = vectorsOfRow(extent, aligned, lanes, target.masks) + cutVectors;
  bool gains = target.masks ? after <= before : after < before; // masks cost little, or as much as the other side
  if (aligned.size() < kMostParts && gains)
    peels = aligned;
}

// The least of a task along vectors. Tasks that take long have cache lines to themselves; those of hardware's threads
// are as small as they can be, so that neighbours read what lies side by side.
static int64_t leastTask(const LoopPlan &plan, const PlanTarget &target) {
  constexpr int64_t kElements = 64;        // a line or more
  constexpr int64_t kElementsOfRow = 1024; // that are fetched ahead
  int64_t least = plan.iteratesOverRows ? kElementsOfRow : kElements;
  return target.costs.hasCores() ? std::max<int64_t>(plan.lanes, least) : plan.lanes;
}

LoopPlan planMap(const KernelSource &source, const PlanTarget &target) {
  mlir::Value first = source.outputs.front();
  // An update that a loop in front of the kernel has written by parts is an array as any other.
  auto part = inPlaceOperand(source, first) < 0 ? nullptr : first.getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  llvm::SmallVector<int64_t> shape(part ? shapeOf(part.getUpdate()) : elementShape(first));
  LoopPlan plan;
  auto walk = [&](RegionIndexer &indexer, llvm::ArrayRef<IndexVector> groups) {
    plan.outputs.clear();
    llvm::SmallVector<IndexedValue> values;
    for (mlir::Value output : source.outputs) {
      plan.outputs.push_back(planOutput(source, output, indexer, groups[0], shape));
      values.push_back({plan.outputs.back().value, plan.outputs.back().index});
    }
    RegionUse use = collectUse(values, source, indexer, target.costs);
    for (auto [output, planned] : llvm::zip(source.outputs, plan.outputs))
      use.accesses.push_back({output, planned.index, planned.store, true, false, planned.isWrittenByLoop});
    return use;
  };
  IterationSpace iteration = findIterationSpace(first.getContext(), {shape}, walk);
  for (int64_t extent : iteration.extents[0])
    plan.dims.push_back({extent, false});
  plan.keptDims = plan.dims.size();
  plan.indexer = std::move(iteration.indexer);
  plan.use = std::move(iteration.use);
  plan.nanoseconds =
      plan.elements() * (plan.use.nanoseconds + target.costs.access * plan.use.accesses.size()) + target.costs.kernel;
  if (!plan.dims.empty()) {
    plan.vectorDim = plan.dims.size() - 1;
    plan.lanes = chooseLanes(plan, target, plan.dims.back().extent);
  }
  planPeels(plan);
  planTransposes(plan, target);
  plan.joined = planJoinedLanes(plan, chooseLanes(plan, target, INT64_MAX), target);
  if (plan.joined) // what lanes of one vector have different truths of needs no code of its own
    for (int d = outermostJoined(plan) + 1; d <= plan.vectorDim; ++d)
      plan.peels[d].clear();
  plan.iteratesOverRows = iteratesOverRows(plan, target);
  if (plan.vectorDim >= 0 && plan.transposedDim < 0 && !plan.joined)
    alignPeels(plan, target);
  if (plan.vectorDim >= 0 && plan.transposedDim < 0 && !plan.joined)
    plan.lanes *= vectorsTogether(plan, source, target);
  if (plan.transposedDim < 0)
    planTasks(plan, plan.dims.size(), leastTask(plan, target), plan.nanoseconds, target.costs);
  return plan;
}

} // namespace tenon::codegen
