// Which kernel, which blocks.
#include "tenon/codegen/kernel/matmul/register_tile.h"
#include "tenon/codegen/kernel/matmul/runs.h"
#include "tenon/codegen/kernel/matmul/tiled.h"
#include "tenon/support/rounding.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

// A size of at most `limit` (a multiple of `unit`) that divides `total` into equal parts, nearly.
int64_t balanced(int64_t total, int64_t limit, int64_t unit) {
  limit = std::max(unit, limit / unit * unit);
  return std::min(roundUp(total, unit), roundUp(ceilDiv(total, ceilDiv(total, limit)), unit));
}

// Registers are loaded from rows of memory where these are a step apart and never end inside of one.
bool lhsInPlaceForAmx(const Problem &p, const MatmulPlan &plan) {
  return isNative(p.spec.lhs, p.arithmetic, true) && p.innerK().lhsStride == 1 && p.lhsIsLinear() &&
         p.mLhs.isAffine() && p.m % plan.mr == 0 && p.k % (kAmxUnits * plan.groupK) == 0 &&
         (plan.kc >= p.k || plan.kc % (kAmxUnits * plan.groupK) == 0);
}

bool lhsInPlace(const Problem &p, const MatmulPlan &plan) {
  if (!isNative(p.spec.lhs, p.arithmetic, true))
    return false;
  int64_t stride = p.innerK().lhsStride;
  if (plan.groupK > 1 && (stride != 1 || p.runLength() % plan.groupK))
    return false;
  if (p.runs() > 1 && p.runLength() > 4096)
    return false;
  if (std::abs(stride) <= 16 || p.m == 1)
    return true;
  // Steps of k far apart, by sizes of the machine's lines and pages: worth copying when read more than a few times, or
  // when no line of them is in L1 any longer where the next rows in it are read, and the processor does not foresee
  // them either, as it does inside of half a page.
  constexpr int64_t kLineBytes = 64, kForeseenBytes = 2048, kNearBytes = 1024;
  int64_t bytes = std::abs(stride) * p.arithmetic.unitBytes * int64_t(p.components());
  int64_t panels = ceilDiv(p.n, int64_t(plan.nv) * plan.lanes);
  if (bytes <= kNearBytes)
    return panels <= 4;
  return panels <= 2 && (bytes <= kForeseenBytes || p.k * kLineBytes <= p.target.l1Bytes / 3);
}

bool rhsInPlace(const Problem &p, const MatmulPlan &plan) {
  if (!isNative(p.spec.rhs, p.arithmetic, false) || plan.groupK > 1 || p.components() > 1)
    return false;
  if (panelVectors(p, plan.lanes))
    return true;
  if (!p.nRhs.isContiguous() || p.n % plan.lanes)
    return false;
  if (p.runs() > 1 && p.runLength() > 4096)
    return false;
  int64_t bytes = p.k * p.n * p.arithmetic.unitBytes;
  // Few rows do not pay for packing while the lines of a panel stay in L1 from one tile to the next: with 12x160 times
  // 160x480 it took 40 % of the time. Rows further apart than a page lie in too few of the cache's sets: sizes of L1.
  // As many rows as eight devices have of a batch of 512 pay where rows are near each other: 64x256 times 256x256 takes
  // 0.88 of the time with wide panels, 0.96 with others, and 1.18 with others and 4 KiB from row to row.
  constexpr int64_t kMostK = 256, kMostRowBytes = 4096, kMostTiles = 4, kMoreTiles = 11, kNearRowBytes = 2048,
                    kMostKOfMore = 1024;
  int64_t rowBytes = std::abs(p.innerK().rhsStride) * p.arithmetic.unitBytes;
  bool staysInL1 = p.k <= kMostK && rowBytes <= kMostRowBytes;
  // Panels of three lines and more are read from L2 as fast as they are multiplied, and packing took 40 % of 16x512
  // times 512x512, too. Reading panels of two lines so took a third longer than packing for 16x1024 times 1024x1024.
  constexpr int64_t kWidePanelBytes = 192, kMostRowBytesOfWide = 8192;
  bool isReadFast =
      int64_t(plan.nv) * plan.lanes * p.arithmetic.unitBytes >= kWidePanelBytes && rowBytes <= kMostRowBytesOfWide;
  bool areMore = p.runs() == 1 && p.k <= kMostKOfMore && (isReadFast || (staysInL1 && rowBytes <= kNearRowBytes));
  int64_t mostTiles = areMore ? kMoreTiles : kMostTiles;
  return p.n <= int64_t(plan.nv) * plan.lanes || p.m <= plan.mr ||
         ((staysInL1 || isReadFast) && p.m <= mostTiles * plan.mr) || (bytes <= p.target.l2Bytes / 8 && p.n <= 256);
}

