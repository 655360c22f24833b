#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/ir/register.h"
#include "tenon/ir/tenon.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

using namespace tenon::codegen;
using mlir::AffineExpr;

namespace {

// A domain of texts: what an element is, down to the arguments of a function, in its indices.
class Describer : public RegionEvaluator<Describer> {
public:
  Describer(const KernelSource &source, RegionIndexer &indexer) : source_(source), indexer_(indexer) {}

  std::string describe(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    return evaluate(source_, indexer_, value, index);
  }

  std::string array(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    int number = source_.inputNumber(value);
    std::string text = number >= 0 ? "arg" + std::to_string(number) : "data";
    for (AffineExpr expr : index)
      text += "[" + describe(expr) + "]";
    return text;
  }

  std::string constant(mlir::DenseElementsAttr data) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    data.getSplatValue<mlir::Attribute>().print(stream, /*elideType=*/true);
    return text;
  }

  std::string iota(mlir::Operation *, AffineExpr expr) { return describe(expr); }

  std::string moved(mlir::Operation *op, llvm::ArrayRef<AffineExpr>, llvm::ArrayRef<Source> sources) {
    std::string text;
    for (const Source &source : sources)
      text += describe(op, source) + (&source == &sources.back() ? "" : " else ");
    return text;
  }

  std::string reduced(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
    mlir::Operation *op = result.getOwner();
    IndexVector inner;
    for (int64_t extent : RegionIndexer::reducedExtents(op))
      inner.push_back(indexer_.space().addDim(extent));
    std::optional<Source> source = indexer_.reducedSource(op, index, inner);
    std::string text = "fold(" + describe(op->getOperand(op->getNumResults()), {});
    return text + (source ? ", " + describe(op, *source) : "") + ")";
  }

  std::string computed(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
    mlir::Operation *op = result.getOwner();
    std::string text = op->getName().stripDialect().str();
    for (mlir::Value operand : op->getOperands())
      text += " (" + describe(operand, RegionIndexer::elementwiseIndex(operand, index)) + ")";
    return text;
  }

private:
  std::string describe(mlir::Operation *op, const Source &source) {
    std::string text;
    for (const Condition &condition : source.conditions) {
      text += text.empty() ? "if " : " and ";
      bool isEqual = condition.min == condition.max, hasMin = condition.min != std::numeric_limits<int64_t>::min();
      text += (isEqual || !hasMin ? "" : std::to_string(condition.min) + " <= ") + describe(condition.expr);
      text += (isEqual ? " == " : " <= ") + std::to_string(condition.max);
    }
    return text + (text.empty() ? "" : ": ") + describe(op->getOperand(source.operand), source.index);
  }

  // Numbers read at run time stand in braces.
  std::string describe(AffineExpr expr) {
    std::string text;
    llvm::raw_string_ostream(text) << expr;
    expr.walk([&](AffineExpr part) {
      auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(part);
      if (!symbol)
        return;
      IndexSymbol info = indexer_.symbolInfo(symbol.getPosition());
      std::string name = "s" + std::to_string(symbol.getPosition());
      text.replace(text.find(name), name.size(), "{" + describe(info.tensor, info.index) + "}");
    });
    return text;
  }

  const KernelSource &source_;
  RegionIndexer &indexer_;
};

// What element (d0, d1, ...) of the function's result is.
std::string elementOf(const std::string &function) {
  mlir::MLIRContext context;
  tenon::loadAllDialects(context);
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(function, &context);
  auto main = *module->getOps<mlir::func::FuncOp>().begin();
  KernelSource source{main, {}, {}};
  llvm::append_range(source.inputs, main.getArguments());
  mlir::Value result = main.getBody().front().getTerminator()->getOperand(0);
  RegionIndexer indexer{IndexSpace(&context)};
  IndexVector index;
  for (int64_t extent : shapeOf(result))
    index.push_back(indexer.space().addDim(extent));
  return Describer(source, indexer).describe(result, index);
}

TEST(RegionEvaluator, ElementwiseOpsKeepTheIndexButOfScalars) {
  EXPECT_EQ(elementOf(R"(func.func @main(%p: tensor<i1>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %c = stablehlo.constant dense<2.5> : tensor<4x6xf32>
    %i = stablehlo.iota dim = 1 : tensor<4x6xf32>
    %m = stablehlo.multiply %x, %c : tensor<4x6xf32>
    %r = stablehlo.select %p, %m, %i : tensor<i1>, tensor<4x6xf32>
    return %r : tensor<4x6xf32>
  })"),
            "select (arg0) (multiply (arg1[d0][d1]) (2.500000e+00)) (d1)");
}

TEST(RegionEvaluator, ConstantsThatDifferAreArrays) {
  EXPECT_EQ(elementOf(R"(func.func @main() -> tensor<2xi32> {
    %c = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %r = stablehlo.reverse %c, dims = [0] : tensor<2xi32>
    return %r : tensor<2xi32>
  })"),
            "data[-d0 + 1]");
}

