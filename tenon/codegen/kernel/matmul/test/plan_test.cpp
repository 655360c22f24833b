// Which blocks and lines a product's plan chooses, without emitting code but where it is run.
#include "tenon/codegen/kernel/matmul/test/contraction_testing.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

namespace tenon::codegen::matmul {
namespace {

using testing::check;
using testing::plainSpec;
using testing::Sizes;
using testing::targets;
using testing::Type;

MatmulTarget wideTarget() {
  MatmulTarget target;
  target.vectorBits = 512;
  target.fma = true;
  return target;
}

TEST(Plan, RowsOfTheNextTileAreFetched) {
  const MatmulTarget target = wideTarget();
  auto lines = [&](Type type, Sizes sizes, bool lhsT = false) {
    return planContraction(plainSpec(type, type, type, sizes, lhsT), target, "kernel")->schedule.fetchedLines;
  };
  EXPECT_EQ(lines(Type::kF32, {1, 65536, 64, 64}), 4);
  EXPECT_EQ(lines(Type::kF64, {1, 65536, 64, 60}), 8);
  EXPECT_EQ(lines(Type::kF32, {1, 2048, 2048, 2048}), 0) << "the processor foresees long rows";
  EXPECT_EQ(lines(Type::kF32, {1, 1024, 64, 64}), 0) << "all of them are in L2";
  EXPECT_EQ(lines(Type::kF32, {1, 65536, 64, 64}, true), 0) << "columns";
  EXPECT_EQ(lines(Type::kF16, {1, 65536, 64, 64}), 0) << "they are packed";
}

// In the walk of a routine, and in that of a kernel of short tiles; the last tile has none behind it.
TEST(Contraction, FetchesTheNextTile) {
  for (MatmulTarget target : targets()) {
    target.l2Bytes = 4096;
    for (Sizes sizes : {Sizes{1, 101, 64, 96}, Sizes{2, 61, 33, 20}}) {
      ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes);
      EXPECT_GT(planContraction(spec, target, "kernel")->schedule.fetchedLines, 0);
      check(spec, target);
    }
  }
}

TEST(Plan, FewRowsAreMultipliedByAMatrixInPlace) {
  auto isPacked = [](Sizes sizes, MatmulTarget target) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), target, "kernel")->schedule.packRhs;
  };
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  for (int64_t rows : {8, 12, 16, 24, 32, 64})
    EXPECT_FALSE(isPacked({1, rows, 512, 512}, wideTarget())) << rows;
  EXPECT_TRUE(isPacked({1, 128, 512, 512}, wideTarget())) << "each panel is read by more tiles";
  EXPECT_FALSE(isPacked({1, 64, 256, 256}, narrow)) << "rows are near each other";
  EXPECT_TRUE(isPacked({1, 64, 256, 1024}, narrow)) << "rows are in too few sets of the cache for so many tiles";
  EXPECT_TRUE(isPacked({1, 16, 4096, 512}, wideTarget())) << "rows are in too few sets of the cache";
  EXPECT_TRUE(isPacked({1, 16, 512, 512}, narrow)) << "two lines of each row";
}

TEST(Plan, FewRowsAreMultipliedByColumnsInPlace) {
  auto kind = [](Type type, Sizes sizes, MatmulTarget target, bool rhsT = true) {
    return planContraction(plainSpec(type, type, type, sizes, false, rhsT), target, "kernel")->schedule.kind;
  };
  using Kind = MatmulPlan::Kind;
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  for (int64_t rows : {5, 8, 12, 16})
    EXPECT_EQ(kind(Type::kF32, {1, rows, 512, 512}, wideTarget()), Kind::kDot) << rows;
  EXPECT_EQ(kind(Type::kF32, {1, 16, 512, 512}, wideTarget(), false), Kind::kTiled) << "rows";
  EXPECT_EQ(kind(Type::kF32, {1, 32, 512, 512}, wideTarget()), Kind::kTiled) << "what is packed is read by more tiles";
  EXPECT_EQ(kind(Type::kF32, {1, 16, 512, 128}, wideTarget()), Kind::kTiled) << "short sums";
  EXPECT_EQ(kind(Type::kF32, {1, 16, 512, 4096}, wideTarget()), Kind::kTiled) << "a block of rows is not in L1";
  EXPECT_EQ(kind(Type::kBF16, {1, 16, 512, 512}, wideTarget()), Kind::kTiled) << "elements are widened";
  EXPECT_EQ(kind(Type::kF32, {1, 16, 512, 512}, narrow), Kind::kTiled) << "too few registers";
}

