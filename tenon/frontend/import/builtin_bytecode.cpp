// The builtin dialect's attributes and types. MLIR can read them itself, but trusts what it reads: a damaged count
// makes it allocate without bounds, a damaged type makes it build attributes that later crash.
#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/frontend/import/sub_byte_constants.h"
#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::SmallVector;
using llvm::success;
using mlir::Attribute;
using mlir::DialectBytecodeReader;
using mlir::Type;

LogicalResult readIntegers(DialectBytecodeReader &reader, llvm::SmallVectorImpl<int64_t> &values) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  for (; count; --count) {
    int64_t value;
    if (failed(reader.readSignedVarInt(value)))
      return failure();
    values.push_back(value);
  }
  return success();
}

LogicalResult readTypes(DialectBytecodeReader &reader, llvm::SmallVectorImpl<Type> &types) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return failure();
  for (; count; --count) {
    Type type;
    if (failed(reader.readType(type)))
      return failure();
    types.push_back(type);
  }
  return success();
}

LogicalResult readShape(DialectBytecodeReader &reader, llvm::SmallVectorImpl<int64_t> &shape) {
  if (failed(readIntegers(reader, shape)))
    return failure();
  for (int64_t size : shape)
    if (size < 0 && !mlir::ShapedType::isDynamic(size))
      return reader.emitError("negative dimension size ") << size;
  if (!ir::countElements(shape, ir::kMaxElements))
    return reader.emitError("a tensor of more than ") << ir::kMaxElements << " elements";
  return success();
}

Type makeTensorType(DialectBytecodeReader &reader, llvm::ArrayRef<int64_t> shape, Type element, Attribute encoding) {
  if (!mlir::TensorType::isValidElementType(element))
    return reader.emitError("a tensor cannot have elements of type ") << element, Type();
  return mlir::RankedTensorType::getChecked([&] { return reader.emitError(); }, shape, element, encoding);
}

namespace {

// Booleans are packed eight to a byte, lowest bit first; all equal values may be one byte 0x00 or 0xFF. Some writers
// stored one byte for each value.
Attribute makeBooleanTensor(DialectBytecodeReader &reader, mlir::ShapedType type, llvm::ArrayRef<char> blob) {
  uint64_t count = type.getNumElements();
  if (blob.size() == 1 && (blob[0] == '\xff' || (blob[0] == 0 && (count > 8 || count == 0))))
    return mlir::DenseElementsAttr::get(type, blob[0] != 0);
  bool packed = blob.size() == llvm::divideCeil(count, 8);
  if (!packed && blob.size() != count)
    return reader.emitError("tensor attribute of type ") << type << " with " << blob.size() << " bytes", Attribute();
  SmallVector<bool> values(count);
  for (uint64_t i = 0; i < count; ++i)
    values[i] = packed ? (blob[i / 8] >> (i % 8)) & 1 : blob[i] != 0;
  return mlir::DenseElementsAttr::get(type, values);
}

} // namespace

Attribute makeTensorAttribute(DialectBytecodeReader &reader, mlir::ShapedType type, llvm::ArrayRef<char> blob) {
  Type element = type.getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(element))
    element = complex.getElementType();
  if (!type.hasStaticShape() || !element.isIntOrIndexOrFloat())
    return reader.emitError("tensor attribute of type ") << type, Attribute();
  if (type.getElementType().isInteger(1))
    return makeBooleanTensor(reader, type, blob);
  bool isSplat;
  if (!mlir::DenseElementsAttr::isValidRawBuffer(type, blob, isSplat))
    return reader.emitError("tensor attribute of type ") << type << " with " << blob.size() << " bytes", Attribute();
  return makeDenseElements(type, blob);
}

