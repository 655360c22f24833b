// What the verifier asks of an sdy.manual_computation: each kind of disagreement between its shardings and its types is
// an error that names it, however little a run would show of it.
#include "tenon/ir/register.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::ir {
namespace {

using testing::HasSubstr;

struct Computation {
  std::string in = R"(<@mesh, [{"x"}, {}]>)", out = R"(<@mesh, [{"x"}, {}]>)", axes = R"("x")";
  std::string whole = "tensor<8x6xf32>", argument = "tensor<4x6xf32>", part = "tensor<4x6xf32>",
              result = "tensor<8x6xf32>";
};

// What the verifier says; empty if nothing.
std::string verify(const std::string &body) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  std::string said;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    said += diagnostic.str();
    return mlir::success();
  });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(R"(
    sdy.mesh @mesh = <["x"=2, "y"=3]>
    sdy.mesh @same = <["x"=2, "y"=3]>
    sdy.mesh @other = <["x"=2]>
    sdy.mesh @none = <[]>
    sdy.mesh @one = <[], device_ids=[1]>
    )" + body,
                                                        &context);
  EXPECT_EQ(!module, !said.empty()) << said;
  return said;
}

std::string verify(const Computation &c) {
  return verify("func.func @main(%a: " + c.whole + ") -> " + c.result +
                " {\n  %0 = sdy.manual_computation(%a) in_shardings=[" + c.in + "] out_shardings=[" + c.out +
                "] manual_axes={" + c.axes + "} (%p: " + c.argument + ") {\n    %1 = \"stablehlo.custom_call\"(%p) " +
                "{call_target_name = \"f\"} : (" + c.argument + ") -> " + c.part + "\n    sdy.return %1 : " + c.part +
                "\n  } : (" + c.whole + ") -> " + c.result + "\n  return %0 : " + c.result + "\n}");
}

TEST(ManualComputationVerifier, TakesWhatAgrees) {
  EXPECT_EQ(verify(Computation{}), "");
  EXPECT_EQ(verify(Computation{.out = R"(<@same, [{"x"}, {}]>)"}), "");
  EXPECT_EQ(verify(Computation{.out = R"(<@none, [{}, {}]>)", .result = "tensor<4x6xf32>"}), "");
  EXPECT_EQ(verify(Computation{.in = R"(<@none, [{}, {}]>)", .argument = "tensor<8x6xf32>"}), "");
  EXPECT_EQ(verify(Computation{.in = R"(<@one, []>)", .argument = "tensor<8x6xf32>"}), "");
  // Axes that the body is not manual in do not cut its arrays, behind one that it is manual in or alone.
  EXPECT_EQ(verify(Computation{.in = R"(<@mesh, [{"x", "y"}, {}]>)"}), "");
  EXPECT_EQ(verify(Computation{.in = R"(<@mesh, [{"x"}, {"y"}]>)"}), "");
  EXPECT_EQ(verify(Computation{.whole = "tensor<0x6xf32>", .argument = "tensor<0x6xf32>"}), "");
  // Sizes that only a run knows are checked there.
  EXPECT_EQ(verify(Computation{.whole = "tensor<?x6xf32>", .argument = "tensor<?x6xf32>"}), "");
  EXPECT_EQ(verify(Computation{.part = "tensor<?x6xf32>"}), "");
  EXPECT_EQ(verify(R"(func.func @main(%a: !stablehlo.token) -> !stablehlo.token {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, []>] out_shardings=[<@mesh, []>] manual_axes={"x"}
        (%p: !stablehlo.token) { sdy.return %p : !stablehlo.token } : (!stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token })"),
            "");
}

