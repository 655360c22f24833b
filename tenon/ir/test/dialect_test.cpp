// The dialects' C++ side: builders that infer result types, families, effects, constants, fusions.
#include "tenon/ir/chlo.h"
#include "tenon/ir/register.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/DebugStringHelper.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

namespace hlo = tenon::stablehlo;
using mlir::Type;
using mlir::Value;

class Dialects : public testing::Test {
protected:
  Dialects() : builder(&context), location(builder.getUnknownLoc()) {
    tenon::loadAllDialects(context);
    module = mlir::ModuleOp::create(location);
    builder.setInsertionPointToEnd(module->getBody());
    function = mlir::func::FuncOp::create(builder, location, "f", builder.getFunctionType({}, {}));
    builder.setInsertionPointToStart(function.addEntryBlock());
  }

  Type parseType(const char *text) {
    Type type = mlir::parseType(text, &context);
    EXPECT_TRUE(type) << text;
    return type;
  }
  Value argument(const char *type) { return function.getBody().addArgument(parseType(type), location); }

  static std::string print(Type type) { return mlir::debugString(type); }

  /// The verdict on a module's text, and its first error.
  std::string errorOf(const std::string &text) {
    std::string error;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      if (error.empty())
        error = diagnostic.str();
      return mlir::success();
    });
    auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    return parsed ? error : error.empty() ? "no module" : error;
  }

  mlir::MLIRContext context;
  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
};

//===- Inference -------------------------------------------------------------------------------------------------===//

TEST_F(Dialects, BuildersInferElementwiseTypes) {
  Value x = argument("tensor<2x?xf32>"), y = argument("tensor<?x3xf32>"), c = argument("tensor<4xcomplex<f64>>");
  EXPECT_EQ(print(hlo::AddOp::create(builder, location, x, y).getType()), "tensor<2x3xf32>");
  EXPECT_EQ(print(hlo::AbsOp::create(builder, location, c).getType()), "tensor<4xf64>");
  EXPECT_EQ(print(hlo::TanhOp::create(builder, location, x).getType()), "tensor<2x?xf32>");
  EXPECT_EQ(print(hlo::CompareOp::create(builder, location, x, y, hlo::ComparisonDirection::LT).getType()),
            "tensor<2x3xi1>");
  EXPECT_EQ(print(hlo::ConvertOp::create(builder, location, x, builder.getBF16Type()).getType()), "tensor<2x?xbf16>");
  EXPECT_EQ(print(hlo::IsFiniteOp::create(builder, location, x).getType()), "tensor<2x?xi1>");
}

TEST_F(Dialects, BuildersInferShapes) {
  Value x = argument("tensor<2x3x4xf32>"), z = argument("tensor<f32>"), i = argument("tensor<i32>");
  auto list = [&](std::initializer_list<int64_t> values) { return llvm::SmallVector<int64_t>(values); };
  EXPECT_EQ(print(hlo::TransposeOp::create(builder, location, x, list({2, 0, 1})).getType()), "tensor<4x2x3xf32>");
  EXPECT_EQ(
      print(hlo::PadOp::create(builder, location, x, z, list({1, 0, -1}), list({0, 0, 0}), list({0, 2, 0})).getType()),
      "tensor<3x7x3xf32>");
  EXPECT_EQ(
      print(hlo::SliceOp::create(builder, location, x, list({0, 0, 1}), list({2, 3, 4}), list({1, 2, 2})).getType()),
      "tensor<2x2x2xf32>");
  EXPECT_EQ(print(hlo::ConcatenateOp::create(builder, location, mlir::ValueRange{x, x}, 1).getType()),
            "tensor<2x6x4xf32>");
  EXPECT_EQ(
      print(hlo::DynamicSliceOp::create(builder, location, x, mlir::ValueRange{i, i, i}, list({1, 0, 2})).getType()),
      "tensor<1x0x2xf32>");
  hlo::ReduceOp reduce = hlo::ReduceOp::create(builder, location, x, z, list({0, 2}));
  EXPECT_EQ(print(reduce.getResult(0).getType()), "tensor<3xf32>");
  EXPECT_TRUE(reduce.getBody().empty());
}

