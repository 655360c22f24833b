#include "tenon/passes/partition/local/remedy.h"

#include "tenon/passes/partition/local/window_ops.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::partition {
namespace {

std::string fewerParts(Operation *op, const ir::Factors &factors, const LocalForm &form, size_t factor, int64_t parts) {
  for (int64_t fewer = parts / 2; fewer > 1; --fewer)
    if (parts % fewer == 0 && form.isCuttable(op, factors, factor, fewer))
      return llvm::formatv("cut in {0} parts along it, it is computed in parts", fewer);
  return {};
}

// "dimension 1 of operand 0"
std::string nameOf(const ir::Factors &factors, size_t factor) {
  for (auto [kind, tensors] :
       {std::pair("operand", ArrayRef(factors.operands)), std::pair("result", ArrayRef(factors.results))})
    for (auto [number, dims] : llvm::enumerate(tensors))
      if (int64_t dimension = dimensionOf(dims, factor); dimension < static_cast<int64_t>(dims.size()))
        return llvm::formatv("dimension {0} of {1} {2}", dimension, kind, number);
  return {};
}

// The longest dimension that could take the axes if the number of parts divided its size (place.cpp, moveToOthers).
std::string evenSize(Operation *op, const ir::Factors &factors, const LocalForm &form, size_t factor, int64_t parts) {
  std::optional<size_t> longest;
  for (auto [number, other] : llvm::enumerate(factors.factors))
    if (number != factor && other.type == ir::FactorType::kPassThrough && other.size > 1 &&
        (!longest || other.size > factors.factors[*longest].size) && form.isCuttable(op, factors, number, parts))
      longest = number;
  std::string name = longest ? nameOf(factors, *longest) : "";
  if (name.empty())
    return {};
  return llvm::formatv("of a size that {0} divides and not {1}, {2} would be cut instead", parts,
                       factors.factors[*longest].size, name);
}

} // namespace

std::string remedyOf(Operation *op, const ir::Factors &factors, const LocalForm &form, size_t factor, int64_t parts) {
  std::string remedy = form.remedy ? form.remedy(op, factors, factor, parts) : "";
  if (remedy.empty() && factors.factors[factor].type == ir::FactorType::kMoves)
    remedy = "windows that reach over fewer of its elements move halos only";
  if (remedy.empty())
    remedy = fewerParts(op, factors, form, factor, parts);
  if (remedy.empty())
    remedy = evenSize(op, factors, form, factor, parts);
  if (remedy.empty())
    remedy = "cut its operands along other dimensions, or write it in the body of a manual computation (shard_map)";
  return remedy;
}

std::string remedyOfUnknown(Operation *op) {
  if (isa<sh::CustomCallOp>(op))
    return "a sharding rule (sdy.sharding_rule; in JAX custom_partitioning) says how they do";
  return "write it in the body of a manual computation (shard_map)";
}

} // namespace tenon::passes::partition