namespace {

enum AttributeCode : uint64_t {
  kArray = 0,
  kDictionary = 1,
  kString = 2,
  kTypedString = 3,
  kFlatSymbolRef = 4,
  kSymbolRef = 5,
  kType = 6,
  kUnit = 7,
  kInteger = 8,
  kFloat = 9,
  kCallSiteLoc = 10,
  kFileLineColLoc = 11,
  kFusedLoc = 12,
  kFusedLocWithMetadata = 13,
  kNameLoc = 14,
  kUnknownLoc = 15,
  kDenseArray = 17,
  kDenseElements = 18,
  kDenseStrings = 19,
  kSparseElements = 20,
  kDistinct = 21,
  kFileLineColRange = 22,
};

Attribute readString(DialectBytecodeReader &reader, bool typed) {
  llvm::StringRef text;
  Type type;
  if (failed(reader.readString(text)) || (typed && failed(reader.readType(type))))
    return {};
  return typed ? mlir::StringAttr::get(text, type) : mlir::StringAttr::get(reader.getContext(), text);
}

Attribute readSymbol(DialectBytecodeReader &reader, bool nested) {
  mlir::StringAttr root;
  SmallVector<mlir::FlatSymbolRefAttr> parts;
  if (failed(reader.readAttribute(root)) || (nested && failed(readAttributes(reader, parts))))
    return {};
  if (root.empty())
    return reader.emitError("a reference to a symbol without name"), Attribute();
  return mlir::SymbolRefAttr::get(root, parts);
}

Attribute readNumber(DialectBytecodeReader &reader, bool isFloat) {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  if (isFloat) {
    auto floatType = llvm::dyn_cast<mlir::FloatType>(type);
    if (!floatType)
      return reader.emitError("floating-point attribute of type ") << type, Attribute();
    auto value = reader.readAPFloatWithKnownSemantics(floatType.getFloatSemantics());
    return failed(value) ? Attribute() : mlir::FloatAttr::get(type, *value);
  }
  if (!type.isIntOrIndex())
    return reader.emitError("integer attribute of type ") << type, Attribute();
  unsigned width = type.isIndex() ? mlir::IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  auto value = reader.readAPIntWithKnownWidth(width);
  return failed(value) ? Attribute() : mlir::IntegerAttr::get(type, *value);
}

Attribute readDenseArray(DialectBytecodeReader &reader) {
  Type element;
  uint64_t size;
  llvm::ArrayRef<char> blob;
  if (failed(reader.readType(element)) || failed(reader.readVarInt(size)) || failed(reader.readBlob(blob)))
    return {};
  if (!element.isIntOrFloat() || size != static_cast<uint64_t>(static_cast<int64_t>(size)))
    return reader.emitError("array attribute of type ") << element, Attribute();
  return mlir::DenseArrayAttr::getChecked([&] { return reader.emitError(); }, element, static_cast<int64_t>(size),
                                          blob);
}

Attribute readDenseElements(DialectBytecodeReader &reader) {
  mlir::ShapedType type;
  llvm::ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob)))
    return {};
  if (!llvm::isa<mlir::RankedTensorType, mlir::VectorType>(type))
    return reader.emitError("dense elements of type ") << type, Attribute();
  return makeTensorAttribute(reader, type, blob);
}

Attribute readFileLocation(DialectBytecodeReader &reader) {
  mlir::StringAttr file;
  uint64_t line, column;
  if (failed(reader.readAttribute(file)) || failed(reader.readVarInt(line)) || failed(reader.readVarInt(column)))
    return {};
  return mlir::FileLineColLoc::get(file, static_cast<unsigned>(line), static_cast<unsigned>(column));
}

// Reads a location in a file with no position, a line, line and column, a range in a line, or a range over lines.
Attribute readFileRange(DialectBytecodeReader &reader) {
  mlir::StringAttr file;
  uint64_t count, at[4] = {};
  if (failed(reader.readAttribute(file)) || failed(reader.readVarInt(count)))
    return {};
  if (count > 4)
    return reader.emitError("location with ") << count << " numbers", Attribute();
  for (uint64_t i = 0; i < count; ++i)
    if (failed(reader.readVarInt(at[i])))
      return {};
  switch (count) {
  case 0:
    return mlir::FileLineColRange::get(file);
  case 1:
    return mlir::FileLineColRange::get(file, at[0]);
  case 2:
    return mlir::FileLineColRange::get(file, at[0], at[1]);
  case 3:
    return mlir::FileLineColRange::get(file, at[0], at[1], at[2]);
  default:
    return mlir::FileLineColRange::get(file, at[0], at[1], at[2], at[3]);
  }
}

