// Sums of products: dot_general, dot, einsum, ragged_dot. Each is accumulated in a wider type and rounded once.
#include "tenon/interpreter/accumulate.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"
#include "tenon/ir/einsum.h"

#include <array>

namespace tenon::interpreter {
namespace {

struct DotDimensions {
  llvm::ArrayRef<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
};

Dims freeDimensions(const Tensor &tensor, llvm::ArrayRef<int64_t> batching, llvm::ArrayRef<int64_t> contracting) {
  Dims result;
  for (int64_t d = 0; d < tensor.rank(); ++d)
    if (!llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d))
      result.push_back(d);
  return result;
}

int64_t sizeOf(const Tensor &tensor, llvm::ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t d : dims)
    size *= tensor.dim(d);
  return size;
}

// The operand with its dimensions in the order batching, free, contracting.
template <typename T>
std::vector<T> arranged(const Tensor &tensor, llvm::ArrayRef<int64_t> batching, llvm::ArrayRef<int64_t> free,
                        llvm::ArrayRef<int64_t> contracting) {
  Dims shape, strides, source = stridesOf(tensor.shape());
  for (llvm::ArrayRef<int64_t> dims : {batching, free, contracting})
    for (int64_t d : dims) {
      shape.push_back(tensor.dim(d));
      strides.push_back(source[d]);
    }
  Tensor moved(shape, tensor.mlirElementType());
  copyStrided(moved, tensor, 0, strides);
  return accumulatorsOf<T>(moved);
}

bool sameSizes(const Tensor &lhs, llvm::ArrayRef<int64_t> lhsDims, const Tensor &rhs, llvm::ArrayRef<int64_t> rhsDims) {
  return lhsDims.size() == rhsDims.size() && llvm::all_of(llvm::zip(lhsDims, rhsDims), [&](auto pair) {
           return lhs.dim(std::get<0>(pair)) == rhs.dim(std::get<1>(pair));
         });
}

// The sums of products of a row of lhs with `Count` rows of rhs, each in order: side by side, since one alone waits for
// each of its additions.
template <int Count, typename T> std::array<T, Count> sumsOfProducts(const T *x, const T *y, int64_t k) {
  std::array<T, Count> sums{};
  for (int64_t l = 0; l < k; ++l)
    for (int64_t j = 0; j < Count; ++j)
      sums[j] += x[l] * y[j * k + l];
  return sums;
}

llvm::FailureOr<Tensor> dotGeneral(Invocation &call, const Tensor &lhs, const Tensor &rhs, const DotDimensions &dims,
                                   mlir::Type element) {
  if (!sameSizes(lhs, dims.lhsBatching, rhs, dims.rhsBatching) ||
      !sameSizes(lhs, dims.lhsContracting, rhs, dims.rhsContracting))
    return (void)call.fail("batching or contracting dimensions differ in size"), llvm::failure();
  Dims lhsFree = freeDimensions(lhs, dims.lhsBatching, dims.lhsContracting);
  Dims rhsFree = freeDimensions(rhs, dims.rhsBatching, dims.rhsContracting);
  Dims shape;
  for (int64_t d : dims.lhsBatching)
    shape.push_back(lhs.dim(d));
  for (int64_t d : lhsFree)
    shape.push_back(lhs.dim(d));
  for (int64_t d : rhsFree)
    shape.push_back(rhs.dim(d));
  llvm::FailureOr<Tensor> result = call.make(shape, element);
  if (llvm::failed(result))
    return llvm::failure();
  int64_t batch = sizeOf(lhs, dims.lhsBatching), m = sizeOf(lhs, lhsFree), n = sizeOf(rhs, rhsFree),
          k = sizeOf(lhs, dims.lhsContracting);
  ElementType sumType = typeOfSum(result->elementType(), {lhs.elementType(), rhs.elementType()});
  withAccumulator(sumType, {lhs.elementType(), rhs.elementType()}, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> a = arranged<T>(lhs, dims.lhsBatching, lhsFree, dims.lhsContracting);
    std::vector<T> b = arranged<T>(rhs, dims.rhsBatching, rhsFree, dims.rhsContracting);
    int64_t position = 0;
    auto put = [&](auto sums) {
      for (T sum : sums)
        result->set(position++, scalarOfAccumulator(sum, sumType, result->elementType()));
    };
    constexpr int kTogether = 8;
    for (int64_t g = 0; g < batch; ++g)
      for (int64_t i = 0; i < m; ++i) {
        const T *x = a.data() + (g * m + i) * k, *y = b.data() + g * n * k;
        int64_t j = 0;
        for (; j + kTogether <= n; j += kTogether)
          put(sumsOfProducts<kTogether>(x, y + j * k, k));
        for (; j < n; ++j)
          put(sumsOfProducts<1>(x, y + j * k, k));
      }
  });
  return result;
}