void chooseK(const Problem &p, MatmulPlan &plan) {
  // A panel of the rhs may take a quarter of L2; what is shorter or longer than that is a matter of the register tile.
  int64_t panel = int64_t(plan.nv) * plan.lanes * p.arithmetic.unitBytes * int64_t(p.components());
  int64_t units = std::clamp<int64_t>(p.target.l2Bytes / 4 / panel, 128, 768 * 4 / p.arithmetic.unitBytes);
  if (p.arithmetic.inTiles())
    units = std::min<int64_t>(units, 512); // of a panel that is read from L2 as fast as it is multiplied
  int64_t limit = units * plan.groupK;
  if (p.runs() == 1) {
    plan.kc = balanced(p.k, limit, int64_t(plan.groupK) * (p.arithmetic.inTiles() ? kAmxUnits : 4));
    return;
  }
  // Passes of a part of a run, where a run is too long; or of whole ones, in which units may straddle runs, but not the
  // passes. A part is a multiple of everything that packing takes at a time.
  constexpr int64_t kPacked = 64;
  if (p.runLength() > limit) {
    plan.kc = balanced(p.runLength(), limit, kPacked);
    return;
  }
  int64_t least = p.runLength() % plan.groupK ? plan.groupK : 1;
  plan.kc = std::min(balanced(p.runs(), limit / p.runLength(), least) * p.runLength(), p.k);
}

// When the last core has computed its tasks, in elements of the result: where tasks are few, some cores wait for
// others.
double lastFinish(const Problem &p, int64_t mc, int64_t nc) {
  int64_t tasks = p.batch * ceilDiv(p.m, mc) * ceilDiv(p.n, nc), cores = p.target.cores;
  double task = double(std::min(mc, p.m)) * double(std::min(nc, p.n)), all = double(p.batch * p.m) * double(p.n);
  double waiting = task * double(cores - 1) / double(cores);
  return std::min(double(ceilDiv(tasks, cores)) * task, all / double(cores) + waiting);
}

// Fewer columns, where that ends clearly earlier, and tasks stay as long as those that are halved become.
int64_t evenColumns(const Problem &p, const MatmulPlan &plan, int64_t panel) {
  constexpr double kClearly = 0.97;
  double column = double(plan.mc) * double(p.k);
  int64_t best = plan.nc;
  for (int64_t columns = plan.nc - panel;
       2 * columns >= plan.nc && 2 * double(columns) * column > p.target.costs.tiledTask; columns -= panel)
    if (lastFinish(p, plan.mc, columns) < kClearly * lastFinish(p, plan.mc, best))
      best = columns;
  return best;
}

