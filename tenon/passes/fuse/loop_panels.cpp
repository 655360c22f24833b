// Products in a loop with a matrix that it does not change, as the weights of a recurrent cell:
//
//   while ... do { ... dot_general(%x, %w) : (16x256, 256x1024) -> 16x1024 }
//     =>
//   %panels = transpose(reshape(%w) : 256x64x16, [1, 0, 2]) : 64x256x16
//   while ... do { ... reshape(dot_general(%x, %panels) : (16x256, 64x256x16) -> 16x64x16) : 16x1024 }
//
// The columns that a register tile reads together lie side by side, one k behind the other. Such a product packs
// nothing, and reads few pages in order instead of a piece of each row. Where the columns are no whole panels, zeros
// are behind them, and the result is a slice. Each element is the same sum as before.
//
// What is packed is a copy of the matrix, which lives as long as the loop does. A matrix that is a constant is packed
// when the program is compiled, whether there is a loop or not, if the panels take its place everywhere.

#include "tenon/passes/fuse/loop_panels.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tf32.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"
#include "tenon/passes/fuse/constant_panels.h"
#include "tenon/passes/fuse/rules.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::shapeOf, ir::typeOf;

// The most that all panels of a program take together.
constexpr int64_t kMostBytes = 64 << 20;

int64_t rowDimension(sh::DotGeneralOp dot) {
  return dot.getDotDimensionNumbers().getRhsContractingDimensions().front();
}

bool hasPlainMatrix(sh::DotGeneralOp dot) {
  auto numbers = dot.getDotDimensionNumbers();
  return typeOf(dot.getLhs()).hasStaticShape() && typeOf(dot.getRhs()).hasStaticShape() &&
         shapeOf(dot.getRhs()).size() == 2 && numbers.getLhsBatchingDimensions().empty() &&
         numbers.getRhsContractingDimensions().size() == 1 && elementsOf(dot.getRhs()) > 0;
}

// The outermost loop around a product that does not change its rhs, and how often it runs there.
struct Surroundings {
  sh::WhileOp loop;
  int64_t runs = 1;
};

Surroundings surroundingsOf(sh::DotGeneralOp dot, const CostModel &costs) {
  Surroundings result;
  Operation *definedIn = dot.getRhs().getParentBlock()->getParentOp();
  for (Operation *around = dot->getParentOp(); around && !around->isAncestor(definedIn);
       around = around->getParentOp()) {
    if (isa<sh::IfOp, sh::CaseOp>(around))
      continue;
    auto loop = dyn_cast<sh::WhileOp>(around);
    if (!loop)
      break;
    int64_t trips = ir::tripCount(loop);
    result.loop = loop;
    if (llvm::MulOverflow(result.runs, trips > 0 ? trips : costs.unknownTrips, result.runs))
      result.runs = INT64_MAX;
  }
  return result;
}

// Has a product read panels, [panels, k, columns], of its rhs.
void read(sh::DotGeneralOp dot, Value panels) {
  OpBuilder builder(dot);
  ArrayBuilder arrays(builder, dot.getLoc());
  auto numbers = dot.getDotDimensionNumbers();
  auto newNumbers = sh::DotDimensionNumbersAttr::get(dot.getContext(), {}, {}, numbers.getLhsContractingDimensions(),
                                                     ArrayRef<int64_t>{1});
  RankedTensorType type = typeOf(dot);
  SmallVector<int64_t> whole(type.getShape()), parted(type.getShape().drop_back());
  whole.back() = shapeOf(panels)[0] * shapeOf(panels)[2];
  parted.append({shapeOf(panels)[0], shapeOf(panels)[2]});
  auto product = sh::DotGeneralOp::create(builder, dot.getLoc(), type.clone(parted), dot.getLhs(), panels, newNumbers,
                                          dot.getPrecisionConfigAttr(), dot.getAlgorithmAttr());
  ir::copyTf32Operands(dot, product);
  Value result = arrays.reshape(product, whole);
  if (whole.back() != type.getShape().back())
    result = arrays.slice(result, SmallVector<int64_t>(whole.size(), 0), type.getShape());
  dot.replaceAllUsesWith(result);
  dot.erase();
}

// Has all products that read a constant read panels of it.
void packConstant(sh::ConstantOp constant, const PanelColumns &panelColumns) {
  if (!liesInBytes(constant))
    return;
  constexpr int64_t kRuns = int64_t(1) << 40; // as many as there will be
  int64_t k = -1, width = 0;
  for (OpOperand &use : constant->getUses()) {
    auto dot = dyn_cast<sh::DotGeneralOp>(use.getOwner());
    if (!dot || use.getOperandNumber() != 1 || !hasPlainMatrix(dot))
      return;
    int64_t columns = panelColumns(dot, kRuns);
    if (columns == 0 || (width != 0 && (columns != width || rowDimension(dot) != k)))
      return;
    k = rowDimension(dot);
    width = columns;
  }
  if (width == 0)
    return;
  Value panels = foldedInPanels(constant, {k, 1 - k}, width);
  for (Operation *user : llvm::make_early_inc_range(constant->getUsers()))
    if (user != panels.getDefiningOp())
      read(cast<sh::DotGeneralOp>(user), panels);
}

class Packer {
public:
  Packer(const PanelColumns &panelColumns, const CostModel &costs) : panelColumns_(panelColumns), costs_(costs) {}

  void visit(sh::DotGeneralOp dot) {
    if (!hasPlainMatrix(dot))
      return;
    Surroundings around = surroundingsOf(dot, costs_);
    if (!around.loop)
      return;
    int64_t width = panelColumns_(dot, around.runs);
    if (width == 0)
      return;
    if (Value panels = panelsOf(dot, around.loop, width))
      read(dot, panels);
  }

private:
  // The panels in front of the loop; null where they would take too much memory.
  Value panelsOf(sh::DotGeneralOp dot, sh::WhileOp loop, int64_t width) {
    Value rhs = dot.getRhs();
    int64_t k = rowDimension(dot), columns = 1 - k;
    Value &panels = made_[{rhs, loop, {k, width}}];
    int64_t size = shapeOf(rhs)[size_t(columns)], count = llvm::divideCeil(size, width);
    if (panels)
      return panels;
    int64_t bytes = ir::storedBytes(typeOf(rhs)) / size * count * width;
    if (bytes_ + bytes > kMostBytes)
      return panels;
    bytes_ += bytes;
    OpBuilder builder(loop);
    ArrayBuilder arrays(builder, dot.getLoc());
    return panels = inPanels(arrays, rhs, {k, columns}, width);
  }

  const PanelColumns &panelColumns_;
  const CostModel &costs_;
  // By the matrix, the loop, the dimension of sums and the columns of a panel.
  llvm::DenseMap<std::tuple<Value, Operation *, std::pair<int64_t, int64_t>>, Value> made_;
  int64_t bytes_ = 0;
};

} // namespace

void packConstantOperands(ModuleOp module, const PanelColumns &panelColumns) {
  SmallVector<sh::ConstantOp> constants;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](sh::ConstantOp constant) { constants.push_back(constant); });
  for (sh::ConstantOp constant : constants)
    packConstant(constant, panelColumns);
}

void packLoopOperands(ModuleOp module, const PanelColumns &panelColumns, const CostModel &costs) {
  Packer packer(panelColumns, costs);
  SmallVector<sh::DotGeneralOp> products;
  for (auto function : module.getOps<func::FuncOp>())
    function.walk([&](sh::DotGeneralOp dot) { products.push_back(dot); });
  for (sh::DotGeneralOp dot : products)
    packer.visit(dot);
}

} // namespace tenon::passes