Attribute readCombinedLocation(DialectBytecodeReader &reader, uint64_t code) {
  mlir::LocationAttr first, second;
  if (code == kCallSiteLoc) {
    if (failed(reader.readAttribute(first)) || failed(reader.readAttribute(second)))
      return {};
    return mlir::CallSiteLoc::get(first, second);
  }
  if (code == kNameLoc) {
    mlir::StringAttr name;
    if (failed(reader.readAttribute(name)) || failed(reader.readAttribute(first)))
      return {};
    return mlir::NameLoc::get(name, first);
  }
  SmallVector<mlir::LocationAttr> parts;
  Attribute metadata;
  if (failed(readAttributes(reader, parts)) ||
      (code == kFusedLocWithMetadata && failed(reader.readAttribute(metadata))))
    return {};
  SmallVector<mlir::Location> locations(parts.begin(), parts.end());
  return mlir::FusedLoc::get(locations, metadata, reader.getContext());
}

} // namespace

Attribute readBuiltinAttribute(DialectBytecodeReader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case kArray: {
    SmallVector<Attribute> elements;
    return failed(readAttributes(reader, elements)) ? Attribute() : mlir::ArrayAttr::get(reader.getContext(), elements);
  }
  case kDictionary:
    return readDictionary(reader);
  case kString:
  case kTypedString:
    return readString(reader, code == kTypedString);
  case kFlatSymbolRef:
  case kSymbolRef:
    return readSymbol(reader, code == kSymbolRef);
  case kType: {
    Type type;
    return failed(reader.readType(type)) ? Attribute() : mlir::TypeAttr::get(type);
  }
  case kUnit:
    return mlir::UnitAttr::get(reader.getContext());
  case kInteger:
  case kFloat:
    return readNumber(reader, code == kFloat);
  case kUnknownLoc:
    return mlir::UnknownLoc::get(reader.getContext());
  case kFileLineColLoc:
    return readFileLocation(reader);
  case kFileLineColRange:
    return readFileRange(reader);
  case kCallSiteLoc:
  case kFusedLoc:
  case kFusedLocWithMetadata:
  case kNameLoc:
    return readCombinedLocation(reader, code);
  case kDenseArray:
    return readDenseArray(reader);
  case kDenseElements:
    return readDenseElements(reader);
  case kDenseStrings:
  case kSparseElements:
  case kDistinct:
    return reader.emitError("string, sparse and distinct attributes are not supported"), Attribute();
  default:
    return reader.emitError("unknown builtin attribute code ") << code, Attribute();
  }
}

namespace {

// Types without parameters; null for the others. The formats of 19 bits and less got numbers with LLVM 23, before that
// they were written as text.
Type simpleBuiltinType(uint64_t code, mlir::MLIRContext *context) {
  switch (code) {
  case 1:
    return mlir::IndexType::get(context);
  case 3:
    return mlir::BFloat16Type::get(context);
  case 4:
    return mlir::Float16Type::get(context);
  case 5:
    return mlir::Float32Type::get(context);
  case 6:
    return mlir::Float64Type::get(context);
  case 12:
    return mlir::NoneType::get(context);
  case 21:
    return mlir::FloatTF32Type::get(context);
  case 22:
    return mlir::Float8E5M2Type::get(context);
  case 23:
    return mlir::Float8E4M3Type::get(context);
  case 24:
    return mlir::Float8E4M3FNType::get(context);
  case 25:
    return mlir::Float8E5M2FNUZType::get(context);
  case 26:
    return mlir::Float8E4M3FNUZType::get(context);
  case 27:
    return mlir::Float8E4M3B11FNUZType::get(context);
  case 28:
    return mlir::Float8E3M4Type::get(context);
  case 29:
    return mlir::Float4E2M1FNType::get(context);
  case 30:
    return mlir::Float6E2M3FNType::get(context);
  case 31:
    return mlir::Float6E3M2FNType::get(context);
  case 32:
    return mlir::Float8E8M0FNUType::get(context);
  default:
    return {};
  }
}

} // namespace