// The register tile keeps one panel of the rhs in L2 and streams the lhs past it, a trickle. So a block may be long in
// either direction; what limits it is how often packed operands are packed again, and the number of tasks.
void chooseBlocks(const Problem &p, MatmulPlan &plan) {
  int64_t unitBytes = p.arithmetic.unitBytes * int64_t(p.components());
  int64_t rowBytes = ceilDiv(plan.kc, plan.groupK) * unitBytes;
  int64_t panel = int64_t(plan.nv) * plan.lanes;
  bool manyPasses = plan.kc < p.k;
  int64_t mc = 1024, nc = 1024;
  if (plan.packLhs)
    mc = std::max<int64_t>(p.target.l2Bytes * 3 / 10 / rowBytes, 8 * plan.mr);
  else
    nc = std::max<int64_t>(p.target.l2Bytes * 4 / 10 / rowBytes, p.m <= 64 ? 512 : panel);
  plan.mc = balanced(p.m, mc, plan.mr);
  plan.nc = balanced(p.n, nc, panel);
  auto tasks = [&] { return p.batch * ceilDiv(p.m, plan.mc) * ceilDiv(p.n, plan.nc); };
  // Enough tasks to keep the cores evenly busy, as long as each is worth a few microseconds.
  auto worth = [&] { return double(plan.mc) * double(plan.nc) * double(p.k) > p.target.costs.tiledTask; };
  // Splitting rows packs the rhs again unless it stays from task to task, or tasks of their own pack it; splitting
  // columns packs the lhs again.
  bool rowsCost = plan.packRhs && manyPasses && !plan.sharesRhs, columnsCost = plan.packLhs;
  while (tasks() < 4 * p.target.cores && worth()) {
    bool canRows = plan.mc > 4 * plan.mr, canColumns = plan.nc > panel;
    if (!canRows && !canColumns)
      break;
    bool rows = rowsCost == columnsCost ? plan.mc >= plan.nc : columnsCost;
    if (canRows && (!canColumns || rows))
      plan.mc = balanced(p.m, plan.mc / 2, plan.mr);
    else
      plan.nc = balanced(p.n, plan.nc / 2, panel);
  }
  if (rowsCost && !columnsCost)
    plan.nc = evenColumns(p, plan, panel);
  plan.tasks = tasks();
}

// Rows of an lhs in place that are read for one panel of columns after the other, from L2 if they are few enough.
void chooseTilesTogether(const Problem &p, MatmulPlan &plan) {
  int64_t tiles = ceilDiv(std::min(plan.mc, p.m), plan.mr), panels = ceilDiv(plan.nc, int64_t(plan.nv) * plan.lanes);
  int64_t bytes = plan.mr * std::min(plan.kc, p.k) * p.arithmetic.unitBytes * int64_t(p.components()) / plan.groupK;
  int64_t most = std::max<int64_t>(p.target.l2Bytes / 4 / bytes, 8);
  if (!plan.packLhs && panels > 2 && tiles > most)
    plan.tilesTogether = balanced(tiles, most, 1);
}

// An epilogue would wait for results, and for what it reads beside them, that are not in L2: 4096x64 times 64x512 added
// to an array took 2.2 times as long. Tiles of short sums leave no time for that. They go along the rows of the result,
// which the processor foresees, with all of the rhs in L1 or L2: 2000x3 times 3x2000 took twice as long.
void chooseFetchedResults(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kShortSum = 64, kTilesTogether = 2;
  if (!p.hasEpilogue || !p.nOut.isContiguous())
    return;
  int64_t bytes = storageBytes(p.spec.out);
  for (const FullOperand &operand : p.spec.fullOperands)
    bytes += storageBytes(operand.type);
  plan.fetchesResults = p.batch * p.m * p.n * bytes > p.target.l2Bytes;
  if (plan.fetchesResults && !plan.packLhs && p.k <= kShortSum && plan.mc > kTilesTogether * plan.mr)
    plan.tilesTogether = kTilesTogether;
}

// A tile begins with lines of as many rows, which the processor does not foresee in time where rows are short: 65536x64
// times 64x64 took 1.8 times as long.
void chooseFetchedLines(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kLineBytes = 64, kMostLines = 8;
  int64_t bytes = storageBytes(p.spec.lhs), lines = ceilDiv(std::min(plan.kc, p.k) * bytes, kLineBytes);
  if (!plan.packLhs && p.runs() == 1 && p.innerK().lhsStride == 1 && lines <= kMostLines &&
      p.m * p.k * bytes > p.target.l2Bytes)
    plan.fetchedLines = lines;
}

// Whether the rhs is so large that between two products with it other arrays have taken its place in L2.
bool isFromBeyondL2(const Problem &p) { return p.n * p.k * storageBytes(p.spec.rhs) > p.target.l2Bytes / 2; }

