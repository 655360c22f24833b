#include "tenon/codegen/common/cost.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"

#include <algorithm>

namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

bool isInRegisters(InstructionKind kind) {
  return kind == InstructionKind::kScalar || kind == InstructionKind::kWhile || kind == InstructionKind::kBranch;
}

bool isTranscendental(mlir::Operation *op) {
  using enum ir::ElementCost;
  std::optional<ir::ElementCost> cost = ir::elementCost(op->getName());
  if (!cost || *cost == kSimple || *cost == kDivision || *cost == kRemainder)
    return false;
  mlir::Type element = elementTypeOf(op->getResult(0));
  return ir::isFloat(element) || ir::isComplex(element);
}

double countScalarOps(mlir::Block &block, const ProgramInstructions &instructions) {
  double count = 0;
  for (mlir::Operation &op : block) {
    InstructionKind kind = instructions.kindOf(&op);
    count += kind == InstructionKind::kScalar && !isTranscendental(&op);
    if (kind == InstructionKind::kWhile || kind == InstructionKind::kBranch)
      for (mlir::Region &region : op.getRegions())
        count += countScalarOps(region.front(), instructions);
  }
  return count;
}

double elements(mlir::Value value) { return static_cast<double>(elementCount(shapeOf(value))); }

bool movesData(mlir::Operation *op) {
  return op->hasTrait<ir::MovesElements>() || op->hasTrait<mlir::OpTrait::ConstantLike>() ||
         mlir::isa<sh::IotaOp, sh::BitcastConvertOp, sh::OptimizationBarrierOp, sh::SortOp, chlo::TopKOp>(op);
}

// A product and a sum for each pair of elements that meet; of complex numbers four of each.
double contractionFlops(mlir::Operation *op, double depth) {
  bool isComplex = ir::isComplex(elementTypeOf(op->getResult(0)));
  return 2 * elements(op->getResult(0)) * depth * (isComplex ? 4 : 1);
}

OpCount countBody(mlir::Region &region) {
  OpCount count;
  for (mlir::Operation &op : region.front()) {
    OpCount one = countOps(&op);
    count.flops += one.flops;
    count.transcendentals += one.transcendentals;
  }
  return count;
}

// How often the computation of an op with one runs.
double evaluations(mlir::Operation *op) {
  if (auto loop = mlir::dyn_cast<sh::WhileOp>(op)) // in a kernel, on whole arrays
    return static_cast<double>(std::max<int64_t>(ir::tripCount(loop), 1));
  double first = elements(op->getOperand(0)), result = elements(op->getResult(0));
  if (mlir::isa<sh::ReduceOp>(op))
    return std::max(first - result, 0.0);
  if (auto window = mlir::dyn_cast<sh::ReduceWindowOp>(op)) {
    double size = 1;
    for (int64_t dim : window.getWindowDimensions())
      size *= static_cast<double>(dim);
    return result * (size - 1);
  }
  if (mlir::isa<sh::ScatterOp>(op))
    return elements(op->getOperand(op->getNumOperands() - 1));
  return mlir::isa<sh::MapOp>(op) ? result : first;
}

