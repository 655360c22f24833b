#include "tenon/frontend/import/legacy_attributes.h"
#include "tenon/frontend/import/vhlo_convert.h"
#include "tenon/frontend/import/vhlo_table.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;

namespace {

// VHLO spells the same things out, so its table knows their names. The newest version has all of them.
const VhloOp *findRow(Operation *op) {
  auto rows = vhloRows(op->getName().stripDialect());
  return rows.empty() ? nullptr : rows.back();
}

LogicalResult collect(Operation *op) {
  const VhloOp *row = findRow(op);
  if (!row)
    return success();
  mlir::NamedAttrList legacy;
  for (const VhloAttribute &attribute : row->attributes)
    if (attribute.rule == VhloRule::kGrouped || attribute.rule == VhloRule::kChannelId)
      if (mlir::Attribute value = op->getDiscardableAttr(attribute.name))
        legacy.append(attribute.name, value);
  if (legacy.empty())
    return success();
  auto structured = convertLegacyAttributesOf(*row, legacy, [&] { return op->emitError(); });
  if (failed(structured))
    return failure();
  for (mlir::NamedAttribute attribute : legacy)
    op->removeDiscardableAttr(attribute.getName());
  for (mlir::NamedAttribute attribute : *structured)
    op->setAttr(attribute.getName(), attribute.getValue());
  return success();
}

} // namespace

LogicalResult convertLegacyAttributes(mlir::ModuleOp module) {
  auto result = module.walk([](Operation *op) {
    bool hasOthers = llvm::isa_and_nonnull<stablehlo::StablehloDialect>(op->getDialect()) &&
                     !op->getDiscardableAttrDictionary().empty();
    return hasOthers && failed(collect(op)) ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace tenon::frontend