// A panel of an rhs in place has a piece of each row, which the processor does not foresee where rows are long; and
// products fill its window, so that it does not come to load the next ones in time. With 32 rows 16x1024 times 24
// matrices of 1024x1024 take 0.52 of the time, with 16 0.63, with 64 as with 32.
//
// A matrix of up to twice L2 is likely to be in the last cache, which answers within a few rows. Those go to L1 at
// once: 4x512 times 3 matrices of 512x512 take 0.61 to 0.67 of the time, 6 0.95, with 16 rows 0.97. No more of them,
// since rows 4 KiB apart have one set of 8 lines in L1: with 16 they take as long as without.
void chooseFetchedRows(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kForeseenBytes = 1024, kRows = 32, kNearRows = 6;
  int64_t bytes = storageBytes(p.spec.rhs), rowBytes = std::abs(p.innerK().rhsStride) * bytes;
  if (plan.packRhs || p.runs() != 1 || !p.nRhs.isContiguous() || rowBytes <= kForeseenBytes || !isFromBeyondL2(p))
    return;
  plan.fetchesRowsToL1 = p.n * p.k * bytes <= 2 * p.target.l2Bytes;
  plan.fetchedRows = plan.fetchesRowsToL1 ? kNearRows : kRows;
}

// A panel in place that comes from beyond L2 is read by the first of its tiles as fast as memory gives it, and by the
// others from a cache. So it is fetched beside the tiles of the one before, a line or so for each k.
void chooseFetchedPanels(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kMostParts = 4;
  if (!plan.packRhs && p.rhsPanelColumns() == int64_t(plan.nv) * plan.lanes && isFromBeyondL2(p))
    plan.panelParts = std::clamp<int64_t>(ceilDiv(std::min(plan.mc, p.m), plan.mr), 1, kMostParts);
}

// Sizes of equal parts of `total`, in multiples of `unit`, from the largest one.
SmallVector<int64_t> partSizes(int64_t total, int64_t unit, int64_t most) {
  SmallVector<int64_t> result;
  for (int64_t parts = 1; parts <= ceilDiv(total, unit); parts = parts < 8 ? parts + 1 : parts * 5 / 4) {
    int64_t size = balanced(total, ceilDiv(total, parts) + unit - 1, unit);
    if (size <= most && (result.empty() || size != result.back()))
      result.push_back(size);
  }
  return result;
}

// Packing, and reading operands from outside of L2, take as long as the products do. Of all ways to cut the result, and
// with the rhs packed by each task or once for all of them, the one whose last task ends first. Every core is at work,
// for other programs, too: there one task may last as long as three.
void chooseAmxBlocks(const Problem &p, MatmulPlan &plan) {
  const CostModel::Tiles &costs = p.target.costs.tiles;
  int64_t panel = int64_t(plan.nv) * plan.lanes, cores = p.target.cores;
  double unitBytes = p.arithmetic.unitBytes;
  double columnCycles = double(p.k) / plan.groupK * unitBytes / costs.busyPackedBytes;
  auto most = int64_t(double(p.target.l2Bytes) * 0.4 / (double(ceilDiv(plan.kc, plan.groupK)) * unitBytes));
  most = std::max<int64_t>(most, 2 * std::max<int64_t>(panel, plan.mr));
  double best = 0;
  for (int64_t mc : partSizes(p.m, plan.mr, most))
    for (int64_t nc : partSizes(p.n, panel, most)) {
      int64_t tasks = p.batch * ceilDiv(p.m, mc) * ceilDiv(p.n, nc);
      double task = double(mc) * double(nc) * double(p.k) / (costs.busyProducts * plan.groupK) + costs.task;
      task += double(mc + nc) * columnCycles * costs.busyPackedBytes / costs.busyReadBytes;
      if (plan.packLhs)
        task += double(mc) * columnCycles;
      double rounds = double(ceilDiv(tasks, cores)) + 2;
      double shared = rounds * task + double(p.batch * p.n) * columnCycles / double(cores);
      shared += costs.phase * double(cores);
      double alone = rounds * (task + double(nc) * columnCycles);
      bool mayShare = p.buffers.temp.has_value() && p.runs() == 1 && mc < p.m;
      double cycles = mayShare ? std::min(shared, alone) : alone;
      if (best > 0 && best <= cycles)
        continue;
      best = cycles;
      plan.mc = mc;
      plan.nc = nc;
      plan.tasks = tasks;
      plan.sharesRhs = mayShare && shared < alone;
    }
}