TEST(ManualComputationVerifier, NamesWhatDisagrees) {
  EXPECT_THAT(verify(Computation{.in = ""}), HasSubstr("has 1 operands, but 0 shardings of operands"));
  EXPECT_THAT(verify(Computation{.out = "<@mesh, [{}, {}]>, <@mesh, [{}, {}]>"}),
              HasSubstr("has 1 results, but 2 shardings of results"));
  EXPECT_THAT(verify(Computation{.in = R"(<@mesh, [{"x"}]>)"}),
              HasSubstr("operand 0: a sharding of 1 dimensions for an array of 2"));
  EXPECT_THAT(verify(Computation{.out = R"(<@mesh, [{"x"}, {}, {}]>)"}),
              HasSubstr("result 0: a sharding of 3 dimensions for an array of 2"));
  EXPECT_THAT(verify(Computation{.in = R"(<@missing, [{"x"}, {}]>)"}), HasSubstr("there is no mesh 'missing'"));
  EXPECT_THAT(verify(Computation{.out = R"(<@mesh, [{"z"}, {}]>)"}), HasSubstr("the mesh has no axis 'z'"));
  EXPECT_THAT(verify(Computation{.in = R"(<@mesh, [{"x"}, {"x"}]>)"}), HasSubstr("axis 'x' is named twice"));
  EXPECT_THAT(verify(Computation{.in = R"(<@mesh, [{"x"}, {"y":(1)2}]>)"}), HasSubstr("has no part (1)2"));
  EXPECT_THAT(verify(Computation{.out = R"(<@other, [{"x"}, {}]>)"}),
              HasSubstr("result 0 lies on another mesh than those before it"));
  EXPECT_THAT(verify(Computation{.axes = R"("x", "z")"}), HasSubstr("manual in axis \"z\", which its mesh does not"));
  EXPECT_THAT(verify(Computation{.in = R"(<@mesh, [{"y", "x"}, {}]>)"}),
              HasSubstr("operand 0: axes of dimension 0 that are manual must come before those that are not, got \"x\" "
                        "behind \"y\""));
  EXPECT_THAT(verify(Computation{.whole = "tensor<7x6xf32>"}),
              HasSubstr("operand 0: dimension 0 of size 7 can't be cut into 2 equal parts"));
  EXPECT_THAT(verify(Computation{.argument = "tensor<8x6xf32>"}),
              HasSubstr("operand 0 of type 'tensor<8x6xf32>' is cut into parts of type 'tensor<4x6xf32>', but the body "
                        "has 'tensor<8x6xf32>'"));
  EXPECT_THAT(verify(Computation{.result = "tensor<4x6xf32>"}),
              HasSubstr("result 0 of type 'tensor<4x6xf32>' is cut into parts of type 'tensor<2x6xf32>'"));
  // Without an axis that is manual the parts are whole.
  EXPECT_THAT(verify(Computation{.axes = ""}), HasSubstr("is cut into parts of type 'tensor<8x6xf32>'"));
  EXPECT_THAT(verify(Computation{.whole = "tensor<?x6xf32>", .argument = "tensor<?x3xf32>"}),
              HasSubstr("is cut into parts of type 'tensor<?x6xf32>'"));
  EXPECT_THAT(verify(R"(func.func @main(%a: !stablehlo.token) -> !stablehlo.token {
    %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, []>] manual_axes={"x"}
        (%p: !stablehlo.token) { sdy.return %p : !stablehlo.token } : (!stablehlo.token) -> !stablehlo.token
    return %0 : !stablehlo.token })"),
              HasSubstr("operand 0: a sharding of 1 dimensions for an array of 0"));
}

TEST(ManualComputationVerifier, KnowsTheComputationAround) {
  auto nested = [](const std::string &axis) {
    return verify(R"(func.func @main(%a: tensor<6xf32>) -> tensor<6xf32> {
      %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
          manual_axes={"x"} (%p: tensor<3xf32>) {
        %1 = sdy.manual_computation(%p) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>]
            manual_axes={)" +
                  axis + R"(} (%q: tensor<3xf32>) {
          sdy.return %q : tensor<3xf32>
        } : (tensor<3xf32>) -> tensor<3xf32>
        sdy.return %1 : tensor<3xf32>
      } : (tensor<6xf32>) -> tensor<6xf32>
      return %0 : tensor<6xf32>
    })");
  };
  EXPECT_EQ(nested(R"("y")"), "");
  EXPECT_THAT(nested(R"("x")"), HasSubstr("is manual in axis \"x\", in which the computation around it is already"));
}

} // namespace
} // namespace tenon::ir
