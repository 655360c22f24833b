#include "tenon/ir/einsum.h"

#include "tenon/ir/infer.h"

#include "llvm/ADT/StringExtras.h"

namespace tenon::stablehlo {

/// The term's labels, as many as the rank; of the ellipsis, control characters that count from its last dimension.
static std::optional<std::string> labelsOf(StringRef term, int64_t rank) {
  constexpr int64_t kMaxHidden = ' ' - 1;
  auto [before, after] = term.split("...");
  if (!llvm::all_of(before, llvm::isAlpha) || !llvm::all_of(after, llvm::isAlpha))
    return std::nullopt;
  int64_t hidden = rank - static_cast<int64_t>(before.size() + after.size());
  if (hidden < 0 || hidden > kMaxHidden || (hidden > 0 && !term.contains("...")))
    return std::nullopt;
  std::string labels = before.str();
  for (int64_t k = hidden; k > 0; --k)
    labels += static_cast<char>(k);
  return labels + after.str();
}

std::optional<EinsumLabels> einsumLabels(mlir::Operation *op) {
  std::string config;
  for (char c : op->getAttrOfType<mlir::StringAttr>("einsum_config").getValue())
    if (c != ' ')
      config += c;
  auto [inputs, output] = StringRef(config).split("->");
  SmallVector<StringRef> terms;
  inputs.split(terms, ',');
  if (!StringRef(config).contains("->") || terms.size() != op->getNumOperands())
    return std::nullopt;
  EinsumLabels labels;
  for (auto [term, operand] : llvm::zip_equal(terms, op->getOperands())) {
    std::optional<std::string> those = labelsOf(term, tensor(operand).getRank());
    if (!those)
      return std::nullopt;
    labels.operands.push_back(*those);
  }
  std::optional<std::string> those = labelsOf(output, tensor(op->getResult(0)).getRank());
  if (!those)
    return std::nullopt;
  labels.result = *those;
  return labels;
}

SmallVector<int64_t> einsumShape(mlir::Operation *op, const EinsumLabels &labels) {
  llvm::SmallDenseMap<char, int64_t> sizes;
  for (auto [term, operand] : llvm::zip_equal(labels.operands, op->getOperands()))
    for (auto [label, size] : llvm::zip_equal(term, tensor(operand).getShape()))
      sizes[label] = size;
  return llvm::map_to_vector(labels.result, [&](char label) { return sizes.lookup(label); });
}

} // namespace tenon::stablehlo