// How the tasks are cut that pack what others share.
void planSharedRhs(const Problem &p, MatmulPlan &plan) {
  TiledLayout layout(p, plan);
  int64_t passes = p.batch * layout.kBlocks, wanted = ceilDiv(2 * p.target.cores, passes);
  plan.packColumns = p.n;
  plan.packSteps = plan.kc;
  // Rows are read in long pieces.
  if (p.nRhs.isContiguous() && p.runs() == 1)
    plan.packSteps = balanced(plan.kc, ceilDiv(plan.kc, wanted), layout.unitStep * plan.groupK);
  else
    plan.packColumns = balanced(p.n, ceilDiv(p.n, wanted), layout.panelColumns);
  plan.packTasks = passes * ceilDiv(p.n, plan.packColumns) * ceilDiv(plan.kc, plan.packSteps);
  plan.tempBytes = passes * layout.sharedPanels * layout.rhsPanelUnits * p.arithmetic.unitBytes;
}

// Whether tasks of their own pack the rhs for vectors. Where there are several passes over k, each block of rows packs
// it again, which counts beside few rows if it is not read in long pieces: 7 % of a convolution of 14x14 pixels by
// channels, and a fifth of one of 7x7. It is read from beyond L2 then. So it counts where elements are converted: 7 %
// of a product of 1024x1024 in bf16 or f16.
bool isSharedByRows(const Problem &p, const MatmulPlan &plan) {
  const double worth = p.nRhs.isContiguous() ? 0.05 : 0.04; // long pieces take less than the costs say
  int64_t blocks = ceilDiv(p.m, plan.mc);
  bool isCopied = p.nRhs.isContiguous() && isNative(p.spec.rhs, p.arithmetic, false);
  if (!plan.packRhs || p.spec.isPart() || !p.buffers.temp || isCopied || plan.kc >= p.k || blocks == 1)
    return false;
  const CostModel &costs = p.target.costs;
  double packing = double(p.batch * p.n * p.k) * double(blocks - 1) * costs.packedElement;
  double lanes = double(plan.lanes) * plan.groupK / double(p.components() * p.components());
  double products = double(p.batch * p.m) * double(p.n * p.k) / (costs.cyclesPerNanosecond * costs.laneOperations / 2);
  return packing > worth * products / lanes && packing > double(p.target.cores) * costs.sharedPhase;
}

void planRows(const Problem &p, MatmulPlan &plan) {
  // A task is a few rows of a plain loop kernel.
  double rowCost = double(p.n) * double(std::max<int64_t>(p.k, 1));
  plan.mc = std::clamp<int64_t>(int64_t(p.target.costs.plainTask / std::max(rowCost, 1.0)), 1,
                                std::max<int64_t>(p.batch * p.m, 1));
  plan.tasks = ceilDiv(p.batch * p.m, plan.mc);
  int64_t run = p.laneRun();
  plan.lanes = run > 1 ? int(std::min<int64_t>(accumulatorLanes(p), int64_t(llvm::bit_floor(uint64_t(run))))) : 1;
}

// Columns of a task of the stream and dot kernels: long enough to read memory in pieces of `pieceBytes` and to have few
// tasks, short enough to keep every core busy.
void planColumns(const Problem &p, MatmulPlan &plan, int64_t least, int64_t most, int64_t pieceBytes) {
  int64_t bytes = storageBytes(p.spec.rhs), perColumn = p.k * std::max<int64_t>(bytes, p.m);
  int64_t worth =
      std::max<int64_t>(least, roundUp(p.target.costs.streamedTask / std::max<int64_t>(perColumn, 1) + 1, least));
  auto share = [&](int64_t parts) { return roundUp(ceilDiv(p.n * p.batch, parts * p.target.cores), least); };
  int64_t split = std::max(share(4), std::min(share(1), roundUp(ceilDiv(pieceBytes, bytes), least)));
  plan.nc = balanced(p.n, std::min(std::max(worth, split), most), least);
  plan.tasks = p.batch * ceilDiv(p.n, plan.nc);
  int64_t run = p.laneRun();
  plan.mc = run > 1 ? std::min<int64_t>(accumulatorLanes(p), int64_t(llvm::bit_floor(uint64_t(run)))) : 1;
  plan.packLhs = true;
  plan.mr = int(p.m);
  plan.scratchBytes = streamScratchBytes(p, plan);
}

