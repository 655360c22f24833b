// A transform over several dimensions is one along each of them after the other. Each needs its own dimension alone
// whole, so that the array is exchanged between devices (redistribute.h) and never gathered:
//
//   x: [{"x"}, {"y"}]   along 1: [{"x", "y"}, {}]   along 0: [{}, {"x", "y"}]   wanted: [{"x"}, {"y"}]
//
// One along a single dimension of n elements, cut in p parts, is by Cooley and Tukey one down the columns of a matrix
// of p x m elements, a multiplication by roots of unity, and one along its rows:
//
//   X[k1 + p k2] = sum over j2 of  w_m^(j2 k2)  w_n^(j2 k1)  sum over j1 of  w_p^(j1 k1) x[m j1 + j2]
//
// of which a device has a row, then columns, then a row again, and in the end, since k1 runs fastest, columns.
#include "tenon/passes/partition/transforms.h"

#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/array_builder.h"

#include "llvm/Support/FormatVariadic.h"

#include <numbers>
#include <numeric>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

// With fewer elements of a line on a device, gathering all is faster than to meet several times.
constexpr int64_t kMinElements = 4096;

class Splitter {
public:
  Splitter(sh::FftOp op, ir::Sharding operand, const ir::MeshTable &meshes)
      : op_(op), builder_(op), arrays_(builder_, op.getLoc()), meshes_(meshes), value_(op.getOperand()),
        lies_(std::move(operand)), rank_(ir::typeOf(value_).getRank()),
        first_(rank_ - static_cast<int64_t>(op.getFftLength().size())) {
    lies_.unreduced.clear();
  }

  bool isPossible() {
    SmallVector<int64_t> cut =
        llvm::to_vector(llvm::make_filter_range(llvm::seq(first_, rank_), [&](int64_t dim) { return isCut(dim); }));
    bool hasElements = ir::typeOf(value_).getNumElements() > 0 && ir::typeOf(op_.getResult()).getNumElements() > 0;
    if (cut.empty() || !hasElements || canBatchesTakeAll())
      return false;
    return llvm::all_of(cut, [&](int64_t dim) {
      auto isWaiting = [](int64_t /*other*/) { return false; };
      return takerOf(dim, isWaiting, /*mustBeEven=*/false) || (dim == rank_ - 1 && canBeMatrix());
    });
  }

  Value run() {
    if (op_.getFftType() == sh::FftType::IRFFT)
      inverseOfReal();
    else
      ofNumbers();
    return value_;
  }

private:
  SmallVector<int64_t> transformed() const { return llvm::to_vector(llvm::seq(first_, rank_)); }
  int64_t sizeOf(int64_t dim) const { return ir::typeOf(value_).getDimSize(dim); }
  int64_t partsOf(int64_t dim) const { return ir::partsOf(lies_.dims[dim].axes); }
  bool isCut(int64_t dim) const { return partsOf(dim) > 1; }

  // The dimension that can take the axes of another one, and is then the longest on a device. Those come first that are
  // cut evenly then, and that need not be whole any more. Without any, those count that have as many elements as parts.
  std::optional<int64_t> takerOf(int64_t dim, llvm::function_ref<bool(int64_t)> isWaiting, bool mustBeEven) const {
    std::optional<int64_t> taker;
    std::tuple<bool, bool, int64_t> best;
    for (int64_t other = 0; other < rank_; ++other) {
      int64_t size = sizeOf(other), parts = partsOf(other) * partsOf(dim);
      bool isUneven = size % parts != 0;
      std::tuple order(isUneven, isWaiting(other), -(size / parts));
      if (other == dim || size < parts || (isUneven && mustBeEven) || (taker && order >= best))
        continue;
      taker = other;
      best = order;
    }
    return taker;
  }
  void give(int64_t from, int64_t to) {
    for (const ir::Atom &atom : lies_.dims[from].axes)
      ir::append(lies_.dims[to].axes, atom);
    lies_.dims[from].axes.clear();
  }

  // What the partitioner does itself (place.cpp).
  bool canBatchesTakeAll() const {
    Splitter tried = *this;
    auto isTransformed = [&](int64_t dim) { return dim >= first_; };
    for (int64_t dim : transformed()) {
      if (!tried.isCut(dim))
        continue;
      std::optional<int64_t> taker = tried.takerOf(dim, isTransformed, /*mustBeEven=*/true);
      if (!taker || isTransformed(*taker))
        return false;
      tried.give(dim, *taker);
    }
    return true;
  }