// Rows along k that are many, times few columns.
TEST(Plan, FewColumnsMeetRunsInPlace) {
  auto kind = [](Type type, Sizes sizes, MatmulTarget target, bool lhsT = false) {
    return planContraction(plainSpec(type, type, type, sizes, lhsT), target, "kernel")->schedule.kind;
  };
  using Kind = MatmulPlan::Kind;
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  for (const MatmulTarget &target : {wideTarget(), narrow})
    for (int64_t columns : {2, 3, 6})
      EXPECT_EQ(kind(Type::kF32, {1, 64, columns, 5000}, target), Kind::kRuns) << columns;
  EXPECT_EQ(kind(Type::kF32, {1, 64, 8, 5000}, wideTarget()), Kind::kRuns);
  EXPECT_NE(kind(Type::kF32, {1, 64, 8, 5000}, narrow), Kind::kRuns) << "too few registers";
  EXPECT_NE(kind(Type::kF32, {1, 64, 2, 5000}, narrow, true), Kind::kRuns) << "rows that do not lie along k";
  EXPECT_NE(kind(Type::kF32, {1, 6, 4, 5000}, narrow), Kind::kRuns) << "about as few rows";
  EXPECT_NE(kind(Type::kF32, {1, 4096, 2, 9}, narrow), Kind::kRuns) << "short sums";
  EXPECT_NE(kind(Type::kBF16, {1, 64, 2, 5000}, narrow), Kind::kRuns) << "elements are widened";
}

TEST(Contraction, FewColumnsOfRuns) {
  for (const MatmulTarget &target : targets())
    for (Type type : {Type::kF32, Type::kF64})
      for (Sizes sizes : {Sizes{1, 64, 2, 200}, Sizes{2, 67, 3, 333}, Sizes{1, 200, 5, 96}, Sizes{3, 129, 6, 77}})
        for (bool rhsT : {false, true}) {
          ContractionSpec spec = plainSpec(type, type, type, sizes, false, rhsT);
          check(spec, target);
          if (type != Type::kF32)
            continue;
          spec.extraOperands = 1;
          check(spec, target, testing::scaleAndAdd(spec, 2),
                [](double sum, int64_t at) { return 2 * sum + double(at % 13); });
        }
}

// Where a run ends inside of a vector.
TEST(Contraction, NothingBehindARunIsMultiplied) {
  for (const MatmulTarget &target : targets()) {
    ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 64, 2, 77});
    spec.m[0].lhsStride = 78;
    StatusOr<ContractionPlan> plan = planContraction(spec, target, "kernel");
    testing::Array lhs(spec.lhs, 64 * 78), rhs(spec.rhs, 77 * 2), out(spec.out, 64 * 2);
    std::mt19937 random(3);
    lhs.fill(random), rhs.fill(random);
    for (int64_t row = 0; row < 64; ++row)
      lhs.set(row * 78 + 77, std::nan(""));
    testing::JitModule jit(target);
    emitContraction(*plan, jit.module());
    jit.compile();
    testing::runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, 1);
    testing::compareWithPlainSums(spec, lhs, rhs, out, {});
  }
}

