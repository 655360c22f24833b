#include "tenon/codegen/common/interface/folded_constant.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/support/strides.h"

#include <cstring>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

using ir::shapeOf;

namespace {

// Where the elements of all indices of these dimensions are, in their order, in elements from the first one's.
std::vector<int64_t> placesOf(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  std::vector<int64_t> places{0};
  for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
    std::vector<int64_t> inner;
    inner.reserve(places.size() * size_t(size));
    for (int64_t place : places)
      for (int64_t i = 0; i < size; ++i)
        inner.push_back(place + i * stride);
    places = std::move(inner);
  }
  return places;
}

// Moves elements of so many bytes from and to row-major arrays.
class Mover {
public:
  Mover(ArrayRef<char> from, int64_t elementBytes) : from_(from), bytes_(size_t(elementBytes)) {}

  program::AlignedBytes transposed(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) const {
    std::vector<int64_t> all = rowMajorStrides(shape);
    auto sizes = llvm::map_to_vector(permutation, [&](int64_t dim) { return shape[size_t(dim)]; });
    auto strides = llvm::map_to_vector(permutation, [&](int64_t dim) { return all[size_t(dim)]; });
    program::AlignedBytes result(from_.size());
    if (result.empty() || sizes.empty()) {
      std::copy(from_.begin(), from_.end(), result.begin());
      return result;
    }
    // One index of the first dimension after the other, which fits in a cache where there are many.
    size_t inner = sizes.size() > 1 ? 1 : 0;
    int64_t blocks = inner ? sizes.front() : 1;
    std::vector<int64_t> places = placesOf(ArrayRef(sizes).slice(inner, sizes.size() - inner - 1),
                                           ArrayRef(strides).slice(inner, sizes.size() - inner - 1));
    size_t blockBytes = result.size() / size_t(blocks);
    for (int64_t block = 0; block < blocks; ++block)
      fill(result.data() + size_t(block) * blockBytes, from_.data() + size_t(block * strides.front()) * bytes_, places,
           sizes.back(), strides.back());
    return result;
  }

  // With zeros behind the elements of each dimension.
  program::AlignedBytes padded(ArrayRef<int64_t> shape, ArrayRef<int64_t> paddedShape) const {
    std::vector<int64_t> strides = rowMajorStrides(shape), paddedStrides = rowMajorStrides(paddedShape);
    program::AlignedBytes result(size_t(elementCount(paddedShape)) * bytes_);
    if (from_.empty() || shape.empty()) {
      std::copy(from_.begin(), from_.end(), result.begin());
      return result;
    }
    std::vector<int64_t> places = placesOf(shape.drop_back(), ArrayRef(strides).drop_back());
    std::vector<int64_t> to = placesOf(shape.drop_back(), ArrayRef(paddedStrides).drop_back());
    for (auto [source, target] : llvm::zip_equal(places, to))
      std::memcpy(result.data() + size_t(target) * bytes_, from_.data() + size_t(source) * bytes_,
                  size_t(shape.back()) * bytes_);
    return result;
  }

private:
  // `columns` elements, `stride` apart, from each of the places.
  void fill(uint8_t *to, const char *from, ArrayRef<int64_t> places, int64_t columns, int64_t stride) const {
    if (stride == 1) {
      for (auto [i, place] : llvm::enumerate(places))
        std::memcpy(to + i * size_t(columns) * bytes_, from + size_t(place) * bytes_, size_t(columns) * bytes_);
      return;
    }
    for (int64_t column = 0; column < columns; ++column) // read in long pieces
      for (auto [i, place] : llvm::enumerate(places))
        std::memcpy(to + (i * size_t(columns) + size_t(column)) * bytes_,
                    from + size_t(column * stride + place) * bytes_, bytes_);
  }

  ArrayRef<char> from_;
  size_t bytes_;
};

// Whether it adds zeros behind elements only.
bool addsZerosBehind(sh::PadOp op) {
  auto isZero = [](int64_t value) { return value == 0; };
  auto padding = op.getPaddingValue().getDefiningOp<sh::ConstantOp>();
  auto value = padding ? dyn_cast<SplatElementsAttr>(padding.getValue()) : SplatElementsAttr();
  return value && llvm::all_of(value.getRawData(), isZero) && llvm::all_of(op.getEdgePaddingLow(), isZero) &&
         llvm::all_of(op.getInteriorPadding(), isZero) &&
         llvm::all_of(op.getEdgePaddingHigh(), [](int64_t high) { return high >= 0; });
}

} // namespace

FailureOr<program::Constant> foldedConstant(ir::FusionOp fusion) {
  if (fusion.getInputs().size() != 1 || fusion->getNumResults() != 1)
    return failure();
  auto source = fusion.getInputs()[0].getDefiningOp<sh::ConstantOp>();
  auto elements = source ? dyn_cast<DenseElementsAttr>(source.getValue()) : DenseElementsAttr();
  if (!elements || elements.isSplat() || elements.empty())
    return failure();
  ArrayRef<char> bytes = elements.getRawData();
  int64_t elementBytes = int64_t(bytes.size()) / elements.getNumElements();
  program::Constant result;
  for (Operation &op : fusion.getBlock().without_terminator()) {
    if (isa<sh::ConstantOp, sh::ReshapeOp>(op))
      continue;
    Mover mover(bytes, elementBytes);
    if (auto transpose = dyn_cast<sh::TransposeOp>(op))
      result.bytes = mover.transposed(shapeOf(transpose.getOperand()), transpose.getPermutation());
    else if (auto pad = dyn_cast<sh::PadOp>(op); pad && addsZerosBehind(pad))
      result.bytes = mover.padded(shapeOf(pad.getOperand()), shapeOf(pad.getResult()));
    else
      return failure();
    bytes = ArrayRef<char>(reinterpret_cast<const char *>(result.bytes.data()), result.bytes.size());
  }
  if (result.bytes.empty())
    result.bytes.assign(bytes.begin(), bytes.end());
  return result;
}

} // namespace tenon::codegen
