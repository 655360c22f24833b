#include "tenon/codegen/gpu/product.h"

#include "tenon/codegen/gpu/product_boxes.h"
#include "tenon/codegen/gpu/product_emitter.h"
#include "tenon/codegen/gpu/target.h"

#include "llvm/Support/MathExtras.h"

#include <array>
#include <limits>

using namespace llvm;
using tenon::codegen::matmul::Compute, tenon::codegen::matmul::Problem;

namespace tenon::codegen {
namespace {

// The threads of a block are a square, as it were, whose rows and columns take rows and columns of tiles.
constexpr int64_t kSide = 16;
static_assert(kSide * kSide == kProductThreads);
// A step of k is so many bytes of each row, and vectors in memory are so long.
constexpr int64_t kStepBytes = 64, kGroupStepBytes = 128, kVectorBytes = 16;
// The least rows where warps multiply: of as many as an instruction has columns, or fewer, sums by threads take no
// longer (skinny_product.h).
constexpr int64_t kLeastRowsOfMatrices = 9;

TileRead chooseRead(const Problem &p, bool isLhs) {
  const StridedDims &rows = isLhs ? p.mLhs : p.nRhs;
  int64_t ofK = isLhs ? p.innerK().lhsStride : p.innerK().rhsStride, across = std::abs(rows.inner().stride);
  int64_t lanes = std::max<int64_t>(1, kVectorBytes / storageBytes(isLhs ? p.spec.lhs : p.spec.rhs));
  if (ofK == 1 && p.runLength() % lanes == 0) // of a reversed kernel it is -1
    return TileRead::kAlongK;
  if (rows.inner().stride == 1 && rows.inner().size % lanes == 0)
    return TileRead::kAlongRows;
  return std::abs(ofK) <= across ? TileRead::kElementsK : TileRead::kElementsRows;
}

// The instructions for these types, as they are in memory.
std::optional<GpuBuilder::Matrix> chooseMatrix(const Problem &p) {
  mlir::Type type = p.spec.lhs;
  if (type != p.spec.rhs || p.spec.lhsAs || p.spec.rhsAs)
    return std::nullopt;
  if (p.arithmetic.compute == Compute::kFloat && type.isBF16())
    return GpuBuilder::Matrix::kBf16;
  if (p.arithmetic.compute == Compute::kFloat && type.isF16())
    return GpuBuilder::Matrix::kF16;
  if (p.arithmetic.compute == Compute::kInt32 && type.isInteger(8))
    return type.isUnsignedInteger() ? GpuBuilder::Matrix::kUint8 : GpuBuilder::Matrix::kInt8;
  return std::nullopt;
}

// Whether all vectors of an operand are as long as those of memory, and aligned.
bool hasAlignedVectors(const Problem &p, bool isLhs, TileRead read) {
  int64_t bytes = storageBytes(isLhs ? p.spec.lhs : p.spec.rhs), lanes = kVectorBytes / bytes;
  const StridedDims &rows = isLhs ? p.mLhs : p.nRhs, &batches = isLhs ? p.batchLhs : p.batchRhs;
  auto isMultiple = [&](int64_t elements) { return elements % lanes == 0; };
  auto areMultiples = [&](ArrayRef<StridedDims::Dim> dims) {
    return all_of(dims, [&](const StridedDims::Dim &dim) { return dim.size == 1 || isMultiple(dim.stride); });
  };
  auto kStride = [&](const Problem::KDim &dim) { return isLhs ? dim.lhsStride : dim.rhsStride; };
  bool isAlongK = read == TileRead::kAlongK;
  if (read != TileRead::kAlongK && read != TileRead::kAlongRows)
    return false;
  if ((isAlongK ? kStride(p.innerK()) : rows.inner().stride) != 1 ||
      !areMultiples(ArrayRef(rows.dims).drop_back(isAlongK ? 0 : 1)))
    return false;
  auto dims = ArrayRef(p.kDims).drop_back(isAlongK ? 1 : 0);
  return areMultiples(batches.dims) &&
         all_of(dims, [&](const Problem::KDim &dim) { return isMultiple(kStride(dim)); }) &&
         isMultiple(isLhs ? p.spec.lhsOffset : p.spec.rhsOffset) &&
         (isLhs ? p.buffers.lhsBytes : p.buffers.rhsBytes) % kVectorBytes == 0;
}

bool isProductOfDoubles(const Problem &p) {
  return p.arithmetic.compute == Compute::kDouble && p.spec.lhs.isF64() && p.spec.rhs.isF64() && !p.spec.lhsAs &&
         !p.spec.rhsAs && p.arithmetic.sum.isF64();
}

bool areCopied(const ProductPlan &product, const Problem &p) {
  return isCopied(product, p, true) && isCopied(product, p, false);
}

void setTile(ProductPlan &product, const Problem &p, int rows, int columns) {
  product.rows = rows;
  product.columns = columns;
  product.tasks = p.batch * int64_t(divideCeil(uint64_t(p.m), uint64_t(product.blockRows()))) *
                  int64_t(divideCeil(uint64_t(p.n), uint64_t(product.blockColumns())));
}

// Blocks of 128 rows, and of as many columns as leave work for the whole chip, without many more that are not there.
bool chooseGroups(ProductPlan &product, const Problem &p, const CostModel::Blocks &costs, const GpuChip &chip) {
  constexpr int64_t kGroupRows = 64, kLeastColumns = 64;
  if (!chip.hasWarpGroups || !product.matrix || p.m <= kGroupRows || !areCopied(product, p))
    return false;
  ProductPlan groups = product;
  groups.isByGroups = true;
  groups.steps = kGroupStepBytes / product.elementBytes;
  auto padded = [&](int64_t columns) { return int64_t(alignTo(uint64_t(p.n), uint64_t(columns))); };
  for (int columns : {16, 8, 4}) {
    setTile(groups, p, 8, columns);
    int64_t unused = padded(groups.blockColumns()) - padded(kLeastColumns);
    if (groups.tasks < costs.multiprocessors || unused > p.n / costs.unusedColumns)
      continue;
    product = groups;
    return true;
  }
  return false;
}

// Whether an operand is an array of up to three dimensions, whose tiles are boxes.
bool isBoxed(const ProductPlan &product, const Problem &p, bool isLhs) {
  constexpr int64_t kMostSize = std::numeric_limits<int32_t>::max(), kMostBytes = int64_t{1} << 40;
  const StridedDims &rows = isLhs ? p.mLhs : p.nRhs, &batches = isLhs ? p.batchLhs : p.batchRhs;
  if (p.kDims.size() != 1 || !rows.isAffine() || std::max({p.m, p.n, p.k, p.batch}) > kMostSize)
    return false;
  auto isStride = [&](int64_t stride) { return stride > 0 && stride * product.elementBytes < kMostBytes; };
  int64_t ofK = isLhs ? p.innerK().lhsStride : p.innerK().rhsStride;
  return isStride(ofK) && isStride(rows.inner().stride) &&
         (p.batch == 1 || (batches.isAffine() && isStride(batches.inner().stride)));
}

const char *nameOf(TileRead read) {
  static constexpr const char *kNames[] = {"in vectors along k", "in vectors across k", "by elements along k",
                                           "by elements across k"};
  return kNames[size_t(read)];
}

} // namespace

int64_t ProductPlan::blockRows() const { return rows * kSide; }
int64_t ProductPlan::blockColumns() const { return columns * kSide; }
// Warps can transpose matrices of 16 bits, which therefore are as they are read.
bool ProductPlan::hasDenseK(bool isLhs) const {
  return matrix && (elementBytes != 2 || read(isLhs) != TileRead::kAlongRows);
}
// A vector's width more than is needed, so that neighbours are not in the same bank.
int64_t ProductPlan::rowPitch(bool isLhs) const {
  assert(!isByGroups && "tiles of warp groups are shuffled");
  return hasDenseK(isLhs) ? steps + kVectorBytes / elementBytes : 1;
}
int64_t ProductPlan::stepPitch(bool isLhs) const {
  int64_t vectors = hasDoubles ? 2 : 1; // lanes of a warp read several steps at once
  return hasDenseK(isLhs) ? 1 : blockExtent(isLhs) + vectors * kVectorBytes / elementBytes;
}
int64_t ProductPlan::tileElements(bool isLhs) const {
  if (isByGroups)
    return blockExtent(isLhs) * steps;
  return hasDenseK(isLhs) ? blockExtent(isLhs) * rowPitch(isLhs) : steps * stepPitch(isLhs);
}

// Pairs of sums that half a warp stores, of four rows, are in different banks.
int64_t ProductPlan::stagedPitch() const {
  constexpr int64_t kPairsOfRow = 4;
  return blockColumns() + 2 * kPairsOfRow;
}

static bool mayHaveParts(const Problem &p) {
  return p.buffers.temp && !p.arithmetic.sum.isInteger(1) && !p.spec.out.isInteger(1);
}
// The parts of k that give every multiprocessor two blocks.
static int64_t wantedParts(const ProductPlan &product, const CostModel::Blocks &costs) {
  return int64_t(divideCeil(uint64_t(2 * costs.multiprocessors), uint64_t(product.tasks)));
}

static void splitK(ProductPlan &product, const Problem &p, const CostModel::Blocks &costs) {
  int64_t tiles = int64_t(divideCeil(uint64_t(p.k), uint64_t(product.steps)));
  int64_t parts = std::min({wantedParts(product, costs), costs.productParts, tiles / costs.productSteps});
  if (product.tasks >= costs.multiprocessors || parts < 2 || !mayHaveParts(p))
    return;
  product.partSteps = int64_t(divideCeil(uint64_t(tiles), uint64_t(parts)));
  product.parts = int64_t(divideCeil(uint64_t(tiles), uint64_t(product.partSteps)));
  product.combinedLanes = p.laneRun() > 0 && p.laneRun() % 4 == 0 && p.n % 4 == 0 ? 4 : 1;
  product.combined = p.batch * p.m * p.n / product.combinedLanes;
  product.tempBytes =
      int64_t(alignTo(uint64_t(product.parts * p.batch * p.m * p.n * storageBytes(p.arithmetic.sum)), 64));
}

// Large tiles, where the chip gets enough blocks of them, if need be by parts of k so long that their sums are next to
// no memory. Those whose half would not be there are half as wide.
static void chooseTile(ProductPlan &product, const Problem &p, const CostModel::Blocks &costs) {
  constexpr int kLarge = 8, kSmall = 4;
  constexpr int64_t kLongPart = 1024;
  setTile(product, p, kLarge, kLarge);
  int64_t parts = wantedParts(product, costs);
  bool hasLongParts = mayHaveParts(p) && parts <= costs.productParts && p.k / parts >= kLongPart;
  if (product.elementBytes > 4 || (product.tasks < costs.multiprocessors && !hasLongParts))
    return setTile(product, p, kSmall, kSmall);
  constexpr int64_t kNarrow = kSmall * kSide;
  if (!product.matrix && (p.m <= kNarrow || p.n <= kNarrow))
    setTile(product, p, p.m <= kNarrow ? kSmall : kLarge, p.n <= kNarrow ? kSmall : kLarge);
}

ProductPlan planOperands(const Problem &p) {
  ProductPlan product;
  product.matrix = chooseMatrix(p);
  product.hasDoubles = isProductOfDoubles(p);
  product.elementBytes = product.matrix ? storageBytes(p.spec.lhs) : p.arithmetic.unitBytes;
  product.lhs = chooseRead(p, true);
  product.rhs = chooseRead(p, false);
  return product;
}

bool isCopied(const ProductPlan &product, const Problem &p, bool isLhs) {
  return hasAlignedVectors(p, isLhs, product.read(isLhs)) &&
         product.hasDenseK(isLhs) == (product.read(isLhs) == TileRead::kAlongK);
}

std::optional<ProductPlan> planProduct(const matmul::ContractionPlan &plan, bool mayHaveMaps,
                                       const CostModel::Blocks &costs, const GpuChip &chip) {
  const Problem &p = plan.problem;
  ProductPlan product = planOperands(p);
  int64_t leastRows = product.matrix ? kLeastRowsOfMatrices : costs.leastProduct;
  bool isSmall = std::min(p.m, p.n) < leastRows || p.k == 0;
  if (isSmall || p.batch == 0 || p.arithmetic.complex || p.arithmetic.groupK > 1)
    return std::nullopt;
  product.steps = kStepBytes / product.elementBytes;
  if (!chooseGroups(product, p, costs, chip))
    chooseTile(product, p, costs);
  int64_t stageBytes = product.elementBytes * (product.tileElements(true) + product.tileElements(false));
  product.isAsync = (product.matrix || product.hasDoubles) && areCopied(product, p);
  if (product.isAsync) {
    int64_t shared = product.isByGroups ? chip.mostSharedBytes : chip.halfOfShared();
    product.stages = int(std::clamp<int64_t>(shared / stageBytes, 2, costs.productStages + product.heldStages()));
  }
  product.sharedBytes = product.stages * stageBytes;
  if (p.buffers.temp)
    splitK(product, p, costs);
  bool isNarrow = storageBytes(p.spec.out) < storageBytes(p.arithmetic.sum); // pairs are less than 8 bytes of a row
  product.isStaged =
      (p.hasEpilogue || isNarrow) && product.matrix && product.parts == 1 &&
      product.blockRows() * product.stagedPitch() * storageBytes(p.arithmetic.sum) <= product.sharedBytes;
  if (mayHaveMaps && product.isByGroups && chip.hasMaps() && isBoxed(product, p, true) && isBoxed(product, p, false)) {
    product.isByMaps = true;
    product.sharedBytes += product.stages * kPhaseBarrierBytes;
    product.tempBytes = 2 * GpuBuilder::kMapBytes;
  }
  return product;
}

FormPhases ProductPlan::phases() const {
  FormPhases phases;
  if (isByMaps)
    phases.push_back({1, kTaskBlock, 0, /*isByThreads=*/true});
  phases.push_back({tasks * parts, kProductThreads, sharedBytes});
  if (parts > 1)
    phases.push_back({combined, kTaskBlock, 0, /*isByThreads=*/true});
  return phases;
}

void ProductPlan::print(raw_ostream &os) const {
  os << "product in blocks of " << blockRows() << 'x' << blockColumns() << 'x' << steps;
  if (isByGroups)
    os << " by warp groups";
  else if (matrix || hasDoubles)
    os << " by warps";
  else
    os << ", " << rows << 'x' << columns << " a thread";
  os << ", lhs " << nameOf(lhs) << ", rhs " << nameOf(rhs);
  if (isAsync)
    os << ", " << stages << " stages of " << (isByMaps ? "boxes" : "copies");
  os << ", " << sharedBytes << " bytes shared, " << tasks * parts << " blocks";
  if (parts > 1)
    os << ", " << parts << " parts of k, " << partSteps * steps << " each";
  if (isStaged)
    os << ", sums through shared memory";
  os << '\n';
}

void emitProduct(const ProductPlan &product, const matmul::ContractionPlan &plan, const matmul::Epilogue &epilogue,
                 Module &module, GpuBuilder &gpu) {
  Problem problem = plan.problem;
  if (product.matrix)
    problem.arithmetic.factor = problem.spec.lhs;
  problem.epilogue = epilogue ? &epilogue : nullptr;
  auto make = product.isByGroups   ? makeGroupProduct
              : product.matrix     ? makeWarpProduct
              : product.hasDoubles ? makeDoubleProduct
                                   : makeThreadProduct;
  const auto &phases = plan.kernel.phases;
  const KernelPhase *phase = phases.end() - product.phases().size();
  if (product.isByMaps)
    emitMaps(product, problem, module, phase++->symbol, gpu);
  make(product, problem, module, phase->symbol, gpu)->emit();
  if (product.parts > 1)
    emitCombination({product.parts, product.combinedLanes}, problem, module, phases.back().symbol);
}

} // namespace tenon::codegen
