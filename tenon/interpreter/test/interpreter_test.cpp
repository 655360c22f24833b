// The interpreter's C++ interface: values and attributes, handlers, limits and errors.
#include "tenon/interpreter/interpreter.h"
#include "tenon/ir/register.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::interpreter {
namespace {

using testing::HasSubstr;

class InterpreterTest : public testing::Test {
protected:
  InterpreterTest() : context_(mlir::MLIRContext::Threading::DISABLED) { loadAllDialects(context_); }

  StatusOr<std::vector<Value>> run(llvm::StringRef source, llvm::ArrayRef<Value> args = {},
                                   const Options &options = {}) {
    module_ = mlir::parseSourceString<mlir::ModuleOp>(source, &context_);
    if (!module_)
      return internalError("the test's program does not parse");
    return interpret(*module_, "main", args, options);
  }
  Tensor tensor(llvm::StringRef attr) {
    StatusOr<Tensor> value = Tensor::fromAttr(llvm::cast<mlir::ElementsAttr>(mlir::parseAttribute(attr, &context_)));
    EXPECT_TRUE(value.ok());
    return *value;
  }
  std::string text(const StatusOr<std::vector<Value>> &results) {
    if (!results.ok())
      return results.status().message();
    std::string all;
    for (const Value &value : *results)
      all += toString(value) + "\n";
    return all;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

TEST_F(InterpreterTest, AttributesSurviveTheRoundTrip) {
  for (llvm::StringRef attr :
       {"dense<[true, false, true]> : tensor<3xi1>", "dense<true> : tensor<9xi1>", "dense<[1, -2]> : tensor<2xi4>",
        "dense<3> : tensor<2xui2>", "dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>", "dense<0x7FC00001> : tensor<2xf32>",
        "dense<[(1.000000e+00,2.000000e+00), (0.000000e+00,-1.000000e+00)]> : tensor<2xcomplex<f64>>",
        "dense<1.500000e+00> : tensor<bf16>", "dense<> : tensor<0x2xi32>",
        "dense<[5.000000e-01, 6.000000e+00]> : tensor<2xf4E2M1FN>", "dense<4.480000e+02> : tensor<3xf8E4M3FN>",
        "dense<\"0x010000000200000003000000\"> : tensor<3xi32>"}) {
    auto parsed = mlir::parseAttribute(attr, &context_);
    ASSERT_TRUE(parsed) << attr.str();
    EXPECT_EQ(tensor(attr).toAttr(), parsed) << attr.str();
  }
}

TEST_F(InterpreterTest, ReadsResources) {
  auto results = run(R"(
    func.func @main() -> tensor<2xf32> {
      %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
      return %0 : tensor<2xf32>
    }
    {-# dialect_resources: {builtin: {blob: "0x040000000000803F00000040"}} #-}
  )");
  EXPECT_EQ(text(results), "dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>\n");
}

TEST_F(InterpreterTest, RawBytesAreTheStorageFormat) {
  auto type = mlir::RankedTensorType::get({2}, mlir::IntegerType::get(&context_, 4));
  StatusOr<Tensor> value = Tensor::fromBytes(type, {0xFF, 0x07});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->intAt(0), -1);
  EXPECT_EQ(value->intAt(1), 7);
  EXPECT_FALSE(Tensor::fromBytes(type, {0xFF}).ok());
}

TEST_F(InterpreterTest, CopiesDoNotShareWrites) {
  Tensor first = tensor("dense<[1, 2]> : tensor<2xi32>"), second = first;
  second.set(0, Scalar::ofInt(9));
  EXPECT_EQ(first.intAt(0), 1);
  EXPECT_EQ(second.intAt(0), 9);
}

constexpr const char *kIdentity = "func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> { return %x : tensor<?xi32> }";

TEST_F(InterpreterTest, ArgumentsMayRefineDynamicShapes) {
  EXPECT_EQ(text(run(kIdentity, {tensor("dense<[1, 2]> : tensor<2xi32>")})), "dense<[1, 2]> : tensor<2xi32>\n");
}

TEST_F(InterpreterTest, ChecksArguments) {
  EXPECT_THAT(text(run(kIdentity, {tensor("dense<1.0> : tensor<2xf32>")})), HasSubstr("does not have the parameter"));
  EXPECT_THAT(text(run(kIdentity, {})), HasSubstr("1 arguments was given 0"));
  auto missing = interpret(*module_, "nothing", {});
  EXPECT_EQ(missing.status().code(), StatusCode::kNotFound);
}

TEST_F(InterpreterTest, ErrorsNameTheOpAndItsPlace) {
  auto results = run(R"(
    func.func @main() -> tensor<2xf32> {
      %0 = stablehlo.custom_call @unheard_of() : () -> tensor<2xf32>
      return %0 : tensor<2xf32>
    }
  )");
  ASSERT_FALSE(results.ok());
  EXPECT_EQ(results.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(results.status().message(), HasSubstr("'stablehlo.custom_call': calls 'unheard_of'"));
  EXPECT_THAT(results.status().message(), HasSubstr(":3:"));
}

constexpr const char *kEndless = R"(
  func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %r = stablehlo.while(%y = %x) : tensor<i32> cond {
      %t = stablehlo.constant dense<true> : tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      stablehlo.return %y : tensor<i32>
    }
    return %r : tensor<i32>
  })";

// Types leave open whether the batching dimensions of gather and scatter are as long as those of the indices.
TEST_F(InterpreterTest, BatchingDimensionsMustAgree) {
  constexpr llvm::StringLiteral kProgram = R"(
    func.func @main(%operand: tensor<?x2xf32>, %indices: tensor<?x1xi64>) -> tensor<?xf32> {
      %0 = "stablehlo.gather"(%operand, %indices) <{
        dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0],
          start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>,
        slice_sizes = array<i64: 1, 1>}> : (tensor<?x2xf32>, tensor<?x1xi64>) -> tensor<?xf32>
      %1 = "stablehlo.scatter"(%operand, %indices, %0) <{
        scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0],
          scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        stablehlo.return %b : tensor<f32>
      }) : (tensor<?x2xf32>, tensor<?x1xi64>, tensor<?xf32>) -> tensor<?x2xf32>
      return %0 : tensor<?xf32>
    })";
  Tensor operand = tensor("dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>");
  EXPECT_EQ(text(run(kProgram, {operand, tensor("dense<[[1], [0]]> : tensor<2x1xi64>")})),
            "dense<[2.000000e+00, 3.000000e+00]> : tensor<2xf32>\n");
  EXPECT_THAT(text(run(kProgram, {operand, tensor("dense<[[1]]> : tensor<1x1xi64>")})),
              HasSubstr("'stablehlo.gather': operand and start_indices differ in the batching dimensions"));
  std::string scatter = kProgram.str();
  scatter.replace(scatter.find("(%operand, %indices, %0)"), 24, "(%operand, %wrong, %0)");
  scatter.replace(scatter.find("%1 ="), 4, "%wrong = stablehlo.constant dense<0> : tensor<3x1xi64> %1 =");
  scatter.replace(scatter.rfind("tensor<?x1xi64>"), 15, "tensor<3x1xi64>");
  EXPECT_THAT(text(run(scatter, {operand, tensor("dense<[[1], [0]]> : tensor<2x1xi64>")})),
              HasSubstr("'stablehlo.scatter': inputs and scatter_indices differ in the batching dimensions"));
}

