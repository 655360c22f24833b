// Views and small arrays of the host, as arguments of the interface (xla-preview-2017, "C++ interface").
#pragma once

#include "tenon/status.h"
#include "tenon/xla_namespace.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon::xla_2017 {

namespace gtl {

// A view of consecutive elements that belong to someone else: of a vector, an array, or an initializer list as long as
// the call lasts that it is an argument of.
template <typename T> class ArraySlice {
public:
  using value_type = T;
  using const_iterator = const T *;

  constexpr ArraySlice() = default;
  // A slice of `size` elements from `data` on; `data` may be null where there are none.
  constexpr ArraySlice(const T *data, size_t size) : data_(data), size_(size) {}
  // All elements of an array of the language.
  template <size_t N> constexpr ArraySlice(const T (&values)[N]) : data_(values), size_(N) {}
  // The elements of a list in braces, which lives as long as the call that the slice is an argument of.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  constexpr ArraySlice(std::initializer_list<T> values) : data_(values.begin()), size_(values.size()) {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  // Any container of such elements with data() and size(): std::vector, std::array, std::span.
  template <typename Container,
            typename =
                std::enable_if_t<std::is_convertible_v<decltype(std::declval<const Container &>().data()), const T *> &&
                                 !std::is_same_v<std::decay_t<Container>, ArraySlice>>>
  constexpr ArraySlice(const Container &values) : data_(values.data()), size_(values.size()) {}

  // The first element; where there are none, any pointer, null too.
  constexpr const T *data() const { return data_; }
  // The number of elements.
  constexpr size_t size() const { return size_; }
  // Whether there are no elements.
  constexpr bool empty() const { return size_ == 0; }
  // The first element, for loops over all.
  constexpr const T *begin() const { return data_; }
  // Behind the last element, for loops over all.
  constexpr const T *end() const { return data_ + size_; }
  // An element: i < size(), which an assert checks.
  constexpr const T &operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  // The first element, which there must be.
  constexpr const T &front() const { return (*this)[0]; }
  // The last element, which there must be.
  constexpr const T &back() const { return (*this)[size_ - 1]; }
  // A copy of the elements.
  std::vector<T> toVector() const { return std::vector<T>(begin(), end()); }

private:
  const T *data_ = nullptr;
  size_t size_ = 0;
};

// Whether they have equal elements, and as many.
template <typename T> bool operator==(ArraySlice<T> a, ArraySlice<T> b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i]))
      return false;
  return true;
}

} // namespace gtl

namespace tensorflow {
using StringPiece = std::string_view;
} // namespace tensorflow

// A dense row-major array of rank N in the host's memory. Sizes that are negative or too large abort; indices are
// checked by assert.
template <typename T, size_t N> class HostArray {
public:
  using value_type = T;
  static constexpr size_t kRank = N;

  // The N sizes, the slowest dimension first.
  const std::int64_t *sizes() const { return sizes_; }
  // The size of a dimension below N.
  std::int64_t dim(size_t dimension) const { return sizes_[dimension]; }
  // The product of the sizes.
  std::int64_t num_elements() const { return count_; }
  // The elements, the last dimension varying fastest; as long as the array lives and is not assigned to.
  const T *data() const { return values_.get(); }
  // The same, to be changed.
  T *data() { return values_.get(); }

  // Makes all elements equal to a value.
  void Fill(const T &value) {
    for (std::int64_t i = 0; i < count_; ++i)
      values_.get()[i] = value;
  }

  // An element: N indices, each at least 0 and below its size, which an assert checks.
  template <typename... Index> T &operator()(Index... index) { return values_.get()[offset({std::int64_t(index)...})]; }
  // The same, not to be changed.
  template <typename... Index> const T &operator()(Index... index) const {
    return values_.get()[offset({std::int64_t(index)...})];
  }

protected:
  explicit HostArray(std::initializer_list<std::int64_t> sizes) {
    size_t d = 0;
    count_ = 1;
    for (std::int64_t size : sizes) {
      if (size < 0 || (size > 0 && count_ > PTRDIFF_MAX / std::int64_t(sizeof(T)) / size))
        tenon::dieBecauseOf(tenon::invalidArgument("no array has " + std::to_string(size) + " elements a dimension"));
      sizes_[d++] = size;
      count_ *= size;
    }
    values_ = Values(count_);
  }

  std::int64_t offset(std::initializer_list<std::int64_t> index) const {
    assert(index.size() == N);
    std::int64_t result = 0;
    size_t d = 0;
    for (std::int64_t i : index) {
      assert(i >= 0 && i < sizes_[d]);
      result = result * sizes_[d++] + i;
    }
    return result;
  }

private:
  // A vector whose elements have addresses: those of vector<bool> have none.
  class Values {
  public:
    Values() = default;
    explicit Values(std::int64_t count) : boxes_(static_cast<size_t>(count)) {}
    const T *get() const { return reinterpret_cast<const T *>(boxes_.data()); }
    T *get() { return reinterpret_cast<T *>(boxes_.data()); }

  private:
    struct Box {
      T value{};
    };
    static_assert(sizeof(Box) == sizeof(T));
    std::vector<Box> boxes_;
  };

  std::int64_t sizes_[N] = {};
  std::int64_t count_ = 0;
  Values values_;
};