// A domain whose index is how often an element is needed: how often those of arguments are.
class Copies : RegionEvaluator<Copies> {
public:
  int64_t count(mlir::Value value, int64_t copies) {
    return value.getDefiningOp() ? evaluate(llvm::cast<mlir::OpResult>(value), copies) : copies;
  }

private:
  friend RegionEvaluator;
  int64_t array(mlir::Value, int64_t) { return 0; }
  int64_t constant(mlir::DenseElementsAttr) { return 0; }
  int64_t iota(mlir::Operation *, int64_t) { return 0; }
  int64_t moved(mlir::Operation *op, int64_t copies) { return all(op, copies); }
  int64_t reduced(mlir::OpResult result, int64_t copies) {
    return all(result.getOwner(), copies * elementCount(RegionIndexer::reducedExtents(result.getOwner())));
  }
  int64_t computed(mlir::OpResult result, int64_t copies) { return all(result.getOwner(), copies); }

  int64_t all(mlir::Operation *op, int64_t copies) {
    int64_t sum = 0;
    for (mlir::Value operand : op->getOperands())
      sum += count(operand, copies);
    return sum;
  }
};

TEST(RegionEvaluator, IndicesMayBeOfTheDomainsOwn) {
  mlir::MLIRContext context;
  tenon::loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(func.func @main(%x: tensor<4x6xf32>) -> tensor<4xf32> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %i = stablehlo.iota dim = 1 : tensor<4x6xf32>
    %t = stablehlo.reverse %x, dims = [0] : tensor<4x6xf32>
    %m = stablehlo.multiply %x, %t : tensor<4x6xf32>
    %a = stablehlo.add %m, %i : tensor<4x6xf32>
    %r = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  })",
                                                        &context);
  auto main = *module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(Copies().count(main.getBody().front().getTerminator()->getOperand(0), 1), 2 * 6);
}

TEST(RegionEvaluator, InputsEndTheWalk) {
  // An op's result that is an input is read, not computed again.
  mlir::MLIRContext context;
  tenon::loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.exponential %x : tensor<4xf32>
    %1 = stablehlo.negate %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  })",
                                                        &context);
  mlir::Operation *negate = nullptr;
  module->walk([&](tenon::stablehlo::NegateOp op) { negate = op; });
  KernelSource source = kernelSource(negate);
  RegionIndexer indexer{IndexSpace(&context)};
  AffineExpr i = indexer.space().addDim(4);
  EXPECT_EQ(Describer(source, indexer).describe(negate->getResult(0), {i}), "negate (arg0[d0])");
}

TEST(RegionEvaluator, MovedElementsComeFromTheFirstSourceThatHolds) {
  EXPECT_EQ(elementOf(R"(func.func @main(%x: tensor<10xf32>, %z: tensor<f32>) -> tensor<13xf32> {
    %r = stablehlo.pad %x, %z, low = [1], high = [2], interior = [0] : (tensor<10xf32>, tensor<f32>) -> tensor<13xf32>
    return %r : tensor<13xf32>
  })"),
            "if 0 <= d0 - 1 <= 9: arg0[d0 - 1] else arg1");
  EXPECT_EQ(elementOf(R"(func.func @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<5xf32> {
    %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    return %r : tensor<5xf32>
  })"),
            "if d0 <= 1: arg0[d0] else arg1[d0 - 2]");
}

TEST(RegionEvaluator, StartsAreReadAtRunTime) {
  EXPECT_EQ(elementOf(R"(func.func @main(%x: tensor<10xf32>, %i: tensor<i32>) -> tensor<4xf32> {
    %r = stablehlo.dynamic_slice %x, %i, sizes = [4] : (tensor<10xf32>, tensor<i32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  })"),
            "arg0[d0 + {arg1}]");
}

// What element (d0, d1) is of %r, which a fusion of floats %x and integers %i computes.
std::string elementOfFusion(const std::string &body) {
  mlir::MLIRContext context;
  tenon::loadAllDialects(context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @main(%a: tensor<40xf32>, %b: tensor<3xi32>) -> tensor<3x4xf32> {\n"
      "  %f = tenon.fusion loop(%x = %a, %i = %b) : (tensor<40xf32>, tensor<3xi32>) -> tensor<3x4xf32> {\n" +
          body + R"(
    %at = stablehlo.reshape %p : (tensor<3x4xi32>) -> tensor<3x4x1xi32>
    %r = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 2>, slice_sizes = array<i64: 1>}> :
        (tensor<40xf32>, tensor<3x4x1xi32>) -> tensor<3x4xf32>
    tenon.yield %r : tensor<3x4xf32>
  }
  return %f : tensor<3x4xf32>
})",
      &context);
  tenon::ir::FusionOp fusion;
  module->walk([&](tenon::ir::FusionOp op) { fusion = op; });
  KernelSource source = kernelSource(fusion);
  RegionIndexer indexer{IndexSpace(&context)};
  IndexVector index{indexer.space().addDim(3), indexer.space().addDim(4)};
  return Describer(source, indexer).describe(source.outputs.front(), index);
}