TEST_F(InterpreterTest, StopsAtTheStepLimit) {
  Options options;
  options.maxSteps = 1000;
  auto results = run(kEndless, {tensor("dense<1> : tensor<i32>")}, options);
  EXPECT_EQ(results.status().code(), StatusCode::kDeadlineExceeded) << text(results);
}

TEST_F(InterpreterTest, StopsAtTheMemoryLimit) {
  Options options;
  options.maxTensorBytes = 1 << 20;
  auto results = run(R"(func.func @main() -> tensor<1000000000000xi8> {
    %0 = stablehlo.iota dim = 0 : tensor<1000000000000xi8>
    return %0 : tensor<1000000000000xi8>
  })",
                     {}, options);
  EXPECT_EQ(results.status().code(), StatusCode::kResourceExhausted) << text(results);
  results = run(R"(func.func @main() -> tensor<1000000000000xi8> {
    %0 = stablehlo.constant dense<1> : tensor<1000000000000xi8>
    return %0 : tensor<1000000000000xi8>
  })",
                {}, options);
  EXPECT_EQ(results.status().code(), StatusCode::kResourceExhausted) << text(results);
}

TEST_F(InterpreterTest, AsksTheCustomCallHandlerFirst) {
  Options options;
  options.customCall = [&](mlir::Operation *call, llvm::ArrayRef<Value> args) -> StatusOr<std::vector<Value>> {
    auto target = call->getAttrOfType<mlir::StringAttr>("call_target_name").getValue();
    if (target == "sharp")
      return invalidArgument("too sharp");
    if (target != "answer")
      return notFound("");
    return std::vector<Value>{tensor("dense<42> : tensor<i32>")};
  };
  const char *program = R"(func.func @main() -> (tensor<i32>, tensor<i32>) {
    %0 = stablehlo.custom_call @answer() : () -> tensor<i32>
    %1 = stablehlo.custom_call @Sharding(%0) : (tensor<i32>) -> tensor<i32>
    return %0, %1 : tensor<i32>, tensor<i32>
  })";
  EXPECT_EQ(text(run(program, {}, options)), "dense<42> : tensor<i32>\ndense<42> : tensor<i32>\n");
  auto failed = run("func.func @main() { stablehlo.custom_call @sharp() : () -> () return }", {}, options);
  EXPECT_THAT(text(failed), HasSubstr("too sharp"));
  // A handler that gives values of other types than the op's is found out.
  auto wrong = run(R"(func.func @main() -> tensor<f32> {
    %0 = stablehlo.custom_call @answer() : () -> tensor<f32>
    return %0 : tensor<f32>
  })",
                   {}, options);
  EXPECT_THAT(text(wrong), HasSubstr("evaluates to a value of type tensor<i32>"));
}

