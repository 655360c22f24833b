#include "tenon/literal/program_types.h"

#include <algorithm>
#include <iterator>

namespace tenon {

namespace {

using E = program::ElementType;

struct Pair {
  xla::PrimitiveType primitive;
  E element;
};

constexpr Pair kPairs[] = {{xla::PRED, E::kI1},
                           {xla::S2, E::kI2},
                           {xla::S4, E::kI4},
                           {xla::S8, E::kI8},
                           {xla::S16, E::kI16},
                           {xla::S32, E::kI32},
                           {xla::S64, E::kI64},
                           {xla::U2, E::kUI2},
                           {xla::U4, E::kUI4},
                           {xla::U8, E::kUI8},
                           {xla::U16, E::kUI16},
                           {xla::U32, E::kUI32},
                           {xla::U64, E::kUI64},
                           {xla::F4E2M1FN, E::kF4E2M1FN},
                           {xla::F6E2M3FN, E::kF6E2M3FN},
                           {xla::F6E3M2FN, E::kF6E3M2FN},
                           {xla::F8E3M4, E::kF8E3M4},
                           {xla::F8E4M3, E::kF8E4M3},
                           {xla::F8E4M3FN, E::kF8E4M3FN},
                           {xla::F8E4M3FNUZ, E::kF8E4M3FNUZ},
                           {xla::F8E4M3B11FNUZ, E::kF8E4M3B11FNUZ},
                           {xla::F8E5M2, E::kF8E5M2},
                           {xla::F8E5M2FNUZ, E::kF8E5M2FNUZ},
                           {xla::F8E8M0FNU, E::kF8E8M0FNU},
                           {xla::BF16, E::kBF16},
                           {xla::F16, E::kF16},
                           {xla::F32, E::kF32},
                           {xla::F64, E::kF64},
                           {xla::C64, E::kComplexF32},
                           {xla::C128, E::kComplexF64},
                           {xla::TOKEN, E::kToken}};

} // namespace

program::ElementType elementTypeOf(xla::PrimitiveType type) {
  const auto *found =
      std::find_if(std::begin(kPairs), std::end(kPairs), [&](Pair pair) { return pair.primitive == type; });
  return found == std::end(kPairs) ? E::kInvalid : found->element;
}

xla::PrimitiveType primitiveTypeOf(program::ElementType type) {
  const auto *found =
      std::find_if(std::begin(kPairs), std::end(kPairs), [&](Pair pair) { return pair.element == type; });
  return found == std::end(kPairs) ? xla::PRIMITIVE_TYPE_INVALID : found->primitive;
}

} // namespace tenon