// Numbers of three rows, ten apart, and of the four places in each, less `below`, but `limit` at most.
std::string framesFrom(const std::string &below, const std::string &limit) {
  return R"(
    %n = stablehlo.iota dim = 0 : tensor<3x4xi32>
    %ten = stablehlo.constant dense<10> : tensor<3x4xi32>
    %rows = stablehlo.multiply %n, %ten : tensor<3x4xi32>
    %k = stablehlo.iota dim = 0 : tensor<4xi32>
    %columns = stablehlo.broadcast_in_dim %k, dims = [1] : (tensor<4xi32>) -> tensor<3x4xi32>
    %sum = stablehlo.add %rows, %columns : tensor<3x4xi32>
    %below = stablehlo.constant dense<)" +
         below + R"(> : tensor<3x4xi32>
    %from = stablehlo.subtract %sum, %below : tensor<3x4xi32>
    %limit = stablehlo.constant dense<)" +
         limit + R"(> : tensor<3x4xi32>
    %bounded = stablehlo.minimum %from, %limit : tensor<3x4xi32>
    %zero = stablehlo.constant dense<0> : tensor<3x4xi32>
    %size = stablehlo.constant dense<40> : tensor<3x4xi32>
    %negative = stablehlo.compare LT, %bounded, %zero : (tensor<3x4xi32>, tensor<3x4xi32>) -> tensor<3x4xi1>
    %wrapped = stablehlo.add %bounded, %size : tensor<3x4xi32>
    %p = stablehlo.select %negative, %wrapped, %bounded : tensor<3x4xi1>, tensor<3x4xi32>)";
}

TEST(RegionEvaluator, GatheredPlacesOfNumbersAreExpressions) {
  EXPECT_EQ(elementOfFusion(framesFrom("0", "30")), "arg0[d0 * 10 + d1]");
  EXPECT_EQ(elementOfFusion(framesFrom("-5", "39")), "arg0[d0 * 10 + d1 + 5]");
  EXPECT_EQ(elementOfFusion(framesFrom("40", "39")), "arg0[d0 * 10 + d1]"); // all are counted from the end
}

TEST(RegionEvaluator, GatheredPlacesThatNoRangeDecidesAreRead) {
  for (const std::string &body : {framesFrom("1", "30"), framesFrom("0", "20"), framesFrom("-20", "99")})
    EXPECT_TRUE(llvm::StringRef(elementOfFusion(body)).starts_with("arg0[{")) << elementOfFusion(body);
}

TEST(RegionEvaluator, GatheredPlacesOfDataOrBeyondTheTypeAreRead) {
  EXPECT_EQ(elementOfFusion("%p = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<3xi32>) -> tensor<3x4xi32>"),
            "arg0[{arg1[d0]}]");
  // 100 and 200 times the row are no numbers of 8 bits.
  EXPECT_TRUE(llvm::StringRef(elementOfFusion(R"(
    %n = stablehlo.iota dim = 0 : tensor<3x4xi8>
    %c = stablehlo.constant dense<100> : tensor<3x4xi8>
    %m = stablehlo.multiply %n, %c : tensor<3x4xi8>
    %z = stablehlo.constant dense<0> : tensor<3x4xi8>
    %l = stablehlo.minimum %m, %z : tensor<3x4xi8>
    %p = stablehlo.convert %l : (tensor<3x4xi8>) -> tensor<3x4xi32>)"))
                  .starts_with("arg0[{"));
}

TEST(RegionEvaluator, ReductionsTakeWhatTheirDimensionsHold) {
  EXPECT_EQ(elementOf(R"(func.func @main(%x: tensor<4x6xf32>, %z: tensor<f32>) -> tensor<6xf32> {
    %n = stablehlo.negate %x : tensor<4x6xf32>
    %r = stablehlo.reduce(%n init: %z) applies stablehlo.add across dimensions = [0] :
      (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %r : tensor<6xf32>
  })"),
            "fold(arg1, negate (arg0[d1][d0]))");
}

TEST(RegionEvaluator, WindowsTakeWhatIsInside) {
  EXPECT_EQ(elementOf(R"(func.func @main(%x: tensor<8xf32>, %z: tensor<f32>) -> tensor<4xf32> {
    %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>,
        padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  })"),
            "fold(arg1, if 0 <= d0 * 2 + d1 - 1 <= 7: arg0[d0 * 2 + d1 - 1])");
}

} // namespace