bool contains(mlir::Operation *op, llvm::function_ref<bool(mlir::Operation *)> is) {
  return op
      ->walk([&](mlir::Operation *inner) {
        return is(inner) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

// The elements that the planner of a loop nest has counted as accesses (planMap, planRowReduction), or fewer: one of
// each array in each iteration, or all that a loop inside reads and writes of an array over its iterations.
double countedAccesses(mlir::Operation *op, bool isReduction) {
  bool loops = contains(op, [](mlir::Operation *inner) { return mlir::isa<sh::WhileOp>(inner); });
  llvm::SmallVector<double> arrays;
  for (mlir::Value operand : op->getOperands())
    arrays.push_back(elements(operand));
  for (mlir::Value result : op->getResults())
    arrays.push_back(elements(result));
  auto results = llvm::ArrayRef(arrays).take_back(op->getNumResults());
  double iterations = isReduction ? *llvm::max_element(arrays) : *llvm::min_element(results);
  double count = 0;
  for (double array : arrays)
    count += loops ? std::max(array, iterations) : iterations;
  return count;
}

} // namespace

double kernelNanoseconds(mlir::Operation *op, const Kernel &kernel, const CostModel &costs) {
  constexpr double kAccessBytes = 8; // that caches bring in the time of an access
  double nanoseconds = 0;
  for (const KernelPhase &phase : kernel.phases)
    nanoseconds += phase.nanoseconds;
  bool isReduction = kernel.kind == "reduce" || kernel.kind == "rows";
  // Elements that are gathered take longer than their bytes do. Kernels in a loop of the entry function count once:
  // shorter times would have more such programs, which take many times as long, run on the calling thread.
  if (op->getParentOfType<sh::WhileOp>() || (!isReduction && kernel.kind != "loop") || op->getNumResults() == 0 ||
      kernel.bytes > static_cast<double>(costs.fetchedArrayBytes) ||
      contains(op, [](mlir::Operation *inner) { return mlir::isa<sh::GatherOp>(inner); }))
    return nanoseconds;
  double arithmetic = nanoseconds - costs.access * countedAccesses(op, isReduction);
  return std::min(nanoseconds, std::max(arithmetic, costs.access * kernel.bytes / kAccessBytes));
}

// Calls in a loop count once (as kernels do), and as long ones: a program with one in a loop never counts as short.
double callNanoseconds(mlir::Operation *op, const program::RuntimeCall &call, const CostModel &costs) {
  constexpr double kPlace = 50, kMeeting = 1000, kAccessBytes = 8;
  if (call.kind == program::RuntimeCall::Kind::kCustomCall)
    return costs.customCall;
  if (op->getParentOfType<sh::WhileOp>())
    return costs.libraryCall;
  const llvm::StringRef target = call.target;
  if (target == "replica_id" || target == "partition_id" || target == "group_size" || target == "group_place")
    return kPlace;
  if (target != "fold_group" && target != "gather_group" && target != "exchange_group" && target != "exchange_rows" &&
      target != "permute")
    return costs.libraryCall;
  double bytes = 0;
  for (const std::vector<program::Shape> *shapes : {&call.operands, &call.results})
    for (const program::Shape &shape : *shapes)
      bytes += static_cast<double>(shape.byteSize());
  return kMeeting + costs.access * bytes / kAccessBytes;
}

OpCount countOps(mlir::Operation *op) {
  if (auto fusion = mlir::dyn_cast<ir::FusionOp>(op))
    return countBody(fusion->getRegion(0));
  if (op->getNumResults() == 0 || movesData(op) || !mlir::isa<mlir::RankedTensorType>(op->getResult(0).getType()))
    return {};
  if (isTranscendental(op))
    return {0, elements(op->getResult(0))};
  if (auto dot = mlir::dyn_cast<sh::DotGeneralOp>(op)) {
    double depth = 1;
    for (int64_t dim : dot.getDotDimensionNumbers().getLhsContractingDimensions())
      depth *= static_cast<double>(shapeOf(dot.getLhs())[dim]);
    return {contractionFlops(op, depth), 0};
  }
  if (auto convolution = mlir::dyn_cast<sh::ConvolutionOp>(op)) {
    int64_t outputs =
        shapeOf(convolution.getRhs())[convolution.getDimensionNumbers().getKernelOutputFeatureDimension()];
    double depth = outputs ? elements(convolution.getRhs()) / static_cast<double>(outputs) : 0;
    return {contractionFlops(op, depth), 0};
  }
  if (op->getNumRegions() == 0)
    return {elements(op->getResult(0)), 0};
  if (op->getNumOperands() == 0)
    return {};
  auto loop = mlir::dyn_cast<sh::WhileOp>(op);
  OpCount body = countBody(loop ? loop.getBody() : op->getRegion(0));
  double times = evaluations(op);
  return {times * body.flops, times * body.transcendentals};
}

ElementType arithmeticType(mlir::Operation *op) {
  if (mlir::isa<ir::FusionOp, sh::WhileOp>(op)) {
    mlir::Operation *most = nullptr;
    double flops = 0;
    for (mlir::Operation &inner : op->getRegions().back().front())
      if (double count = countOps(&inner).flops; count > flops) {
        flops = count;
        most = &inner;
      }
    return most ? arithmeticType(most) : ElementType::kInvalid;
  }
  if (countOps(op).flops == 0)
    return ElementType::kInvalid;
  // A comparison computes with what it compares.
  ElementType type =
      realType(ir::toElementType(elementTypeOf(op->getOperands().empty() ? op->getResult(0) : op->getOperand(0))));
  bool isProduct = mlir::isa<sh::DotGeneralOp, sh::ConvolutionOp>(op);
  return !isProduct && isFloat(type) && bitWidth(type) < 32 ? ElementType::kF32 : type;
}

Cost scalarCost(mlir::func::FuncOp main, const ProgramInstructions &instructions) {
  Cost cost;
  cost.flops = countScalarOps(main.getBody().front(), instructions);
  for (mlir::Value argument : main.getArguments())
    if (isScalarTensor(argument.getType()) && llvm::any_of(argument.getUsers(), [&](mlir::Operation *user) {
          return isInRegisters(instructions.kindOf(user));
        }))
      cost.bytes += static_cast<double>(tensorBytes(argument.getType()));
  for (mlir::Value result : main.getBody().front().getTerminator()->getOperands())
    if (mlir::Operation *op = result.getDefiningOp();
        op && isScalarTensor(result.getType()) && isInRegisters(instructions.kindOf(op)))
      cost.bytes += static_cast<double>(tensorBytes(result.getType()));
  return cost;
}

double countTranscendentals(mlir::func::FuncOp main) {
  double count = 0;
  main.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    if (mlir::isa<mlir::func::FuncOp, sh::WhileOp, sh::CaseOp, sh::IfOp>(op))
      return mlir::WalkResult::advance();
    count += countOps(op).transcendentals;
    return mlir::WalkResult::skip();
  });
  return count;
}

} // namespace tenon::codegen
