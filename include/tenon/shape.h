// Shapes and layouts (xla-preview-2017, "Shapes and Layout").
//
//   Shape shape = ShapeUtil::MakeShape(F32, {2, 3});                        // f32[2,3]
//   Shape columns = ShapeUtil::MakeShapeWithLayout(F32, {2, 3}, {0, 1});    // f32[2,3]{0,1}
//
// A function that takes a shape wants one that Validate accepts, unless it says otherwise.
#pragma once

#include "tenon/types.h"
#include "tenon/xla_namespace.h"

#include <string>
#include <vector>

namespace tenon::xla_2017 {

// Makes shapes, asks them, and writes them. ("The XLA Shape")
class TENON_API ShapeUtil {
public:
  // An array of those sizes by dimension number, row-major ("Terminology, Notation, and Conventions"). Whether there is
  // such an array is for Validate to say.
  static Shape MakeShape(PrimitiveType element_type, gtl::ArraySlice<int64> dimensions);
  // The same in a layout: dimension numbers, the one that changes most rapidly first. ("Minor-to-major dimension
  // ordering")
  static Shape MakeShapeWithLayout(PrimitiveType element_type, gtl::ArraySlice<int64> dimensions,
                                   gtl::ArraySlice<int64> minor_to_major);
  // A tuple of values of those shapes; it may be empty. ("Tuple")
  static Shape MakeTupleShape(gtl::ArraySlice<Shape> shapes);
  // The empty tuple.
  static Shape MakeNil() { return MakeTupleShape({}); }

  // INVALID_ARGUMENT, and what is wrong: an element type that there is not, a negative size, more elements or bytes
  // than 2^63 - 1 (sizes of zero count as one in this), more than kMaxRank dimensions, a layout that is not one of the
  // shape's, tuples nested deeper than kMaxTupleDepth, and dimensions, elements or a layout where the type has none:
  // tuples have neither dimensions nor layout, tokens and opaque values have nothing at all.
  static Status Validate(const Shape &shape);
  static constexpr int64 kMaxRank = 256;
  static constexpr int64 kMaxTupleDepth = 64;

  // Whether it is a tuple.
  static bool IsTuple(const Shape &shape) { return shape.element_type() == TUPLE; }
  // Whether it is an array, scalars included: neither a tuple, nor a token, nor opaque.
  static bool IsArray(const Shape &shape);
  // Whether it is an array of rank 0.
  static bool IsScalar(const Shape &shape) { return IsArray(shape) && shape.dimensions_size() == 0; }
  // Whether it is a tuple with a tuple among its elements.
  static bool IsNestedTuple(const Shape &shape);
  // Whether it is the tuple without elements.
  static bool IsEmptyTuple(const Shape &shape) { return IsTuple(shape) && shape.tuple_shapes_size() == 0; }

  // Number of dimensions.
  static int64 Rank(const Shape &shape) { return shape.dimensions_size(); }
  // Number of dimensions of a size greater than 1.
  static int64 TrueRank(const Shape &shape);
  // The number of an array's elements, padding not counted.
  static int64 ElementsIn(const Shape &shape);
  // The bytes that a value takes, padding included; a tuple takes what its elements do. 0 for tokens and opaque values.
  static int64 ByteSizeOf(const Shape &shape);
  // The bytes that one element takes: 1 for PRED and the types below 8 bits. 0 for what is no element type.
  static int64 ByteSizeOfPrimitiveType(PrimitiveType type);
  // The sizes by dimension number; none if the shape is no array's.
  static std::vector<int64> Dimensions(const Shape &shape);

  // Whether shapes are equal, layouts too, where an absent one means row-major. Tuples are compared element by
  // element.
  static bool Equal(const Shape &a, const Shape &b);
  // Whether shapes are equal but for layouts.
  static bool Compatible(const Shape &a, const Shape &b);
  // Whether sizes are equal, whatever the element types.
  static bool SameDimensions(const Shape &a, const Shape &b);

  // The same but for the layouts, which are absent.
  static Shape WithoutLayout(const Shape &shape);

  // "f32[2,3]", "(f32[], s32[4])": without layouts. The shape need not be valid.
  static std::string HumanString(const Shape &shape);
  // "f32[2,3]{0,1}", and padding as in LayoutUtil::HumanString. The shape need not be valid.
  static std::string HumanStringWithLayout(const Shape &shape);
  // Reads what HumanString and HumanStringWithLayout write; without a layout: row-major. INVALID_ARGUMENT for any other
  // text, and for shapes that are not valid.
  static StatusOr<Shape> ParseShapeString(tensorflow::StringPiece text);

  // The shapes inside that are no tuples, depth first.
  static std::vector<Shape> Leaves(const Shape &shape);
};

// Makes layouts and asks them: in which order and with what padding an array lies in memory. ("Layout")
class TENON_API LayoutUtil {
public:
  // Without padding. Dimension numbers, the one that changes most rapidly first. Whether they are a permutation, is for
  // Validate to say. ("Minor-to-major dimension ordering")
  static Layout MakeLayout(gtl::ArraySlice<int64> minor_to_major);
  // The block of memory has sizes of its own, by dimension number, and `value` where the array is not ("Padding").
  static Layout MakePaddedLayout(gtl::ArraySlice<int64> minor_to_major, gtl::ArraySlice<int64> padded_dimensions,
                                 PaddingValue value = ZERO_PAD);
  // Row-major: N-1, ..., 0.
  static Layout GetDefaultLayout(int64 rank);
  // The shape's layout, or the default.
  static Layout LayoutOf(const Shape &shape);

  // INVALID_ARGUMENT unless minor_to_major is a permutation of the dimensions; padded_dimensions is absent, or has an
  // entry for each dimension that is not below its size; and the padding value is one that elements of the type can
  // have (complex numbers have no lowest and no highest value). The shape's own layout is not looked at.
  static Status Validate(const Layout &layout, const Shape &shape);
  // One order, and the same padding: the value counts where padded_dimensions is present, and absent means ZERO_PAD.
  static bool Equal(const Layout &a, const Layout &b);
  // Row-major without padded_dimensions.
  static bool IsDefault(const Layout &layout);
  // Whether some padded dimension is larger than the dimension.
  static bool IsPadded(const Layout &layout, const Shape &shape);

  // The sizes of the block of memory by dimension number: padded_dimensions, or the dimensions.
  static std::vector<int64> PaddedDimensions(const Shape &shape);
  // Distance in elements between neighbours along each dimension.
  static std::vector<int64> Strides(const Shape &shape);

  // "{0,1}"; where padded "{0,1:p(3,5)}", of another padding value than zero "{0,1:p(3,5)=lowest}".
  static std::string HumanString(const Layout &layout);
};

// "f32", "s4", "pred", "f8e4m3fn": as shapes are written. Also "tuple", "token" and "opaque".
TENON_API std::string PrimitiveTypeName(PrimitiveType type);
// The other way about; INVALID_ARGUMENT for other names.
TENON_API StatusOr<PrimitiveType> ParsePrimitiveType(tensorflow::StringPiece name);
// Whether numbers of the type are real floats, of any size.
TENON_API bool IsFloatType(PrimitiveType type);
// C64 and C128.
TENON_API bool IsComplexType(PrimitiveType type);
// S2 to S64.
TENON_API bool IsSignedIntegerType(PrimitiveType type);
// U2 to U64. PRED is no integer.
TENON_API bool IsUnsignedIntegerType(PrimitiveType type);
// Either.
inline bool IsIntegerType(PrimitiveType type) { return IsSignedIntegerType(type) || IsUnsignedIntegerType(type); }

} // namespace tenon::xla_2017
