#include "tenon/codegen/llvm/loop/lane_offsets.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

std::optional<llvm::SmallVector<int64_t>> constantLanes(llvm::Value *vector) {
  auto *constant = llvm::dyn_cast_or_null<llvm::Constant>(vector);
  auto *type = constant ? llvm::dyn_cast<llvm::FixedVectorType>(constant->getType()) : nullptr;
  if (!type)
    return std::nullopt;
  llvm::SmallVector<int64_t> numbers;
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
    auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(constant->getAggregateElement(lane));
    if (!number)
      return std::nullopt;
    numbers.push_back(number->getSExtValue());
  }
  return numbers;
}

std::optional<int64_t> strideOf(llvm::ArrayRef<int64_t> offsets) {
  int64_t stride = offsets.size() > 1 ? offsets[1] - offsets[0] : 0;
  for (size_t lane = 1; lane < offsets.size(); ++lane)
    if (offsets[lane] - offsets[lane - 1] != stride)
      return std::nullopt;
  return stride;
}

namespace {

// Elements that lie side by side.
struct Piece {
  int64_t first, count;

  bool has(int64_t offset) const { return offset >= first && offset < first + count; }
};

} // namespace

// Pieces of so many elements at most that hold all of these places, none of which reaches beyond the first or the last
// of places that are at most a vector apart: everything between two elements of an array is in it. The last piece is
// moved down for that.
static llvm::SmallVector<Piece> piecesOf(llvm::ArrayRef<int64_t> sorted, int64_t lanes, int64_t most) {
  llvm::SmallVector<Piece> pieces;
  for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    for (end = begin + 1; end < sorted.size() && sorted[end] - sorted[end - 1] <= lanes; ++end)
      ;
    int64_t first = sorted[begin], span = sorted[end - 1] - first + 1;
    int64_t count = std::min<int64_t>(most, llvm::bit_floor(static_cast<uint64_t>(span)));
    for (int64_t offset = 0; offset + count < span; offset += count)
      pieces.push_back({first + offset, count});
    pieces.push_back({first + span - count, count});
  }
  return pieces;
}

static Element loadPiece(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer, const Piece &piece) {
  llvm::Value *at = elementAddress(builder, type, pointer, builder.getInt64(piece.first));
  Element loaded = loadElements(builder, type, at, piece.count);
  for (llvm::Value *Element::*part : {&Element::re, &Element::im})
    if (piece.count == 1 && loaded.*part)
      loaded.*part = builder.CreateVectorSplat(1, loaded.*part);
  return loaded;
}

namespace {

// Places in pieces of a whole vector each, of which every lane is taken in one piece at most. So the pieces are merged
// lane by lane, where they are, and put in order once: AVX2 has shuffles of one register by any order, and blends of
// two, but no shuffles of two.
class MergedPieces {
public:
  // `sorted`: the places in order.
  static std::optional<MergedPieces> of(llvm::ArrayRef<int64_t> sorted, int64_t lanes) {
    constexpr int64_t kMostPieces = 4;
    int64_t beyond = sorted.back() - sorted.front() + 1 - lanes;
    int64_t count = llvm::divideCeil(beyond, lanes) + 1;
    if (beyond <= 0 || count > kMostPieces)
      return std::nullopt;
    MergedPieces merged;
    for (int64_t i = 0; i < count; ++i)
      merged.pieces_.push_back({sorted.front() + beyond * i / (count - 1), lanes});
    merged.pieceOf_.assign(lanes, -1);
    merged.offsetOf_.assign(lanes, 0);
    for (int64_t offset : sorted) {
      llvm::SmallVector<bool> tried(lanes, false);
      if (!merged.place(offset, tried))
        return std::nullopt;
    }
    return merged;
  }

  Element load(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer, llvm::ArrayRef<int64_t> offsets,
               llvm::ArrayRef<bool> wanted) const {
    auto lanes = static_cast<int>(pieceOf_.size());
    Element result;
    for (auto [number, piece] : llvm::enumerate(pieces_)) {
      Element loaded = loadPiece(builder, type, pointer, piece);
      llvm::SmallVector<int> merged;
      for (int lane = 0; lane < lanes; ++lane)
        merged.push_back(pieceOf_[lane] == static_cast<int>(number) ? lanes + lane : lane);
      result = result.re ? shuffleLanes(builder, result, loaded, merged) : loaded;
    }
    llvm::SmallVector<int> order(lanes, 0);
    for (auto [lane, offset, isWanted] : llvm::enumerate(offsets, wanted))
      for (int from = 0; isWanted && from < lanes; ++from)
        if (pieceOf_[from] >= 0 && offsetOf_[from] == offset)
          order[lane] = from;
    return shuffleLanes(builder, result, {}, order);
  }

private:
  // Finds a lane for the place, others moving to other pieces for it (augmenting paths).
  bool place(int64_t offset, llvm::SmallVectorImpl<bool> &tried) {
    for (auto [number, piece] : llvm::enumerate(pieces_)) {
      int64_t lane = offset - piece.first;
      if (!piece.has(offset) || tried[lane])
        continue;
      tried[lane] = true;
      if (pieceOf_[lane] >= 0 && offsetOf_[lane] != offset && !place(offsetOf_[lane], tried))
        continue;
      pieceOf_[lane] = static_cast<int>(number);
      offsetOf_[lane] = offset;
      return true;
    }
    return false;
  }

