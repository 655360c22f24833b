// Views and small arrays of the host, as arguments of the interface (xla-preview-2017, "C++ interface").
#pragma once

#include "tenon/status.h"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace xla {

namespace gtl {

// A view of consecutive elements that belong to someone else: of a vector, an array, or an initializer list as long as
// the call lasts that it is an argument of.
template <typename T> class ArraySlice {
public:
  using value_type = T;
  using const_iterator = const T *;

  constexpr ArraySlice() = default;
  constexpr ArraySlice(const T *data, size_t size) : data_(data), size_(size) {}
  template <size_t N> constexpr ArraySlice(const T (&values)[N]) : data_(values), size_(N) {}
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

  constexpr const T *data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T *begin() const { return data_; }
  constexpr const T *end() const { return data_ + size_; }
  constexpr const T &operator[](size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  constexpr const T &front() const { return (*this)[0]; }
  constexpr const T &back() const { return (*this)[size_ - 1]; }
  std::vector<T> toVector() const { return std::vector<T>(begin(), end()); }

private:
  const T *data_ = nullptr;
  size_t size_ = 0;
};

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

  const std::int64_t *sizes() const { return sizes_; }
  std::int64_t dim(size_t dimension) const { return sizes_[dimension]; }
  std::int64_t num_elements() const { return count_; }
  const T *data() const { return values_.get(); }
  T *data() { return values_.get(); }

  void Fill(const T &value) {
    for (std::int64_t i = 0; i < count_; ++i)
      values_.get()[i] = value;
  }

  template <typename... Index> T &operator()(Index... index) { return values_.get()[offset({std::int64_t(index)...})]; }
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

// [y, x]
template <typename T> class Array2D : public HostArray<T, 2> {
public:
  Array2D() : HostArray<T, 2>({0, 0}) {}
  Array2D(std::int64_t n1, std::int64_t n2) : HostArray<T, 2>({n1, n2}) {}
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

  std::int64_t n1() const { return this->dim(0); }
  std::int64_t n2() const { return this->dim(1); }
  std::int64_t height() const { return n1(); }
  std::int64_t width() const { return n2(); }
};

// [z, y, x]
template <typename T> class Array3D : public HostArray<T, 3> {
public:
  Array3D() : Array3D(0, 0, 0) {}
  Array3D(std::int64_t n1, std::int64_t n2, std::int64_t n3) : HostArray<T, 3>({n1, n2, n3}) {}
  Array3D(std::int64_t n1, std::int64_t n2, std::int64_t n3, const T &value) : Array3D(n1, n2, n3) {
    this->Fill(value);
  }

  std::int64_t n1() const { return this->dim(0); }
  std::int64_t n2() const { return this->dim(1); }
  std::int64_t n3() const { return this->dim(2); }
};

// [p, z, y, x]
template <typename T> class Array4D : public HostArray<T, 4> {
public:
  Array4D() : Array4D(0, 0, 0, 0) {}
  Array4D(std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t n4) : HostArray<T, 4>({n1, n2, n3, n4}) {}
  Array4D(std::int64_t n1, std::int64_t n2, std::int64_t n3, std::int64_t n4, const T &value)
      : Array4D(n1, n2, n3, n4) {
    this->Fill(value);
  }

  std::int64_t n1() const { return this->dim(0); }
  std::int64_t n2() const { return this->dim(1); }
  std::int64_t n3() const { return this->dim(2); }
  std::int64_t n4() const { return this->dim(3); }
  std::int64_t planes() const { return n1(); }
  std::int64_t depth() const { return n2(); }
  std::int64_t height() const { return n3(); }
  std::int64_t width() const { return n4(); }
};

} // namespace xla
