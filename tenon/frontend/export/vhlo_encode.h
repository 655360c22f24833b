// Attributes and types as portable artifacts have them; the other way around from import/vhlo_attributes.cpp and
// import/vhlo_types.cpp.
#pragma once

#include "tenon/frontend/import/vhlo_encoding.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

// The number that it is written under; nothing when VHLO has no form for it.
std::optional<VhloAttributeCode> vhloCode(mlir::Attribute attribute);
std::optional<VhloTypeCode> vhloCode(mlir::Type type);

// Parts are written as the attributes and types of the VHLO dialect that stand for them (vhlo_dialect.h).
void writeVhloAttribute(VhloAttributeCode code, mlir::Attribute attribute, mlir::DialectBytecodeWriter &writer);
void writeVhloType(mlir::Type type, mlir::DialectBytecodeWriter &writer);

} // namespace tenon::frontend