// Long sums of few columns are in registers, not in memory between one row of the matrix and the next.
TEST(Plan, LongSumsOfFewRowsAndColumnsAreTiles) {
  auto schedule = [](Sizes sizes, MatmulTarget target) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), target, "kernel")->schedule;
  };
  using Kind = MatmulPlan::Kind;
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  EXPECT_EQ(schedule({1, 2, 64, 10000}, wideTarget()).kind, Kind::kTiled);
  EXPECT_EQ(schedule({1, 8, 96, 4096}, wideTarget()).kind, Kind::kTiled);
  EXPECT_EQ(schedule({1, 8, 96, 4096}, narrow).kind, Kind::kStream) << "more rows";
  EXPECT_EQ(schedule({1, 2, 1024, 4096}, wideTarget()).kind, Kind::kStream) << "more columns";
  EXPECT_EQ(schedule({1, 2, 64, 512}, wideTarget()).kind, Kind::kStream) << "short sums";
  EXPECT_EQ(schedule({1, 2, 64, 10000}, narrow).nv, 4) << "as many sums as do not wait for each other";
  EXPECT_EQ(schedule({1, 3, 24, 10000}, narrow).nv, 3);
  EXPECT_EQ(schedule({1, 3, 32, 10000}, narrow).nv, 2) << "the last vector would be alone";
}

// What is behind routines, or reads operands at constant distances, is compiled without pointers that go on.
TEST(Plan, RowsOfAMatrixNeedPointers) {
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  auto planOf = [&](Sizes sizes, bool rhsT = false) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes, false, rhsT), narrow, "kernel")
        ->schedule;
  };
  const CostModel &costs = narrow.costs;
  MatmulPlan shortTiles = planOf({64, 32, 32, 12}), longTiles = planOf({1, 512, 512, 512});
  ASSERT_EQ(shortTiles.kind, MatmulPlan::Kind::kTiled);
  EXPECT_TRUE(isWalkedInside(shortTiles, costs));
  EXPECT_FALSE(needsPointers(shortTiles));
  ASSERT_EQ(longTiles.kind, MatmulPlan::Kind::kTiled);
  EXPECT_FALSE(isWalkedInside(longTiles, costs));
  EXPECT_FALSE(needsPointers(longTiles));
  MatmulPlan fewRows = planOf({1, 2, 512, 512}), sums = planOf({1, 2, 512, 512}, true);
  ASSERT_EQ(fewRows.kind, MatmulPlan::Kind::kStream);
  EXPECT_TRUE(needsPointers(fewRows));
  ASSERT_EQ(sums.kind, MatmulPlan::Kind::kDot);
  EXPECT_FALSE(needsPointers(sums));
}

TEST(Plan, RowsOfALargeMatrixInPlaceAreFetched) {
  auto rows = [](Sizes sizes, bool rhsT = false) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes, false, rhsT), wideTarget(), "kernel")
        ->schedule.fetchedRows;
  };
  EXPECT_GT(rows({1, 16, 1024, 1024}), 0);
  EXPECT_EQ(rows({1, 16, 256, 256}), 0) << "all of it is in L2";
  EXPECT_EQ(rows({1, 16, 192, 8192}), 0) << "the processor foresees short rows";
  EXPECT_EQ(rows({1, 128, 1024, 1024}), 0) << "it is packed";
  EXPECT_EQ(rows({1, 16, 1024, 1024}, true), 0) << "columns";
}

TEST(Plan, RowsOfAMatrixInTheLastCacheAreFetchedToL1) {
  MatmulTarget target = wideTarget();
  target.l2Bytes = 1 << 20;
  auto schedule = [&](Sizes sizes) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), target, "kernel")->schedule;
  };
  MatmulPlan near = schedule({1, 16, 512, 512}), far = schedule({1, 16, 1024, 1024});
  EXPECT_TRUE(near.fetchesRowsToL1);
  EXPECT_LT(near.fetchedRows, 8) << "they would take each other's places in a set of L1";
  EXPECT_FALSE(far.fetchesRowsToL1) << "memory takes longer to answer";
  EXPECT_GT(far.fetchedRows, 8);
}