  // As rows and columns: the parts of a device's part are cut evenly, too.
  bool canBeMatrix() {
    int64_t size = sizeOf(rank_ - 1), parts = partsOf(rank_ - 1);
    return op_.getFftType() != sh::FftType::RFFT && op_.getFftType() != sh::FftType::IRFFT &&
           size % (parts * parts) == 0 && size / parts >= kMinElements;
  }

  //===- Dimensions, one after the other -------------------------------------------------------------------------===//

  // Those that are whole at the end of the list as they stand, then the others, from the last one.
  void ofNumbers() {
    waiting_ = transformed();
    SmallVector<int64_t> together;
    while (!waiting_.empty() && !isCut(waiting_.back()))
      together.insert(together.begin(), waiting_.pop_back_val());
    sh::FftType type = op_.getFftType();
    if (!together.empty()) {
      transform(op_.getFftLength().take_back(together.size()), type);
      type = type == sh::FftType::RFFT ? sh::FftType::FFT : type;
    }
    while (!waiting_.empty()) {
      along(waiting_.pop_back_val(), type);
      type = type == sh::FftType::RFFT ? sh::FftType::FFT : type;
    }
  }

  // The last one makes real numbers of what the others have left.
  void inverseOfReal() {
    waiting_ = transformed();
    for (int64_t dim : llvm::reverse(llvm::seq(first_, rank_ - 1))) {
      llvm::erase(waiting_, dim);
      along(dim, sh::FftType::IFFT);
    }
    waiting_.clear();
    along(rank_ - 1, sh::FftType::IRFFT);
  }

  void along(int64_t dim, sh::FftType type) {
    bool isWhole = !isCut(dim);
    auto isWaiting = [&](int64_t other) { return llvm::is_contained(waiting_, other); };
    if (std::optional<int64_t> taker = isWhole ? std::nullopt : takerOf(dim, isWaiting, /*mustBeEven=*/false)) {
      give(dim, *taker);
      isWhole = true;
    }
    int64_t length = op_.getFftLength()[static_cast<size_t>(dim - first_)];
    if (dim == rank_ - 1) {
      isWhole || !canBeMatrix() ? transform(length, type) : asMatrix(type);
      return;
    }
    SmallVector<int64_t> exchanged = llvm::to_vector(llvm::seq<int64_t>(0, rank_));
    std::swap(exchanged[dim], exchanged.back());
    transpose(exchanged);
    isWhole || !canBeMatrix() ? transform(length, type) : asMatrix(type);
    transpose(exchanged);
  }

  // Transforms the last dimensions.
  void transform(ArrayRef<int64_t> lengths, sh::FftType type) {
    RankedTensorType from = ir::typeOf(value_);
    SmallVector<int64_t> sizes(from.getShape());
    Type element = from.getElementType();
    if (type == sh::FftType::RFFT) {
      sizes.back() = lengths.back() / 2 + 1;
      element = ComplexType::get(element);
    } else if (type == sh::FftType::IRFFT) {
      sizes.back() = lengths.back();
      element = cast<ComplexType>(element).getElementType();
    }
    take(sh::FftOp::create(builder_, op_.getLoc(), RankedTensorType::get(sizes, element), value_, type, lengths));
  }

  void transpose(ArrayRef<int64_t> permutation) {
    SmallVector<ir::DimCut, 4> dims;
    for (int64_t dim : permutation)
      dims.push_back(lies_.dims[dim]);
    lies_.dims = std::move(dims);
    take(arrays_.transpose(value_, permutation));
  }

  //===- One dimension as a matrix -------------------------------------------------------------------------------===//

  // The last one.
  void asMatrix(sh::FftType type) {
    SmallVector<int64_t> sizes(ir::typeOf(value_).getShape()), shape = sizes;
    int64_t size = sizes.back(), parts = partsOf(rank_ - 1), columns = size / parts;
    shape.back() = parts;
    shape.push_back(columns);
    lies_.dims.push_back({{}, /*isClosed=*/true, std::nullopt}); // a device has one row
    take(arrays_.reshape(value_, shape));
    // From here on the axes are those of the dimension before the last one, of columns and rows in turn.
    takeTransposed();
    transform(parts, type);
    take(arrays_.multiply(value_, roots(type, columns, parts)));
    takeTransposed();
    transform(columns, type);
    takeTransposed();
    lies_.dims.pop_back();
    take(arrays_.reshape(value_, sizes));
  }

