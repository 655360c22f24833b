#include "tenon/codegen/common/interface/runtime_call_attributes.h"

#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/program/attributes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

// Elements of splats, which take no room before they are written out.
constexpr int64_t kMaxSplatElements = int64_t(1) << 24;

bool isUnsigned(Type type) { return type.isUnsignedInteger() || type.isSignlessInteger(1); }

int64_t integerValue(const APInt &value, Type type) {
  return isUnsigned(type) ? int64_t(value.getZExtValue()) : value.getSExtValue();
}

double floatValue(APFloat value) {
  bool losesInfo = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToDouble();
}

// The type that numbers have as attributes; kInvalid if attributes have none of that type.
program::ElementType numberType(Type type) {
  if (type.isIndex())
    return program::ElementType::kI64;
  // What an attribute says to be signed is what StableHLO's signless integers are.
  if (type.isSignedInteger())
    type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth());
  bool isNumber = isa<IntegerType, FloatType>(type) && type.getIntOrFloatBitWidth() <= 64;
  return isNumber ? ir::toElementType(type) : program::ElementType::kInvalid;
}

class AttributeWriter {
public:
  explicit AttributeWriter(Location location) : location_(location) {}

  LogicalResult write(DictionaryAttr dict, program::AttributeDict &out) {
    if (++depth_ > program::kMaxAttributeDepth)
      return emitError(location_) << "attributes nest too deeply";
    for (NamedAttribute named : dict) {
      program::NamedAttribute &entry = out.emplace_back();
      entry.name = named.getName().str();
      if (failed(write(named.getValue(), entry.value)))
        return failure();
    }
    --depth_;
    return success();
  }

private:
  LogicalResult write(Attribute attribute, program::Attribute &out) {
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case<UnitAttr>([](auto) { return success(); })
        .Case<BoolAttr>([&](auto boolean) { return out.value = boolean.getValue(), success(); })
        .Case<StringAttr>([&](auto text) { return out.value = text.str(), success(); })
        .Case<DictionaryAttr>([&](auto dict) { return write(dict, out.value.emplace<program::AttributeDict>()); })
        .Case<ArrayAttr>([&](auto array) { return writeArray(array, out); })
        .Case<IntegerAttr, FloatAttr>([&](auto number) { return writeNumber(number, out); })
        .Case<DenseArrayAttr>([&](auto array) { return writeDenseArray(array, out); })
        .Case<DenseIntOrFPElementsAttr>([&](auto elements) { return writeElements(elements, out); })
        .Case<sh::FftTypeAttr>(
            [&](auto type) { return out.value = sh::stringifyFftType(type.getValue()).str(), success(); })
        .Case<sh::TransposeAttr>(
            [&](auto transpose) { return out.value = sh::stringifyTranspose(transpose.getValue()).str(), success(); })
        .Default([&](auto) { return writeOpaque(attribute, out); });
  }

  LogicalResult writeOpaque(Attribute attribute, program::Attribute &out) {
    llvm::raw_string_ostream stream(out.value.emplace<program::OpaqueAttribute>().text);
    attribute.print(stream);
    return success();
  }

  LogicalResult writeArray(ArrayAttr array, program::Attribute &out) {
    if (++depth_ > program::kMaxAttributeDepth)
      return emitError(location_) << "attributes nest too deeply";
    auto &elements = out.value.emplace<std::vector<program::Attribute>>(array.size());
    for (auto [element, place] : llvm::zip(array, elements))
      if (failed(write(element, place)))
        return failure();
    --depth_;
    return success();
  }

  template <typename Number> LogicalResult writeNumber(Number number, program::Attribute &out) {
    program::ElementType type = numberType(number.getType());
    if (type == program::ElementType::kInvalid)
      return writeOpaque(number, out);
    if constexpr (std::is_same_v<Number, IntegerAttr>)
      out.value = program::IntegerAttribute{type, integerValue(number.getValue(), number.getType())};
    else
      out.value = program::FloatAttribute{type, floatValue(number.getValue())};
    return success();
  }

  LogicalResult writeDenseArray(DenseArrayAttr array, program::Attribute &out) {
    auto type = RankedTensorType::get({array.getSize()}, array.getElementType());
    // Booleans of an array take a byte each, those of a tensor a bit.
    auto booleans = dyn_cast<DenseBoolArrayAttr>(array);
    DenseElementsAttr elements = booleans ? DenseElementsAttr::get(type, booleans.asArrayRef())
                                          : DenseElementsAttr::getFromRawBuffer(type, array.getRawData());
    return writeElements(cast<DenseIntOrFPElementsAttr>(elements), out);
  }

  LogicalResult writeElements(DenseIntOrFPElementsAttr elements, program::Attribute &out) {
    Type element = elements.getElementType();
    program::ElementType type = numberType(element);
    if (type == program::ElementType::kInvalid)
      return writeOpaque(elements, out);
    if (elements.isSplat() && elements.getNumElements() > kMaxSplatElements)
      return emitError(location_) << "an attribute of " << elements.getNumElements() << " elements is too large";
    if (isa<FloatType>(element)) {
      auto &array = out.value.emplace<program::FloatArrayAttribute>();
      array.type = type;
      for (const APFloat &value : elements.getValues<APFloat>())
        array.values.push_back(floatValue(value));
      return success();
    }
    auto &array = out.value.emplace<program::IntegerArrayAttribute>();
    array.type = type;
    for (const APInt &value : elements.getValues<APInt>())
      array.values.push_back(integerValue(value, element));
    return success();
  }

  Location location_;
  int depth_ = 0;
};

} // namespace

FailureOr<program::AttributeDict> runtimeCallAttributes(DictionaryAttr attributes, Location location) {
  program::AttributeDict dict;
  if (attributes && failed(AttributeWriter(location).write(attributes, dict)))
    return failure();
  return dict;
}

} // namespace tenon::codegen
