#include "tenon/codegen/common/interface/signature.h"

#include "tenon/ir/register.h"
#include "tenon/program/sharding.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::codegen {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SignatureTest : public testing::Test {
protected:
  SignatureTest() { loadAllDialects(context_); }

  // The signature of a function of one argument with that attribute, in a module for `partitions`.
  program::Program describe(const std::string &attribute, int partitions = 8, const std::string &mode = "") {
    auto module = mlir::parseSourceString<mlir::ModuleOp>("module attributes {" + mode + "mhlo.num_partitions = " +
                                                              std::to_string(partitions) + R"( : i32} {
      sdy.mesh @mesh = <["x"=2, "y"=4]>
      sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
      sdy.mesh @one = <[], device_ids=[5]>
      sdy.mesh @huge = <["x"=4611686018427387904, "y"=4]>
      sdy.mesh @none = <["x"=0]>
      func.func @main(%x: tensor<8x8xf32> {)" + attribute + R"(}) { return }
    })",
                                                          &context_);
    EXPECT_TRUE(module) << attribute;
    program::Program program;
    describeSignature(module->lookupSymbol<mlir::func::FuncOp>("main"), program);
    EXPECT_EQ(program.arguments.size(), 1u);
    program.arguments.resize(1);
    return program;
  }

  // The sharding that an attribute of Shardy's says, as XLA writes it.
  std::string tiles(const std::string &sharding) {
    program::Program program = describe("sdy.sharding = #sdy.sharding<" + sharding + ">");
    EXPECT_EQ(program.unreadable, "");
    return program::toString(program.arguments[0].sharding);
  }

  mlir::MLIRContext context_;
};

TEST_F(SignatureTest, ReadsShardings) {
  EXPECT_EQ(tiles(R"(@mesh, [{"x"}, {}])"), "{devices=[2,1,4]<=[2,4] last_tile_dim_replicate}");
  EXPECT_EQ(tiles(R"(mesh<["x"=2, "y"=4]>, [{"y", ?}, {"x"}p1])"), "{devices=[4,2]<=[2,4]T(1,0)}");
  EXPECT_EQ(tiles(R"(@mesh, [{"y", "x"}, {}])"), "{devices=[8,1]<=[2,4]T(1,0)}");
  EXPECT_EQ(tiles(R"(@mesh, [{"x"}, {}], replicated={"y"})"), "{devices=[2,1,4]<=[2,4] last_tile_dim_replicate}");
  EXPECT_EQ(tiles(R"(@mesh, [{}, {?}])"), "{replicated}");
  EXPECT_EQ(tiles(R"(mesh<["x"=1]>, [{"x"}, {}])"), "{replicated}");
  EXPECT_EQ(tiles(R"(@one, [{}, {}])"), "{maximal device=5}");
}

TEST_F(SignatureTest, ReadsShardingsByPartsOfAxes) {
  EXPECT_EQ(tiles(R"(mesh<["x"=4]>, [{"x":(2)2}, {}])"), "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}");
  EXPECT_EQ(tiles(R"(mesh<["x"=8]>, [{"x":(4)2}, {"x":(1)2}])"),
            "{devices=[2,2,2]<=[2,2,2]T(2,0,1) last_tile_dim_replicate}");
}

TEST_F(SignatureTest, ReadsShardingsOverDevicesInAnotherOrder) {
  EXPECT_EQ(tiles(R"(@turned, [{"y"}, {}])"), "{devices=[2,1,2]3,1,2,0 last_tile_dim_replicate}");
}

TEST_F(SignatureTest, KnowsPartsOfSums) {
  const std::string sums = R"(@mesh, [{"y"}, {}], unreduced={"x"})";
  EXPECT_EQ(tiles(sums), "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dims={unreduced}}");
  EXPECT_THAT(describe("sdy.sharding = #sdy.sharding<" + sums + ">", 8, "tenon.unpartitioned, ").unreadable,
              HasSubstr("devices have parts of a sum, which a run on whole arrays cannot take or give"));
}

TEST_F(SignatureTest, ReadsXlasShardings) {
  const char *sharding = R"(mhlo.sharding = "{devices=[8,1]<=[8]}")";
  EXPECT_THAT(describe(sharding).arguments[0].sharding.tiles, ElementsAre(8, 1));
  EXPECT_EQ(describe(sharding, 1).arguments[0].sharding, program::Sharding()); // nothing is cut for one device
}

TEST_F(SignatureTest, SaysWhichShardingsAreNotOfTheirMesh) {
  for (const char *sharding :
       {R"(@unknown, [{"x"}, {}])", R"(@mesh, [{"z"}, {}])", R"(@mesh, [{"x"}, {"x"}])",
        R"(@mesh, [{}, {}], unreduced=max{"x"})", R"(@huge, [{"x"}, {}])", R"(@none, [{"x"}, {}])",
        R"(mesh<["x"=4]>, [{"x":(0)2}, {}])", R"(mesh<["x"=-4]>, [{"x"}, {}])",
        R"(mesh<["x"=4]>, [{"x":(999999999999999999)999999999999999999}, {}])", R"(mesh<["x"=6]>, [{"x":(1)4}, {}])",
        R"(mesh<["x"=2], device_ids=[0]>, [{"x"}, {}])"}) {
    program::Program program = describe("sdy.sharding = #sdy.sharding<" + std::string(sharding) + ">");
    EXPECT_THAT(program.unreadable, HasSubstr("cannot read the sharding '#sdy.sharding<")) << sharding;
    EXPECT_EQ(program.arguments[0].sharding, program::Sharding());
  }
  EXPECT_EQ(describe(R"(mhlo.sharding = "{nobody}")").unreadable, "cannot read the sharding '{nobody}' at 'nobody}'");
}