/// Found by damaging programs: inference may be asked before the operands' types have been verified.
TEST_F(Dialects, InferenceSaysWhatOperandsMustBe) {
  Value x = argument("tensor<2xf32>");
  llvm::SmallVector<Type> types;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    EXPECT_THAT(diagnostic.str(), testing::HasSubstr("uniform_dequantize_i1"));
    return mlir::success();
  });
  EXPECT_TRUE(
      failed(hlo::UniformDequantizeOp::inferReturnTypes(&context, location, mlir::ValueRange{x}, mlir::DictionaryAttr(),
                                                        mlir::OpaqueProperties(nullptr), mlir::RegionRange(), types)));
}

/// Bounds stay with their dimensions, and a dynamic dimension without one stays without.
TEST_F(Dialects, BoundsAreKept) {
  Value x = argument("tensor<?x3x?xf32, #stablehlo.bounds<8, ?, ?>>");
  EXPECT_EQ(print(hlo::TransposeOp::create(builder, location, x, llvm::ArrayRef<int64_t>{1, 2, 0}).getType()),
            "tensor<3x?x?xf32, #stablehlo.bounds<?, ?, 8>>");
  Value z = argument("tensor<f32>");
  EXPECT_EQ(print(hlo::ReduceOp::create(builder, location, x, z, llvm::ArrayRef<int64_t>{2}).getResult(0).getType()),
            "tensor<?x3xf32, #stablehlo.bounds<8, ?>>");
  Value size = argument("tensor<i32>"), fixed = argument("tensor<4x5xf32>");
  EXPECT_EQ(print(hlo::SetDimensionSizeOp::create(builder, location, fixed, size, 1).getType()),
            "tensor<4x?xf32, #stablehlo.bounds<?, 5>>");
}

TEST_F(Dialects, DynamicSizesAreCompatible) {
  EXPECT_EQ(
      errorOf(R"(func.func @f(%a: tensor<?x4xf32>, %b: tensor<3x?xf32>, %s: tensor<2xindex>) {
    %0 = stablehlo.add %a, %b : (tensor<?x4xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
    %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<3x?xf32>) -> tensor<?x?xf32>
    return
  })"),
      "'stablehlo.dot_general' op dot_general_c11: contracting dimensions must have the same sizes, got 4 and 3 in "
      "dimensions 1 and 0");
  EXPECT_EQ(errorOf(R"(func.func @f(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %s: tensor<2xindex>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x7xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %2 = stablehlo.reshape %a : (tensor<?x4xf32>) -> tensor<?xf32>
    %3 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    return
  })"),
            "");
}

//===- What real programs contain beyond the specification -------------------------------------------------------===//

TEST_F(Dialects, RaggedAndEmptyReplicaGroupsAreAccepted) {
  EXPECT_EQ(errorOf(R"(func.func @f(%a: tensor<4xf32>) {
    %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %x : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      stablehlo.return %x : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    return
  })"),
            "");
}

TEST_F(Dialects, QuantizedConstantsHoldStoredValues) {
  const char *text = R"(func.func @f() {
    %0 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 0.5>>
    return
  })";
  EXPECT_EQ(errorOf(text), "");
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  std::string printed;
  llvm::raw_string_ostream os(printed);
  parsed->print(os);
  EXPECT_THAT(printed, testing::HasSubstr("stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> "));
  EXPECT_EQ(errorOf(printed), "");
}

TEST_F(Dialects, MixedSmallFloatsAndAlgorithmsAreAccepted) {
  EXPECT_EQ(
      errorOf(
          R"(func.func @f(%a: tensor<2x4xf8E4M3FN>, %b: tensor<4x3xf8E5M2>, %c: tensor<2x4xf32>, %d: tensor<4x3xbf16>) {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x4xf8E4M3FN>, tensor<4x3xf8E5M2>) -> tensor<2x3xf32>
    %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x4xf32>, tensor<4x3xbf16>) -> tensor<2x3xf32>
    return
  })"),
      "");
}

//===- Families, effects, constants ------------------------------------------------------------------------------===//