// In the last rows and columns, too, behind which there are none.
TEST(Contraction, FetchesRowsOfAMatrixInPlace) {
  auto fetches = [](const MatmulTarget &target, const ContractionSpec &spec) {
    auto plan = planContraction(spec, target, "kernel");
    testing::JitModule jit(target);
    emitContraction(*plan, jit.module());
    int64_t count = 0;
    for (const llvm::Function &function : jit.module())
      count += llvm::count_if(llvm::instructions(function), [](const llvm::Instruction &instruction) {
        auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        return call && call->getIntrinsicID() == llvm::Intrinsic::prefetch;
      });
    return count;
  };
  for (MatmulTarget target : targets()) {
    ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 16, 304, 300});
    int64_t before = fetches(target, spec);
    for (int64_t bytes : {64 << 10, 256 << 10}) { // to L2, and to L1
      target.l2Bytes = bytes;
      check(spec, target);
      if (target.vectorBits == 512)
        EXPECT_EQ(fetches(target, spec) - before, 3 + 1)
            << "a line for each vector of a whole tile and of the last one";
    }
  }
}

TEST(Plan, ColumnsOfALargeMatrixInPlaceAreFetched) {
  auto fetches = [](Sizes sizes) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes, false, true), wideTarget(), "kernel")
        ->schedule.fetchesColumns;
  };
  EXPECT_TRUE(fetches({1, 16, 1024, 1024}));
  EXPECT_TRUE(fetches({1, 5, 512, 512}));
  EXPECT_FALSE(fetches({1, 16, 256, 256})) << "all of them are in L2";
  EXPECT_FALSE(fetches({1, 4, 1024, 1024})) << "as fast as memory is read";
}

// Blocks of rows and of columns that are not whole, and sums that are no whole vectors.
TEST(Contraction, MultipliesFewRowsByColumnsInPlace) {
  for (const MatmulTarget &target : targets())
    for (Sizes sizes : {Sizes{1, 16, 96, 256}, Sizes{2, 11, 130, 301}, Sizes{1, 9, 2, 640}, Sizes{3, 5, 1, 263}})
      check(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes, false, true), target);
  for (const MatmulTarget &target : targets())
    check(plainSpec(Type::kF64, Type::kF64, Type::kF64, {1, 13, 70, 259}, false, true), target);
  // Columns that are fetched, behind the last of which there are none.
  for (MatmulTarget target : targets()) {
    target.l2Bytes = 64 << 10;
    check(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 13, 98, 263}, false, true), target);
  }
}

TEST(Plan, ARowOfTilesIsAsHighAsItCanBe) {
  auto rows = [](int64_t m) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, m, 512, 512}), wideTarget(), "kernel")
        ->schedule.mr;
  };
  EXPECT_EQ(rows(16), 8) << "two, not four of four rows";
  EXPECT_EQ(rows(12), 6);
  EXPECT_EQ(rows(1024), 6);
}

// The last panel is narrower than the others.
TEST(Plan, NoRowsOfTheLastTileAreEmptyOfEights) {
  auto tile = [](Sizes sizes, MatmulTarget target, Type type = Type::kF32, bool lhsT = false, bool rhsT = false) {
    MatmulPlan plan = planContraction(plainSpec(type, type, type, sizes, lhsT, rhsT), target, "kernel")->schedule;
    return std::pair(plan.mr, plan.nv);
  };
  using Tile = std::pair<int, int>;
  for (int64_t rows : {40, 56, 64}) {
    EXPECT_EQ(tile({1, rows, 512, 512}, wideTarget()), Tile(8, 3)) << rows;
    EXPECT_EQ(tile({1, rows, 512, 512}, wideTarget(), Type::kF32, false, true), Tile(8, 3)) << rows;
  }
  EXPECT_EQ(tile({1, 48, 512, 512}, wideTarget()), Tile(6, 4)) << "tiles of six are whole";
  EXPECT_EQ(tile({1, 72, 512, 512}, wideTarget()), Tile(6, 4)) << "and here";
  EXPECT_EQ(tile({1, 128, 512, 512}, wideTarget()), Tile(6, 4)) << "few of many rows are empty";
  EXPECT_EQ(tile({1, 64, 64, 64}, wideTarget()), Tile(6, 4)) << "a panel of one vector would be left";
  EXPECT_EQ(tile({1, 64, 256, 256}, wideTarget(), Type::kF32, true), Tile(6, 4)) << "the lhs is read in place";
}

