#include "tenon/frontend/import/vhlo_encoding.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using mlir::IntegerType;
using enum VhloTypeCode;

namespace {

template <unsigned width, IntegerType::SignednessSemantics signedness = IntegerType::Signless>
mlir::Type integer(mlir::MLIRContext *context) {
  return IntegerType::get(context, width, signedness);
}

template <typename TypeT> mlir::Type simple(mlir::MLIRContext *context) { return TypeT::get(context); }

constexpr VhloSimpleType kSimpleTypes[] = {
    {kBoolean, {0, 9}, integer<1>},
    {kSI2, {1, 2}, integer<2>},
    {kSI4, {0, 9}, integer<4>},
    {kSI8, {0, 9}, integer<8>},
    {kSI16, {0, 9}, integer<16>},
    {kSI32, {0, 9}, integer<32>},
    {kSI64, {0, 9}, integer<64>},
    {kUI2, {1, 2}, integer<2, IntegerType::Unsigned>},
    {kUI4, {0, 9}, integer<4, IntegerType::Unsigned>},
    {kUI8, {0, 9}, integer<8, IntegerType::Unsigned>},
    {kUI16, {0, 9}, integer<16, IntegerType::Unsigned>},
    {kUI32, {0, 9}, integer<32, IntegerType::Unsigned>},
    {kUI64, {0, 9}, integer<64, IntegerType::Unsigned>},
    {kIndex, {0, 9}, simple<mlir::IndexType>},
    {kNone, {1, 6}, simple<mlir::NoneType>},
    {kToken, {0, 9}, simple<stablehlo::TokenType>},
    {kBF16, {0, 9}, simple<mlir::BFloat16Type>},
    {kF16, {0, 9}, simple<mlir::Float16Type>},
    {kTF32, {1, 6}, simple<mlir::FloatTF32Type>},
    {kF32, {0, 9}, simple<mlir::Float32Type>},
    {kF64, {0, 9}, simple<mlir::Float64Type>},
    {kF4E2M1FN, {1, 8}, simple<mlir::Float4E2M1FNType>},
    {kF6E2M3FN, {1, 8}, simple<mlir::Float6E2M3FNType>},
    {kF6E3M2FN, {1, 8}, simple<mlir::Float6E3M2FNType>},
    {kF8E3M4, {1, 7}, simple<mlir::Float8E3M4Type>},
    {kF8E4M3, {1, 7}, simple<mlir::Float8E4M3Type>},
    {kF8E4M3FN, {0, 9}, simple<mlir::Float8E4M3FNType>},
    {kF8E4M3FNUZ, {0, 10}, simple<mlir::Float8E4M3FNUZType>},
    {kF8E4M3B11FNUZ, {0, 11}, simple<mlir::Float8E4M3B11FNUZType>},
    {kF8E5M2, {0, 9}, simple<mlir::Float8E5M2Type>},
    {kF8E5M2FNUZ, {0, 10}, simple<mlir::Float8E5M2FNUZType>},
    {kF8E8M0FNU, {1, 8}, simple<mlir::Float8E8M0FNUType>},
};

} // namespace

llvm::ArrayRef<VhloSimpleType> vhloSimpleTypes() { return kSimpleTypes; }

VhloVersion vhloSince(VhloAttributeCode code) {
  using enum VhloAttributeCode;
  if (code >= kSubAxisInfo)
    return {1, 16};
  return code >= kResultAccuracyMode ? VhloVersion{1, 9} : kOldestVhloVersion;
}

VhloVersion vhloSince(VhloTypeCode code) {
  for (const VhloSimpleType &type : kSimpleTypes)
    if (type.code == code)
      return type.since;
  switch (code) {
  case kUniformQuantizedPerAxis:
    return {0, 18};
  case kRankedBuffer:
    return {1, 13};
  case kFuture:
    return {1, 15};
  default:
    return kOldestVhloVersion;
  }
}

} // namespace tenon::frontend