TEST_F(Dialects, ElementwiseOps) {
  auto isElementwise = [&](llvm::StringRef name) {
    return mlir::OperationName(name, &context).hasTrait<tenon::ir::Elementwise>();
  };
  for (const char *name : {"add", "select", "clamp", "compare", "convert", "complex", "real", "imag", "is_finite",
                           "reduce_precision", "tan", "shift_left", "not", "uniform_quantize"})
    EXPECT_TRUE(isElementwise(std::string("stablehlo.") + name)) << name;
  for (const char *name : {"bitcast_convert", "broadcast_in_dim", "reshape", "iota", "constant", "reduce", "map",
                           "dot_general", "all_reduce", "while", "optimization_barrier"})
    EXPECT_FALSE(isElementwise(std::string("stablehlo.") + name)) << name;
  EXPECT_TRUE(isElementwise("chlo.erf"));
  EXPECT_TRUE(mlir::OperationName("stablehlo.all_gather", &context).hasTrait<tenon::ir::Collective>());
  EXPECT_FALSE(mlir::OperationName("stablehlo.replica_id", &context).hasTrait<tenon::ir::Collective>());
}

TEST_F(Dialects, RecordsSayWhatElementsCost) {
  using enum tenon::ir::ElementCost;
  auto costOf = [&](llvm::StringRef name) { return tenon::ir::elementCost(mlir::OperationName(name, &context)); };
  EXPECT_EQ(costOf("stablehlo.add"), kSimple);
  EXPECT_EQ(costOf("stablehlo.divide"), kDivision);
  EXPECT_EQ(costOf("stablehlo.remainder"), kRemainder);
  EXPECT_EQ(costOf("stablehlo.rsqrt"), kRoot);
  EXPECT_EQ(costOf("stablehlo.log"), kExponential);
  EXPECT_EQ(costOf("stablehlo.cbrt"), kTrigonometric);
  EXPECT_EQ(costOf("stablehlo.power"), kTrigonometric);
  EXPECT_EQ(costOf("chlo.erf"), kSpecial);
  for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
    EXPECT_EQ(tenon::ir::elementCost(op).has_value(), op.hasTrait<tenon::ir::Elementwise>()) << op.getStringRef().str();
}

TEST_F(Dialects, RecordsSayWhatMovesElements) {
  auto name = [&](llvm::StringRef op) { return mlir::OperationName(op, &context); };
  for (const char *op : {"stablehlo.slice", "stablehlo.transpose", "stablehlo.reshape"})
    EXPECT_TRUE(name(op).hasTrait<tenon::ir::MovesElements>() && name(op).hasTrait<tenon::ir::Reindexes>()) << op;
  for (const char *op : {"stablehlo.pad", "stablehlo.concatenate", "stablehlo.gather", "stablehlo.dynamic_slice"})
    EXPECT_TRUE(name(op).hasTrait<tenon::ir::MovesElements>() && !name(op).hasTrait<tenon::ir::Reindexes>()) << op;
  EXPECT_FALSE(name("stablehlo.sort").hasTrait<tenon::ir::MovesElements>());
  EXPECT_TRUE(name("stablehlo.reverse").hasTrait<tenon::ir::KeepsDimensions>());
  EXPECT_FALSE(name("stablehlo.transpose").hasTrait<tenon::ir::KeepsDimensions>());
}

TEST_F(Dialects, OnlyWhatHasEffectsSurvivesUnused) {
  const char *text = R"(func.func @f(%a: tensor<4xf32>, %t: !stablehlo.token, %p: tensor<i1>) {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    %1 = stablehlo.custom_call @pure(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @effect(%a) {has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.outfeed"(%a, %t) : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
    %4 = "stablehlo.if"(%p) ({
      stablehlo.return %a : tensor<4xf32>
    }, {
      stablehlo.return %a : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    %5 = stablehlo.constant dense<1> : tensor<i32>
    %6 = tenon.fusion loop(%x = %a) : (tensor<4xf32>) -> tensor<4xf32> {
      tenon.yield %x : tensor<4xf32>
    }
    return
  })";
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(parsed);
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createCSEPass());
  ASSERT_TRUE(succeeded(passes.run(*parsed)));
  std::vector<std::string> left;
  parsed->walk([&](mlir::Operation *op) { left.push_back(op->getName().getStringRef().str()); });
  EXPECT_THAT(left, testing::ElementsAre("stablehlo.custom_call", "stablehlo.outfeed", "func.return", "func.func",
                                         "builtin.module"));
}