  llvm::SmallVector<Piece> pieces_;
  llvm::SmallVector<int> pieceOf_; // the piece that a lane is taken from, or -1
  llvm::SmallVector<int64_t> offsetOf_;
};

} // namespace

// Whether vectors of so many elements of the type are registers that one shuffle puts in any order.
static bool isShuffledAtOnce(mlir::Type type, int64_t lanes) {
  constexpr int64_t kLeastBytes = 4, kMostBytes = 32;
  int64_t bytes = llvm::isa<mlir::ComplexType>(type) ? 0 : storageBytes(type);
  return bytes >= kLeastBytes && lanes >= 4 && lanes * bytes <= kMostBytes;
}

// The most elements of a piece: those of a vector, and of bytes and elements of 16 bits, whose vectors are half of the
// smallest registers where they are widened, as many as these hold.
static int64_t pieceElements(mlir::Type type, int64_t lanes) {
  constexpr int64_t kRegisterBytes = 16;
  int64_t bytes = llvm::isa<mlir::ComplexType>(type) ? kRegisterBytes : storageBytes(type);
  return bytes <= 2 && lanes * bytes * 2 == kRegisterBytes ? 2 * lanes : lanes;
}

std::optional<Element> loadAtOffsets(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer,
                                     llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<bool> wanted) {
  constexpr size_t kMostPieces = 12;
  auto lanes = static_cast<int>(offsets.size());
  llvm::SmallVector<int64_t> sorted;
  for (auto [offset, isWanted] : llvm::zip(offsets, wanted))
    if (isWanted)
      sorted.push_back(offset);
  if (sorted.empty())
    return zeroElement(builder.getContext(), type, lanes);
  llvm::sort(sorted);
  sorted.erase(llvm::unique(sorted), sorted.end());
  if (isShuffledAtOnce(type, lanes))
    if (std::optional<MergedPieces> merged = MergedPieces::of(sorted, lanes))
      return merged->load(builder, type, pointer, offsets, wanted);
  llvm::SmallVector<Piece> pieces = piecesOf(sorted, lanes, pieceElements(type, lanes));
  if (pieces.size() > kMostPieces)
    return std::nullopt;
  Element result;
  for (const Piece &piece : pieces) {
    Element loaded = loadPiece(builder, type, pointer, piece);
    // The lane of the piece that each lane takes, and where the lane comes from: the result so far, or the piece, which
    // is put in order before unless it has as many lanes.
    bool isWhole = result.re && piece.count == lanes;
    llvm::SmallVector<int> place(lanes, 0), merged;
    for (int lane = 0; lane < lanes; ++lane) {
      bool isHere = wanted[lane] && piece.has(offsets[lane]);
      if (isHere)
        place[lane] = static_cast<int>(offsets[lane] - piece.first);
      merged.push_back(isHere ? lanes + (isWhole ? place[lane] : lane) : lane);
    }
    if (!isWhole)
      loaded = shuffleLanes(builder, loaded, {}, place);
    result = result.re ? shuffleLanes(builder, result, loaded, merged) : loaded;
  }
  return result;
}

std::optional<Element> loadAtOffsets(llvm::IRBuilderBase &builder, mlir::Type type, llvm::Value *pointer,
                                     llvm::Value *offsets, llvm::Value *mask) {
  std::optional<llvm::SmallVector<int64_t>> places = constantLanes(offsets), active = constantLanes(mask);
  if (!places || (mask && !active))
    return std::nullopt;
  llvm::SmallVector<bool> wanted(places->size(), true);
  if (active)
    llvm::transform(*active, wanted.begin(), [](int64_t bit) { return bit != 0; });
  return loadAtOffsets(builder, type, pointer, *places, wanted);
}

} // namespace tenon::codegen::loop
