// Values of attributes, for tests of runtime calls.
#pragma once

#include "tenon/program/program.h"

namespace tenon::program::attribute {

inline Attribute ui8(int64_t value) { return {IntegerAttribute{ElementType::kUI8, value}}; }
inline Attribute i32(int64_t value) { return {IntegerAttribute{ElementType::kI32, value}}; }
inline Attribute i64(int64_t value) { return {IntegerAttribute{ElementType::kI64, value}}; }
inline Attribute ui64(uint64_t value) { return {IntegerAttribute{ElementType::kUI64, int64_t(value)}}; }
inline Attribute f32(float value) { return {FloatAttribute{ElementType::kF32, value}}; }
inline Attribute f64(double value) { return {FloatAttribute{ElementType::kF64, value}}; }
inline Attribute i64s(std::vector<int64_t> values) {
  return {IntegerArrayAttribute{ElementType::kI64, std::move(values)}};
}
inline Attribute boolean(bool value) { return {value}; }
inline Attribute string(std::string value) { return {std::move(value)}; }

} // namespace tenon::program::attribute
