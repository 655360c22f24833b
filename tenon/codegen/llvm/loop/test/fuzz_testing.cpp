#include "tenon/codegen/llvm/loop/test/fuzz_testing.h"

#include <algorithm>
#include <cstdint>
#include <random>

namespace tenon::codegen::testing {

namespace {

using Shape = std::vector<int64_t>;

struct Tensor {
  std::string name;
  Shape shape;
};

class Generator {
public:
  explicit Generator(unsigned seed) : random_(seed) {
    static const char *elements[] = {"f32", "f32", "f32", "i32", "i8", "ui16", "f64", "i64"};
    element_ = elements[pick(8)];
    isFloat_ = element_[0] == 'f';
  }

  RandomFusion run() {
    for (int i = 0, n = 2 + pick(2); i < n; ++i)
      addInput(randomShape());
    fusion_.body =
        "%zero = stablehlo.constant dense<" + std::string(isFloat_ ? "0.0" : "0") + "> : tensor<" + element_ + ">\n";
    for (int i = 0, n = 3 + pick(7); i < n; ++i)
      addOp();
    Tensor last = values_.back();
    fusion_.yielded = last.name;
    fusion_.resultTypes = type(last.shape);
    for (const Tensor &value : values_)
      if (value.shape == last.shape && value.name != last.name && value.name.size() > 2 && pick(3) == 0) {
        fusion_.yielded += ", " + value.name;
        fusion_.resultTypes += ", " + type(value.shape);
        break;
      }
    return fusion_;
  }

private:
  int64_t pick(int64_t n) { return static_cast<int64_t>(random_() % n); }

  static int64_t count(const Shape &shape) {
    int64_t n = 1;
    for (int64_t d : shape)
      n *= d;
    return n;
  }

  std::string dims(const Shape &shape) const {
    std::string text;
    for (int64_t d : shape)
      text += std::to_string(d) + "x";
    return text + element_;
  }
  std::string type(const Shape &shape) const { return "tensor<" + dims(shape) + ">"; }

  static std::string list(const Shape &numbers) {
    std::string text;
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? ", " : "") + std::to_string(numbers[i]);
    return text;
  }

  Shape randomShape() {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 40};
    Shape shape;
    for (int i = 0, rank = 1 + pick(3); i < rank; ++i)
      shape.push_back(sizes[pick(11)]);
    return shape;
  }

  void addInput(Shape shape) {
    std::string name = std::string("%") + static_cast<char>('a' + fusion_.inputTypes.size());
    fusion_.inputTypes.push_back(dims(shape));
    values_.push_back({name, std::move(shape)});
  }

  std::string addScalarInput() {
    std::string name = std::string("%") + static_cast<char>('a' + fusion_.inputTypes.size());
    fusion_.inputTypes.emplace_back("i32");
    return name;
  }

  void define(const std::string &text, Shape shape) {
    std::string name = "%v" + std::to_string(next_++);
    fusion_.body += name + " = " + text + "\n";
    values_.push_back({name, std::move(shape)});
  }

  Tensor any() {
    // Mostly recent values, so that chains become deep.
    if (pick(2))
      return values_.back();
    return values_[pick(values_.size())];
  }

  std::string signature(const Tensor &from, const Shape &to) const {
    return " : (" + type(from.shape) + ") -> " + type(to);
  }

  void addOp() {
    Tensor x = any();
    switch (pick(14)) {
    case 0:
      return define(std::string("stablehlo.") + (isFloat_ ? "abs " : "not ") + x.name + " : " + type(x.shape), x.shape);
    case 1:
    case 2:
      return binary(x);
    case 3:
      return broadcast(x);
    case 4:
      return reshape(x);
    case 5:
      return transpose(x);
    case 6:
      return slice(x);
    case 7:
      return reverse(x);
    case 8:
      return pad(x);
    case 9:
      return concatenate(x);
    case 10:
      return reduce(x);
    case 11:
      return dynamicSlice(x);
    case 12:
      return window(x);
    default:
      return centre(x);
    }
  }

  void binary(const Tensor &x) {
    std::vector<Tensor> same;
    for (const Tensor &value : values_)
      if (value.shape == x.shape)
        same.push_back(value);
    const char *ops[] = {"add", "subtract", "multiply", "maximum"};
    define(std::string("stablehlo.") + ops[pick(4)] + " " + x.name + ", " + same[pick(same.size())].name + " : " +
               type(x.shape),
           x.shape);
  }

