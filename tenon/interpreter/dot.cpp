// Sums of products: dot_general, dot, einsum, ragged_dot. Each is accumulated in a wider type and rounded once.
#include "tenon/interpreter/accumulate.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"

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

bool sameSizes(const Tensor &lhs, llvm::ArrayRef<int64_t> lhsDims, const Tensor &rhs,
               llvm::ArrayRef<int64_t> rhsDims) {
  return lhsDims.size() == rhsDims.size() &&
         llvm::all_of(llvm::zip(lhsDims, rhsDims),
                      [&](auto pair) { return lhs.dim(std::get<0>(pair)) == rhs.dim(std::get<1>(pair)); });
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
  withAccumulator(result->elementType(), {lhs.elementType(), rhs.elementType()}, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> a = arranged<T>(lhs, dims.lhsBatching, lhsFree, dims.lhsContracting);
    std::vector<T> b = arranged<T>(rhs, dims.rhsBatching, rhsFree, dims.rhsContracting);
    int64_t position = 0;
    for (int64_t g = 0; g < batch; ++g)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          const T *x = a.data() + (g * m + i) * k, *y = b.data() + (g * n + j) * k;
          T sum = zero;
          for (int64_t l = 0; l < k; ++l)
            sum += x[l] * y[l];
          result->set(position++, scalarOfAccumulator(sum));
        }
  });
  return result;
}

// An operand rounded to the format that an algorithm multiplies in. Decompositions into several components stand for
// higher precision and are not imitated.
Tensor inPrecision(const Tensor &operand, mlir::Type precision, int64_t components) {
  if (!isFloat(operand.elementType()) || components != 1)
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

LogicalResult giveOrFail(Invocation &call, llvm::FailureOr<Tensor> result) {
  return llvm::failed(result) ? llvm::failure() : call.give(*result);
}

} // namespace

LogicalResult evaluate(stablehlo::DotGeneralOp op, Invocation &call) {
  stablehlo::DotDimensionNumbersAttr numbers = op.getDotDimensionNumbers();
  DotDimensions dims{numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()};
  Tensor lhs = call.tensor(0), rhs = call.tensor(1);
  if (std::optional<stablehlo::DotAlgorithmAttr> algorithm = op.getAlgorithm()) {
    lhs = inPrecision(lhs, algorithm->getLhsPrecisionType(), algorithm->getLhsComponentCount());
    rhs = inPrecision(rhs, algorithm->getRhsPrecisionType(), algorithm->getRhsComponentCount());
  }
  return giveOrFail(call, dotGeneral(call, lhs, rhs, dims, call.elementOf(0)));
}

LogicalResult evaluate(stablehlo::DotOp op, Invocation &call) {
  const Tensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  if (lhs.rank() < 1 || lhs.rank() > 2 || rhs.rank() < 1 || rhs.rank() > 2)
    return call.fail("multiplies vectors and matrices only");
  int64_t last = lhs.rank() - 1, first = 0;
  return giveOrFail(call, dotGeneral(call, lhs, rhs, {{}, {}, last, first}, call.elementOf(0)));
}

// Products over all labels, summed over those that the result does not name.
static LogicalResult giveEinsum(Invocation &call, llvm::StringRef config) {
  auto [inputs, output] = config.split("->");
  llvm::SmallVector<llvm::StringRef> terms;
  inputs.split(terms, ',');
  if (terms.size() != call.operands().size() || config.contains('.') || !config.contains("->"))
    return call.fail("has an einsum_config without an interpretation", StatusCode::kUnimplemented);
  llvm::SmallVector<char> labels(output.begin(), output.end());
  for (llvm::StringRef term : terms)
    for (char label : term)
      if (!llvm::is_contained(labels, label))
        labels.push_back(label);
  Dims sizes(labels.size(), 0);
  llvm::SmallVector<Dims> strides;
  for (auto [k, term] : llvm::enumerate(terms)) {
    const Tensor &operand = call.tensor(k);
    if (static_cast<int64_t>(term.size()) != operand.rank())
      return call.fail("labels do not match the rank of operand " + llvm::Twine(k));
    Dims source = stridesOf(operand.shape()), &byLabel = strides.emplace_back(labels.size(), 0);
    for (auto [d, label] : llvm::enumerate(term)) {
      auto at = llvm::find(labels, label) - labels.begin();
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
  withAccumulator(result->elementType(), types, [&](auto zero) {
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
      result->set(position, scalarOfAccumulator(sum));
    });
  });
  return call.give(*result);
}

LogicalResult evaluate(stablehlo::EinsumOp op, Invocation &call) { return giveEinsum(call, op.getEinsumConfig()); }
LogicalResult evaluate(stablehlo::UnaryEinsumOp op, Invocation &call) {
  return giveEinsum(call, op.getEinsumConfig());
}

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