// An operand rounded to the format that an algorithm multiplies in, if it does so once. Several primitive operations
// stand for higher precision and are not imitated.
Tensor inPrecision(const Tensor &operand, mlir::Type precision, int64_t operations) {
  if (!isFloat(operand.elementType()) || operations != 1)
    return operand;
  Tensor result = operand;
  std::optional<ElementType> type = elementTypeOf(precision);
  MaybeKernel tf32 = kernels::reducePrecision(operand.elementType(), 8, 10);
  for (int64_t i = 0; i < operand.size(); ++i) {
    Scalar value = operand.get(i);
    result.set(i, type ? normalize(*type, value) : (*tf32)(&value));
  }
  return result;
}

LogicalResult yieldOrFail(Invocation &call, llvm::FailureOr<Tensor> result) {
  return llvm::failed(result) ? llvm::failure() : call.yield(*result);
}

} // namespace

LogicalResult evaluate(stablehlo::DotGeneralOp op, Invocation &call) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  DotDimensions dims{numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()};
  Tensor lhs = call.tensor(0), rhs = call.tensor(1);
  if (std::optional<stablehlo::DotAlgorithmAttr> algorithm = op.getAlgorithm()) {
    lhs = inPrecision(lhs, algorithm->getLhsPrecisionType(), algorithm->getNumPrimitiveOperations());
    rhs = inPrecision(rhs, algorithm->getRhsPrecisionType(), algorithm->getNumPrimitiveOperations());
  }
  return yieldOrFail(call, dotGeneral(call, lhs, rhs, dims, call.elementOf(0)));
}

LogicalResult evaluate(stablehlo::DotOp op, Invocation &call) {
  const Tensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  if (lhs.rank() < 1 || lhs.rank() > 2 || rhs.rank() < 1 || rhs.rank() > 2)
    return call.fail("multiplies vectors and matrices only");
  int64_t last = lhs.rank() - 1, first = 0;
  return yieldOrFail(call, dotGeneral(call, lhs, rhs, {{}, {}, last, first}, call.elementOf(0)));
}