// Whether a few rows have as many sums as registers hold for a few passes along the columns: those of long sums are
// loaded and stored too often in between. 2x10000 times 10000x64 take 0.7 of the time with AVX-512, 3x8000 times
// 8000x16 and 4x30000 times 30000x10 0.55 to 0.8. With AVX2 more rows take as long.
bool areFewLongSums(const Problem &p) {
  constexpr int64_t kLongSum = 1024, kFewColumns = 128, kFewRowsOfNarrow = 4;
  return p.m > 1 && (p.target.vectorBits == 512 || p.m <= kFewRowsOfNarrow) && p.n <= kFewColumns && p.k >= kLongSum &&
         accumulatorIsFloat(p.arithmetic) && p.arithmetic.groupK == 1 && p.components() == 1;
}

// Rows of the rhs run along n and there are too few rows of the lhs to pay for packing.
bool planStream(const Problem &p, MatmulPlan &plan) {
  bool large = p.k * p.n * storageBytes(p.spec.rhs) > p.target.l2Bytes;
  // A matrix without whole vectors of columns would be packed, by pieces of rows that the processor does not foresee if
  // these are long: 4x64 and 8x64 times 64x1001 took 3.1 and 2.3 times as long with AVX2.
  constexpr int64_t kForeseenBytes = 2048;
  bool isFar = isStreamRoutine(p) && p.n % accumulatorLanes(p) != 0 && p.n * storageBytes(p.spec.rhs) > kForeseenBytes;
  int64_t mostRows = large || isFar ? p.target.costs.streamedRowsOfLarge : p.target.costs.streamedRows;
  if (p.m > mostRows || p.runs() != 1 || !p.nRhs.isContiguous() || p.n < 4 || areFewLongSums(p))
    return false;
  plan.kind = MatmulPlan::Kind::kStream;
  plan.groupK = 1;
  plan.lanes = accumulatorLanes(p);
  while (plan.lanes > 4 && plan.lanes > p.n)
    plan.lanes /= 2;
  plan.kc = 8; // rhs rows side by side
  int64_t most = p.target.l1Bytes / 2 / (p.m * int64_t(p.components()) * p.arithmetic.unitBytes);
  // What the processor foresees of a row ends with the page. From memory, shorter pieces take up to a third longer.
  constexpr int64_t kPageBytes = 4096;
  // A vector of sums waits for one product after the other, so several are made side by side. In narrower tasks more of
  // them would share the cache lines of each row, too, which pays only where the rows are more than a core reads fast.
  constexpr int64_t kSumsAtOnce = 8;
  int64_t vectors = large ? 1 : std::min(ceilDiv(kSumsAtOnce, p.m), ceilDiv(p.n, plan.lanes));
  planColumns(p, plan, plan.lanes * vectors, std::max<int64_t>(most, 256), large ? kPageBytes : 0);
  return true;
}

constexpr int64_t kDotRows = 8, kDotSums = 24; // of a block, in AVX-512's registers

// Whether adding up the lanes of each sum takes less time than to pack columns that run along k, for more than a few
// rows. By 512x512 8, 12 and 16 rows took 0.70, 0.83 and 0.90 of the time, 32 took 1.02.
bool areDotsInBlocks(const Problem &p) {
  constexpr int64_t kMostRows = 16, kLeastSum = 256;
  int64_t rows = ceilDiv(p.m, ceilDiv(p.m, kDotRows));
  return p.target.vectorBits == 512 && p.arithmetic.groupK == 1 && isNative(p.spec.rhs, p.arithmetic, false) &&
         p.m <= kMostRows && p.k >= kLeastSum && rows * p.k * p.arithmetic.unitBytes <= p.target.l1Bytes;
}

