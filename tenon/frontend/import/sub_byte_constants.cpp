#include "tenon/frontend/import/sub_byte_constants.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace tenon::frontend {

using llvm::StringRef;

// The width of an integer or float in bits. Complex elements have whole bytes.
static unsigned bitsOf(mlir::Type element) { return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 8; }

mlir::DenseElementsAttr makeDenseElements(mlir::ShapedType type, llvm::ArrayRef<char> blob) {
  unsigned width = bitsOf(type.getElementType());
  if (width % 8 == 0 || width == 1)
    return mlir::DenseElementsAttr::getFromRawBuffer(type, blob);
  llvm::SmallVector<char> bytes(blob);
  for (size_t last = width / 8; last < bytes.size(); last += width / 8 + 1)
    bytes[last] &= static_cast<char>((1 << width % 8) - 1);
  return mlir::DenseElementsAttr::getFromRawBuffer(type, bytes);
}

static mlir::AttrTypeReplacer makeReplacer() {
  mlir::AttrTypeReplacer replacer;
  replacer.addReplacement([](mlir::DenseIntOrFPElementsAttr elements) -> mlir::Attribute {
    return makeDenseElements(elements.getType(), elements.getRawData());
  });
  return replacer;
}

// Only the form that spells out bytes can have them.
static bool mayHaveSubByteConstants(StringRef text) { return text.contains("\"0x") || text.contains("\"0X"); }

mlir::Attribute canonicalizeSubByteConstants(mlir::Attribute attribute) { return makeReplacer().replace(attribute); }

void canonicalizeSubByteConstants(mlir::ModuleOp module, StringRef text) {
  if (mayHaveSubByteConstants(text))
    makeReplacer().recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                                /*replaceTypes=*/false);
}

} // namespace tenon::frontend