TEST_F(SignatureTest, ReadsLayouts) {
  EXPECT_THAT(describe("").arguments[0].layout, IsEmpty());
  EXPECT_THAT(describe(R"(mhlo.layout_mode = "default")").arguments[0].layout, IsEmpty());
  EXPECT_THAT(describe(R"(mhlo.layout_mode = "auto")").arguments[0].layout, IsEmpty());
  EXPECT_THAT(describe(R"(mhlo.layout_mode = "{0,1}")").arguments[0].layout, ElementsAre(0, 1));
  for (const char *mode : {"{0,1:T(8)}", "{0}", "{0,0}", "{}", "{-1,0}", "rows"})
    EXPECT_EQ(describe("mhlo.layout_mode = \"" + std::string(mode) + "\"").unreadable,
              "cannot read the layout '" + std::string(mode) + "' of f32[8,8]");
}

struct DescribedType {
  std::string type, attributes;
};
using Types = std::vector<DescribedType>;

// The results that arguments name, by argument.
std::vector<int32_t> aliasedResults(mlir::MLIRContext &context, const Types &arguments, const Types &results,
                                    const std::string &mode = "tenon.partitioned") {
  std::string taken, given, body, values, types;
  for (auto [i, argument] : llvm::enumerate(arguments))
    taken += (i ? ", %x" : "%x") + std::to_string(i) + ": " + argument.type + argument.attributes;
  for (auto [i, result] : llvm::enumerate(results)) {
    const std::string comma = i ? ", " : "", value = "%y" + std::to_string(i);
    given += comma + result.type + result.attributes;
    body += value + " = stablehlo.constant dense<0.0> : " + result.type + "\n";
    values += comma + value;
    types += comma + result.type;
  }
  auto module =
      mlir::parseSourceString<mlir::ModuleOp>("module attributes {" + mode + "} { func.func @main(" + taken + ") -> (" +
                                                  given + ") {\n" + body + "return " + values + " : " + types + "\n} }",
                                              &context);
  EXPECT_TRUE(module);
  program::Program program;
  describeSignature(module->lookupSymbol<mlir::func::FuncOp>("main"), program);
  EXPECT_EQ(program.unreadable, "");
  std::vector<int32_t> aliased;
  for (const program::Argument &argument : program.arguments)
    aliased.push_back(argument.aliasedResult);
  return aliased;
}

TEST_F(SignatureTest, GivesResultsTheMemoryOfDonors) {
  auto aliased = [&](const Types &arguments, const Types &results, const std::string &mode = "tenon.partitioned") {
    return aliasedResults(context_, arguments, results, mode);
  };
  auto donor = [](const std::string &type) { return DescribedType{type, " {jax.buffer_donor = true}"}; };
  const std::string a = "tensor<4x8xf32>", b = "tensor<8x4xf32>", number = "tensor<f32>", none = "tensor<0x4xf32>";
  EXPECT_THAT(aliased({donor(a), donor(a)}, {{a}, {number}, {a}}), ElementsAre(0, 2));
  EXPECT_THAT(aliased({{a}, donor(a)}, {{a}, {a}}), ElementsAre(-1, 0)) << "the first is not donated";
  EXPECT_THAT(aliased({donor(a), {a, " {tf.aliasing_output = 0 : i32}"}}, {{a}, {a}}), ElementsAre(1, 0));
  EXPECT_THAT(aliased({donor(a), donor(a)}, {{a}}), ElementsAre(0, -1)) << "more donors than results";
  EXPECT_THAT(aliased({donor(a), donor(b)}, {{b}, {a}}), ElementsAre(1, 0)) << "one size, two shapes";
  EXPECT_THAT(aliased({donor(a), donor(b)}, {{b}}), ElementsAre(-1, -1)) << "XLA takes the first of a size";
  EXPECT_THAT(aliased({donor(number)}, {{number}}), ElementsAre(-1)) << "not worth it";
  EXPECT_THAT(aliased({donor(none)}, {{none}}), ElementsAre(0));
  EXPECT_THAT(aliased({donor(a)}, {{a, " {mhlo.memory_kind = \"pinned_host\"}"}}), ElementsAre(-1)) << "other memory";
  EXPECT_THAT(aliased({donor(a)}, {{a, " {mhlo.layout_mode = \"{0,1}\"}"}}), ElementsAre(-1)) << "another layout";
  EXPECT_THAT(aliased({donor(a)}, {{a}}, "tenon.unpartitioned"), ElementsAre(-1)) << "whole runs have their own memory";
}

} // namespace
} // namespace tenon::codegen