// Columns of the rhs run along k, and the sums of a block of rows are in registers.
bool planDot(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kFewRows = 4;
  if ((p.m > kFewRows && !areDotsInBlocks(p)) || p.runs() != 1 || p.innerK().rhsStride != 1 || !p.nRhs.isAffine() ||
      p.components() > 1)
    return false;
  plan.lanes = accumulatorLanes(p);
  while (plan.groupK == 1 && plan.lanes > 4 && p.k < 2 * plan.lanes)
    plan.lanes /= 2;
  if (p.k < 2 * plan.lanes * plan.groupK)
    return false;
  plan.kind = MatmulPlan::Kind::kDot;
  int64_t rows = p.m;
  plan.nv = int(std::min<int64_t>(p.n, p.target.vectorBits == 512 ? 8 / std::max<int64_t>(1, p.m / 2) : 4));
  if (p.m * plan.nv > 8 && p.target.vectorBits != 512)
    plan.nv = 2;
  if (p.m > kFewRows) {
    rows = ceilDiv(p.m, ceilDiv(p.m, kDotRows));
    plan.nv = int(std::min<int64_t>({p.n, kDotSums / rows, 4}));
  }
  // Tasks start at whole vectors of the output loop, which are those of accumulators however short sums are.
  int64_t stored = std::min<int64_t>(accumulatorLanes(p), int64_t(llvm::bit_floor(uint64_t(p.n))));
  planColumns(p, plan, std::max<int64_t>(plan.nv, stored), 4096, 0);
  plan.mr = int(rows);
  // As chooseFetchedRows. Fewer rows are multiplied as fast as memory is read.
  plan.fetchesColumns = p.m > kFewRows && isFromBeyondL2(p);
  return true;
}

// Columns that are apart would be read one by one for each row: from a few rows on they are copied side by side first.
void planSimple(const Problem &p, MatmulPlan &plan) {
  constexpr int64_t kLeastRows = 4;
  plan.kind = MatmulPlan::Kind::kSimple;
  plan.groupK = 1;
  planRows(p, plan);
  plan.packRhs = plan.lanes > 1 && !p.nRhs.isContiguous() && p.m >= kLeastRows && p.components() == 1;
  if (!plan.packRhs)
    return;
  plan.mc = roundUp(plan.mc, p.m);
  plan.tasks = ceilDiv(p.batch * p.m, plan.mc);
  plan.scratchBytes = simpleScratchBytes(p, plan);
}

// Problems that other kernels than the register tile compute.
bool planUntiled(const Problem &p, MatmulPlan &plan) {
  // Plain loops take one column after the other where these lie along k.
  if (p.m == 1 && p.n * p.k >= p.target.costs.dotProduct && planDot(p, plan))
    return true;
  constexpr int64_t kLongSum = 768; // too inexact where one product is added after the other
  if (p.k <= kLongSum && double(p.m) * double(p.n) * double(p.k) <= p.target.costs.plainProduct) {
    planSimple(p, plan);
    return true;
  }
  // Few columns of many rows are kept in registers by more sums at a time.
  bool wereColumns = p.swapped && p.m > 1;
  return planStream(p, plan) || (wereColumns && planRuns(p, plan)) || planDot(p, plan) || planRuns(p, plan);
}

} // namespace

MatmulPlan planProblem(const Problem &p) {
  MatmulPlan plan;
  plan.compute = p.arithmetic.compute;
  plan.swapped = p.swapped;
  plan.groupK = p.arithmetic.groupK;
  plan.batchCount = p.batch;
  plan.mSize = p.m;
  plan.nSize = p.n;
  plan.kSize = p.k;
  if (p.batch == 0 || p.m == 0 || p.n == 0 || p.k == 0) {
    plan.kind = MatmulPlan::Kind::kFill;
    planRows(p, plan);
    if (p.batch * p.m * p.n == 0)
      plan.tasks = 0;
    return plan;
  }
  if (!p.spec.isPart() && planUntiled(p, plan))
    return plan;
  plan.kind = MatmulPlan::Kind::kTiled;
  if (p.arithmetic.inTiles()) {
    chooseAmxTile(p, plan);
    plan.packRhs = true;
    chooseK(p, plan);
    plan.packLhs = !lhsInPlaceForAmx(p, plan);
    chooseAmxBlocks(p, plan);
    if (plan.sharesRhs)
      planSharedRhs(p, plan);
    plan.scratchBytes = TiledLayout(p, plan).scratchBytes;
    return plan;
  }
  chooseTile(p, plan);
  plan.packLhs = !lhsInPlace(p, plan);
  plan.packRhs = !rhsInPlace(p, plan);
  chooseK(p, plan);
  chooseBlocks(p, plan);
  chooseTilesTogether(p, plan);
  chooseFetchedResults(p, plan);
  chooseFetchedLines(p, plan);
  chooseFetchedRows(p, plan);
  chooseFetchedPanels(p, plan);
  plan.sharesRhs = isSharedByRows(p, plan);
  if (plan.sharesRhs) {
    if (plan.packLhs) // which blocks of all columns do only once
      chooseBlocks(p, plan);
    planSharedRhs(p, plan);
  }
  plan.scratchBytes = TiledLayout(p, plan).scratchBytes;
  return plan;
}