Attribute readDictionary(DialectBytecodeReader &reader) {
  uint64_t count;
  if (failed(reader.readVarInt(count)))
    return {};
  mlir::NamedAttrList entries;
  for (; count; --count) {
    mlir::StringAttr name;
    Attribute value;
    if (failed(reader.readAttribute(name)) || failed(reader.readAttribute(value)))
      return {};
    if (name.empty())
      return reader.emitError("empty name in a dictionary attribute"), Attribute();
    entries.append(name, value);
  }
  if (entries.findDuplicate())
    return reader.emitError("repeated name in a dictionary attribute"), Attribute();
  return entries.getDictionary(reader.getContext());
}

static Type readIntegerType(DialectBytecodeReader &reader) {
  uint64_t widthAndSignedness;
  if (failed(reader.readVarInt(widthAndSignedness)))
    return {};
  uint64_t width = widthAndSignedness >> 2, signedness = widthAndSignedness & 3;
  if (width == 0 || width > mlir::IntegerType::kMaxWidth || signedness > 2)
    return reader.emitError("malformed integer type"), Type();
  using Signedness = mlir::IntegerType::SignednessSemantics;
  bool isUnsigned = signedness == Signedness::Unsigned; // si32 is another spelling of i32, as it is in text
  return mlir::IntegerType::get(reader.getContext(), width, isUnsigned ? Signedness::Unsigned : Signedness::Signless);
}

Type readBuiltinType(DialectBytecodeReader &reader) {
  mlir::MLIRContext *context = reader.getContext();
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  if (Type type = simpleBuiltinType(code, context))
    return type;
  switch (code) {
  case 0:
    return readIntegerType(reader);
  case 2: {
    SmallVector<Type> inputs, results;
    if (failed(readTypes(reader, inputs)) || failed(readTypes(reader, results)))
      return {};
    return mlir::FunctionType::get(context, inputs, results);
  }
  case 9: {
    Type element;
    if (failed(reader.readType(element)))
      return {};
    return mlir::ComplexType::getChecked([&] { return reader.emitError(); }, element);
  }
  case 10: {
    SmallVector<int64_t> shape;
    Type element;
    mlir::MemRefLayoutAttrInterface layout;
    if (failed(readShape(reader, shape)) || failed(reader.readType(element)) || failed(reader.readAttribute(layout)))
      return {};
    return mlir::MemRefType::getChecked([&] { return reader.emitError(); }, shape, element, layout);
  }
  case 13:
  case 14: {
    Attribute encoding;
    SmallVector<int64_t> shape;
    Type element;
    if ((code == 14 && failed(reader.readAttribute(encoding))) || failed(readShape(reader, shape)) ||
        failed(reader.readType(element)))
      return {};
    return makeTensorType(reader, shape, element, encoding);
  }
  case 15: {
    SmallVector<Type> types;
    return failed(readTypes(reader, types)) ? Type() : mlir::TupleType::get(context, types);
  }
  case 18: {
    Type element;
    if (failed(reader.readType(element)))
      return {};
    if (!mlir::TensorType::isValidElementType(element))
      return reader.emitError("a tensor cannot have elements of type ") << element, Type();
    return mlir::UnrankedTensorType::get(element);
  }
  default:
    return reader.emitError("unsupported builtin type code ") << code, Type();
  }
}

} // namespace tenon::frontend