  void broadcast(const Tensor &x) {
    if (count(x.shape) > 3000 || x.shape.size() > 3)
      return binary(x);
    Shape to = x.shape, mapped;
    size_t at = pick(to.size() + 1);
    to.insert(to.begin() + at, 1 + pick(6));
    for (size_t i = 0; i < x.shape.size(); ++i)
      mapped.push_back(i < at ? i : i + 1);
    for (size_t i = 0; i < x.shape.size(); ++i)
      if (x.shape[i] == 1)
        to[mapped[i]] = 1 + pick(5);
    define("stablehlo.broadcast_in_dim " + x.name + ", dims = [" + list(mapped) + "]" + signature(x, to), to);
  }

  void reshape(const Tensor &x) {
    Shape factors, to;
    int64_t n = count(x.shape);
    for (int64_t p = 2; p <= n; ++p)
      for (; n % p == 0; n /= p)
        factors.push_back(p);
    std::shuffle(factors.begin(), factors.end(), random_);
    for (int64_t f : factors) {
      if (!to.empty() && pick(2))
        to.back() *= f;
      else
        to.push_back(f);
    }
    while (to.size() > 4) {
      to[to.size() - 2] *= to.back();
      to.pop_back();
    }
    if (pick(4) == 0)
      to.insert(to.begin() + pick(to.size() + 1), 1);
    define("stablehlo.reshape " + x.name + signature(x, to), to);
  }

  void transpose(const Tensor &x) {
    Shape order, to;
    for (size_t i = 0; i < x.shape.size(); ++i)
      order.push_back(i);
    std::shuffle(order.begin(), order.end(), random_);
    for (int64_t i : order)
      to.push_back(x.shape[i]);
    define("stablehlo.transpose " + x.name + ", dims = [" + list(order) + "]" + signature(x, to), to);
  }

  void slice(const Tensor &x) {
    Shape to;
    std::string ranges;
    for (int64_t n : x.shape) {
      int64_t start = pick(n), stride = 1 + pick(3), limit = start + 1 + pick(n - start);
      ranges += (ranges.empty() ? "" : ", ") + std::to_string(start) + ":" + std::to_string(limit) + ":" +
                std::to_string(stride);
      to.push_back((limit - start + stride - 1) / stride);
    }
    define("stablehlo.slice " + x.name + " [" + ranges + "]" + signature(x, to), to);
  }

  void reverse(const Tensor &x) {
    if (x.shape.empty())
      return;
    define("stablehlo.reverse " + x.name + ", dims = [" + std::to_string(pick(x.shape.size())) + "] : " + type(x.shape),
           x.shape);
  }

  void pad(const Tensor &x) {
    Shape low, high, interior, to;
    for (int64_t n : x.shape) {
      low.push_back(pick(4) - 1);
      high.push_back(pick(4) - 1);
      interior.push_back(pick(4) == 0 ? pick(3) : 0);
      int64_t size = n + low.back() + high.back() + (n - 1) * interior.back();
      if (size < 1 || size > 200)
        return binary(x);
      to.push_back(size);
    }
    if (count(to) > 40000)
      return binary(x);
    define("stablehlo.pad " + x.name + ", %zero, low = [" + list(low) + "], high = [" + list(high) + "], interior = [" +
               list(interior) + "] : (" + type(x.shape) + ", tensor<" + element_ + ">) -> " + type(to),
           to);
  }

  void concatenate(const Tensor &x) {
    if (x.shape.empty() || count(x.shape) > 8000)
      return binary(x);
    size_t dim = pick(x.shape.size());
    std::vector<Tensor> pieces{x};
    for (const Tensor &value : values_) {
      Shape shape = value.shape;
      if (shape.size() != x.shape.size())
        continue;
      shape[dim] = x.shape[dim];
      if (shape == x.shape && pieces.size() < 3)
        pieces.push_back(value);
    }
    Shape to = x.shape;
    to[dim] = 0;
    std::string names, types;
    for (const Tensor &piece : pieces) {
      to[dim] += piece.shape[dim];
      names += (names.empty() ? "" : ", ") + piece.name;
      types += (types.empty() ? "" : ", ") + type(piece.shape);
    }
    define("stablehlo.concatenate " + names + ", dim = " + std::to_string(dim) + " : (" + types + ") -> " + type(to),
           to);
  }