// A matrix, indexed [y, x]. ("C++ interface": ConstantR2FromArray2D)
template <typename T> class Array2D : public HostArray<T, 2> {
public:
  // 0 by 0.
  Array2D() : HostArray<T, 2>({0, 0}) {}
  // n1 rows of n2 elements, each zero (T{}).
  Array2D(std::int64_t n1, std::int64_t n2) : HostArray<T, 2>({n1, n2}) {}
  // n1 rows of n2 elements, each equal to `value`.
  Array2D(std::int64_t n1, std::int64_t n2, const T &value) : Array2D(n1, n2) { this->Fill(value); }
  // Rows of one length; anything else aborts.
  Array2D(std::initializer_list<std::initializer_list<T>> rows)
      : Array2D(std::int64_t(rows.size()), rows.size() ? std::int64_t(rows.begin()->size()) : 0) {
    std::int64_t y = 0;
    for (const auto &row : rows) {
      if (std::int64_t(row.size()) != n2())
        tenon::dieBecauseOf(tenon::invalidArgument("Array2D: row " + std::to_string(y) + " has " +
                                                   std::to_string(row.size()) + " elements, row 0 has " +
                                                   std::to_string(n2())));
      std::int64_t x = 0;
      for (const T &value : row)
        (*this)(y, x++) = value;
      ++y;
    }
  }

  // The size of the first dimension, which varies slowest.
  std::int64_t n1() const { return this->dim(0); }
  // The size of the second dimension, which varies fastest.
  std::int64_t n2() const { return this->dim(1); }
  // The number of rows: the size of y.
  std::int64_t height() const { return n1(); }
  // The number of elements in a row: the size of x.
  std::int64_t width() const { return n2(); }
};

// An array of rank 3, indexed [z, y, x]. ("C++ interface": ConstantR3FromArray3D)
template <typename T> class Array3D : public HostArray<T, 3> {
public:
  // 0 by 0 by 0.
  Array3D() : Array3D(0, 0, 0) {}
  // n1 * n2 * n3 elements, each zero (T{}).
  Array3D(std::int64_t n1, std::int64_t n2, std::int64_t n3) : HostArray<T, 3>({n1, n2, n3}) {}
  // n1 * n2 * n3 elements, each equal to `value`.
  Array3D(std::int64_t n1, std::int64_t n2, std::int64_t n3, const T &value) : Array3D(n1, n2, n3) {
    this->Fill(value);
  }

  // The size of the first dimension, which varies slowest.
  std::int64_t n1() const { return this->dim(0); }
  // The size of the second dimension.
  std::int64_t n2() const { return this->dim(1); }
  // The size of the third dimension, which varies fastest.
  std::int64_t n3() const { return this->dim(2); }
};

// An array of rank 4, indexed [p, z, y, x]. ("C++ interface": ConstantR4FromArray4D)
template <typename T> class Array4D : public HostArray<T, 4> {
public:
  // 0 in each dimension.
  Array4D() : Array4D(0, 0, 0, 0) {}
  // n1 * n2 * n3 * n4 elements, each zero (T{}).
  Array4D(std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t n4) : HostArray<T, 4>({n1, n2, n3, n4}) {}
  // n1 * n2 * n3 * n4 elements, each equal to `value`.
  Array4D(std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t n4, const T &value)
      : Array4D(n1, n2, n3, n4) {
    this->Fill(value);
  }

  // The size of the first dimension, which varies slowest.
  std::int64_t n1() const { return this->dim(0); }
  // The size of the second dimension.
  std::int64_t n2() const { return this->dim(1); }
  // The size of the third dimension.
  std::int64_t n3() const { return this->dim(2); }
  // The size of the fourth dimension, which varies fastest.
  std::int64_t n4() const { return this->dim(3); }
  // The size of p.
  std::int64_t planes() const { return n1(); }
  // The size of z.
  std::int64_t depth() const { return n2(); }
  // The number of rows: the size of y.
  std::int64_t height() const { return n3(); }
  // The number of elements in a row: the size of x.
  std::int64_t width() const { return n4(); }
};

} // namespace tenon::xla_2017
