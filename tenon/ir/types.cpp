#include "tenon/ir/types.h"
#include "tenon/ir/element_types.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

using mlir::ShapedType;
using mlir::Type;

static bool isStandardWidth(unsigned width) {
  return width == 2 || width == 4 || width == 8 || width == 16 || width == 32 || width == 64;
}

bool isScalarTensor(Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

bool isBool(Type type) { return type.isSignlessInteger(1); }

bool isSignedInt(Type type) { return type.isSignlessInteger() && isStandardWidth(type.getIntOrFloatBitWidth()); }

bool isUnsignedInt(Type type) { return type.isUnsignedInteger() && isStandardWidth(type.getIntOrFloatBitWidth()); }

bool isFloat(Type type) { return llvm::isa<mlir::FloatType>(type) && tenon::isFloat(toElementType(type)); }

bool isFloat32Or64(Type type) { return type.isF32() || type.isF64(); }

bool isComplex(Type type) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  return complex && isFloat32Or64(complex.getElementType());
}

static bool isQuantizedStorage(Type type) {
  auto quantized = llvm::cast<mlir::quant::QuantizedType>(type);
  return quantized.getStorageTypeIntegralWidth() <= 32 && isStandardWidth(quantized.getStorageTypeIntegralWidth()) &&
         isFloat(quantized.getExpressedType());
}

bool isQuantizedPerTensor(Type type) {
  return llvm::isa<mlir::quant::UniformQuantizedType>(type) && isQuantizedStorage(type);
}

bool isQuantizedPerAxis(Type type) {
  return llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(type) && isQuantizedStorage(type);
}

bool isDimensionSize(Type type) { return type.isIndex() || isSignedInt(type) || isUnsignedInt(type); }

bool isListable(mlir::Attribute value) {
  auto elements = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(value);
  return !elements || !elements.isSplat() || countElements(elements.getType().getShape(), kMaxListedElements);
}

std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> shape, int64_t limit) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, std::max<int64_t>(size, 1), count) || count > limit) // dynamic ones are negative
      return std::nullopt;
  return count;
}

NumberKind numberKind(Type type) {
  return isComplex(type) ? NumberKind::kComplex : isFloat(type) ? NumberKind::kFloat : NumberKind::kInteger;
}

unsigned partWidth(Type type) {
  auto complex = llvm::dyn_cast<mlir::ComplexType>(type);
  return (complex ? complex.getElementType() : type).getIntOrFloatBitWidth();
}

int64_t storedBytes(mlir::RankedTensorType type) {
  Type element = type.getElementType();
  if (auto quantized = llvm::dyn_cast<mlir::quant::QuantizedType>(element))
    element = quantized.getStorageType();
  return type.getNumElements() * ((partWidth(element) + 7) / 8) * (isComplex(element) ? 2 : 1);
}

bool compatibleElements(mlir::Type a, mlir::Type b) {
  if (a == b)
    return true;
  auto quantizedA = llvm::dyn_cast<mlir::quant::QuantizedType>(a);
  auto quantizedB = llvm::dyn_cast<mlir::quant::QuantizedType>(b);
  return quantizedA && quantizedB && quantizedA.getStorageType() == quantizedB.getStorageType() &&
         quantizedA.isSigned() == quantizedB.isSigned() &&
         quantizedA.getExpressedType() == quantizedB.getExpressedType();
}

bool areCompatibleTensors(mlir::TypeRange a, mlir::TypeRange b) {
  return succeeded(mlir::verifyCompatibleShapes(a, b)) && llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
           return compatibleElements(mlir::getElementTypeOrSelf(std::get<0>(pair)),
                                     mlir::getElementTypeOrSelf(std::get<1>(pair)));
         });
}

llvm::ArrayRef<int64_t> dimensionBounds(mlir::RankedTensorType type) {
  auto extensions = llvm::dyn_cast_or_null<stablehlo::TypeExtensionsAttr>(type.getEncoding());
  return extensions ? extensions.getBounds() : llvm::ArrayRef<int64_t>();
}

llvm::FailureOr<llvm::SmallVector<int64_t>> parseDimensions(mlir::AsmParser &parser) {
  llvm::SmallVector<int64_t> dimensions;
  auto parseOne = [&]() -> mlir::ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dimensions.push_back(ShapedType::kDynamic);
      return llvm::success();
    }
    return parser.parseInteger(dimensions.emplace_back());
  };
  if (parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square, parseOne))
    return llvm::failure();
  return dimensions;
}

void printDimensions(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dimensions) {
  printer << '[';
  llvm::interleaveComma(dimensions, printer, [&](int64_t dimension) {
    if (ShapedType::isDynamic(dimension))
      printer << '?';
    else
      printer << dimension;
  });
  printer << ']';
}

} // namespace tenon::ir