  void reduce(const Tensor &x) {
    if (x.shape.empty())
      return;
    Shape dims, to;
    for (size_t i = 0; i < x.shape.size(); ++i)
      if (pick(2))
        dims.push_back(i);
      else
        to.push_back(x.shape[i]);
    define("stablehlo.reduce(" + x.name + " init: %zero) applies stablehlo." + (pick(2) ? "add" : "maximum") +
               " across dimensions = [" + list(dims) + "] : (" + type(x.shape) + ", tensor<" + element_ + ">) -> " +
               type(to),
           to);
  }

  // x minus its row sums: what makes a kernel of several passes over rows.
  void centre(const Tensor &x) {
    if (x.shape.empty())
      return;
    Shape to(x.shape.begin(), x.shape.end() - 1), mapped;
    for (size_t i = 0; i < to.size(); ++i)
      mapped.push_back(i);
    define("stablehlo.reduce(" + x.name + " init: %zero) applies stablehlo.add across dimensions = [" +
               std::to_string(to.size()) + "] : (" + type(x.shape) + ", tensor<" + element_ + ">) -> " + type(to),
           to);
    Tensor sums = values_.back();
    define("stablehlo.broadcast_in_dim " + sums.name + ", dims = [" + list(mapped) + "]" + signature(sums, x.shape),
           x.shape);
    define("stablehlo.subtract " + x.name + ", " + values_.back().name + " : " + type(x.shape), x.shape);
    if (isFloat_ && pick(2))
      define("stablehlo.logistic " + values_.back().name + " : " + type(x.shape), x.shape);
  }

  void dynamicSlice(const Tensor &x) {
    if (x.shape.empty() || fusion_.inputTypes.size() > 12)
      return;
    std::string starts, types;
    Shape to;
    for (int64_t n : x.shape) {
      starts += addScalarInput() + ", ";
      types += ", tensor<i32>";
      to.push_back(1 + pick(n));
    }
    if (pick(2)) {
      define("stablehlo.dynamic_slice " + x.name + ", " + starts.substr(0, starts.size() - 2) + ", sizes = [" +
                 list(to) + "] : (" + type(x.shape) + types + ") -> " + type(to),
             to);
      return;
    }
    define("stablehlo.iota dim = 0 : " + type(to), to);
    std::string window = values_.back().name;
    define("stablehlo.dynamic_update_slice " + x.name + ", " + window + ", " + starts.substr(0, starts.size() - 2) +
               " : (" + type(x.shape) + ", " + type(to) + types + ") -> " + type(x.shape),
           x.shape);
  }

  void window(const Tensor &x) {
    if (x.shape.empty() || count(x.shape) > 4000)
      return;
    Shape sizes, strides, to;
    std::string padding;
    for (int64_t n : x.shape) {
      int64_t size = 1 + pick(std::min<int64_t>(n, 3)), stride = 1 + pick(2), low = pick(2), high = pick(2);
      sizes.push_back(size);
      strides.push_back(stride);
      padding += (padding.empty() ? "[" : ", [") + std::to_string(low) + ", " + std::to_string(high) + "]";
      to.push_back((n + low + high - size) / stride + 1);
    }
    std::string rank = std::to_string(x.shape.size());
    define("\"stablehlo.reduce_window\"(" + x.name + ", %zero) <{window_dimensions = array<i64: " + list(sizes) +
               ">, window_strides = array<i64: " + list(strides) + ">, padding = dense<[" + padding + "]> : tensor<" +
               rank + "x2xi64>}> ({\n^bb0(%p: tensor<" + element_ + ">, %q: tensor<" + element_ +
               ">):\n%s = stablehlo." + (pick(2) ? "add" : "maximum") + " %p, %q : tensor<" + element_ +
               ">\nstablehlo.return %s : tensor<" + element_ + ">\n}) : (" + type(x.shape) + ", tensor<" + element_ +
               ">) -> " + type(to),
           to);
  }

  std::mt19937 random_;
  std::string element_;
  bool isFloat_;
  RandomFusion fusion_;
  std::vector<Tensor> values_;
  int next_ = 0;
};

} // namespace

RandomFusion randomFusion(unsigned seed) { return Generator(seed).run(); }

} // namespace tenon::codegen::testing