// Groups follow each other along the ragged dimension of the lhs; rows beyond the last group give zeros. Batch
// dimensions that group_sizes has are taken one at a time.
static llvm::FailureOr<Tensor> raggedDot(Invocation &call, const Tensor &lhs, const Tensor &rhs,
                                         const Tensor &groupSizes, const DotDimensions &dims, int64_t ragged,
                                         std::optional<int64_t> group, mlir::Type element) {
  auto fail = [&](const char *message) { return (void)call.fail(message), llvm::FailureOr<Tensor>(llvm::failure()); };
  const bool raggedContracts = llvm::is_contained(dims.lhsContracting, ragged);
  const auto *batchAt = llvm::find(dims.lhsBatching, ragged);
  const bool raggedBatches = batchAt != dims.lhsBatching.end();
  if (groupSizes.rank() != 1) {
    // group_sizes is [batch..., groups]: peel the first batching dimension off everything.
    if (dims.lhsBatching.empty() || raggedBatches || groupSizes.dim(0) != lhs.dim(dims.lhsBatching[0]))
      return fail("has group sizes of a shape without an interpretation");
    int64_t lhsDim = dims.lhsBatching[0], rhsDim = dims.rhsBatching[0];
    std::vector<Tensor> layers;
    Dims lb = without(dims.lhsBatching, lhsDim), rb = without(dims.rhsBatching, rhsDim),
         lc = without(dims.lhsContracting, lhsDim), rc = without(dims.rhsContracting, rhsDim);
    for (int64_t b = 0; b < lhs.dim(lhsDim); ++b) {
      llvm::FailureOr<Tensor> one =
          raggedDot(call, layer(lhs, lhsDim, b), layer(rhs, rhsDim, b), layer(groupSizes, 0, b), {lb, rb, lc, rc},
                    ragged > lhsDim ? ragged - 1 : ragged,
                    group ? std::optional(*group > rhsDim ? *group - 1 : *group) : std::nullopt, element);
      if (llvm::failed(one))
        return llvm::failure();
      layers.push_back(*one);
    }
    if (layers.empty())
      return fail("has no batch");
    // The batch comes first in the result, behind the groups where those are a dimension of it.
    int64_t at = raggedContracts ? 1 : 0;
    Dims shape(layers[0].shape());
    shape.insert(shape.begin() + at, static_cast<int64_t>(layers.size()));
    Tensor result(shape, element);
    for (auto [b, one] : llvm::enumerate(layers)) {
      Dims unit(one.shape());
      unit.insert(unit.begin() + at, 1);
      place(result, one.reshaped(unit), at, static_cast<int64_t>(b));
    }
    return result;
  }

  // The shape without groups, from a product with the whole lhs.
  int64_t groups = groupSizes.dim(0);
  auto rhsOf = [&](int64_t g) { return group ? layer(rhs, *group, g) : rhs; };
  Dims rb = group ? without(dims.rhsBatching, *group) : Dims(dims.rhsBatching);
  Dims rc = group ? without(dims.rhsContracting, *group) : Dims(dims.rhsContracting);
  Dims free = freeDimensions(lhs, dims.lhsBatching, dims.lhsContracting);
  int64_t resultDim = raggedBatches ? batchAt - dims.lhsBatching.begin()
                                    : static_cast<int64_t>(dims.lhsBatching.size()) +
                                          (llvm::find(free, ragged) - free.begin());
  Tensor result;
  int64_t start = 0;
  for (int64_t g = 0; g < groups; ++g) {
    int64_t size = std::clamp<int64_t>(groupSizes.intAt(g), 0, lhs.dim(ragged) - start);
    Tensor lhsPart = part(lhs, ragged, start, size), rhsPart = rhsOf(g);
    if (raggedContracts) {
      auto index = llvm::find(dims.lhsContracting, ragged) - dims.lhsContracting.begin();
      rhsPart = part(rhsPart, rc[index], start, size);
    } else if (raggedBatches) {
      rhsPart = part(rhsPart, rb[batchAt - dims.lhsBatching.begin()], start, size);
    }
    llvm::FailureOr<Tensor> product =
        dotGeneral(call, lhsPart, rhsPart, {dims.lhsBatching, rb, dims.lhsContracting, rc}, element);
    if (llvm::failed(product))
      return llvm::failure();
    if (g == 0) {
      Dims shape(product->shape());
      if (raggedContracts)
        shape.insert(shape.begin(), groups);
      else
        shape[resultDim] = lhs.dim(ragged);
      result = Tensor(shape, element);
    }
    if (raggedContracts) {
      Dims unit(product->shape());
      unit.insert(unit.begin(), 1);
      place(result, product->reshaped(unit), 0, g);
    } else {
      place(result, *product, resultDim, start);
    }
    start += size;
  }
  if (groups == 0)
    return fail("has no groups");
  return result;
}

LogicalResult evaluate(chlo::RaggedDotOp op, Invocation &call) {
  chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  if (numbers.getLhsRaggedDimensions().size() != 1 || numbers.getRhsGroupDimensions().size() > 1)
    return call.fail("must have one ragged and at most one group dimension");
  std::optional<int64_t> group;
  if (!numbers.getRhsGroupDimensions().empty())
    group = numbers.getRhsGroupDimensions()[0];
  DotDimensions dims{numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                     numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()};
  return giveOrFail(call, raggedDot(call, call.tensor(0), call.tensor(1), call.tensor(2), dims,
                                    numbers.getLhsRaggedDimensions()[0], group, call.elementOf(0)));
}

} // namespace tenon::interpreter