bool isWalkedInside(const MatmulPlan &plan, const CostModel &costs) {
  bool inTiles = plan.compute == MatmulPlan::Compute::kBf16Tiles || plan.compute == MatmulPlan::Compute::kInt8Tiles;
  return plan.kind == MatmulPlan::Kind::kTiled && !inTiles &&
         plan.mr * plan.nv * std::min(plan.kc, plan.kSize) < costs.longTile;
}

bool needsPointers(const MatmulPlan &plan) { return plan.kind == MatmulPlan::Kind::kStream; }

void setRowBlock(ContractionPlan &plan, int64_t rows) {
  const Problem &p = plan.problem;
  MatmulPlan &schedule = plan.schedule;
  assert(rows % schedule.mr == 0 && "tiles are whole");
  schedule.mc = rows;
  schedule.tilesTogether = 0;
  schedule.nc = roundUp(p.n, int64_t(schedule.nv) * schedule.lanes);
  schedule.tasks = p.batch * ceilDiv(p.m, rows);
  schedule.scratchBytes = TiledLayout(p, schedule).scratchBytes;
  plan.kernel.scratchBytes = schedule.scratchBytes;
  plan.kernel.phases[0].extent = schedule.tasks;
}

void setDepthBlock(ContractionPlan &plan, int64_t steps) {
  const Problem &p = plan.problem;
  MatmulPlan &schedule = plan.schedule;
  assert(mayHaveDepthBlocks(plan, steps));
  schedule.kc = std::min(steps, p.k);
  schedule.mc = roundUp(p.m, schedule.mr);
  schedule.tilesTogether = 0;
  schedule.nc = roundUp(p.n, int64_t(schedule.nv) * schedule.lanes);
  schedule.tasks = p.batch;
  schedule.scratchBytes = TiledLayout(p, schedule).scratchBytes;
  plan.kernel.scratchBytes = schedule.scratchBytes;
  plan.kernel.phases[0].extent = schedule.tasks;
}

bool mayHaveDepthBlocks(const ContractionPlan &plan, int64_t steps) {
  bool hasWholeRuns = plan.problem.runs() == 1 || steps % plan.problem.runLength() == 0;
  return hasWholeRuns && steps % plan.schedule.groupK == 0;
}

bool keepsPackedColumns(const ContractionPlan &plan) {
  return plan.schedule.packRhs && TiledLayout(plan.problem, plan.schedule).kBlocks == 1;
}

std::string MatmulPlan::toString() const {
  static const char *kinds[] = {"fill", "simple", "tiled", "stream", "dot", "runs"};
  static const char *computes[] = {"f32",    "f64", "bf16x2", "i8x4", "i16x2", "amx-bf16",
                                   "amx-i8", "i32", "i64",    "c64",  "c128"};
  std::string text;
  raw_string_ostream os(text);
  os << kinds[int(kind)] << " " << computes[int(compute)] << " " << batchCount << "x" << mSize << "x" << nSize << "x"
     << kSize << (swapped ? " swapped" : "") << " tile " << mr << "x" << nv << "x" << lanes << " block " << mc << "x"
     << nc << "x" << kc << (packLhs ? " pack-lhs" : "") << (packRhs ? " pack-rhs" : "");
  if (tilesTogether)
    os << " rows " << tilesTogether * mr;
  if (fetchedLines)
    os << " fetch " << fetchedLines;
  if (fetchesResults)
    os << " fetch-results";
  if (panelParts)
    os << " fetch-panels in " << panelParts;
  if (fetchedRows)
    os << " fetch-rows " << fetchedRows << (fetchesRowsToL1 ? " to-l1" : "");
  if (fetchesColumns)
    os << " fetch-columns";
  if (sharesRhs)
    os << " for all in " << packTasks << " tasks of " << packColumns << "x" << packSteps;
  os << " tasks " << tasks << " scratch " << scratchBytes;
  return text;
}

} // namespace tenon::codegen::matmul