TEST(Plan, FewRowsHaveTwelveSumsInNarrowVectors) {
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  auto tile = [](Sizes sizes, MatmulTarget target, Type type = Type::kF32) {
    MatmulPlan plan = planContraction(plainSpec(type, type, type, sizes), target, "kernel")->schedule;
    return std::pair(plan.mr, plan.nv);
  };
  using Tile = std::pair<int, int>;
  for (int64_t rows : {8, 16, 32, 56}) {
    EXPECT_EQ(tile({1, rows, 256, 256}, narrow), Tile(4, 3)) << rows;
    EXPECT_EQ(tile({1, rows, 256, 256}, narrow, Type::kF64), Tile(4, 3)) << rows;
  }
  EXPECT_EQ(tile({1, 24, 256, 256}, narrow), Tile(6, 2)) << "tiles of six are whole";
  EXPECT_EQ(tile({1, 8, 32, 4096}, narrow), Tile(4, 2)) << "a panel of one vector would be left";
  EXPECT_EQ(tile({1, 8, 256, 256}, narrow, Type::kI32).second, 2) << "integers need registers for products";
  narrow.fma = false;
  EXPECT_EQ(tile({1, 8, 256, 256}, narrow).second, 2) << "and so do floats";
}

TEST(Contraction, MultipliesFewRowsInWholeTiles) {
  for (const MatmulTarget &target : targets())
    for (Type type : {Type::kF32, Type::kF64})
      for (Sizes sizes : {Sizes{1, 56, 210, 65}, Sizes{1, 64, 323, 70}, Sizes{2, 8, 43, 257}, Sizes{1, 16, 200, 130}})
        for (bool rhsT : {false, true})
          check(plainSpec(type, type, type, sizes, false, rhsT), target);
}

TEST(Contraction, MultipliesFewRowsInPlace) {
  for (const MatmulTarget &target : targets())
    for (int64_t rows : {16, 61})
      check(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, rows, 80, 300}), target);
}

// The spec of a plain product whose rhs lies in panels.
ContractionSpec inPanels(ContractionSpec spec, int64_t width) {
  int64_t k = spec.k.front().size, n = spec.n.front().size;
  spec.n = {{n / width, 0, k * width, width}, {width, 0, 1, 1}};
  spec.k.front().rhsStride = width;
  return spec;
}

// A product of integers is in a register before it is added, and the next one in another.
TEST(Plan, TilesOfIntegersLeaveRegistersForProducts) {
  MatmulTarget target;
  target.vectorBits = 256;
  target.fma = true;
  auto rows = [&](Type type) {
    return planContraction(plainSpec(type, type, type, {1, 240, 256, 256}), target, "kernel")->schedule.mr;
  };
  EXPECT_EQ(rows(Type::kF32), 6);
  EXPECT_EQ(rows(Type::kI32), 5);
}

TEST(Plan, PanelsAreReadInPlace) {
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  auto plan = [](Sizes sizes, int64_t width, MatmulTarget target) {
    ContractionSpec spec = inPanels(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), width);
    return planContraction(spec, target, "kernel")->schedule;
  };
  for (int64_t width : {16, 24}) {
    EXPECT_FALSE(plan({1, 16, 960, 1024}, width, narrow).packRhs);
    EXPECT_EQ(plan({1, 16, 960, 1024}, width, narrow).nv * 8, width);
  }
  EXPECT_FALSE(plan({1, 128, 960, 1024}, 64, wideTarget()).packRhs);
  EXPECT_TRUE(plan({1, 128, 960, 1024}, 32, narrow).packRhs) << "more vectors than a tile has";
  EXPECT_TRUE(plan({1, 128, 960, 1024}, 20, narrow).packRhs) << "no whole vectors";
}

TEST(Plan, PanelsFromBeyondL2AreFetchedAhead) {
  auto parts = [](Sizes sizes, int64_t width) {
    ContractionSpec spec = inPanels(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), width);
    return planContraction(spec, wideTarget(), "kernel")->schedule.panelParts;
  };
  EXPECT_EQ(parts({1, 49, 512, 4608}, 64), 4);
  EXPECT_EQ(parts({1, 12, 512, 4608}, 64), 2) << "one for each tile";
  EXPECT_EQ(parts({1, 49, 128, 512}, 64), 0) << "in L2";
  EXPECT_EQ(planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 49, 512, 4608}), wideTarget(), "kernel")
                ->schedule.panelParts,
            0)
      << "packed";
}

