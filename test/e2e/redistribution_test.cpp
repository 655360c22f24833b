// Redistributions as programs: each of 8 devices runs the same one on its part of arrays, and must have the elements of
// its part as it is wanted.
#include "tenon/ir/register.h"
#include "tenon/passes/partition/redistribute.h"
#include "tenon/passes/partition/redistribute/test/random_shardings.h"
#include "test/e2e/grid_testing.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cmath>
#include <limits>

namespace tenon {
namespace {

using ir::Sharding;
using passes::redistribution::meshOf;
using passes::redistribution::numberOf;
using passes::redistribution::RandomShardings;

struct Case {
  llvm::SmallVector<int64_t> sizes;
  Sharding from, to;
};

mlir::RankedTensorType typeOf(mlir::MLIRContext &context, const Case &some) {
  return mlir::RankedTensorType::get(some.sizes, mlir::Float32Type::get(&context));
}

// All cases, whose results are one behind the other.
std::string programOf(mlir::MLIRContext &context, const std::vector<Case> &cases) {
  mlir::OpBuilder builder(&context);
  mlir::Location loc = builder.getUnknownLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  llvm::SmallVector<mlir::Type> types;
  for (const Case &some : cases)
    types.push_back(passes::partition::localType(typeOf(context, some), some.from));
  auto function = mlir::func::FuncOp::create(builder, loc, "main", builder.getFunctionType(types, {}));
  mlir::Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  passes::partition::Planner planner;
  passes::ArrayBuilder arrays(builder, loc);
  mlir::Value all;
  for (auto [some, argument] : llvm::zip_equal(cases, block->getArguments())) {
    mlir::Value moved =
        passes::partition::redistribute(builder, planner, argument, typeOf(context, some), some.from, some.to);
    EXPECT_EQ(moved.getType(), passes::partition::localType(typeOf(context, some), some.to));
    mlir::Value flat = arrays.reshape(moved, {llvm::cast<mlir::RankedTensorType>(moved.getType()).getNumElements()});
    all = all ? arrays.concatenateLast(all, flat) : flat;
  }
  mlir::func::ReturnOp::create(builder, loc, all);
  function.setFunctionType(builder.getFunctionType(types, all.getType()));
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

// The part of the array 1, 2, 3, ... that the device at a place has; padding is NaN. Summands cancel out but in the
// first place, of which the devices' parts are added.
Array partOf(llvm::ArrayRef<int64_t> sizes, const Sharding &sharding, int64_t place) {
  auto cut = passes::redistribution::cutOf(sharding);
  llvm::SmallVector<int64_t> local = passes::redistribution::localSizes(sizes, cut);
  Array part(llvm::product_of(local));
  int64_t summands = ir::partsOf(cut.unreduced), others = summands * (summands - 1) / 2,
          number = numberOf(*sharding.mesh, cut.unreduced, place);
  for (size_t i = 0; i < part.size(); ++i) {
    auto rest = static_cast<int64_t>(i), element = int64_t(0), stride = int64_t(1);
    bool isThere = true;
    for (size_t dim = sizes.size(); dim-- > 0; rest /= local[dim], stride *= sizes[dim]) {
      int64_t index = numberOf(*sharding.mesh, cut.dims[dim], place) * local[dim] + rest % local[dim];
      isThere &= index < sizes[dim];
      element += index * stride;
    }
    part[i] = !isThere      ? std::numeric_limits<float>::quiet_NaN()
              : number == 0 ? static_cast<float>(element + 1 + others)
                            : static_cast<float>(-number);
  }
  return part;
}

int64_t placeOf(const ir::Mesh &mesh, int64_t device) {
  int64_t place = 0;
  while (mesh.device(place) != device)
    ++place;
  return place;
}

void expectRight(const std::string &target, mlir::MLIRContext &context, const std::vector<Case> &cases) {
  int64_t devices = cases[0].from.mesh->size();
  std::vector<std::vector<Array>> arguments(devices);
  for (int64_t device = 0; device < devices; ++device)
    for (const Case &some : cases)
      arguments[device].push_back(partOf(some.sizes, some.from, placeOf(*some.from.mesh, device)));
  std::string program = programOf(context, cases);
  std::vector<Array> results = runOn(target, {1, static_cast<int32_t>(devices)}, program, arguments);
  ASSERT_EQ(static_cast<int64_t>(results.size()), devices);
  size_t begin = 0;
  for (const Case &some : cases) {
    const ir::Mesh &mesh = *some.to.mesh;
    Sharding summed = some.to;
    summed.unreduced.clear();
    size_t end = begin;
    for (int64_t place = 0; place < devices; ++place) {
      Array expected = partOf(some.sizes, summed, place);
      end = begin + expected.size();
      for (size_t i = 0; i < expected.size(); ++i) {
        float sum = 0;
        for (int64_t member : ir::groupOf(mesh, some.to.unreduced, place))
          sum += results[mesh.device(member)][begin + i];
        if (!std::isnan(expected[i]))
          ASSERT_EQ(sum, expected[i]) << target << ", place " << place << "\n" << program;
      }
    }
    begin = end;
  }
}

TEST(Redistribution, GivesEachDeviceItsPart) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  RandomShardings random(11);
  const ir::Mesh meshes[] = {meshOf({8}), meshOf({2, 4}), meshOf({2, 2, 2}), meshOf({4, 2}, {0, 4, 1, 5, 2, 6, 3, 7}),
                             meshOf({8}, {7, 1, 0, 2, 3, 6, 5, 4})};
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<Case> cases;
    for (int i = 0; i < 12; ++i) {
      int64_t rank = 1 + static_cast<int64_t>(random.below(3));
      const ir::Mesh &mesh = meshes[random.below(std::size(meshes))];
      const ir::Mesh &other = random.below(3) ? mesh : meshes[random.below(std::size(meshes))];
      cases.push_back({random.sizes(rank), random.on(mesh, rank), random.on(other, rank)});
    }
    for (const char *target : kTargets)
      expectRight(target, context, cases);
  }
}

// What the devices have that do not have the value must not change its sign.
TEST(Redistribution, KeepsNegativeZeros) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  ir::Mesh mesh = meshOf({4});
  Sharding whole = Sharding::whole(&mesh, 1, true), summands = whole;
  summands.unreduced = {{0, 1, 4}};
  std::vector<std::vector<Array>> zeros(4, {{-0.0F, 1}});
  for (const char *target : kTargets) {
    float sum = -0.0F;
    for (const Array &part : runOn(target, {1, 4}, programOf(context, {{{2}, whole, summands}}), zeros))
      sum += part[0];
    EXPECT_TRUE(std::signbit(sum)) << target;
  }
}

// What a program consists of, but for the pairs of permutations, does not grow with the mesh.
TEST(Redistribution, HasProgramsOfOneSize) {
  mlir::MLIRContext context;
  loadAllDialects(context);
  auto lines = [&](int64_t side) {
    ir::Mesh mesh = meshOf({side, side});
    Sharding first = Sharding::whole(&mesh, 2, true), second = first;
    first.dims[0].axes = {{0, 1, side}};
    first.unreduced = {{1, 1, side}};
    second.dims[1].axes = {{0, 1, side}, {1, 1, side}};
    std::string program = programOf(context, {{{1024, 1024}, first, second}, {{1024, 1024}, second, first}});
    return llvm::count(program, '\n');
  };
  EXPECT_EQ(lines(4), lines(2));
  EXPECT_EQ(lines(32), lines(2));
}

} // namespace
} // namespace tenon