// Products over all labels, summed over those that the result does not name.
static LogicalResult yieldEinsum(mlir::Operation *op, Invocation &call) {
  auto [terms, output] = *stablehlo::einsumLabels(op);
  llvm::SmallVector<char> labels(output.begin(), output.end());
  for (const std::string &term : terms)
    for (char label : term)
      if (!llvm::is_contained(labels, label))
        labels.push_back(label);
  Dims sizes(labels.size(), -1);
  llvm::SmallVector<Dims> strides;
  for (auto [k, term] : llvm::enumerate(terms)) {
    const Tensor &operand = call.tensor(k);
    Dims source = stridesOf(operand.shape()), &byLabel = strides.emplace_back(labels.size(), 0);
    for (auto [d, label] : llvm::enumerate(term)) {
      auto at = llvm::find(labels, label) - labels.begin();
      if (sizes[at] >= 0 && sizes[at] != operand.dim(d))
        return call.fail("a label stands for sizes " + llvm::Twine(sizes[at]) + " and " + llvm::Twine(operand.dim(d)));
      sizes[at] = operand.dim(d);
      byLabel[at] += source[d];
    }
  }
  llvm::ArrayRef<int64_t> all(sizes);
  llvm::FailureOr<Tensor> result = call.make(all.take_front(output.size()), call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  llvm::SmallVector<ElementType> types;
  for (const Value &operand : call.operands())
    types.push_back(operand.tensor().elementType());
  ElementType sumType = typeOfSum(result->elementType(), types);
  withAccumulator(sumType, types, [&](auto zero) {
    using T = decltype(zero);
    forEachIndex(all.take_front(output.size()), [&](llvm::ArrayRef<int64_t> outer, int64_t position) {
      T sum = zero;
      forEachIndex(all.drop_front(output.size()), [&](llvm::ArrayRef<int64_t> inner, int64_t) {
        T product = T(1);
        for (auto [k, operand] : llvm::enumerate(call.operands())) {
          int64_t at = 0;
          for (size_t d = 0; d < labels.size(); ++d)
            at += strides[k][d] * (d < outer.size() ? outer[d] : inner[d - outer.size()]);
          product *= accumulatorOf<T>(types[k], operand.tensor().get(at));
        }
        sum += product;
      });
      result->set(position, scalarOfAccumulator(sum, sumType, result->elementType()));
    });
  });
  return call.yield(*result);
}

LogicalResult evaluate(stablehlo::EinsumOp op, Invocation &call) { return yieldEinsum(op, call); }
LogicalResult evaluate(stablehlo::UnaryEinsumOp op, Invocation &call) { return yieldEinsum(op, call); }

namespace {

// Part [start, start + size) of one dimension.
Tensor part(const Tensor &operand, int64_t dimension, int64_t start, int64_t size) {
  Dims shape(operand.shape()), strides = stridesOf(operand.shape());
  shape[dimension] = size;
  Tensor result(shape, operand.mlirElementType());
  copyStrided(result, operand, start * strides[dimension], strides);
  return result;
}

// Element `at` of one dimension, without that dimension.
Tensor layer(const Tensor &operand, int64_t dimension, int64_t at) {
  Tensor kept = part(operand, dimension, at, 1);
  Dims shape(kept.shape());
  shape.erase(shape.begin() + dimension);
  return kept.reshaped(shape);
}

// Dimension numbers as they are once `dropped` is gone.
Dims without(llvm::ArrayRef<int64_t> dims, int64_t dropped) {
  Dims result;
  for (int64_t d : dims)
    if (d != dropped)
      result.push_back(d > dropped ? d - 1 : d);
  return result;
}

// Copies `from` into rows [start, ...) of dimension `dimension` of `to`.
void place(Tensor &to, const Tensor &from, int64_t dimension, int64_t start) {
  Dims strides = stridesOf(to.shape());
  to.mutableData();
  forEachIndex(from.shape(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t at = start * strides[dimension];
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * strides[d];
    copyElement(to, at, from, position);
  });
}

} // namespace

namespace {

struct RaggedDot {
  Dims lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  int64_t ragged;               // dimension of the lhs that the groups follow each other along
  std::optional<int64_t> group; // dimension of the rhs that has one entry a group
  mlir::Type element;

  // Position of the ragged dimension in a list, or of none.
  static std::optional<int64_t> indexIn(llvm::ArrayRef<int64_t> dims, int64_t dimension) {
    const auto *at = llvm::find(dims, dimension);
    return at == dims.end() ? std::nullopt : std::optional<int64_t>(at - dims.begin());
  }
};

llvm::FailureOr<Tensor> raggedDot(Invocation &call, const Tensor &lhs, const Tensor &rhs, const Tensor &groupSizes,
                                  const RaggedDot &dot);

// group_sizes is [batch..., groups]: one product for each index of the first batching dimension.
llvm::FailureOr<Tensor> batchOfRaggedDots(Invocation &call, const Tensor &lhs, const Tensor &rhs,
                                          const Tensor &groupSizes, const RaggedDot &dot) {
  if (dot.lhsBatching.empty() || RaggedDot::indexIn(dot.lhsBatching, dot.ragged) ||
      groupSizes.dim(0) != lhs.dim(dot.lhsBatching[0]) || groupSizes.dim(0) == 0)
    return (void)call.fail("has group sizes of a shape without an interpretation"), llvm::failure();
  int64_t lhsDim = dot.lhsBatching[0], rhsDim = dot.rhsBatching[0];
  RaggedDot inner{without(dot.lhsBatching, lhsDim),
                  without(dot.rhsBatching, rhsDim),
                  without(dot.lhsContracting, lhsDim),
                  without(dot.rhsContracting, rhsDim),
                  dot.ragged > lhsDim ? dot.ragged - 1 : dot.ragged,
                  dot.group,
                  dot.element};
  if (inner.group && *inner.group > rhsDim)
    --*inner.group;
  // The batch comes first in the result, behind the groups where those are a dimension of it.
  int64_t at = RaggedDot::indexIn(dot.lhsContracting, dot.ragged) ? 1 : 0;
  Tensor result;
  for (int64_t b = 0; b < groupSizes.dim(0); ++b) {
    llvm::FailureOr<Tensor> one =
        raggedDot(call, layer(lhs, lhsDim, b), layer(rhs, rhsDim, b), layer(groupSizes, 0, b), inner);
    if (llvm::failed(one))
      return llvm::failure();
    Dims shape(one->shape());
    shape.insert(shape.begin() + at, 1);
    Tensor unit = one->reshaped(shape);
    if (b == 0) {
      shape[at] = groupSizes.dim(0);
      result = Tensor(shape, dot.element);
    }
    place(result, unit, at, b);
  }
  return result;
}

// Groups follow each other along the ragged dimension of the lhs; rows beyond the last group give zeros.
llvm::FailureOr<Tensor> raggedDot(Invocation &call, const Tensor &lhs, const Tensor &rhs, const Tensor &groupSizes,
                                  const RaggedDot &dot) {
  if (groupSizes.rank() != 1)
    return batchOfRaggedDots(call, lhs, rhs, groupSizes, dot);
  std::optional<int64_t> contracted = RaggedDot::indexIn(dot.lhsContracting, dot.ragged);
  std::optional<int64_t> batched = RaggedDot::indexIn(dot.lhsBatching, dot.ragged);
  Dims rb = dot.group ? without(dot.rhsBatching, *dot.group) : dot.rhsBatching;
  Dims rc = dot.group ? without(dot.rhsContracting, *dot.group) : dot.rhsContracting;
  // The position of the ragged dimension in the result.
  int64_t resultDim = batched.value_or(
      static_cast<int64_t>(dot.lhsBatching.size()) +
      RaggedDot::indexIn(freeDimensions(lhs, dot.lhsBatching, dot.lhsContracting), dot.ragged).value_or(0));
  int64_t groups = groupSizes.dim(0), start = 0;
  if (groups == 0)
    return (void)call.fail("has no groups"), llvm::failure();
  Tensor result;
  for (int64_t g = 0; g < groups; ++g) {
    int64_t size = std::clamp<int64_t>(groupSizes.intAt(g), 0, lhs.dim(dot.ragged) - start);
    Tensor lhsPart = part(lhs, dot.ragged, start, size), rhsPart = dot.group ? layer(rhs, *dot.group, g) : rhs;
    if (contracted || batched)
      rhsPart = part(rhsPart, contracted ? rc[*contracted] : rb[*batched], start, size);
    llvm::FailureOr<Tensor> product =
        dotGeneral(call, lhsPart, rhsPart, {dot.lhsBatching, rb, dot.lhsContracting, rc}, dot.element);
    if (llvm::failed(product))
      return llvm::failure();
    Dims shape(product->shape());
    if (contracted)
      shape.insert(shape.begin(), 1);
    Tensor unit = product->reshaped(shape);
    if (g == 0) {
      shape[contracted ? 0 : resultDim] = contracted ? groups : lhs.dim(dot.ragged);
      result = Tensor(shape, dot.element);
    }
    place(result, unit, contracted ? 0 : resultDim, contracted ? g : start);
    start += size;
  }
  return result;
}

} // namespace

LogicalResult evaluate(chlo::RaggedDotOp op, Invocation &call) {
  chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  if (numbers.getLhsRaggedDimensions().size() != 1 || numbers.getRhsGroupDimensions().size() > 1)
    return call.fail("must have one ragged and at most one group dimension");
  RaggedDot dot{Dims(numbers.getLhsBatchingDimensions()),
                Dims(numbers.getRhsBatchingDimensions()),
                Dims(numbers.getLhsContractingDimensions()),
                Dims(numbers.getRhsContractingDimensions()),
                numbers.getLhsRaggedDimensions()[0],
                std::nullopt,
                call.elementOf(0)};
  if (!numbers.getRhsGroupDimensions().empty())
    dot.group = numbers.getRhsGroupDimensions()[0];
  return yieldOrFail(call, raggedDot(call, call.tensor(0), call.tensor(1), call.tensor(2), dot));
}

} // namespace tenon::interpreter