TEST_F(Dialects, ConstantsAreBuiltFromNumbersAndFolded) {
  auto scalar = hlo::ConstantOp::create(builder, location, builder.getF32FloatAttr(2.5f));
  EXPECT_EQ(print(scalar.getType()), "tensor<f32>");
  mlir::DenseElementsAttr value;
  ASSERT_TRUE(mlir::matchPattern(scalar.getResult(), mlir::m_Constant(&value)));
  EXPECT_EQ(value.getSplatValue<float>(), 2.5f);
  mlir::Dialect *dialect = context.getLoadedDialect("stablehlo");
  mlir::Operation *made = dialect->materializeConstant(builder, value, value.getType(), location);
  ASSERT_TRUE(llvm::isa_and_nonnull<hlo::ConstantOp>(made));
  EXPECT_EQ(dialect->materializeConstant(builder, value, builder.getF32Type(), location), nullptr);
}

TEST_F(Dialects, CallsAreInlined) {
  const char *text = R"(
  func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
    %1 = tenon.fusion loop(%x = %0) : (tensor<4xf32>) -> tensor<4xf32> {
      %2 = stablehlo.negate %x : tensor<4xf32>
      tenon.yield %2 : tensor<4xf32>
    }
    return %1 : tensor<4xf32>
  }
  func.func @f(%p: tensor<i1>, %a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "stablehlo.if"(%p) ({
      %1 = func.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %1 : tensor<4xf32>
    }, {
      stablehlo.return %a : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })";
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  ASSERT_TRUE(parsed);
  mlir::PassManager passes(&context);
  passes.addPass(mlir::createInlinerPass());
  ASSERT_TRUE(succeeded(passes.run(*parsed)));
  int calls = 0;
  parsed->walk([&](mlir::func::CallOp) { ++calls; });
  EXPECT_EQ(calls, 0);
}

//===- tenon.fusion ----------------------------------------------------------------------------------------------===//

TEST_F(Dialects, FusionsAreBuiltAndVerified) {
  Value x = argument("tensor<4xf32>");
  auto fusion = tenon::ir::FusionOp::create(builder, location, x.getType(), x, tenon::ir::FusionKind::Reduce);
  EXPECT_EQ(fusion.getBlock().getNumArguments(), 1u);
  mlir::OpBuilder body = mlir::OpBuilder::atBlockEnd(&fusion.getBlock());
  Value doubled =
      hlo::AddOp::create(body, location, fusion.getBlock().getArgument(0), fusion.getBlock().getArgument(0));
  tenon::ir::YieldOp::create(body, location, doubled);
  EXPECT_TRUE(succeeded(mlir::verify(fusion)));
  EXPECT_EQ(fusion.getKind(), tenon::ir::FusionKind::Reduce);
}

TEST_F(Dialects, FusionsOfOtherTypesAreRejected) {
  const char *text = R"(func.func @f(%a: tensor<4xf32>) {{
    %0 = tenon.fusion {0}(%x = %a) : (tensor<4xf32>) -> {1} {{
      {2}
    }
    return
  })";
  auto error = [&](const char *kind, const char *result, const char *end) {
    return errorOf(llvm::formatv(text, kind, result, end).str());
  };
  EXPECT_EQ(error("loop", "tensor<4xf32>", "tenon.yield %x : tensor<4xf32>"), "");
  EXPECT_THAT(error("loop", "tensor<2xf32>", "tenon.yield %x : tensor<4xf32>"), testing::HasSubstr("yields types"));
  EXPECT_THAT(error("circle", "tensor<4xf32>", "tenon.yield %x : tensor<4xf32>"),
              testing::HasSubstr("unknown kind of fusion"));
  EXPECT_THAT(error("loop", "tensor<4xf32>", "tenon.yield %a : tensor<4xf32>"), testing::HasSubstr("defined outside"));
}

} // namespace