  void takeTransposed() {
    SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, rank_ + 1));
    std::swap(permutation[rank_ - 1], permutation[rank_]);
    take(arrays_.transpose(value_, permutation));
  }

  // w_n^(row column), n = rows x columns, for each matrix; in f64 until they are rounded once.
  Value roots(sh::FftType type, int64_t rows, int64_t columns) {
    ir::Sharding lies = lies_;
    lies.dims.erase(lies.dims.begin(), lies.dims.end() - 2);
    auto here = [&](Value value) {
      mark(value, lies);
      return value;
    };
    SmallVector<int64_t> sizes = {rows, columns};
    auto whole = RankedTensorType::get(sizes, builder_.getI64Type());
    auto real = RankedTensorType::get(sizes, builder_.getF64Type());
    Value row = here(sh::IotaOp::create(builder_, op_.getLoc(), whole, 0));
    Value column = here(sh::IotaOp::create(builder_, op_.getLoc(), whole, 1));
    Value size = here(arrays_.fill(whole.getElementType(), sizes, static_cast<double>(rows * columns)));
    Value place = here(arrays_.binary<sh::RemainderOp>(here(arrays_.multiply(row, column)), size));
    double turn = (type == sh::FftType::IFFT ? 2 : -2) * std::numbers::pi / static_cast<double>(rows * columns);
    Value angle = here(arrays_.multiply(here(sh::ConvertOp::create(builder_, op_.getLoc(), real, place)),
                                        here(arrays_.fill(real.getElementType(), sizes, turn))));
    auto complex = ir::typeOf(value_).clone(sizes);
    auto part = complex.clone(cast<ComplexType>(complex.getElementType()).getElementType());
    auto rounded = [&](Value value) -> Value {
      return value.getType() == part ? value : here(sh::ConvertOp::create(builder_, op_.getLoc(), part, value));
    };
    Value cosine = rounded(here(arrays_.unary<sh::CosineOp>(angle)));
    Value sine = rounded(here(arrays_.unary<sh::SineOp>(angle)));
    Value matrix = here(sh::ComplexOp::create(builder_, op_.getLoc(), complex, cosine, sine));
    if (rank_ == 1)
      return matrix;
    Value all = arrays_.broadcast(matrix, ir::shapeOf(value_), {rank_ - 1, rank_});
    mark(all, lies_);
    return all;
  }

  //===- Ops -----------------------------------------------------------------------------------------------------===//

  void take(Value value) {
    value_ = value;
    mark(value_, lies_);
  }
  void mark(Value value, const ir::Sharding &sharding) {
    value.getDefiningOp()->setAttr("sdy.sharding",
                                   sdy::TensorShardingPerValueAttr::get(value.getContext(), {meshes_.write(sharding)}));
  }

  sh::FftOp op_;
  OpBuilder builder_;
  ArrayBuilder arrays_;
  const ir::MeshTable &meshes_;
  Value value_;       // what has come of the operand
  ir::Sharding lies_; // how that is to lie
  int64_t rank_, first_;
  SmallVector<int64_t> waiting_; // dimensions that are not transformed yet
};

} // namespace

Value splitTransform(sh::FftOp op, const ir::Sharding &operand, const ir::MeshTable &meshes) {
  Splitter splitter(op, operand, meshes);
  return splitter.isPossible() ? splitter.run() : Value();
}

std::string remedyOfTransform(Operation *op, const ir::Factors &, size_t, int64_t parts) {
  bool isOfReals = llvm::is_contained({sh::FftType::RFFT, sh::FftType::IRFFT}, cast<sh::FftOp>(op).getFftType());
  return llvm::formatv("{0}{1} elements or more, of a number that {2} divides, are transformed in parts",
                       isOfReals ? "as complex numbers (FFT, IFFT), " : "", parts * kMinElements, parts * parts);
}

} // namespace tenon::passes::partition
