// Values on the host: arrays in any layout, and tuples of them. The main way of data into and out of computations
// (xla-preview-2017, "Moving data into and out of XLA").
//
//   Literal matrix = LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}});
//   float x = matrix.Get<float>({1, 0});                    // 3
//
// A shape or an argument that the function does not take aborts with a message, unless the function returns a Status.
#pragma once

#include "tenon/shape.h"
#include "tenon/xla_namespace.h"

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

namespace tenon::xla_2017 {

// Movable, which leaves the empty tuple behind; copied by Clone alone. Not synchronised: concurrent reads are safe.
class TENON_API Literal {
public:
  // The empty tuple.
  Literal();
  // A value of that shape in its layout, tuples element by element: all bits zero, padding as its layout says. The
  // memory is aligned to 64 bytes.
  explicit Literal(const Shape &shape);
  // The same; INVALID_ARGUMENT for what ShapeUtil::Validate rejects and for tokens and opaque values, which have no
  // value on the host; RESOURCE_EXHAUSTED where memory does not suffice.
  static StatusOr<Literal> Create(const Shape &shape);
  // Looks at memory of the caller's, as long as that lives: an array laid out as the shape says, padding included,
  // aligned to its elements, with bytes that the type has (bool: 0 or 1). It cannot be changed through the literal.
  static Literal Borrow(const Shape &shape, const void *data);
  // Takes such memory over; `release`, if any, is called with it when the literal ends.
  static Literal Adopt(const Shape &shape, void *data, void (*release)(void *data, void *context), void *context);

  // Takes the value over, without a copy; `other` is the empty tuple afterwards.
  Literal(Literal &&other) noexcept;
  // The same; the value held before is freed.
  Literal &operator=(Literal &&other) noexcept;
  // Frees the memory, or hands it to the function given to Adopt.
  ~Literal();
  // In memory of its own.
  Literal Clone() const;

  // The shape, with the layout that the elements lie in. (xla-preview-2017, "Shapes and Layout")
  const Shape &shape() const { return shape_; }

  // An element of an array. The index has an entry for each dimension, in range, and T is the shape's element type.
  template <typename T> T Get(gtl::ArraySlice<int64> index) const {
    CheckType(NativeToPrimitiveType<T>());
    return static_cast<const T *>(untyped_data())[LinearIndex(index)];
  }
  // Changes an element of an array that IsWritable; index and T as in Get.
  template <typename T> void Set(gtl::ArraySlice<int64> index, T value) {
    mutable_data<T>()[LinearIndex(index)] = value;
  }
  // The element of an array whose indices are all 0: a scalar's value. There must be one, of type T.
  template <typename T> T GetFirstElement() const {
    return Get<T>(std::vector<int64>(static_cast<size_t>(shape_.dimensions_size()), 0));
  }

  // All elements, as they lie in memory: padding included.
  template <typename T> gtl::ArraySlice<T> data() const {
    CheckType(NativeToPrimitiveType<T>());
    return gtl::ArraySlice<T>(static_cast<const T *>(untyped_data()), static_cast<size_t>(size_bytes()) / sizeof(T));
  }
  // The same, to be changed, if the literal IsWritable.
  template <typename T> T *mutable_data() {
    CheckType(NativeToPrimitiveType<T>());
    return static_cast<T *>(mutable_data());
  }
  // The elements of an array. What is written must be bytes that the type has (bool: 0 or 1).
  const void *untyped_data() const;
  // The same, to be changed, if the literal IsWritable.
  void *mutable_data();
  // Whether mutable_data may be called: not of a tuple, nor of what was made by Borrow.
  bool IsWritable() const;
  // The bytes of an array, padding included, or of all arrays in a tuple.
  int64 size_bytes() const;

  // The number of a tuple's elements.
  int64 tuple_size() const { return shape_.tuple_shapes_size(); }
  // An element of a tuple, 0 <= index < tuple_size(). It is part of this literal.
  const Literal &tuple_literal(int64 index) const;
  // The arrays inside, depth first; an array is its own. They live as long as this literal stays as it is.
  std::vector<const Literal *> Leaves() const;
  // Takes the elements apart; this literal is the empty tuple afterwards.
  std::vector<Literal> DecomposeTuple();

  // The position in memory of an array's element, in elements, by the layout.
  int64 LinearIndex(gtl::ArraySlice<int64> index) const;
  // The same array in another layout, padding as that says.
  Literal Relayout(const Layout &layout) const;
  // The same; INVALID_ARGUMENT for a layout that is not one of the array's shape, RESOURCE_EXHAUSTED.
  StatusOr<Literal> TryRelayout(const Layout &layout) const;
  // The same value in the layouts of a shape that is Compatible; tuples element by element.
  Literal Relayout(const Shape &shape_with_layout) const;
  // Elements converted as ConvertElementType does: floats to integers toward zero, saturating, NaN to 0; integers to
  // integers modulo 2^bits; to floats rounded once; to PRED whether they are not zero; complex to real drops the
  // imaginary part. The layout stays. INVALID_ARGUMENT for a tuple or a type without elements, or where the type has
  // no value to pad with; RESOURCE_EXHAUSTED.
  StatusOr<Literal> Convert(PrimitiveType type) const;
  // The same elements in row-major order under other sizes, in a row-major layout. INVALID_ARGUMENT for a tuple, or
  // where the numbers of elements differ; RESOURCE_EXHAUSTED.
  StatusOr<Literal> Reshape(gtl::ArraySlice<int64> dimensions) const;