// In one pass over k and in several, in blocks of one and of several panels, and with tiles of fewer rows.
TEST(Contraction, MultipliesByPanelsInPlace) {
  for (MatmulTarget target : targets()) {
    target.l2Bytes = 64 << 10;
    int64_t lanes = target.vectorBits / 32;
    for (int64_t width : {lanes, 2 * lanes, 3 * lanes})
      for (Sizes sizes : {Sizes{1, 16, 5 * width, 300}, Sizes{1, 7, 3 * width, 900}, Sizes{1, 61, 9 * width, 33}})
        check(inPanels(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), width), target);
    check(inPanels(plainSpec(Type::kF64, Type::kF64, Type::kF64, {1, 13, 6 * lanes, 259}), lanes), target);
  }
}

TEST(Plan, MatricesArePackedOnceForManyRuns) {
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  auto columns = [](Sizes sizes, int64_t runs, MatmulTarget target, bool rhsT = false, Type type = Type::kF32) {
    return panelColumnsOf(plainSpec(type, type, type, sizes, false, rhsT), runs, target);
  };
  EXPECT_EQ(columns({1, 16, 1024, 256}, 256, narrow), 24) << "rows 4 KiB apart";
  EXPECT_EQ(columns({1, 16, 128, 512}, 256, narrow), 16) << "fewer zeros";
  EXPECT_EQ(columns({1, 16, 1024, 256}, 3, narrow), 0) << "too few runs";
  EXPECT_EQ(columns({1, 8, 384, 128}, 12, narrow), 0) << "rows that are near";
  EXPECT_EQ(columns({1, 8, 384, 128}, 100, narrow), 24);
  EXPECT_EQ(columns({1, 16, 240, 512}, 8, narrow, true), 24) << "columns that would be packed each time";
  EXPECT_EQ(columns({1, 16, 256, 512}, 8, narrow, true), 16) << "no zeros between such";
  EXPECT_EQ(columns({1, 16, 250, 512}, 8, narrow, true), 0);
  EXPECT_EQ(columns({1, 16, 256, 512}, 8, narrow, true, Type::kF64), 8);
  EXPECT_EQ(columns({1, 3, 768, 256}, 100, narrow), 24) << "a stream";
  EXPECT_EQ(columns({1, 1, 768, 256}, 100, narrow), 0) << "one row";
  EXPECT_EQ(columns({1, 16, 256, 512}, 1000, wideTarget()), 0) << "read as fast in place";
  EXPECT_EQ(columns({1, 64, 1024, 256}, 1000, wideTarget()), 0) << "so are more rows";
  EXPECT_EQ(columns({1, 128, 1024, 256}, 1000, wideTarget()), 64) << "packed each time";
  EXPECT_EQ(columns({1, 2048, 1024, 256}, 1000, wideTarget()), 0) << "packing does not count";
  EXPECT_EQ(columns({1, 3, 256, 512}, 1000, wideTarget(), true), 0) << "sums along vectors, in another order";
  EXPECT_EQ(columns({2, 16, 1024, 256}, 256, narrow), 0) << "batches";
  EXPECT_EQ(columns({1, 16, 1024, 256}, 256, narrow, false, Type::kBF16), 0) << "elements are widened";
  EXPECT_EQ(columns({1, 16, 1024, 256}, 256, MatmulTarget()), 0) << "short vectors";
}

// Six blocks of 192 columns, the last of which has 64, would leave one of two cores idle for an eighth of the time.
TEST(Plan, CoresHaveEqualShares) {
  MatmulTarget target = wideTarget();
  auto columns = [&](int64_t n, int cores) {
    target.cores = cores;
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 1024, n, 1024}), target, "kernel")
        ->schedule.nc;
  };
  EXPECT_EQ(columns(1024, 2), 128);
  EXPECT_EQ(columns(1152, 2), 192) << "they have";
  EXPECT_EQ(columns(1024, 1), 192) << "nobody waits";
}