TEST_F(InterpreterTest, FeedsTheHost) {
  Options options;
  std::vector<std::string> fed;
  int64_t next = 5;
  options.transfer = [&](mlir::Operation *op, llvm::ArrayRef<Value> payload) -> StatusOr<std::vector<Value>> {
    for (const Value &value : payload)
      fed.push_back(toString(value));
    if (!llvm::isa<stablehlo::InfeedOp>(op))
      return std::vector<Value>();
    auto type = llvm::cast<mlir::ShapedType>(op->getResult(0).getType());
    return std::vector<Value>{Tensor::scalar(type.getElementType(), Scalar::ofInt(next++))};
  };
  auto results = run(R"(func.func @main() {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.infeed"(%t) {infeed_config = "c"} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %1:2 = "stablehlo.infeed"(%0#1) {infeed_config = "c"} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %2 = "stablehlo.outfeed"(%1#0, %0#0, %1#1) : (tensor<i32>, tensor<i32>, !stablehlo.token) -> !stablehlo.token
    return
  })",
                     {}, options);
  EXPECT_TRUE(results.ok()) << text(results);
  EXPECT_THAT(fed, testing::ElementsAre("dense<6> : tensor<i32>", "dense<5> : tensor<i32>"));
}

TEST_F(InterpreterTest, RngDependsOnTheSeedOnly) {
  const char *program = R"(func.func @main() -> (tensor<8xf32>, tensor<8xf32>) {
    %a = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.constant dense<1.0> : tensor<f32>
    %s = stablehlo.constant dense<8> : tensor<1xi64>
    %0 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
    %1 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  })";
  Options one, two;
  one.seed = 1;
  two.seed = 2;
  std::string first = text(run(program, {}, one));
  EXPECT_EQ(first, text(run(program, {}, one)));
  EXPECT_NE(first, text(run(program, {}, two)));
  auto results = run(program, {}, one);
  EXPECT_NE(toString((*results)[0]), toString((*results)[1]));
}

TEST_F(InterpreterTest, EvaluatesSingleOps) {
  module_ = mlir::parseSourceString<mlir::ModuleOp>(
      R"(func.func @main(%x: tensor<2x2xi32>, %z: tensor<i32>) -> tensor<2xi32> {
    %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<2x2xi32>, tensor<i32>) -> tensor<2xi32>
    return %0 : tensor<2xi32>
  })",
      &context_);
  mlir::Operation &op = module_->lookupSymbol<mlir::func::FuncOp>("main").front().front();
  Value x = tensor("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>"), z = tensor("dense<10> : tensor<i32>");
  EXPECT_EQ(text(interpretOp(&op, {x, z})), "dense<[13, 17]> : tensor<2xi32>\n");
  EXPECT_FALSE(interpretOp(&op, {x}).ok());
  EXPECT_FALSE(interpretOp(&op, {z, x}).ok());
}

TEST_F(InterpreterTest, ShowsEachOpItsValues) {
  Options options;
  std::vector<std::string> seen;
  auto see = [&](mlir::Operation *op, llvm::MutableArrayRef<Value> values) {
    for (const Value &value : values)
      seen.push_back((op->getName().getStringRef() + " " + toString(value)).str());
  };
  options.beforeOp = see;
  options.afterOp = [&](mlir::Operation *op, llvm::MutableArrayRef<Value> values) {
    see(op, values);
    if (op->getName().getStringRef() == "stablehlo.negate")
      values[0] = tensor("dense<5> : tensor<i32>");
  };
  auto results = run(R"(func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.negate %x : tensor<i32>
    %1 = stablehlo.abs %0 : tensor<i32>
    return %1 : tensor<i32>
  })",
                     {tensor("dense<3> : tensor<i32>")}, options);
  EXPECT_EQ(text(results), "dense<5> : tensor<i32>\n");
  EXPECT_THAT(seen, testing::ElementsAre("stablehlo.negate dense<3> : tensor<i32>",
                                         "stablehlo.negate dense<-3> : tensor<i32>",
                                         "stablehlo.abs dense<5> : tensor<i32>", "stablehlo.abs dense<5> : tensor<i32>",
                                         "func.return dense<5> : tensor<i32>", "func.return dense<5> : tensor<i32>"));
}

TEST_F(InterpreterTest, UnknownOpsAreErrors) {
  context_.allowUnregisteredDialects();
  auto results = run(R"(func.func @main() { "other.op"() : () -> () return })");
  EXPECT_EQ(results.status().code(), StatusCode::kUnimplemented) << text(results);
}

} // namespace
} // namespace tenon::interpreter