  // Shapes that are Compatible, and the same elements as bits; layout and padding don't count.
  bool operator==(const Literal &other) const;
  // Not that.
  bool operator!=(const Literal &other) const { return !(*this == other); }

  // "f32[] 1", "f32[2,2] {{1, 2}, {3, 4}}", "(s32[2] {1, 2}, pred[] true)", complex numbers "(1, -2)": numbers in as
  // few digits as tell them apart. Beyond 1000 elements dimensions are shortened to their ends: "{0, 1, 2, ..., 7, 8,
  // 9}".
  std::string ToString() const;

  // (inventory SYS-34) Beyond 2 GiB a proto cannot be written.
  LiteralProto ToProto() const;
  // INVALID_ARGUMENT for shapes that Create rejects, data of another size than the shape's, elements whose bytes the
  // type does not have (PRED: 0 or 1; types below 8 bits: extended), and tuples whose elements' shapes are not equal to
  // those in the tuple's. Padding is filled as the layout says.
  static StatusOr<Literal> CreateFromProto(const LiteralProto &proto);

private:
  friend class LiteralUtil;
  struct Storage;
  Literal(Shape shape, std::unique_ptr<Storage> storage);
  static StatusOr<Literal> Allocate(const Shape &valid_shape);
  static Literal FromMemory(const Shape &shape, void *data, bool writable);
  void CheckType(PrimitiveType type) const;
  const Storage &storage() const;

  Shape shape_;
  std::unique_ptr<Storage> storage_;
  std::vector<Literal> elements_;
};

// Makes literals.
class TENON_API LiteralUtil {
public:
  // A scalar of a native type (types.h).
  template <typename T> static Literal CreateR0(T value) { return FromDense<T>({}, gtl::ArraySlice<T>(&value, 1)); }
  // A vector; it may be empty.
  template <typename T> static Literal CreateR1(gtl::ArraySlice<T> values) {
    return FromDense<T>({static_cast<int64>(values.size())}, values);
  }
  // Rows of one length.
  template <typename T> static Literal CreateR2(std::initializer_list<std::initializer_list<T>> values) {
    return CreateR2FromArray2D(Array2D<T>(values));
  }
  // A matrix with the sizes and elements of an array of the host's.
  template <typename T> static Literal CreateR2FromArray2D(const Array2D<T> &values) { return FromHostArray(values); }
  // An array of rank 3, the same way.
  template <typename T> static Literal CreateR3FromArray3D(const Array3D<T> &values) { return FromHostArray(values); }
  // An array of rank 4, the same way.
  template <typename T> static Literal CreateR4FromArray4D(const Array4D<T> &values) { return FromHostArray(values); }
  // The elements in row-major order, as many as the dimensions say.
  template <typename T> static Literal FromDense(gtl::ArraySlice<int64> dimensions, gtl::ArraySlice<T> values) {
    return FromElements(ShapeUtil::MakeShape(NativeToPrimitiveType<T>(), dimensions), values.data(), values.size());
  }
  // A tuple of values, which it takes over without copies.
  static Literal MakeTuple(std::vector<Literal> elements);

  // Scalars. The lowest and the highest value are the infinities where the type has them (inventory X-09): the
  // identities of Max and Min. Complex types have neither. F8E8M0FNU has no zero: that is its NaN.
  static Literal Zero(PrimitiveType type);
  // A scalar: one.
  static Literal One(PrimitiveType type);
  // A scalar: the lowest value. (xla-operation-semantics, "ReduceWindow")
  static Literal MinValue(PrimitiveType type);
  // A scalar: the highest value.
  static Literal MaxValue(PrimitiveType type);
  // The nearest value of the type, ties to even. INVALID_ARGUMENT for a type without elements, and for NaN where that
  // is an integer or PRED.
  static StatusOr<Literal> FromDouble(PrimitiveType type, double value);

  // NumPy's files. Reading: format 1.0 to 3.0, either byte order and order of dimensions. Types that NumPy has no name
  // for are taken from bytes, integers or floats of their size, where `type` asks for them. NOT_FOUND where the file
  // cannot be opened; INVALID_ARGUMENT for what is no such file, not complete, or not of the type asked for.
  static StatusOr<Literal> ReadNpy(const std::string &path, PrimitiveType type = PRIMITIVE_TYPE_INVALID);
  // Arrays, row-major. Floats that NumPy has no name for are raw bytes ("V2"), integers below a byte are bytes.
  // INVALID_ARGUMENT for a tuple; FAILED_PRECONDITION, with the path, where the file cannot be written.
  static Status WriteNpy(const Literal &literal, const std::string &path);

private:
  static Literal FromElements(const Shape &shape, const void *elements, size_t count);
  template <typename T, size_t N> static Literal FromHostArray(const HostArray<T, N> &values) {
    return FromDense<T>(gtl::ArraySlice<int64>(values.sizes(), N),
                        gtl::ArraySlice<T>(values.data(), static_cast<size_t>(values.num_elements())));
  }
};

} // namespace tenon::xla_2017