// A matrix of elements that are converted and of several passes is packed once for all blocks of rows, and these have
// all columns, so that the other one is packed once, too.
TEST(Plan, MatricesOfNarrowFloatsAreConvertedOnce) {
  MatmulTarget narrow = wideTarget();
  narrow.vectorBits = 256;
  auto plan = [](Type type, Sizes sizes, MatmulTarget target) {
    return planContraction(plainSpec(type, type, type, sizes), target, "kernel")->schedule;
  };
  for (Type type : {Type::kBF16, Type::kF16}) {
    MatmulPlan shared = plan(type, {1, 1024, 1024, 1024}, narrow);
    EXPECT_TRUE(shared.sharesRhs) << shared.toString();
    EXPECT_EQ(shared.nc, 1024) << "the lhs is packed again for each block of columns";
    EXPECT_FALSE(plan(type, {1, 1024, 1024, 256}, narrow).sharesRhs) << "in one pass it stays from task to task";
    EXPECT_FALSE(plan(type, {1, 64, 1024, 1024}, narrow).sharesRhs) << "one block of rows";
  }
  EXPECT_TRUE(plan(Type::kF16, {1, 1024, 1024, 1024}, wideTarget()).sharesRhs);
  EXPECT_FALSE(plan(Type::kF32, {1, 1024, 1024, 1024}, narrow).sharesRhs) << "copied in long pieces";
}

TEST(Contraction, MultipliesNarrowFloatsConvertedOnce) {
  for (MatmulTarget target : targets()) {
    target.l2Bytes = 64 << 10;
    target.costs.sharedPhase = 0;
    target.costs.packedElement = 10;
    for (Sizes sizes : {Sizes{1, 101, 70, 1300}, Sizes{2, 61, 33, 1259}})
      for (Type type : {Type::kBF16, Type::kF16}) {
        ContractionSpec spec = plainSpec(type, type, Type::kF32, sizes);
        auto plan = planContraction(spec, target, "kernel");
        EXPECT_TRUE(plan->schedule.sharesRhs || plan->schedule.groupK > 1) << plan->schedule.toString();
        check(spec, target);
      }
  }
}

TEST(Plan, ReadsLargeMatricesInPages) {
  MatmulTarget target = wideTarget();
  auto columns = [&](int64_t k, int64_t n, int cores) {
    target.cores = cores;
    MatmulPlan plan =
        planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 1, n, k}), target, "kernel")->schedule;
    EXPECT_EQ(plan.kind, MatmulPlan::Kind::kStream);
    return plan.nc;
  };
  EXPECT_EQ(columns(4096, 4096, 2), 1024) << "a page of each row";
  EXPECT_EQ(columns(3072, 768, 2), 384) << "a task for each core";
  EXPECT_EQ(columns(4096, 4096, 16), 256) << "a task for each core";
  EXPECT_EQ(columns(256, 512, 2), 128) << "a cache holds it";
  EXPECT_EQ(columns(4096, 64, 2), 64) << "sums that do not wait for each other, and whole lines";
}

TEST(Plan, LongRowsThatWouldBePackedAreReadInPlace) {
  MatmulTarget target = wideTarget();
  target.vectorBits = 256;
  auto kind = [&](Sizes sizes) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), target, "kernel")->schedule.kind;
  };
  EXPECT_EQ(kind({1, 4, 1001, 64}), MatmulPlan::Kind::kStream);
  EXPECT_EQ(kind({1, 8, 1001, 64}), MatmulPlan::Kind::kStream);
  EXPECT_EQ(kind({1, 9, 1001, 64}), MatmulPlan::Kind::kTiled) << "too many rows";
  EXPECT_EQ(kind({1, 8, 1000, 64}), MatmulPlan::Kind::kTiled) << "whole vectors need no packing";
  EXPECT_EQ(kind({1, 8, 301, 64}), MatmulPlan::Kind::kTiled) << "the processor foresees short rows";
  EXPECT_EQ(kind({1, 8, 1001, 20}), MatmulPlan::Kind::kTiled) << "no routine has its sums";
}

} // namespace
} // namespace tenon::codegen::matmul
